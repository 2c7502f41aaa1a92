package cades_test

import (
	"bytes"
	"crypto"
	"crypto/sha256"
	"encoding/asn1"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/sign/cades"
	"bulksigner/internal/sign/cms"
	"bulksigner/internal/sign/signtest"
)

// read takes a message apart, by the strict rules of encoding/asn1, and holds that it is in DER: written again from its
// pieces it is the same.
func read(t testing.TB, message []byte) cms.SignedData {
	t.Helper()
	var outer cms.ContentInfo
	if rest, err := asn1.Unmarshal(message, &outer); err != nil || len(rest) > 0 {
		t.Fatalf("read the message: %v, %d bytes left", err, len(rest))
	}
	var sd cms.SignedData
	if rest, err := asn1.Unmarshal(outer.Content.Bytes, &sd); err != nil || len(rest) > 0 {
		t.Fatalf("read the signed data: %v, %d bytes left", err, len(rest))
	}
	again, err := cms.Encode(sd)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again, message) {
		t.Error("the message is not in DER")
	}
	return sd
}

func TestSign(t *testing.T) {
	t.Parallel()
	contents := map[string][]byte{"one byte": {'A'}, "text": []byte("what is signed\r\n"), "100 kB": noise(100_000)}
	for _, id := range identities(t) {
		for _, h := range icpbrasil.Digests {
			for name, content := range contents {
				t.Run(fmt.Sprintf("%s/%s/%s", id.Name, h, name), func(t *testing.T) {
					t.Parallel()
					hashed := func(o *cades.Options) { o.Hash = h }
					message := mustSign(t, content, id, hashed)
					read(t, message)
					judge(t, message, content, "DER")

					beside := mustSign(t, content, id, func(o *cades.Options) { o.Hash, o.Detached = h, true })
					read(t, beside)
					if err := world.OpenSSL(t, beside, content); err != nil {
						t.Error(err)
					}
					if err := world.OpenSSL(t, beside, append(content[1:], 'x')); err == nil {
						t.Error("openssl accepts another content")
					}
				})
			}
		}
	}
}

func TestLargeContent(t *testing.T) {
	t.Parallel()
	content := noise(9 << 20)
	judge(t, mustSign(t, content, world.ECDSA, nil), content, "DER")
}

// TestLengths has contents of sizes at which lengths in DER grow.
func TestLengths(t *testing.T) {
	t.Parallel()
	sizes := []int{1<<24 - 1, 1 << 24}
	for _, at := range []int{1 << 7, 1 << 8, 1 << 16} {
		for n := -16; n <= 2; n++ { // from where the wrapping grows to where the content does
			sizes = append(sizes, at+n)
		}
	}
	for _, size := range sizes {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			content := noise(size)
			message := mustSign(t, content, world.ECDSA, nil)
			sd := read(t, message)
			var got []byte
			if _, err := asn1.Unmarshal(sd.EncapContentInfo.Content.Bytes, &got); err != nil || !bytes.Equal(got, content) {
				t.Errorf("the content is not inside: %v", err)
			}
			if size&(size-1) == 0 || size&(size+1) == 0 {
				judge(t, message, content, "DER")
			}
			again := mustCoSign(t, message, world.RSA, nil)
			if n := len(read(t, again).SignerInfos); n != 2 {
				t.Errorf("there are %d signatures, want 2", n)
			}
		})
	}
}

