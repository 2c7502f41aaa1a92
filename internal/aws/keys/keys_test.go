package keys_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/kms/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"

	"bulksigner/internal/fault"
	"bulksigner/internal/icpbrasil/icpbrasiltest"
	"bulksigner/internal/local/emulator"
	"bulksigner/internal/profile"
)

var local *emulator.Emulator

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if local, err = emulator.Start(context.Background(), emulator.Options{Services: emulator.KMS}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := local.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// pki is made once: its three RSA keys take a while.
var pki = sync.OnceValue(func() *icpbrasiltest.PKI {
	p, err := icpbrasiltest.New(time.Now())
	if err != nil {
		panic(err)
	}
	return p
})

// someKeys are made once.
var (
	rsaKey   = sync.OnceValue(func() crypto.Signer { return newKey(rsa.GenerateKey(rand.Reader, 2048)) })
	weakKey  = sync.OnceValue(func() crypto.Signer { return newKey(rsa.GenerateKey(rand.Reader, 1024)) })
	otherKey = sync.OnceValue(func() crypto.Signer { return newKey(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)) })
	p384Key  = sync.OnceValue(func() crypto.Signer { return newKey(ecdsa.GenerateKey(elliptic.P384(), rand.Reader)) })
	p224Key  = sync.OnceValue(func() crypto.Signer { return newKey(ecdsa.GenerateKey(elliptic.P224(), rand.Reader)) })
)

func newKey[K crypto.Signer](k K, err error) crypto.Signer {
	if err != nil {
		panic(err)
	}
	return k
}

// issue makes a certificate of a public key.
func issue(t testing.TB, public crypto.PublicKey, opts ...icpbrasiltest.Option) *x509.Certificate {
	t.Helper()
	c, err := pki().IssueECPF(public, icpbrasiltest.Maria(), opts...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func encode(certs ...*x509.Certificate) string {
	var b bytes.Buffer
	for _, c := range certs {
		b.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}))
	}
	return b.String()
}

// kmsProfile is a profile whose key is in KMS.
func kmsProfile(id, certificate string) profile.Profile {
	p := profile.New("contracts")
	p.Version = 1
	p.Certificate = &profile.Certificate{Source: profile.Kms, Kms: &profile.KmsKey{KeyID: id, Certificate: certificate}}
	return p
}

// awsError is an error as the SDK returns it.
func awsError(code string) error {
	return &smithy.OperationError{ServiceID: "test", Err: &smithy.GenericAPIError{Code: code, Message: "made by a test"}}
}

// fakeKMS has one key and no network: it signs in memory and counts.
type fakeKMS struct {
	mu      sync.Mutex
	key     crypto.Signer
	answer  kms.GetPublicKeyOutput // of GetPublicKey
	err     error
	asked   int
	signed  int
	signErr error
}

const fakeARN = "arn:aws:kms:sa-east-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"

func newFakeKMS(t testing.TB, key crypto.Signer) *fakeKMS {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	f := &fakeKMS{key: key}
	f.answer = kms.GetPublicKeyOutput{
		KeyId: aws.String(fakeARN), KeySpec: types.KeySpecRsa2048, KeyUsage: types.KeyUsageTypeSignVerify, PublicKey: der,
		SigningAlgorithms: []types.SigningAlgorithmSpec{
			types.SigningAlgorithmSpecRsassaPssSha256, types.SigningAlgorithmSpecRsassaPkcs1V15Sha256, types.SigningAlgorithmSpecRsassaPkcs1V15Sha512,
		},
	}
	return f
}

func (f *fakeKMS) GetPublicKey(context.Context, *kms.GetPublicKeyInput, ...func(*kms.Options)) (*kms.GetPublicKeyOutput, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	return &f.answer, f.err
}

func (f *fakeKMS) Sign(_ context.Context, in *kms.SignInput, _ ...func(*kms.Options)) (*kms.SignOutput, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.signed++
	if f.signErr != nil {
		return nil, f.signErr
	}
	s, err := f.key.Sign(rand.Reader, in.Message, crypto.SHA256)
	return &kms.SignOutput{Signature: s}, err
}

// files are objects in S3 and values in Secrets Manager, by name.
type files struct {
	objects map[string][]byte
	secrets map[string][]byte
	fresh   map[string][]byte // what Refresh finds
	err     error
	again   error     // of Refresh
	body    io.Reader // instead of an object's bytes
}

func (f *files) GetObject(_ context.Context, in *s3.GetObjectInput, _ ...func(*s3.Options)) (*s3.GetObjectOutput, error) {
	data, ok := f.objects["s3://"+*in.Bucket+"/"+*in.Key]
	switch {
	case f.err != nil:
		return nil, f.err
	case f.body != nil:
		return &s3.GetObjectOutput{Body: io.NopCloser(f.body)}, nil
	case !ok:
		return nil, awsError("NoSuchKey")
	}
	return &s3.GetObjectOutput{Body: io.NopCloser(bytes.NewReader(data))}, nil
}

func (f *files) GetBinary(_ context.Context, arn string) ([]byte, error) {
	data, ok := f.secrets[arn]
	switch {
	case f.err != nil:
		return nil, f.err
	case !ok:
		return nil, awsError("ResourceNotFoundException")
	}
	return slices.Clone(data), nil
}

func (f *files) Get(ctx context.Context, arn string) (string, error) {
	data, err := f.GetBinary(ctx, arn)
	return string(data), err
}

func (f *files) Refresh(_ context.Context, arn string) error {
	if data, ok := f.fresh[arn]; ok {
		f.secrets[arn] = data
	}
	return errors.Join(f.err, f.again)
}

// has fails the test unless err has a code. "" is no error at all; fault.Internal is an error without a code.
func has(t *testing.T, what string, err error, want fault.Code) {
	t.Helper()
	if got := fault.CodeOf(err); got != want {
		t.Errorf("%s = %v, want code %q", what, err, want)
	}
}

var errNetwork = errors.New("connection reset")
