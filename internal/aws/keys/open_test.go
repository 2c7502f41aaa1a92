package keys_test

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/kms/types"

	"bulksigner/internal/aws/keys"
	"bulksigner/internal/fault"
	"bulksigner/internal/icpbrasil/icpbrasiltest"
	"bulksigner/internal/profile"
)

// inBucket is where a certificate or a PKCS#12 file lies in S3.
const inBucket = "s3://certificates/contracts.pem"

func TestOpenReadsCertificates(t *testing.T) {
	t.Parallel()
	own, issuing, first, root := issue(t, rsaKey().Public()), pki().Chain[0], pki().Chain[1], pki().Root
	foreign := issue(t, otherKey().Public())
	der := slices.Concat(own.Raw, issuing.Raw)
	tests := []struct {
		name, text string
		object     string
		chain      []*x509.Certificate
	}{
		{"PEM", encode(own), "", nil},
		{"PEM and its chain", encode(own, issuing, first), "", []*x509.Certificate{issuing, first}},
		{"in any order, with the root and another's", encode(root, foreign, first, own, issuing), "", []*x509.Certificate{issuing, first}},
		{"a chain with a gap", encode(own, first), "", nil},
		{"twice the same", encode(own, own, issuing, issuing), "", []*x509.Certificate{issuing}},
		{"base64 of DER", base64.StdEncoding.EncodeToString(der), "", []*x509.Certificate{issuing}},
		{"PEM in a bucket", inBucket, encode(own, issuing), []*x509.Certificate{issuing}},
		{"DER in a bucket", inBucket, string(der), []*x509.Certificate{issuing}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := &files{objects: map[string][]byte{inBucket: []byte(tt.object)}}
			key, err := keys.New(newFakeKMS(t, rsaKey()), f, f, 0).Open(t.Context(), kmsProfile(fakeARN, tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if !key.Certificate.Equal(own) {
				t.Errorf("the certificate is %s's, want %s's", key.Certificate.Subject, own.Subject)
			}
			if !slices.EqualFunc(key.Chain, tt.chain, (*x509.Certificate).Equal) {
				t.Errorf("the chain has %d certificates, want %d", len(key.Chain), len(tt.chain))
			}
		})
	}
}

func TestOpenRefusesCertificates(t *testing.T) {
	t.Parallel()
	own := encode(issue(t, rsaKey().Public()))
	denied := &files{err: awsError("AccessDenied")}
	tests := []struct {
		name, text string
		files      *files
		want       fault.Code
	}{
		{"none", "", &files{}, fault.CertificateMissing},
		{"rubbish", "certificate", &files{}, fault.CertificateInvalid},
		{"broken PEM", own[:len(own)/2], &files{}, fault.CertificateInvalid},
		{"of another key", encode(issue(t, otherKey().Public())), &files{}, fault.CertificateMismatch},
		{"of an authority alone", encode(pki().Chain...), &files{}, fault.CertificateMismatch},
		{"for encryption", encode(issue(t, rsaKey().Public(), icpbrasiltest.KeyUsage(x509.KeyUsageKeyEncipherment))), &files{}, fault.CertificateUnsuitable},
		{"for nonRepudiation", encode(issue(t, rsaKey().Public(), icpbrasiltest.KeyUsage(x509.KeyUsageContentCommitment))), &files{}, ""},
		{"without a key usage", encode(issue(t, rsaKey().Public(), icpbrasiltest.KeyUsage(0))), &files{}, ""},
		{"not in its bucket", inBucket, &files{}, fault.CertificateMissing},
		{"in a bucket that may not be read", inBucket, denied, fault.KeyUnavailable},
		{"in a bucket that is away", inBucket, &files{err: awsError("InternalError")}, fault.Internal},
		{"in a bucket out of reach", inBucket, &files{err: errNetwork}, fault.Internal},
		{"too large", inBucket, &files{body: strings.NewReader(own + strings.Repeat("\n", profile.MaxCertificates))}, fault.CertificateInvalid},
		{"cut off", inBucket, &files{body: iotest.TimeoutReader(iotest.HalfReader(strings.NewReader(own)))}, fault.Internal},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := keys.New(newFakeKMS(t, rsaKey()), tt.files, tt.files, 0).Open(t.Context(), kmsProfile(fakeARN, tt.text))
			has(t, "Open", err, tt.want)
		})
	}
}

func TestOpenSaysWhatKMSSays(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]fault.Code{
		"NotFoundException":             fault.KeyNotFound,
		"InvalidArnException":           fault.KeyNotFound,
		"DisabledException":             fault.KeyUnavailable,
		"KMSInvalidStateException":      fault.KeyUnavailable,
		"AccessDeniedException":         fault.KeyUnavailable,
		"UnsupportedOperationException": fault.KeyUnsupported,
		"ThrottlingException":           fault.Internal,
		"KMSInternalException":          fault.Internal,
		"DependencyTimeoutException":    fault.Internal,
		"KeyUnavailableException":       fault.Internal,
	} {
		f := newFakeKMS(t, rsaKey())
		f.err = awsError(code)
		_, err := keys.New(f, &files{}, &files{}, 0).Open(t.Context(), kmsProfile(fakeARN, encode(issue(t, rsaKey().Public()))))
		has(t, "Open with "+code, err, want)
	}
}

