package judge

import (
	"bytes"
	"context"
	"crypto/x509"
	"os"

	"bulksigner/internal/profile"
	"bulksigner/internal/verify"
)

// ours is our own verifier, as strict as a job that demands the policy.
func (e *Env) ours() *Judge {
	return &Judge{
		Name: "verify", Formats: []profile.Format{profile.Pades, profile.Cades, profile.Xades}, Maths: true,
		Find: func(context.Context) (string, error) { return "", nil },
		Each: e.verify,
	}
}

func (e *Env) verify(_ context.Context, c *Case) error {
	signed, err := os.ReadFile(c.Signed)
	if err != nil {
		return err
	}
	report, err := e.report(c, signed)
	if err != nil {
		return err
	}
	return report.Err()
}

func (e *Env) report(c *Case, signed []byte) (verify.Report, error) {
	o := verify.Options{Anchors: []*x509.Certificate{e.Root}, At: e.Now, Policy: true, Signer: c.Certificate}
	switch {
	case c.Format == profile.Pades:
		return verify.PDF(bytes.NewReader(signed), int64(len(signed)), o)
	case c.Format == profile.Xades:
		return verify.XML(signed, o)
	case c.Content == "":
		return verify.CMS(bytes.NewReader(signed), int64(len(signed)), o)
	}
	content, err := os.Open(c.Content)
	if err != nil {
		return verify.Report{}, err
	}
	defer content.Close()
	return verify.Detached(signed, content, o)
}
