package demo

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// pdfsigTimeout bounds one look at a file.
const pdfsigTimeout = 30 * time.Second

// Pdfsig judges signed PDFs with Poppler's pdfsig, which knows nothing of this project.
type Pdfsig struct {
	path  string
	store string // NSS store with the root, or ""
}

// NewPdfsig looks for pdfsig on PATH. If certutil is there too, the root goes into a store in dir, so that pdfsig can
// tell that the chain leads to it. missing says what cannot be judged, and what to install.
func NewPdfsig(ctx context.Context, root, dir string) (p *Pdfsig, missing string) {
	path, err := exec.LookPath("pdfsig")
	if err != nil {
		return &Pdfsig{}, "install poppler-utils to see what pdfsig says of each signature"
	}
	p = &Pdfsig{path: path}
	certutil, err := exec.LookPath("certutil")
	if err != nil {
		return p, "install libnss3-tools (certutil) so that pdfsig can check the chain, too"
	}
	store := filepath.Join(dir, "nss")
	if err := makeStore(ctx, certutil, root, store); err != nil {
		return p, "pdfsig cannot check the chain: " + err.Error()
	}
	p.store = store
	return p, ""
}

func makeStore(ctx context.Context, certutil, root, store string) error {
	if err := os.MkdirAll(store, 0o700); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"-N", "-d", store, "--empty-password"},
		{"-A", "-d", store, "-n", "root", "-t", "C,C,C", "-i", root},
	} {
		if out, err := exec.CommandContext(ctx, certutil, args...).CombinedOutput(); err != nil {
			return fmt.Errorf("certutil %s: %w: %s", args[0], err, bytes.TrimSpace(out))
		}
	}
	return nil
}

// Judge returns a verdict in a few words, or "" for what is no PDF or if there is no pdfsig.
func (p *Pdfsig) Judge(ctx context.Context, path string) string {
	if p.path == "" || !strings.EqualFold(filepath.Ext(path), ".pdf") {
		return ""
	}
	args := []string{"-no-ocsp"}
	if p.store == "" {
		args = append(args, "-nocert")
	} else {
		args = append(args, "-nssdir", p.store)
	}
	ctx, cancel := context.WithTimeout(ctx, pdfsigTimeout)
	defer cancel()
	// The exit status says whether there is a signature, not whether it is good: the text decides.
	out, err := exec.CommandContext(ctx, p.path, append(args, path)...).CombinedOutput()
	return "pdfsig: " + Verdict(string(out), p.store != "", err)
}

// Verdict reads pdfsig's report on the last signature of a file.
func Verdict(report string, chain bool, failure error) string {
	last := report[max(0, strings.LastIndex(report, "Signature #")):]
	switch {
	case strings.Contains(last, "Signature has not yet been verified"):
		return "of a kind that it cannot check"
	case !strings.Contains(last, "Signature is Valid."):
		return invalid(last, failure)
	case strings.Contains(last, "Not total document signed"):
		return "valid, but the document was changed since"
	case !chain:
		return "valid"
	case !strings.Contains(last, "Certificate is Trusted."):
		return "valid, but its certificate is not trusted"
	}
	return "valid and trusted"
}

// invalid quotes the reason, which stands on one line.
func invalid(report string, failure error) string {
	for line := range strings.Lines(report) {
		if _, reason, ok := strings.Cut(line, "Signature Validation: "); ok {
			return "INVALID: " + strings.TrimSpace(reason)
		}
	}
	if failure != nil {
		return "no signature: " + failure.Error()
	}
	return "no signature"
}
