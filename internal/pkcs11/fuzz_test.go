//go:build pkcs11

package pkcs11_test

import (
	"crypto"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/pkcs11"
)

// FuzzToken has a token answer anything: it leads to an error, and to a signature only if it is one.
func FuzzToken(f *testing.F) {
	rsaCert, ecCert := issue(f, rsaKey()), issue(f, p256Key())
	f.Add([]byte("1"), rsaCert.Raw, []byte(nil), []byte{0, 1, 2}, make([]byte, 256), true)
	f.Add([]byte{}, ecCert.Raw, []byte{4, 65, 4}, []byte{}, make([]byte, 64), false)
	f.Fuzz(func(t *testing.T, id, certificate, public, always, signature []byte, isRSA bool) {
		key, c := p256Key(), ecCert
		if isRSA {
			key, c = rsaKey(), rsaCert
		}
		token := newFake().store("1", key, c)
		for _, o := range token.objects {
			o.has[pkcs11.Value] = certificate
			o.has[pkcs11.Always] = always
			if len(public) > 0 {
				o.has[pkcs11.Modulus], o.has[pkcs11.ECPoint] = public, public
			}
			if o.class != pkcs11.PrivateKey {
				o.has[pkcs11.ID] = id
			}
		}
		token.instead = func([]byte) []byte { return signature }
		k, err := token.process().Open(t.Context(), options(1), c)
		if err != nil {
			return
		}
		got, err := k.Signer(t.Context()).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
		if err != nil {
			has(t, "Sign", err, fault.JobKeySilent)
			return
		}
		verify(t, c.PublicKey, crypto.SHA256, got)
	})
}
