package pades_test

import (
	"bytes"
	"crypto"
	"crypto/sha256"
	"encoding/asn1"
	"errors"
	"hash"
	"strings"
	"testing"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/sign/cms"
	"bulksigner/internal/sign/pades"
	"bulksigner/internal/sign/signtest"
)

func TestDictionary(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 29, 9, 5, 7, 0, time.FixedZone("", -(3*60+30)*60))
	tests := []struct {
		name   string
		change func(*pades.Options)
		want   []string
		not    []string
	}{
		{"ETSI", nil, []string{"/Type/Sig", "/Filter/Adobe.PPKLite", "/SubFilter/ETSI.CAdES.detached"}, []string{"/Cert", "/R ", "/R/"}},
		{"PBAD", func(o *pades.Options) { o.SubFilter = pades.PBAD }, []string{"/Filter/PBAD_PAdES", "/SubFilter/PBAD.PAdES"}, nil},
		{"no texts", func(o *pades.Options) {
			*o = pades.Options{Certificate: o.Certificate, Chain: o.Chain, Hash: o.Hash, Policy: o.Policy}
		},
			nil, []string{"/Name", "/Reason", "/Location", "/ContactInfo", "/M("}},
		{"time with zone", func(o *pades.Options) { o.Time = at }, []string{"/M(D:20261129090507-03'30')"}, nil},
		{"plain text", func(o *pades.Options) { o.Name = "Maria" }, []string{"/Name(Maria)"}, nil},
		{"brackets and backslash", func(o *pades.Options) { o.Name = `a(b)\` }, []string{`/Name<612862295c>`}, nil},
		{"accents and a line break", func(o *pades.Options) { o.Location = "São\nPaulo" }, []string{"/Location<53e36f0a5061756c6f>"}, nil},
		{"the rest of PDFDocEncoding", func(o *pades.Options) { o.Location = "€—Ž" }, []string{"/Location<a08499>"}, nil},
		{"emoji", func(o *pades.Options) { o.Reason = "ok 👍" }, []string{"/Reason<feff006f006b0020d83ddc4d>"}, nil},
		{"text that looks like a mark", func(o *pades.Options) { o.Reason = "þÿ" }, []string{"/Reason<feff00fe00ff>"}, nil},
		{"contact", func(o *pades.Options) { o.ContactInfo = "maria@teste.invalid" }, []string{"/ContactInfo(maria@teste.invalid)"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			doc := onePage("", "")
			signed, err := sign(t, doc, world.ECDSA, tt.change)
			if err != nil {
				t.Fatal(err)
			}
			section := string(signed[len(doc):])
			for _, want := range tt.want {
				if !strings.Contains(section, want) {
					t.Errorf("there is no %q in the section", want)
				}
			}
			for _, not := range tt.not {
				if strings.Contains(section, not) {
					t.Errorf("there is %q in the section", not)
				}
			}
		})
	}
}

func TestOptionsRefused(t *testing.T) {
	t.Parallel()
	old, _ := icpbrasil.ByOID(asn1.ObjectIdentifier{2, 16, 76, 1, 7, 1, 11, 1, 1})
	tests := []struct {
		name   string
		change func(*pades.Options)
		want   fault.Code
	}{
		{"no certificate", func(o *pades.Options) { o.Certificate = nil }, fault.CertificateMissing},
		{"no policy", func(o *pades.Options) { o.Policy, o.Time = icpbrasil.Policy{}, time.Time{} }, fault.PolicyNotInForce},
		{"no digest", func(o *pades.Options) { o.Hash = 0 }, fault.KeyUnsupported},
		{"SHA-384", func(o *pades.Options) { o.Hash = crypto.SHA384 }, fault.KeyUnsupported},
		{"ECDSA under an older policy", func(o *pades.Options) { o.Policy = old }, fault.KeyUnsupported},
		{"before the certificate", func(o *pades.Options) { o.Time = o.Certificate.NotBefore.Add(-time.Second) }, fault.CertificateNotYetValid},
		{"after the certificate", func(o *pades.Options) { o.Time = o.Certificate.NotAfter.Add(time.Second) }, fault.CertificateExpired},
		{"after the policy", func(o *pades.Options) { o.Policy.Until = o.Time.AddDate(0, 0, -2) }, fault.PolicyNotInForce},
		{"unknown sub-filter", func(o *pades.Options) { o.SubFilter = "adbe.pkcs7.sha1" }, fault.SettingsInvalid},
		{"long text", func(o *pades.Options) { o.Reason = strings.Repeat("x", 2001) }, fault.SettingsInvalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := sign(t, onePage("", ""), world.ECDSA, tt.change); !errors.Is(err, tt.want) {
				t.Errorf("Prepare = %v, want %s", err, tt.want)
			}
		})
	}
}

// prepared returns a document ready to be signed, and the hash of its original.
func prepared(t *testing.T, doc []byte, id signtest.Identity) (*pades.Document, hash.Hash) {
	t.Helper()
	d, err := pades.Prepare(bytes.NewReader(doc), int64(len(doc)), options(t, id))
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	h.Write(doc)
	return d, h
}

func TestKeyFails(t *testing.T) {
	t.Parallel()
	throttled := fault.New(fault.Throttled, "slow down")
	other := world.ECDSA
	tests := []struct {
		name  string
		key   func() (crypto.Signer, *signtest.Key)
		want  error
		asked int
	}{
		{"its error comes through", func() (crypto.Signer, *signtest.Key) {
			k := &signtest.Key{Signer: world.RSA.Key, Fail: throttled}
			return k, k
		}, fault.Throttled, 1},
		{"another key is not asked", func() (crypto.Signer, *signtest.Key) {
			k := &signtest.Key{Signer: other.Key}
			return k, k
		}, fault.CertificateMismatch, 0},
		{"another key that does not say so is found out", func() (crypto.Signer, *signtest.Key) {
			k := &signtest.Key{Signer: other.Key}
			return signtest.Silent{Key: k}, k
		}, fault.CertificateMismatch, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, h := prepared(t, onePage("", ""), world.RSA)
			key, asked := tt.key()
			section, err := d.Sign(h, key)
			if !errors.Is(err, tt.want) || section != nil {
				t.Errorf("Sign = %d bytes, %v, want none and %v", len(section), err, tt.want)
			}
			if asked.Asked() != tt.asked {
				t.Errorf("the key was asked %d times, want %d", asked.Asked(), tt.asked)
			}
		})
	}
}

func TestSameDocumentSameSection(t *testing.T) {
	t.Parallel()
	d, h := prepared(t, updated(), world.RSA)
	first, err1 := d.Sign(h, world.RSA.Key)
	second, err2 := d.Sign(h, world.RSA.Key)
	if err1 != nil || err2 != nil || !bytes.Equal(first, second) {
		t.Errorf("two signatures of one document differ: %v, %v", err1, err2)
	}
}

func TestIdentifier(t *testing.T) {
	t.Parallel()
	doc := updated() // of which only the newest trailer has an identifier
	signed, err := sign(t, doc, world.RSA, nil)
	if err != nil {
		t.Fatal(err)
	}
	const kept = "/ID[<00112233445566778899AABBCCDDEEFF><"
	section := string(signed[len(doc):])
	_, id, ok := strings.Cut(section, kept)
	if !ok || strings.HasPrefix(id, strings.Repeat("0", 32)) || id[32:34] != ">]" {
		t.Errorf("the identifier is not %s and 32 new digits: %.40q", kept, id)
	}
	other, err := sign(t, append(bytes.Clone(doc), '\n'), world.RSA, nil)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(other), id[:32]) {
		t.Error("another document has the same identifier")
	}
	if plain, _ := sign(t, onePage("", ""), world.RSA, nil); bytes.Contains(plain, []byte("/ID")) {
		t.Error("an identifier was invented")
	}
}

// opaque hides all of a hash but its interface.
type opaque struct{ hash.Hash }

func TestHashThatCannotBeCloned(t *testing.T) {
	t.Parallel()
	d, h := prepared(t, onePage("", ""), world.RSA)
	key := &signtest.Key{Signer: world.RSA.Key}
	if _, err := d.Sign(opaque{h}, key); err == nil || key.Asked() != 0 {
		t.Errorf("Sign = %v with %d questions, want an error before the key is asked", err, key.Asked())
	}
}

// TestNegativeControls shows that the outside judges would see what goes wrong.
func TestNegativeControls(t *testing.T) {
	t.Parallel()
	doc := onePage("", "")
	signed, err := sign(t, doc, world.RSA, nil)
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Replace(signed, []byte("100 100]"), []byte("100 101]"), 1)
	if out := world.PDFSigOf(t, changed); !strings.Contains(out, "Digest Mismatch") {
		t.Errorf("pdfsig does not see a changed byte:\n%s", out)
	}
	longer := append(bytes.Clone(signed), "% more\n"...)
	if out := world.PDFSigOf(t, longer); !strings.Contains(out, "Not total document signed") {
		t.Errorf("pdfsig does not see bytes after the signature:\n%s", out)
	}
	signature, content := take(t, signed, len(doc))
	content[len(content)-1]++
	if err := world.OpenSSL(t, signature, content); err == nil {
		t.Error("openssl does not see a changed byte")
	}
}

// TestPBAD is judged without pdfsig, which does not know the sub-filter.
func TestPBAD(t *testing.T) {
	t.Parallel()
	doc := onePage("", "")
	signed, err := sign(t, doc, world.RSA, func(o *pades.Options) { o.SubFilter, o.Hash = pades.PBAD, crypto.SHA512 })
	if err != nil {
		t.Fatal(err)
	}
	signature, content := take(t, signed, len(doc))
	if err := world.OpenSSL(t, signature, content); err != nil {
		t.Error(err)
	}
	var message cms.ContentInfo
	if _, err := asn1.Unmarshal(signature, &message); err != nil || !message.ContentType.Equal(cms.OIDSignedData) {
		t.Errorf("Contents is no signed data: %v", err)
	}
	if out := signtest.MuTool(t, signed); !strings.Contains(out, "The document is unchanged since signing.") {
		t.Errorf("mutool does not find the signature valid:\n%s", out)
	}
}
