package library

import (
	"crypto/x509"
	"errors"
	"fmt"
	"os"

	"bulksigner/internal/verify"
	"bulksigner/scripts/bench/identity"
)

// Check judges what somebody signed: the last signature must be the identity's, and be of the content. Whether it keeps to
// a policy is not asked, since others know none.
func Check(id identity.Identity, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	report, err := verify.File(f, info.Size(), verify.Options{Anchors: []*x509.Certificate{id.Root}, At: begun(id)})
	if err != nil {
		return err
	}
	if len(report.Signatures) == 0 {
		return errors.New("there is no signature")
	}
	last := report.Signatures[len(report.Signatures)-1]
	for _, name := range []string{verify.MessageDigest, verify.SignatureValue, verify.Chain} {
		if c := last.Check(name); c.Outcome != verify.Passed {
			return fmt.Errorf("the %s is not good: %s (%s)", name, c.Outcome, c.Detail)
		}
	}
	return nil
}
