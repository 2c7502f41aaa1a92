package settings_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"bulksigner/internal/settings"
)

func TestEachRunHasItsShareOfSigner(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rate, runs int
		good       bool
	}{{1, 10, true}, {1, 11, false}, {100, 1000, true}, {99, 1000, false}} {
		file := fmt.Sprintf(`{%s,%s,"Pipeline":{"MaxConcurrency":%d}}`, kms, strings.TrimSuffix(signerSection, "}")+fmt.Sprintf(`,"RequestsPerSecond":%d}`, tt.rate), tt.runs)
		_, err := settings.Load(fstest.MapFS{"s.json": {Data: []byte(file)}}, "s.json", nil)
		if good := err == nil; good != tt.good {
			t.Errorf("%d calls a second for %d runs: %v", tt.rate, tt.runs, err)
		}
	}
}
