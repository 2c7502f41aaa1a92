package keys_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/kms/types"

	"bulksigner/internal/aws/keys"
	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

// emulated is a key in local-kms, with its certificate.
type emulated struct {
	*kms.Client
	arn, alias string
	public     crypto.PublicKey
	cert       string
}

// serial tells apart what tests make when they run more than once.
var serial atomic.Int32

func newEmulated(t testing.TB, spec types.KeySpec, alias string) emulated {
	t.Helper()
	e := emulated{Client: kms.NewFromConfig(local.Config()), alias: fmt.Sprintf("alias/%s-%d", alias, serial.Add(1))}
	made, err := e.CreateKey(t.Context(), &kms.CreateKeyInput{KeySpec: spec, KeyUsage: types.KeyUsageTypeSignVerify})
	if err != nil {
		t.Fatal(err)
	}
	e.arn = *made.KeyMetadata.Arn
	if _, err := e.CreateAlias(t.Context(), &kms.CreateAliasInput{AliasName: &e.alias, TargetKeyId: &e.arn}); err != nil {
		t.Fatal(err)
	}
	public, err := e.GetPublicKey(t.Context(), &kms.GetPublicKeyInput{KeyId: &e.arn})
	if err != nil {
		t.Fatal(err)
	}
	if e.public, err = x509.ParsePKIXPublicKey(public.PublicKey); err != nil {
		t.Fatal(err)
	}
	e.cert = encode(issue(t, e.public))
	return e
}

func (e emulated) open(t *testing.T, p profile.Profile) profile.Key {
	t.Helper()
	key, err := keys.New(e.Client, &files{}, &files{}, 0).Open(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if err := key.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	return key
}

// digest is one of some text.
func digest(h crypto.Hash) []byte {
	w := h.New()
	fmt.Fprint(w, "the signed attributes of a document")
	return w.Sum(nil)
}

// verify checks a signature with the public key alone: an emulator that hashed a digest again would not notice itself.
func verify(t *testing.T, public crypto.PublicKey, h crypto.Hash, signature []byte) {
	t.Helper()
	ok := false
	switch k := public.(type) {
	case *rsa.PublicKey:
		ok = rsa.VerifyPKCS1v15(k, h, digest(h), signature) == nil
	case *ecdsa.PublicKey:
		var values struct{ R, S asn1.RawValue }
		if rest, err := asn1.Unmarshal(signature, &values); err != nil || len(rest) > 0 {
			t.Errorf("the ECDSA signature is not DER: %v", err)
		}
		ok = ecdsa.VerifyASN1(k, digest(h), signature)
	}
	if !ok {
		t.Errorf("the signature with %s does not verify", h)
	}
}

func TestSignaturesVerify(t *testing.T) {
	t.Parallel()
	tests := []struct {
		spec   types.KeySpec
		hashes []crypto.Hash
	}{
		{types.KeySpecRsa2048, []crypto.Hash{crypto.SHA256, crypto.SHA384, crypto.SHA512}},
		{types.KeySpecRsa4096, []crypto.Hash{crypto.SHA256, crypto.SHA384, crypto.SHA512}},
		{types.KeySpecEccNistP256, []crypto.Hash{crypto.SHA256}},
	}
	for _, tt := range tests {
		t.Run(string(tt.spec), func(t *testing.T) {
			t.Parallel()
			e := newEmulated(t, tt.spec, "verify-"+strings.ToLower(string(tt.spec)))
			key := e.open(t, kmsProfile(e.arn, e.cert))
			for _, h := range tt.hashes {
				signer := key.Signer(t.Context())
				if got := signer.Public(); !key.Certificate.PublicKey.(interface{ Equal(crypto.PublicKey) bool }).Equal(got) {
					t.Error("the signer has another public key than the certificate")
				}
				signature, err := signer.Sign(rand.Reader, digest(h), h)
				if err != nil {
					t.Fatal(err)
				}
				verify(t, e.public, h, signature)
			}
		})
	}
}

func TestSignRefusesWhatIsNoDigest(t *testing.T) {
	t.Parallel()
	e := newEmulated(t, types.KeySpecEccNistP256, "no-digest")
	signer := e.open(t, kmsProfile(e.arn, e.cert)).Signer(t.Context())
	for name, try := range map[string]func() ([]byte, error){
		"a message":             func() ([]byte, error) { return signer.Sign(nil, []byte("message"), crypto.SHA256) },
		"no algorithm":          func() ([]byte, error) { return signer.Sign(nil, []byte("message"), crypto.Hash(0)) },
		"SHA-1":                 func() ([]byte, error) { return signer.Sign(nil, make([]byte, 20), crypto.SHA1) },
		"another digest":        func() ([]byte, error) { return signer.Sign(nil, digest(crypto.SHA512), crypto.SHA256) },
		"a digest not for P256": func() ([]byte, error) { return signer.Sign(nil, digest(crypto.SHA512), crypto.SHA512) },
		"RSA-PSS": func() ([]byte, error) {
			return signer.Sign(nil, digest(crypto.SHA256), &rsa.PSSOptions{Hash: crypto.SHA256})
		},
	} {
		_, err := try()
		has(t, "Sign of "+name, err, fault.JobKeyRefused)
	}
}

func TestOpenByEveryName(t *testing.T) {
	t.Parallel()
	e := newEmulated(t, types.KeySpecEccNistP256, "names/contracts")
	id := e.arn[strings.LastIndexByte(e.arn, '/')+1:]
	aliasARN := e.arn[:strings.LastIndexByte(e.arn, ':')+1] + e.alias
	for _, name := range []string{id, e.arn, e.alias, aliasARN} {
		signature, err := e.open(t, kmsProfile(name, e.cert)).Signer(t.Context()).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		verify(t, e.public, crypto.SHA256, signature)
	}
}

// An alias can be turned to another key while a job is under way: the certificate's key still signs.
func TestSignAsksTheKeyThatWasOpened(t *testing.T) {
	t.Parallel()
	e := newEmulated(t, types.KeySpecEccNistP256, "turned")
	key := e.open(t, kmsProfile(e.alias, e.cert))
	other := newEmulated(t, types.KeySpecEccNistP256, "turned-to")
	if _, err := e.UpdateAlias(t.Context(), &kms.UpdateAliasInput{AliasName: &e.alias, TargetKeyId: &other.arn}); err != nil {
		t.Fatal(err)
	}
	signature, err := key.Signer(t.Context()).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	verify(t, e.public, crypto.SHA256, signature)
	_, err = keys.New(e.Client, &files{}, &files{}, 0).Open(t.Context(), kmsProfile(e.alias, e.cert))
	has(t, "Open of the turned alias", err, fault.CertificateMismatch)
}

func TestOpenRefusesKeys(t *testing.T) {
	t.Parallel()
	client := kms.NewFromConfig(local.Config())
	make := func(spec types.KeySpec, usage types.KeyUsageType) string {
		out, err := client.CreateKey(t.Context(), &kms.CreateKeyInput{KeySpec: spec, KeyUsage: usage})
		if err != nil {
			t.Fatal(err)
		}
		return *out.KeyMetadata.Arn
	}
	disabled := newEmulated(t, types.KeySpecEccNistP256, "disabled")
	if _, err := client.DisableKey(t.Context(), &kms.DisableKeyInput{KeyId: &disabled.arn}); err != nil {
		t.Fatal(err)
	}
	deleted := newEmulated(t, types.KeySpecEccNistP256, "deleted")
	if _, err := client.ScheduleKeyDeletion(t.Context(), &kms.ScheduleKeyDeletionInput{KeyId: &deleted.arn, PendingWindowInDays: aws.Int32(7)}); err != nil {
		t.Fatal(err)
	}
	p384 := newEmulated(t, types.KeySpecEccNistP384, "p384")
	tests := []struct {
		name, id, cert string
		want           fault.Code
	}{
		{"no such key", "1234abcd-12ab-34cd-56ef-1234567890ab", disabled.cert, fault.KeyNotFound},
		{"no such alias", "alias/nobody", disabled.cert, fault.KeyNotFound},
		{"disabled", disabled.arn, disabled.cert, fault.KeyUnavailable},
		{"pending deletion", deleted.arn, deleted.cert, fault.KeyUnavailable},
		{"symmetric", make(types.KeySpecSymmetricDefault, types.KeyUsageTypeEncryptDecrypt), disabled.cert, fault.KeyUnsupported},
		{"for encryption", make(types.KeySpecRsa2048, types.KeyUsageTypeEncryptDecrypt), disabled.cert, fault.KeyUnsupported},
		{"a curve that is not used", make(types.KeySpecEccSecgP256k1, types.KeyUsageTypeSignVerify), disabled.cert, fault.KeyUnsupported},
		{"a key that cannot sign SHA-256", p384.arn, p384.cert, fault.KeyUnsupported},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := keys.New(client, &files{}, &files{}, 0).Open(t.Context(), kmsProfile(tt.id, tt.cert))
			has(t, "Open", err, tt.want)
		})
	}
}

