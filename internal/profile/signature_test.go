package profile_test

import (
	"strings"
	"testing"
)

func TestElements(t *testing.T) {
	t.Parallel()
	for name, ok := range map[string]bool{
		"": true, "infNFe": true, "_a": true, "a-b.c_1": true, "Código": true, "文書": true, strings.Repeat("é", 256): true,
		"nfe:infNFe": false, "1a": false, "-a": false, ".a": false, "a b": false, "a\n": false, "#id": false, "a/b": false, "a×b": false,
		"*": false, "\xff": false, strings.Repeat("é", 257): false,
	} {
		p := withXades()
		p.Signature.Element = name
		if got := p.Check(); (got == nil) != ok || !ok && (len(got) != 1 || got[0].Rule != 228) {
			t.Errorf("element %.40q: Check = %v, want accepted %t", name, got, ok)
		}
	}
}
