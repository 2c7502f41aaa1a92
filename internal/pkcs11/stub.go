//go:build !pkcs11

package pkcs11

import (
	"context"
	"crypto/x509"

	"bulksigner/internal/fault"
)

// open refuses every key: this build has no cgo. What is wrong with the options is still said, since it would have to be
// mended too.
func open(_ context.Context, o Options, certificate *x509.Certificate) (*Key, error) {
	if _, err := o.checked(certificate); err != nil {
		return nil, err
	}
	return nil, fault.New(fault.KeyUnsupported,
		"this build has no PKCS#11; build it with CGO_ENABLED=1 and -tags pkcs11 to use keys on tokens")
}