func TestSignWithAKeyThatWasDisabled(t *testing.T) {
	t.Parallel()
	e := newEmulated(t, types.KeySpecEccNistP256, "disabled-later")
	key := e.open(t, kmsProfile(e.arn, e.cert))
	if _, err := e.DisableKey(t.Context(), &kms.DisableKeyInput{KeyId: &e.arn}); err != nil {
		t.Fatal(err)
	}
	_, err := key.Signer(t.Context()).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
	has(t, "Sign", err, fault.KeyUnavailable)
	if d := fault.DetailOf(err); !strings.Contains(d, "DisabledException") {
		t.Errorf("the detail is %q, want the code of KMS in it", d)
	}
}

func TestSHA512WantsAKeyThatCan(t *testing.T) {
	t.Parallel()
	e := newEmulated(t, types.KeySpecEccNistP256, "sha512")
	p := kmsProfile(e.arn, e.cert)
	p.Signature.Digest = profile.SHA512
	_, err := keys.New(e.Client, &files{}, &files{}, 0).Open(t.Context(), p)
	has(t, "Open", err, fault.KeyUnsupported)
}

func BenchmarkSign(b *testing.B) {
	e := newEmulated(b, types.KeySpecEccNistP256, "bench")
	key, err := keys.New(e.Client, &files{}, &files{}, 0).Open(b.Context(), kmsProfile(e.arn, e.cert))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := key.Signer(b.Context()).Sign(nil, digest(crypto.SHA256), crypto.SHA256); err != nil {
			b.Fatal(err)
		}
	}
}
