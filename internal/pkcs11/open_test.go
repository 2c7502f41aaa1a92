//go:build pkcs11

package pkcs11_test

import (
	"crypto"
	"crypto/sha1"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/icpbrasil/icpbrasiltest"
	"bulksigner/internal/pkcs11"
)

func thumbprint(c *x509.Certificate) string {
	sum := sha1.Sum(c.Raw)
	return hex.EncodeToString(sum[:])
}

func TestOpenFindsTheKey(t *testing.T) {
	t.Parallel()
	own, other := issue(t, rsaKey()), issue(t, otherKey())
	ec := issue(t, p256Key())
	chain := []*x509.Certificate{pki().Chain[0], pki().Chain[1]}
	without := func(f *fake, kind uint) *fake {
		for _, o := range f.objects {
			delete(o.has, kind)
		}
		return f
	}
	private := func(f *fake, change func(has map[uint][]byte)) *fake {
		for _, o := range f.objects {
			if o.class == pkcs11.PrivateKey {
				change(o.has)
			}
		}
		return f
	}
	tests := []struct {
		name  string
		token *fake
		given *x509.Certificate
		print string
		chain []*x509.Certificate
		want  fault.Code
	}{
		{"by its thumbprint", newFake().store("1", rsaKey(), own), nil, thumbprint(own), nil, ""},
		{"by a thumbprint as Windows shows it", newFake().store("1", rsaKey(), own), nil, spaced(own), nil, ""},
		{"by its certificate", newFake().store("1", rsaKey(), own), own, "", nil, ""},
		{"by both", newFake().store("1", rsaKey(), own), own, strings.ToUpper(thumbprint(own)), nil, ""},
		{"by both, of which one is another's", newFake().store("1", rsaKey(), own), own, thumbprint(other), nil, fault.CertificateMismatch},
		{"with its chain", newFake().certify("ca", pki().Root, pki().Chain[1], pki().Chain[0]).store("1", rsaKey(), own), nil, thumbprint(own), chain, ""},
		{"with a chain that has a gap", newFake().certify("ca", pki().Chain[1]).store("1", rsaKey(), own), nil, thumbprint(own), nil, ""},
		{"among others", newFake().store("1", otherKey(), other).store("2", rsaKey(), own), nil, thumbprint(own), nil, ""},
		{"among others of its name", newFake().store("1", otherKey(), other).store("1", rsaKey(), own), nil, thumbprint(own), nil, ""},
		{"without the certificate on the token", without(newFake().store("1", rsaKey(), own), pkcs11.Value), own, "", nil, ""},
		{"without a name", without(newFake().store("1", rsaKey(), own), pkcs11.ID), own, "", nil, ""},
		{"with zeros before its modulus", private(newFake().store("1", rsaKey(), own), func(has map[uint][]byte) {
			has[pkcs11.Modulus] = append([]byte{0, 0}, has[pkcs11.Modulus]...)
		}), own, "", nil, ""},
		{"with its modulus in the public key", private(newFake().store("1", rsaKey(), own), func(has map[uint][]byte) {
			delete(has, pkcs11.Modulus)
		}), own, "", nil, ""},
		{"on a curve", newFake().store("1", p256Key(), ec), nil, thumbprint(ec), nil, ""},
		{"on a curve, the certificate not on the token", without(newFake().store("1", p256Key(), ec), pkcs11.Value), ec, "", nil, ""},
		{"on a curve, without a public key", withoutPublic(newFake().store("1", p256Key(), ec)), ec, "", nil, fault.KeyUnsupported},
		{"on a curve, one of two of a name", newFake().store("1", p256Key(), ec).store("1", otherEC(), issue(t, otherEC())), ec, "", nil, fault.CertificateMismatch},
		{"of which there is no certificate", newFake().store("1", rsaKey(), own), nil, thumbprint(other), nil, fault.CertificateMissing},
		{"which is not there", newFake().store("1", rsaKey(), own).certify("2", other), nil, thumbprint(other), nil, fault.KeyNotFound},
		{"which is another", newFake().store("1", rsaKey(), own).certify("1", other), nil, thumbprint(other), nil, fault.CertificateMismatch},
		{"which may not sign", private(newFake().store("1", rsaKey(), own), func(has map[uint][]byte) { has[pkcs11.MaySign] = []byte{0} }), own, "", nil, fault.KeyUnsupported},
		{"of a certificate for encryption", newFake(), issue(t, rsaKey(), icpbrasiltest.KeyUsage(x509.KeyUsageKeyEncipherment)), "", nil, fault.CertificateUnsuitable},
		{"too small", newFake(), issue(t, weakKey()), "", nil, fault.KeyUnsupported},
		{"on a curve that is not used", newFake(), issue(t, p224Key()), "", nil, fault.KeyUnsupported},
		{"amid rubbish", newFake().certify("x", &x509.Certificate{Raw: []byte("no certificate")}).store("1", rsaKey(), own), nil, thumbprint(own), nil, ""},
		{"of a certificate that is rubbish", newFake().certify("x", &x509.Certificate{Raw: []byte("rubbish")}), nil, thumbprint(&x509.Certificate{Raw: []byte("rubbish")}), nil, fault.CertificateInvalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := options(1)
			o.Thumbprint = tt.print
			k, err := tt.token.process().Open(t.Context(), o, tt.given)
			has(t, "Open", err, tt.want)
			if err != nil {
				if open := tt.token.count("OpenSession") - tt.token.count("CloseSession"); open != 0 {
					t.Errorf("%d sessions are left open", open)
				}
				return
			}
			if !slices.EqualFunc(k.Chain, tt.chain, (*x509.Certificate).Equal) {
				t.Errorf("the chain has %d certificates, want %d", len(k.Chain), len(tt.chain))
			}
			signature, err := k.Signer(t.Context()).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
			has(t, "Sign", err, "")
			verify(t, k.Certificate.PublicKey, crypto.SHA256, signature)
		})
	}
}

