package main

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/kms/types"

	"bulksigner/internal/sign/signtest"
)

const firm = "CN=EMPRESA:11222333000181,O=ICP-Brasil,C=BR"

// parseRequest reads the only block of a file.
func parseRequest(t *testing.T, file []byte) *x509.CertificateRequest {
	t.Helper()
	block, rest := pem.Decode(file)
	if block == nil || block.Type != "CERTIFICATE REQUEST" || len(rest) > 0 {
		t.Fatalf("the output is %q, want one request in PEM", file)
	}
	r, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRequestsOfEverySpec(t *testing.T) {
	t.Parallel()
	tests := []struct {
		spec types.KeySpec
		want x509.SignatureAlgorithm
	}{
		{types.KeySpecRsa2048, x509.SHA256WithRSA},
		{types.KeySpecRsa4096, x509.SHA256WithRSA},
		{types.KeySpecEccNistP256, x509.ECDSAWithSHA256},
	}
	for _, tt := range tests {
		t.Run(string(tt.spec), func(t *testing.T) {
			t.Parallel()
			e, d := newEmulated(t, tt.spec, types.KeyUsageTypeSignVerify), newDesk()
			if code := d.run(t, "-key", e.alias, "-subject", firm, "-email", "ti@empresa.example"); code != 0 {
				t.Fatalf("run = %d: %s", code, &d.stderr)
			}
			r := parseRequest(t, d.stdout.Bytes())
			if err := r.CheckSignature(); err != nil || r.SignatureAlgorithm != tt.want {
				t.Errorf("signed with %s, %v, want %s", r.SignatureAlgorithm, err, tt.want)
			}
			if !r.PublicKey.(interface{ Equal(crypto.PublicKey) bool }).Equal(e.public) {
				t.Error("the request has another public key than the key in KMS")
			}
			if got := r.Subject.ToRDNSequence().String(); got != firm {
				t.Errorf("the subject is %s, want %s", got, firm)
			}
			if len(r.EmailAddresses) != 1 || r.EmailAddresses[0] != "ti@empresa.example" || len(r.Extensions) != 1 {
				t.Errorf("the request asks for %q in %d extensions", r.EmailAddresses, len(r.Extensions))
			}
			if !strings.Contains(d.stderr.String(), e.arn+", "+string(tt.spec)) {
				t.Errorf("it says %q, want the key's ARN and spec", &d.stderr)
			}
			d.discreet(t)
			judge(t, d.stdout.String(), firm)
		})
	}
}

// judge asks OpenSSL, which shares nothing with us.
func judge(t *testing.T, file, subject string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), signtest.Tool(t, "openssl", "openssl"), "req", "-verify", "-noout", "-subject", "-nameopt", "RFC2253")
	cmd.Stdin = strings.NewReader(file)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "verify OK") || !strings.Contains(string(out), subject+"\n") {
		t.Errorf("openssl says %q, %v, want the subject %s", out, err, subject)
	}
}

func TestWithoutAnAddressNothingIsAskedFor(t *testing.T) {
	t.Parallel()
	e, d := newEmulated(t, types.KeySpecEccNistP256, types.KeyUsageTypeSignVerify), newDesk()
	if code := d.run(t, "-key", e.arn, "-subject", firm); code != 0 {
		t.Fatalf("run = %d: %s", code, &d.stderr)
	}
	if r := parseRequest(t, d.stdout.Bytes()); len(r.Extensions) != 0 {
		t.Errorf("the request has %d extensions, want none", len(r.Extensions))
	}
}

// The environment alone says where KMS is and who asks.
func TestRequestWithTheEnvironment(t *testing.T) {
	for _, v := range local.Env() {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	e, d := newEmulated(t, types.KeySpecEccNistP256, types.KeyUsageTypeSignVerify), newDesk()
	var err error
	if d.api, err = newKMS(t.Context()); err != nil {
		t.Fatal(err)
	}
	if code := d.run(t, "-key", e.alias, "-subject", firm); code != 0 {
		t.Fatalf("run = %d: %s", code, &d.stderr)
	}
	judge(t, d.stdout.String(), firm)
}

func TestUnfitKeysAreRefused(t *testing.T) {
	t.Parallel()
	disabled := newEmulated(t, types.KeySpecEccNistP256, types.KeyUsageTypeSignVerify)
	if _, err := kms.NewFromConfig(local.Config()).DisableKey(t.Context(), &kms.DisableKeyInput{KeyId: &disabled.arn}); err != nil {
		t.Fatal(err)
	}
	sign, encrypt := types.KeyUsageTypeSignVerify, types.KeyUsageTypeEncryptDecrypt
	tests := []struct{ name, key, why string }{
		{"for encryption", newEmulated(t, types.KeySpecRsa2048, encrypt).alias, "the key is for ENCRYPT_DECRYPT, which cannot be changed: create one for SIGN_VERIFY"},
		{"symmetric", newEmulated(t, types.KeySpecSymmetricDefault, encrypt).alias, "the key has no public key: create an asymmetric one for SIGN_VERIFY"},
		{"P-384", newEmulated(t, types.KeySpecEccNistP384, sign).alias, "the key is ECC_NIST_P384, which cannot be changed: create one of [ECC_NIST_P256 RSA_2048 RSA_3072 RSA_4096]"},
		{"a curve that is not used", newEmulated(t, types.KeySpecEccSecgP256k1, sign).alias, "the key is ECC_SECG_P256K1"},
		{"nobody's alias", "alias/nobody", "NotFoundException"},
		{"disabled", disabled.alias, "DisabledException"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk()
			d.refused(t, d.run(t, "-key", tt.key, "-subject", firm), tt.why)
		})
	}
}

