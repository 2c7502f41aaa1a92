package cms_test

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"encoding/hex"
	"slices"
	"testing"

	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/sign/cms"
	"bulksigner/internal/sign/signtest"
)

func curve(t testing.TB, c elliptic.Curve) signtest.Identity {
	t.Helper()
	key, err := ecdsa.GenerateKey(c, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	id, err := world.Issue(c.Params().Name, key)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestDetached(t *testing.T) {
	t.Parallel()
	content := []byte("what is signed")
	for _, id := range []signtest.Identity{world.RSA, world.ECDSA, curve(t, elliptic.P384()), curve(t, elliptic.P521())} {
		for _, h := range icpbrasil.Digests {
			t.Run(id.Name+"/"+h.String(), func(t *testing.T) {
				t.Parallel()
				s, err := cms.New(params(t, id, h))
				if err != nil {
					t.Fatal(err)
				}
				digest := h.New()
				digest.Write(content)
				key := &signtest.Key{Signer: id.Key}
				message, err := s.Detached(key, digest.Sum(nil))
				if err != nil {
					t.Fatal(err)
				}
				if key.Asked() != 1 {
					t.Errorf("the key was asked %d times, want once", key.Asked())
				}
				if err := world.OpenSSL(t, message, content); err != nil {
					t.Error(err)
				}
				if err := world.OpenSSL(t, message, []byte("something else")); err == nil {
					t.Error("openssl accepts another content")
				}
			})
		}
	}
}

func TestMaxSize(t *testing.T) {
	t.Parallel()
	for _, id := range []signtest.Identity{world.RSA, world.ECDSA, curve(t, elliptic.P384()), curve(t, elliptic.P521())} {
		t.Run(id.Name, func(t *testing.T) {
			t.Parallel()
			s, err := cms.New(params(t, id, crypto.SHA256))
			if err != nil {
				t.Fatal(err)
			}
			bound, err := s.MaxSize()
			if err != nil {
				t.Fatal(err)
			}
			longest := 0
			for n := range byte(60) { // enough that both numbers of ECDSA come at their longest
				message, err := s.Detached(id.Key, bytes.Repeat([]byte{n}, 32))
				if err != nil {
					t.Fatal(err)
				}
				longest = max(longest, len(message))
			}
			if longest != bound {
				t.Errorf("the longest of 60 messages has %d bytes, MaxSize = %d", longest, bound)
			}
		})
	}
}

// TestAttributes looks at everything that AD-RB asks of the signed attributes.
func TestAttributes(t *testing.T) {
	t.Parallel()
	p := params(t, world.RSA, crypto.SHA512)
	s, err := cms.New(p)
	if err != nil {
		t.Fatal(err)
	}
	digest := bytes.Repeat([]byte{7}, 64)
	message, err := s.Detached(world.RSA.Key, digest)
	if err != nil {
		t.Fatal(err)
	}
	_, sd := read(t, message)
	info := sd.SignerInfos[0]
	found := map[string]asn1.RawValue{}
	var encoded [][]byte
	for _, a := range attributes(t, info) {
		if len(a.Values) != 1 {
			t.Fatalf("%s has %d values, want one", a.Type, len(a.Values))
		}
		found[a.Type.String()] = a.Values[0]
		der, err := asn1.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		encoded = append(encoded, der)
	}
	if len(found) != 4 || len(encoded) != 4 {
		t.Errorf("there are %d attributes, want the four of AD-RB", len(encoded))
	}
	if !slices.IsSortedFunc(encoded, bytes.Compare) {
		t.Error("the attributes are not in the order of DER")
	}
	for _, alg := range [][]byte{sd.DigestAlgorithms[0].Parameters.FullBytes, info.DigestAlgorithm.Parameters.FullBytes} {
		if len(alg) != 0 {
			t.Errorf("a digest algorithm has the parameters %x, want none", alg)
		}
	}
	checkValues(t, found, digest)
	checkCertificate(t, found[cms.OIDSigningCertificateV2.String()], p.Certificate)
	checkPolicy(t, found[cms.OIDSignaturePolicy.String()], p.Policy)
}

func checkValues(t *testing.T, found map[string]asn1.RawValue, digest []byte) {
	t.Helper()
	var kind asn1.ObjectIdentifier
	mustUnmarshal(t, found[cms.OIDContentType.String()].FullBytes, &kind)
	if !kind.Equal(cms.OIDData) {
		t.Errorf("contentType = %s, want %s", kind, cms.OIDData)
	}
	var md []byte
	mustUnmarshal(t, found[cms.OIDMessageDigest.String()].FullBytes, &md)
	if !bytes.Equal(md, digest) {
		t.Errorf("messageDigest = %x, want %x", md, digest)
	}
}

func checkCertificate(t *testing.T, v asn1.RawValue, cert *x509.Certificate) {
	t.Helper()
	var sc cms.SigningCertificateV2
	mustUnmarshal(t, v.FullBytes, &sc)
	if len(sc.Certs) != 1 || len(sc.Certs[0].HashAlgorithm.Algorithm) != 0 {
		t.Fatalf("signingCertificateV2 = %+v, want one certificate and no hash algorithm", sc)
	}
	id := sc.Certs[0]
	if hash := sha256.Sum256(cert.Raw); !bytes.Equal(id.CertHash, hash[:]) {
		t.Errorf("certHash = %x, want %x", id.CertHash, hash)
	}
	if len(id.IssuerSerial.Issuer) != 1 || !bytes.Equal(id.IssuerSerial.Issuer[0].Bytes, cert.RawIssuer) {
		t.Error("the issuer is not the certificate's to the byte")
	}
	if id.IssuerSerial.Serial.Cmp(cert.SerialNumber) != 0 {
		t.Errorf("the serial number is %x, want %x", id.IssuerSerial.Serial, cert.SerialNumber)
	}
}

func checkPolicy(t *testing.T, v asn1.RawValue, want icpbrasil.Policy) {
	t.Helper()
	var id cms.SignaturePolicyID
	mustUnmarshal(t, v.FullBytes, &id)
	if !id.ID.Equal(want.OID) || hex.EncodeToString(id.Hash.Value) != hex.EncodeToString(want.Hash) {
		t.Errorf("policy = %s %x, want %s %x", id.ID, id.Hash.Value, want.OID, want.Hash)
	}
	if !id.Hash.Algorithm.Algorithm.Equal(cms.OIDSHA256) || len(id.Hash.Algorithm.Parameters.FullBytes) != 0 {
		t.Errorf("the policy's hash algorithm is %v, want SHA-256 without parameters", id.Hash.Algorithm)
	}
	if len(id.Qualifiers) != 1 || !id.Qualifiers[0].ID.Equal(cms.OIDPolicyURI) ||
		id.Qualifiers[0].Value.Tag != asn1.TagIA5String || string(id.Qualifiers[0].Value.Bytes) != want.URI {
		t.Errorf("the qualifiers are %v, want one with the address %s", id.Qualifiers, want.URI)
	}
}

func TestCertificatesTravelOnce(t *testing.T) {
	t.Parallel()
	p := params(t, world.RSA, crypto.SHA256)
	p.Chain = slices.Concat(p.Chain, p.Chain, []*x509.Certificate{p.Certificate})
	s, err := cms.New(p)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(s.Certificates()), 1+len(world.PKI.Chain); got != want {
		t.Errorf("there are %d certificates, want %d", got, want)
	}
}

func BenchmarkDetached(b *testing.B) {
	s, err := cms.New(params(b, world.ECDSA, crypto.SHA256))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Detached(world.ECDSA.Key, make([]byte, 32)); err != nil {
			b.Fatal(err)
		}
	}
}