func spaced(c *x509.Certificate) string {
	var pairs []string
	for pair := range slices.Chunk([]byte(strings.ToUpper(thumbprint(c))), 2) {
		pairs = append(pairs, string(pair))
	}
	return strings.Join(pairs, " ")
}

func withoutPublic(f *fake) *fake {
	f.objects = slices.DeleteFunc(f.objects, func(o object) bool { return o.class == pkcs11.PublicKey })
	return f
}

func TestOpenSaysWhatTheModuleSays(t *testing.T) {
	t.Parallel()
	own := issue(t, rsaKey())
	tests := []struct {
		function, result string
		want             fault.Code
	}{
		{"Slots", "GENERAL_ERROR", fault.Internal},
		{"Token", "TOKEN_NOT_PRESENT", fault.KeyUnavailable},
		{"OpenSession", "TOKEN_NOT_PRESENT", fault.KeyUnavailable},
		{"OpenSession", "TOKEN_NOT_RECOGNIZED", fault.KeyUnavailable},
		{"OpenSession", "SLOT_ID_INVALID", fault.KeyNotFound},
		{"OpenSession", "SESSION_COUNT", fault.Internal},
		{"LoggedIn", "DEVICE_ERROR", fault.Internal},
		{"Find", "FUNCTION_FAILED", fault.Internal},
		{"Attribute", "DEVICE_ERROR", fault.Internal},
		{"CanSign", "DEVICE_ERROR", fault.Internal},
	}
	for _, tt := range tests {
		t.Run(tt.function+" "+tt.result, func(t *testing.T) {
			t.Parallel()
			f := newFake().store("1", rsaKey(), own).failNext(tt.function, pkcs11.Named(tt.result))
			p := f.process()
			_, err := p.Open(t.Context(), options(1), own)
			has(t, "Open", err, tt.want)
			if !errors.Is(err, pkcs11.Named(tt.result)) {
				t.Errorf("Open = %v, want %s in it", err, tt.result)
			}
			_, err = p.Open(t.Context(), options(1), own)
			has(t, "Open after that", err, "")
		})
	}
}

func TestOpenChoosesTheToken(t *testing.T) {
	t.Parallel()
	own := issue(t, rsaKey())
	tests := []struct {
		name string
		set  func(*pkcs11.Options)
		want fault.Code
	}{
		{"by label", func(*pkcs11.Options) {}, ""},
		{"by slot", func(o *pkcs11.Options) { o.Slot, o.TokenLabel = new(uint(3)), "" }, ""},
		{"by both", func(o *pkcs11.Options) { o.Slot = new(uint(3)) }, ""},
		{"another label", func(o *pkcs11.Options) { o.TokenLabel = "other" }, fault.KeyNotFound},
		{"another slot", func(o *pkcs11.Options) { o.Slot = new(uint(4)) }, fault.KeyNotFound},
		{"the slot, and another label", func(o *pkcs11.Options) { o.Slot, o.TokenLabel = new(uint(3)), "other" }, fault.KeyNotFound},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := options(1)
			tt.set(&o)
			_, err := newFake().store("1", rsaKey(), own).process().Open(t.Context(), o, own)
			has(t, "Open", err, tt.want)
		})
	}
}