// fakeKMS has one key and no network.
type fakeKMS struct {
	public crypto.Signer // whose public key it tells
	signs  crypto.Signer // who signs
	err    error
	asked  []string // regions and keys of all calls
}

const fakeARN = "arn:aws:kms:sa-east-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"

func (f *fakeKMS) note(id *string, opts []func(*kms.Options)) {
	o := kms.Options{Region: "us-east-1"}
	for _, set := range opts {
		set(&o)
	}
	f.asked = append(f.asked, o.Region+" "+*id)
}

func (f *fakeKMS) GetPublicKey(_ context.Context, in *kms.GetPublicKeyInput, opts ...func(*kms.Options)) (*kms.GetPublicKeyOutput, error) {
	f.note(in.KeyId, opts)
	der, err := x509.MarshalPKIXPublicKey(f.public.Public())
	return &kms.GetPublicKeyOutput{
		KeyId: aws.String(fakeARN), KeySpec: types.KeySpecEccNistP256, KeyUsage: types.KeyUsageTypeSignVerify, PublicKey: der,
		SigningAlgorithms: []types.SigningAlgorithmSpec{types.SigningAlgorithmSpecEcdsaSha256},
	}, err
}

func (f *fakeKMS) Sign(_ context.Context, in *kms.SignInput, opts ...func(*kms.Options)) (*kms.SignOutput, error) {
	f.note(in.KeyId, opts)
	if in.MessageType != types.MessageTypeDigest || in.SigningAlgorithm != types.SigningAlgorithmSpecEcdsaSha256 {
		return nil, errors.New("the request is not for a digest, or with another algorithm")
	}
	s, err := f.signs.Sign(rand.Reader, in.Message, crypto.SHA256)
	return &kms.SignOutput{Signature: s}, errors.Join(err, f.err)
}

func newFakeKMS(t *testing.T) *fakeKMS {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return &fakeKMS{public: k, signs: k}
}

// An alias can be turned between two calls; an ARN is of one region.
func TestTheSameKeySigns(t *testing.T) {
	t.Parallel()
	for name, region := range map[string]string{"alias/contracts": "us-east-1", "arn:aws:kms:eu-west-1:111122223333:alias/contracts": "eu-west-1"} {
		f, d := newFakeKMS(t), newDesk()
		d.api = f
		if code := d.run(t, "-key", name, "-subject", firm); code != 0 {
			t.Errorf("%s: run = %d: %s", name, code, &d.stderr)
		}
		if want := []string{region + " " + name, "sa-east-1 " + fakeARN}; strings.Join(f.asked, ", ") != strings.Join(want, ", ") {
			t.Errorf("KMS was asked for %q, want %q", f.asked, want)
		}
	}
}

func TestBadSignaturesAreNotWritten(t *testing.T) {
	t.Parallel()
	f, d := newFakeKMS(t), newDesk()
	f.signs = newFakeKMS(t).signs
	d.api = f
	d.refused(t, d.run(t, "-key", "alias/contracts", "-subject", firm), "make the request: ")

	f, d = newFakeKMS(t), newDesk()
	f.err = errors.New("AccessDeniedException")
	d.api = f
	d.refused(t, d.run(t, "-key", "alias/contracts", "-subject", firm), "have the key sign: AccessDeniedException")
}

func TestOptionsAreRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		args []string
		why  string
	}{
		{"no key", []string{"-subject", firm}, "-key is missing"},
		{"nothing to do", []string{"-key", "k"}, "want either -subject"},
		{"two things to do", []string{"-key", "k", "-subject", firm, "-check", "f"}, "want either -subject"},
		{"an address for a check", []string{"-key", "k", "-check", "f", "-email", "a@b.example"}, "-email goes with -subject"},
		{"roots for a request", []string{"-key", "k", "-subject", firm, "-anchors", "f"}, "-anchors goes with -check"},
		{"no address", []string{"-key", "k", "-subject", firm, "-email", "Maria <a@b.example>"}, "-email is no e-mail address"},
		{"a name without quotes", []string{"-key", "k", "-subject", "CN=EMPRESA", "LTDA:11222333000181"}, "quote a name that has spaces"},
		{"an unknown flag", []string{"-cnpj", "1"}, "flag provided but not defined"},
		{"a subject that is none", []string{"-key", "k", "-subject", "EMPRESA:11222333000181"}, `part 1 of the subject has no "="`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk()
			d.refused(t, d.run(t, tt.args...), tt.why)
		})
	}
	d := newDesk()
	if code := d.run(t, "-h"); code != 0 || !strings.Contains(d.stderr.String(), "usage: csr") {
		t.Errorf("-h = %d: %s", code, &d.stderr)
	}
}
