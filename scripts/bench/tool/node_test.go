package tool_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bulksigner/scripts/bench/identity"
	"bulksigner/scripts/bench/paper"
	"bulksigner/scripts/bench/tool"
)

// standIn are packages that do as if they signed: they put a word behind the document.
var standIn = map[string]string{
	"signpdf": `exports.SignPdf = class { async sign(pdf) {
		if (pdf.length > 5000) throw new Error('too long');
		if (pdf.length < 10) process.exit(3);
		return Buffer.concat([pdf, Buffer.from('signed')]); } };`,
	"signer-p12":        `exports.P12Signer = class {};`,
	"placeholder-plain": `exports.plainAddPlaceholder = ({ pdfBuffer }) => pdfBuffer;`,
	"utils":             `exports.SUBFILTER_ETSI_CADES_DETACHED = '';`,
}

// standInNode starts the real script with packages that stand in for the real ones.
func standInNode(t *testing.T) *tool.Node {
	t.Helper()
	need(t, "node", "nodejs")
	dir := t.TempDir()
	for name, source := range standIn {
		folder := filepath.Join(dir, "node_modules", "@signpdf", name)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "index.js"), []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := tool.WriteScript(dir); err != nil {
		t.Fatal(err)
	}
	node, err := tool.Start(t.Context(), dir, newIdentity(t))
	if err != nil {
		t.Fatal(err)
	}
	return node
}

func TestNodeSigns(t *testing.T) {
	t.Parallel()
	node := standInNode(t)
	in, out := files(t, paper.Noise(1000))
	took, err := node.Timed(in, out)(t.Context(), 3)
	if err != nil || took <= 0 {
		t.Fatalf("got %s, %v", took, err)
	}
	signed, err := os.ReadFile(out)
	if err != nil || len(signed) != 1000+len("signed") {
		t.Errorf("got %d bytes, %v", len(signed), err)
	}
	peak, err := node.Peak(in, out)
	if err != nil || peak.Idle <= 0 || peak.Most < peak.Idle {
		t.Errorf("got %+v, %v", peak, err)
	}
	if err := node.Close(); err != nil {
		t.Error(err)
	}
}

func TestNodeTellsOfFailures(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		size paper.Noise
		want string
	}{
		{"an error", 6000, "too long"},
		{"an end", 5, "exit status 3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			node := standInNode(t)
			in, out := files(t, tt.size)
			_, err := node.Timed(in, out)(t.Context(), 1)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want something with %q", err, tt.want)
			}
			if err := node.Close(); (err != nil) != (tt.name == "an end") {
				t.Errorf("close: %v", err)
			}
		})
	}
}

func TestNodeWithoutPackagesSaysSo(t *testing.T) {
	t.Parallel()
	need(t, "node", "nodejs")
	dir := t.TempDir()
	if err := tool.WriteScript(dir); err != nil {
		t.Fatal(err)
	}
	node, err := tool.Start(t.Context(), dir, identity.Identity{Certificate: newIdentity(t).Certificate})
	if err != nil {
		t.Fatal(err)
	}
	in, out := files(t, paper.Noise(10))
	if _, err := node.Timed(in, out)(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "@signpdf") {
		t.Errorf("got %v, want what is missing", err)
	}
}