func TestModulesAreLoadedOnce(t *testing.T) {
	t.Parallel()
	own := issue(t, rsaKey())
	f, loads := newFake().store("1", rsaKey(), own), 0
	p := pkcs11.NewProcess(func(string) (pkcs11.Cryptoki, error) {
		if loads++; loads == 1 {
			return nil, errors.New("not there yet")
		}
		return f, nil
	})
	_, err := p.Open(t.Context(), options(1), own)
	has(t, "Open without the module", err, fault.KeyUnavailable)
	for range 3 {
		_, err = p.Open(t.Context(), options(1), own)
		has(t, "Open", err, "")
	}
	if loads != 2 {
		t.Errorf("the module was loaded %d times, want 2", loads)
	}
	if n := f.count("Login"); n != 1 {
		t.Errorf("there were %d logins, want one that is shared", n)
	}
}

func TestOpenOfAFileThatIsNoModule(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/nowhere/libtoken.so", "/etc/passwd"} {
		o := options(1)
		o.Module = path
		_, err := pkcs11.Open(t.Context(), o, issue(t, rsaKey()))
		has(t, "Open of "+path, err, fault.KeyUnavailable)
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	own := issue(t, rsaKey())
	f := newFake().store("1", rsaKey(), own)
	k := f.open(t, own, 2)
	signer := k.Signer(t.Context())
	f.signing = func() {
		if err := k.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	}
	signature, err := signer.Sign(nil, digest(crypto.SHA256), crypto.SHA256)
	has(t, "Sign that was under way", err, "")
	verify(t, rsaKey().Public(), crypto.SHA256, signature)
	if n := f.count("CloseSession"); n != 1 {
		t.Errorf("%d sessions were closed, want the one that was in use", n)
	}
	_, err = signer.Sign(nil, digest(crypto.SHA256), crypto.SHA256)
	has(t, "Sign of a closed key", err, fault.Throttled)
	if err := k.Close(); err != nil {
		t.Errorf("Close again = %v", err)
	}
}

func TestCloseOfALostToken(t *testing.T) {
	t.Parallel()
	own := issue(t, rsaKey())
	f := newFake().store("1", rsaKey(), own)
	lost, failing := f.open(t, own, 1), newFake().store("1", rsaKey(), own)
	f.lose()
	if err := lost.Close(); err != nil {
		t.Errorf("Close = %v, want nothing: the session is closed", err)
	}
	k := failing.open(t, own, 1)
	failing.failNext("CloseSession", pkcs11.Named("GENERAL_ERROR"))
	if err := k.Close(); !errors.Is(err, pkcs11.Named("GENERAL_ERROR")) {
		t.Errorf("Close = %v, want what the module said", err)
	}
}

// A key that is forgotten without Close gives its sessions back when it is collected.
func TestForgottenKeysClose(t *testing.T) {
	t.Parallel()
	own := issue(t, rsaKey())
	f := newFake().store("1", rsaKey(), own)
	_, err := f.process().Open(t.Context(), options(1), own)
	has(t, "Open", err, "")
	for end := time.Now().Add(30 * time.Second); f.count("CloseSession") == 0; runtime.GC() {
		if time.Now().After(end) {
			t.Fatal("the session of a forgotten key is still open")
		}
	}
}

// Other people's certificates on a token are nobody's concern, whatever they are.
func TestACertificateThatIsTooLargeIsLeftOut(t *testing.T) {
	t.Parallel()
	own := issue(t, rsaKey())
	f := newFake().certify("large", issue(t, otherKey())).store("1", rsaKey(), own)
	o := options(1)
	o.Thumbprint = thumbprint(own)
	_, err := f.failNext("Attribute", pkcs11.Named("BUFFER_TOO_SMALL")).process().Open(t.Context(), o, nil)
	has(t, "Open", err, "")
}