// TestRules looks at a message with the eyes of openssl, for what AD-RB demands and forbids.
func TestRules(t *testing.T) {
	t.Parallel()
	for _, change := range []func(*cades.Options){nil, detached} {
		message := mustSign(t, []byte("content"), world.RSA, change)
		_, parsed, ok := openSSL(t, map[string][]byte{"message": message}, "asn1parse", "-inform", "DER", "-in", "message")
		if !ok {
			t.Fatal(parsed)
		}
		for _, want := range []string{
			":2.16.76.1.7.1.1.2.4",
			"1F3C904C44C392FEEF447E21FAA7A04E85D9C0153346320F557B7042AF5DCF13",
			":http://politicas.icpbrasil.gov.br/PA_AD_RB_v2_4.der",
			"id-smime-aa-signingCertificateV2", "id-smime-spq-ets-sqt-uri", ":contentType", ":messageDigest",
		} {
			if strings.Count(parsed, want) != 1 {
				t.Errorf("openssl finds %q %d times, want once", want, strings.Count(parsed, want))
			}
		}
		for _, not := range []string{"signingTime", "1.2.840.113583.1.1.8", "id-smime-aa-signingCertificate\n"} {
			if strings.Contains(parsed, not) {
				t.Errorf("openssl finds %q", not)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	old, _ := icpbrasil.ByOID(asn1.ObjectIdentifier{2, 16, 76, 1, 7, 1, 1, 2, 3})
	other, err := icpbrasil.Current(icpbrasil.PAdES, world.Now)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		size   int64
		change func(*cades.Options)
		want   error
	}{
		{"the least", 1, nil, nil},
		{"the most", cades.MaxContent, nil, nil},
		{"nothing", 0, nil, fault.CMSEmpty},
		{"less than nothing", -1, nil, fault.CMSEmpty},
		{"too much", cades.MaxContent + 1, nil, fault.JobInputTooLarge},
		{"no certificate", 1, func(o *cades.Options) { o.Certificate = nil }, fault.CertificateMissing},
		{"no policy", 1, func(o *cades.Options) { o.Policy = icpbrasil.Policy{} }, fault.PolicyNotInForce},
		{"a policy for PDF", 1, func(o *cades.Options) { o.Policy = other }, fault.PolicyNotInForce},
		{"ECDSA under an older policy", 1, func(o *cades.Options) { o.Policy = old }, fault.KeyUnsupported},
		{"no digest", 1, func(o *cades.Options) { o.Hash = 0 }, fault.KeyUnsupported},
		{"SHA-384", 1, func(o *cades.Options) { o.Hash = crypto.SHA384 }, fault.KeyUnsupported},
		{"before the certificate", 1, func(o *cades.Options) { o.Time = o.Certificate.NotBefore.Add(-time.Second) }, fault.CertificateNotYetValid},
		{"after the certificate", 1, func(o *cades.Options) { o.Time = o.Certificate.NotAfter.Add(time.Second) }, fault.CertificateExpired},
		{"after the policy", 1, func(o *cades.Options) { o.Policy.Until = o.Time.AddDate(0, 0, -2) }, fault.PolicyNotInForce},
		{"at no time in particular", 1, func(o *cades.Options) { o.Policy.Until, o.Time = o.Time.AddDate(0, 0, -2), time.Time{} }, nil},
	}
	message := mustSign(t, []byte("content"), world.RSA, nil)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := options(t, world.ECDSA)
			if tt.change != nil {
				tt.change(&o)
			}
			if _, err := cades.Prepare(tt.size, o); !errors.Is(err, tt.want) {
				t.Errorf("Prepare = %v, want %v", err, tt.want)
			}
			if tt.change == nil {
				return
			}
			if _, err := cades.PrepareCoSign(bytes.NewReader(message), int64(len(message)), o); !errors.Is(err, tt.want) {
				t.Errorf("PrepareCoSign = %v, want %v", err, tt.want)
			}
		})
	}
}

func TestKeyFails(t *testing.T) {
	t.Parallel()
	content := []byte("content")
	d, err := cades.Prepare(int64(len(content)), options(t, world.RSA))
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	h.Write(content)
	throttled := &signtest.Key{Signer: world.RSA.Key, Fail: fault.New(fault.Throttled, "slow down")}
	other, silent := &signtest.Key{Signer: world.ECDSA.Key}, &signtest.Key{Signer: world.ECDSA.Key}
	tests := []struct {
		name  string
		key   crypto.Signer
		seen  *signtest.Key
		want  error
		asked int
	}{
		{"its error comes through", throttled, throttled, fault.Throttled, 1},
		{"another key is not asked", other, other, fault.CertificateMismatch, 0},
		{"another key that does not say so is found out", signtest.Silent{Key: silent}, silent, fault.CertificateMismatch, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			parts, err := d.Sign(h, tt.key)
			if !errors.Is(err, tt.want) || parts.Header != nil || parts.Trailer != nil {
				t.Errorf("Sign = %d bytes, %v, want none and %v", len(parts.Header)+len(parts.Trailer), err, tt.want)
			}
			if tt.seen.Asked() != tt.asked {
				t.Errorf("the key was asked %d times, want %d", tt.seen.Asked(), tt.asked)
			}
		})
	}
	key := &signtest.Key{Signer: world.RSA.Key}
	if _, err := d.Sign(crypto.SHA512.New(), key); err == nil || key.Asked() != 0 {
		t.Errorf("a hash of another algorithm: %v, asked %d times, want an error unasked", err, key.Asked())
	}
}
