// Command pkcs7 judges CMS signatures with github.com/smallstep/pkcs7.
package main

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"os"

	"bulksigner/scripts/conformance/peers/wire"

	"github.com/smallstep/pkcs7"
)

func main() { wire.Serve("github.com/smallstep/pkcs7", open) }

func open(root string) (func(wire.Case) error, error) {
	text, err := os.ReadFile(root)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, errors.New("there is no trust anchor")
	}
	return func(c wire.Case) error { return judge(c, pool) }, nil
}

// judge verifies the signature of the given signer, with its chain. What others signed before is not looked at.
func judge(c wire.Case, pool *x509.CertPool) error {
	signed, err := os.ReadFile(c.Signed)
	if err != nil {
		return err
	}
	message, err := pkcs7.Parse(signed)
	if err != nil {
		return err
	}
	if c.Content != "" {
		if len(message.Content) != 0 {
			return errors.New("the content is inside")
		}
		if message.Content, err = os.ReadFile(c.Content); err != nil {
			return err
		}
	}
	if err := keep(message, c.Signer); err != nil {
		return err
	}
	return message.VerifyWithChain(pool)
}

// keep leaves the signer with a certificate alone.
func keep(message *pkcs7.PKCS7, signer string) error {
	var serial string
	for _, cert := range message.Certificates {
		if sum := sha256.Sum256(cert.Raw); hex.EncodeToString(sum[:]) == signer {
			serial = cert.SerialNumber.String()
		}
	}
	mine := message.Signers[:0]
	for _, s := range message.Signers {
		if s.IssuerAndSerialNumber.SerialNumber != nil && s.IssuerAndSerialNumber.SerialNumber.String() == serial {
			mine = append(mine, s)
		}
	}
	if message.Signers = mine; len(mine) != 1 {
		return fmt.Errorf("there are %d signatures of the signer, want 1", len(mine))
	}
	return nil
}
