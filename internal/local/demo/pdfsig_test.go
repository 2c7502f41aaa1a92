package demo_test

import (
	"errors"
	"path/filepath"
	"testing"

	"bulksigner/internal/local/demo"
)

func TestVerdicts(t *testing.T) {
	t.Parallel()
	const (
		valid    = "  - Signature Validation: Signature is Valid.\n"
		trusted  = "  - Certificate Validation: Certificate is Trusted.\n"
		unknown  = "  - Certificate Validation: Certificate issuer is unknown.\n"
		whole    = "  - Total document signed\n"
		partly   = "  - Not total document signed\n"
		mismatch = "  - Signature Validation: Digest Mismatch.\n"
		first    = "Signature #1:\n"
		second   = "Signature #2:\n"
	)
	tests := []struct {
		name, report string
		chain        bool
		failure      error
		want         string
	}{
		{"good", first + whole + valid + trusted, true, nil, "valid and trusted"},
		{"good, as far as it can see", first + whole + valid, false, nil, "valid"},
		{"from a stranger", first + whole + valid + unknown, true, nil, "valid, but its certificate is not trusted"},
		{"changed", first + whole + mismatch, true, nil, "INVALID: Digest Mismatch."},
		{"added to", first + partly + valid + trusted, true, nil, "valid, but the document was changed since"},
		{"signed twice", first + partly + valid + trusted + second + whole + valid + trusted, true, nil, "valid and trusted"},
		{"signed twice, the last one broken", first + partly + valid + trusted + second + whole + mismatch, true, nil, "INVALID: Digest Mismatch."},
		{"of the Brazilian kind", first + "  - Signature Type: unknown\n  - Signature Validation: Signature has not yet been verified.\n", true, nil, "of a kind that it cannot check"},
		{"not signed", "File 'a.pdf' does not contain any signatures\n", true, errors.New("exit status 2"), "no signature: exit status 2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := demo.Verdict(tt.report, tt.chain, tt.failure); got != tt.want {
				t.Errorf("Verdict = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestPdfsigLooksAtRealFiles(t *testing.T) {
	t.Parallel()
	p, missing := demo.NewPdfsig(t.Context(), "root.pem", t.TempDir())
	if missing == "install poppler-utils to see what pdfsig says of each signature" {
		t.Skip(missing)
	}
	samples, err := filepath.Abs("../../../scripts/local/samples")
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Judge(t.Context(), filepath.Join(samples, "nota.pdf")); got != "pdfsig: no signature: exit status 2" {
		t.Errorf("Judge = %q, want that there is no signature", got)
	}
	if got := p.Judge(t.Context(), filepath.Join(samples, "bilhete.txt")); got != "" {
		t.Errorf("Judge = %q for what is no PDF, want nothing", got)
	}
}