func TestOpenChecksTheKey(t *testing.T) {
	t.Parallel()
	cert := encode(issue(t, rsaKey().Public()))
	tests := []struct {
		name   string
		change func(*fakeKMS)
		want   fault.Code
	}{
		{"HMAC", func(f *fakeKMS) { f.answer.KeyUsage = types.KeyUsageTypeGenerateVerifyMac }, fault.KeyUnsupported},
		{"SM2", func(f *fakeKMS) { f.answer.KeySpec = types.KeySpecSm2 }, fault.KeyUnsupported},
		{"RSA-PSS alone", func(f *fakeKMS) { f.answer.SigningAlgorithms = f.answer.SigningAlgorithms[:1] }, fault.KeyUnsupported},
		{"no public key", func(f *fakeKMS) { f.answer.PublicKey = []byte("key") }, fault.Internal},
		{"too small", func(f *fakeKMS) { f.answer.PublicKey = newFakeKMS(t, weakKey()).answer.PublicKey }, fault.KeyUnsupported},
	}
	for _, tt := range tests {
		f := newFakeKMS(t, rsaKey())
		tt.change(f)
		_, err := keys.New(f, &files{}, &files{}, 0).Open(t.Context(), kmsProfile(fakeARN, cert))
		has(t, "Open of "+tt.name, err, tt.want)
	}
	_, err := keys.New(newFakeKMS(t, rsaKey()), &files{}, &files{}, 0).Open(t.Context(), profile.New("bare"))
	has(t, "Open of a profile without a certificate", err, fault.CertificateMissing)
	p := profile.New("hsm")
	p.Certificate = &profile.Certificate{Source: "CloudHsm"}
	_, err = keys.New(newFakeKMS(t, rsaKey()), &files{}, &files{}, 0).Open(t.Context(), p)
	has(t, "Open of another source", err, fault.KeyUnsupported)
}

func TestKeysAreKept(t *testing.T) {
	t.Parallel()
	p := kmsProfile(fakeARN, encode(issue(t, rsaKey().Public())))
	synctest.Test(t, func(t *testing.T) {
		f := newFakeKMS(t, rsaKey())
		k := keys.New(f, &files{}, &files{}, 0)
		opened := func(what string, p profile.Profile, asked int) {
			t.Helper()
			if _, err := k.Open(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			if f.asked != asked {
				t.Errorf("%s: KMS was asked %d times, want %d", what, f.asked, asked)
			}
		}
		opened("first", p, 1)
		opened("again", p, 1)
		p.Degraded.Code = string(fault.KeyUnavailable)
		opened("degraded meanwhile", p, 1)
		p.Version++
		opened("saved", p, 2)
		other := p
		other.Name = "other"
		opened("another profile", other, 3)
		remade := kmsProfile("alias/new", p.Certificate.Kms.Certificate)
		remade.Version = p.Version
		opened("deleted and made again", remade, 4)
		remade.Signature.Digest = profile.SHA512
		opened("another digest", remade, 5)
		time.Sleep(keys.Kept - time.Second)
		opened("while it is kept", remade, 5)
		time.Sleep(2 * time.Second)
		opened("after it was kept", remade, 6)
	})
}

func TestErrorsAreNotKept(t *testing.T) {
	t.Parallel()
	p := kmsProfile(fakeARN, encode(issue(t, rsaKey().Public())))
	f := newFakeKMS(t, rsaKey())
	k := keys.New(f, &files{}, &files{}, 0)
	f.err = awsError("DisabledException")
	_, err := k.Open(t.Context(), p)
	has(t, "Open of a disabled key", err, fault.KeyUnavailable)
	f.err = nil
	_, err = k.Open(t.Context(), p)
	has(t, "Open of the key that was enabled", err, "")
}

func TestOpenTogetherAsksOnce(t *testing.T) {
	t.Parallel()
	p := kmsProfile(fakeARN, encode(issue(t, rsaKey().Public())))
	f := newFakeKMS(t, rsaKey())
	k := keys.New(f, &files{}, &files{}, 0)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := k.Open(t.Context(), p); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if f.asked != 1 {
		t.Errorf("KMS was asked %d times, want once", f.asked)
	}
}

// slow is S3 that answers when the caller's time is up.
type slow struct{ *files }

func (slow) Get(ctx context.Context, _ string) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}

func TestOpenDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	p := pfxProfile(secretFile)
	synctest.Test(t, func(t *testing.T) {
		f := &files{secrets: map[string][]byte{secretFile: {0x30}}}
		k := keys.New(nil, slow{f}, f, 0)
		for _, after := range []time.Duration{2 * time.Minute, time.Minute} {
			go func() {
				ctx, cancel := context.WithTimeout(t.Context(), after)
				defer cancel()
				began := time.Now()
				_, err := k.Open(ctx, p)
				has(t, "Open", err, fault.Internal)
				if d := time.Since(began); d != after {
					t.Errorf("Open took %s, want %s", d, after)
				}
			}()
			synctest.Wait()
		}
		time.Sleep(3 * time.Minute)
	})
}
