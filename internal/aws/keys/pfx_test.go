package keys_test

import (
	"context"
	"crypto"
	"crypto/ecdh"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"software.sslmate.com/src/go-pkcs12"

	"bulksigner/internal/aws/keys"
	"bulksigner/internal/fault"
	"bulksigner/internal/icpbrasil/icpbrasiltest"
	"bulksigner/internal/profile"
)

const (
	secretFile     = "arn:aws:secretsmanager:sa-east-1:111122223333:secret:pfx-AbCdEf"
	secretPassword = "arn:aws-us-gov:secretsmanager:us-gov-west-1:111122223333:secret:password-AbCdEf"
	password       = "senha segura 1 ç"
)

func pfxProfile(location string) profile.Profile {
	p := profile.New("contracts")
	p.Certificate = &profile.Certificate{Source: profile.Pfx, Pfx: &profile.PfxKey{Location: location, Password: secretPassword}}
	return p
}

// newPfx is a PKCS#12 file of a key, its certificate and the chain.
func newPfx(t testing.TB, encoder *pkcs12.Encoder, key crypto.Signer, opts ...icpbrasiltest.Option) []byte {
	t.Helper()
	file, err := encoder.Encode(key, issue(t, key.Public(), opts...), append(slices.Clone(pki().Chain), pki().Root), password)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func stored(file []byte) *files {
	return &files{
		objects: map[string][]byte{inBucket: file},
		secrets: map[string][]byte{secretFile: file, secretPassword: []byte(password)},
	}
}

func TestPfxSigns(t *testing.T) {
	t.Parallel()
	modern := newPfx(t, pkcs12.Modern, rsaKey())
	wrapped := base64.StdEncoding.EncodeToString(modern)
	wrapped = wrapped[:64] + "\r\n" + wrapped[64:] + "\n"
	tests := []struct {
		name     string
		file     []byte
		location string
		hash     crypto.Hash
	}{
		{"modern", modern, secretFile, crypto.SHA256},
		{"modern with AES and a new MAC", newPfx(t, pkcs12.Modern2026, rsaKey()), secretFile, crypto.SHA256},
		{"legacy with 3DES", newPfx(t, pkcs12.LegacyDES, rsaKey()), secretFile, crypto.SHA512},
		{"legacy with RC2", newPfx(t, pkcs12.LegacyRC2, rsaKey()), secretFile, crypto.SHA384},
		{"base64", []byte(wrapped), secretFile, crypto.SHA256},
		{"in a bucket", modern, inBucket, crypto.SHA256},
		{"P-384", newPfx(t, pkcs12.Modern, p384Key()), secretFile, crypto.SHA512},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := stored(tt.file)
			key, err := keys.New(nil, f, f, 0).Open(t.Context(), pfxProfile(tt.location))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.EqualFunc(key.Chain, pki().Chain, (*x509.Certificate).Equal) {
				t.Errorf("the chain has %d certificates, want the authorities without the root", len(key.Chain))
			}
			has(t, "Ready", key.Ready(t.Context()), "")
			signature, err := key.Signer(t.Context()).Sign(nil, digest(tt.hash), tt.hash)
			if err != nil {
				t.Fatal(err)
			}
			verify(t, key.Certificate.PublicKey, tt.hash, signature)
			_, err = key.Signer(t.Context()).Sign(nil, make([]byte, 20), crypto.SHA1)
			has(t, "Sign of SHA-1", err, fault.JobKeyRefused)
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			_, err = key.Signer(ended).Sign(nil, digest(tt.hash), tt.hash)
			has(t, "Sign after the end", err, fault.Throttled)
		})
	}
}

// Some programs write the authorities first.
func TestPfxWithItsCertificateLast(t *testing.T) {
	t.Parallel()
	own := issue(t, rsaKey().Public())
	file, err := pkcs12.Modern.Encode(rsaKey(), pki().Chain[1], []*x509.Certificate{pki().Chain[0], own}, password)
	if err != nil {
		t.Fatal(err)
	}
	f := stored(file)
	key, err := keys.New(nil, f, f, 0).Open(t.Context(), pfxProfile(secretFile))
	if err != nil {
		t.Fatal(err)
	}
	if !key.Certificate.Equal(own) || len(key.Chain) != 2 {
		t.Errorf("the certificate is %s's with %d above it, want %s's with 2", key.Certificate.Subject, len(key.Chain), own.Subject)
	}
}

func TestPfxRefused(t *testing.T) {
	t.Parallel()
	_, edKey, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	exchange, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	noSigner, err := pkcs12.Modern.Encode(exchange, issue(t, otherKey().Public()), nil, password)
	if err != nil {
		t.Fatal(err)
	}
	good := newPfx(t, pkcs12.Modern, otherKey())
	without := func(arn string) *files {
		f := stored(good)
		delete(f.secrets, arn)
		return f
	}
	failing := func(code string) *files { return &files{err: awsError(code)} }
	large := stored(nil)
	large.objects[inBucket] = make([]byte, keys.MaxPfx+1)
	tests := []struct {
		name, location string
		files          *files
		want           fault.Code
	}{
		{"no file", secretFile, without(secretFile), fault.KeyNotFound},
		{"no file in the bucket", "s3://certificates/nothing.pfx", stored(good), fault.KeyNotFound},
		{"no password", secretFile, without(secretPassword), fault.KeyUnavailable},
		{"may not be read", secretFile, failing("AccessDeniedException"), fault.KeyUnavailable},
		{"throttled", secretFile, failing("ThrottlingException"), fault.Internal},
		{"out of reach", secretFile, &files{err: errNetwork}, fault.Internal},
		{"rubbish", secretFile, stored([]byte("no PKCS#12")), fault.CertificateInvalid},
		{"cut", secretFile, stored(good[:len(good)/2]), fault.CertificateInvalid},
		{"too large", inBucket, large, fault.CertificateInvalid},
		{"a small RSA key", secretFile, stored(newPfx(t, pkcs12.Modern, weakKey())), fault.KeyUnsupported},
		{"a small curve", secretFile, stored(newPfx(t, pkcs12.Modern, p224Key())), fault.KeyUnsupported},
		{"Ed25519", secretFile, stored(newPfx(t, pkcs12.Modern, edKey)), fault.KeyUnsupported},
		{"a key that cannot sign", secretFile, stored(noSigner), fault.KeyUnsupported},
		{"for encryption", secretFile, stored(newPfx(t, pkcs12.Modern, otherKey(), icpbrasiltest.KeyUsage(x509.KeyUsageKeyAgreement))), fault.CertificateUnsuitable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := keys.New(nil, tt.files, tt.files, 0).Open(t.Context(), pfxProfile(tt.location))
			has(t, "Open", err, tt.want)
		})
	}
}

func TestPfxPassword(t *testing.T) {
	t.Parallel()
	file := newPfx(t, pkcs12.Modern, otherKey())
	f := stored(file)
	f.secrets[secretPassword] = []byte("an old password")
	_, err := keys.New(nil, f, f, 0).Open(t.Context(), pfxProfile(secretFile))
	has(t, "Open with a wrong password", err, fault.CertificateInvalid)
	if strings.Contains(err.Error(), "an old password") {
		t.Errorf("the error quotes the password: %v", err)
	}
	f.again = awsError("ThrottlingException")
	_, err = keys.New(nil, f, f, 0).Open(t.Context(), pfxProfile(secretFile))
	has(t, "Open while nothing can be read again", err, fault.Internal)
	f.again = nil
	f.fresh = map[string][]byte{secretPassword: []byte(password)}
	_, err = keys.New(nil, f, f, 0).Open(t.Context(), pfxProfile(secretFile))
	has(t, "Open with a password that was replaced", err, "")
}

// FuzzPfx holds that no file makes Open panic, or fail without a code.
func FuzzPfx(f *testing.F) {
	f.Add(newPfx(f, pkcs12.Modern.WithIterations(1), otherKey()))
	f.Add(newPfx(f, pkcs12.LegacyDES.WithIterations(1), otherKey()))
	f.Add([]byte("MIIB"))
	f.Fuzz(func(t *testing.T, file []byte) {
		s := stored(file)
		_, err := keys.New(nil, s, s, 0).Open(t.Context(), pfxProfile(secretFile))
		if err != nil && fault.CodeOf(err) == fault.Internal {
			t.Errorf("Open = %v, want a code", err)
		}
	})
}
