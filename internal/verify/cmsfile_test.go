package verify_test

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"bulksigner/internal/verify"

	"github.com/google/go-cmp/cmp"
)

// goodCMS is a signature by Maria, with its content inside, with which nothing is wrong.
func (p people) goodCMS() maker {
	m := p.good()
	m.policy, m.attached = cades24, true
	return m
}

// marked encodes a value with an indefinite length.
func marked(tag byte, parts ...[]byte) []byte {
	return slices.Concat([]byte{tag, 0x80}, bytes.Join(parts, nil), []byte{0, 0})
}

// cosigned is a message over content with a signature by each maker. With pieces it is in BER, with the content in them.
func cosigned(t testing.TB, content []byte, pieces [][]byte, makers ...maker) []byte {
	t.Helper()
	var certs, infos [][]byte
	for _, m := range makers {
		if m.hash == 0 {
			m.hash = crypto.SHA256
		}
		for _, c := range append([]*x509.Certificate{m.cert}, m.others...) {
			certs = append(certs, c.Raw)
		}
		infos = append(infos, m.signer(t, content))
	}
	digests := tlv(0x31, algorithmID(idSHA256))
	if pieces != nil {
		return marked(0x30, oid(idSignedData), marked(0xA0, marked(0x30, []byte{2, 1, 1}, digests,
			marked(0x30, oid(idData), marked(0xA0, marked(0x24, pieces...))), marked(0xA0, certs...), marked(0x31, infos...))))
	}
	encapsulated := seq(oid(idData), tlv(0xA0, octets(content)))
	return seq(oid(idSignedData), tlv(0xA0, seq([]byte{2, 1, 1}, digests, encapsulated, tlv(0xA0, certs...), tlv(0x31, infos...))))
}

// judgeCMS verifies a message that must be readable.
func judgeCMS(t testing.TB, file []byte, o verify.Options) verify.Report {
	t.Helper()
	r, err := verify.CMS(bytes.NewReader(file), int64(len(file)), o)
	if err != nil {
		t.Fatalf("CMS = %v", err)
	}
	return r
}

func armor(label string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: label, Bytes: der})
}

func TestGoodCMS(t *testing.T) {
	t.Parallel()
	p := cast(t)
	content := bytes.Repeat([]byte("content "), 20_000)
	der := p.goodCMS().make(t, content)
	at := int64(bytes.Index(der, content))
	located := []verify.Part{{From: at, To: at + int64(len(content))}}
	pieces := [][]byte{octets(content[:10]), tlv(0x24, octets(content[10:11]), octets(nil)), marked(0x24, octets(content[11:]))}
	ber := cosigned(t, content, pieces, p.goodCMS())
	first := int64(bytes.Index(ber, content[:10]))
	empty, none := p.goodCMS().make(t, nil), cosigned(t, nil, [][]byte{}, p.goodCMS())
	nowhere := func(file []byte, end string) []verify.Part {
		at := int64(bytes.Index(file, []byte(end)) + len(end))
		return []verify.Part{{From: at, To: at}}
	}
	const loose = "the message is in BER, not in DER"
	tests := []struct {
		name   string
		file   []byte
		note   string
		signed []verify.Part
	}{
		{"DER", der, "", located},
		{"BER", ber, loose, []verify.Part{{From: first, To: first + int64(bytes.Index(ber[first:], content[11:])+len(content)-11)}}},
		{"long lengths", append([]byte{0x30, 0x84, 0}, der[2:]...), loose, []verify.Part{{From: at + 1, To: at + 1 + int64(len(content))}}},
		{"PEM", armor("CMS", der), "", nil},
		{"PEM of PKCS #7, with blanks", slices.Concat([]byte("\uFEFF\n"), armor("PKCS7", der), []byte("\n ")), "", nil},
		{"empty", empty, "", nowhere(empty, "\xA0\x02\x04\x00")},
		{"empty, of no pieces", none, loose, nowhere(none, "\x24\x80\x00\x00")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := judgeCMS(t, tt.file, p.strict())
			if err := r.Err(); err != nil {
				t.Fatalf("Err = %v", err)
			}
			s := r.Signatures[0]
			if r.Format != "CAdES" || !s.CoversWholeFile || s.SignerName != "MARIA DE TESTE" || s.Policy != "AD-RB CAdES 2.4" {
				t.Errorf("report = %+v", r)
			}
			if got := s.Check(verify.Message).Detail; got != tt.note {
				t.Errorf("the note is %q, want %q", got, tt.note)
			}
			if diff := cmp.Diff(tt.signed, s.Signed); diff != "" {
				t.Errorf("signed (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTamperedCMS finds each fault by the check that is there for it.
func TestTamperedCMS(t *testing.T) {
	t.Parallel()
	p := cast(t)
	tests := []struct {
		name   string
		change func(*maker)
		want   []string
	}{
		{"the content", func(m *maker) { m.after = swap([]byte("content"), []byte("Content")) }, []string{verify.MessageDigest}},
		{"the signature", func(m *maker) { m.after = func(der []byte) []byte { return flip(der, len(der)-5) } }, []string{verify.SignatureValue}},
		{"bytes after it", func(m *maker) { m.after = func(der []byte) []byte { return append(der, 0) } }, []string{verify.Coverage}},
		{"hash of another certificate", func(m *maker) { m.certHash = make([]byte, 32) }, []string{verify.SigningCertificate}},
		{"certificate not named", func(m *maker) { m.noID = true }, []string{verify.SigningCertificate}},
		{"certificate named in version 1", func(m *maker) { m.idV1 = true }, []string{verify.SigningCertificate}},
		{"policy of PAdES", func(m *maker) { m.policy = policy13 }, []string{verify.Policy}},
		{"hash of another policy", func(m *maker) { m.policyHash = hash13Bytes() }, []string{verify.Policy}},
		{"no policy", func(m *maker) { m.noPolicy = true }, []string{verify.Policy}},
		{"unsorted attributes", func(m *maker) { m.reversed = true }, []string{verify.DEROrder}},
		{"SHA-1", func(m *maker) { m.hash = crypto.SHA1 }, []string{verify.SignatureValue, verify.Policy}},
		{"expired", func(m *maker) { m.cert = p.expired }, []string{verify.Validity, verify.Chain, verify.Signer}},
		{"authorities left out", func(m *maker) { m.others = nil }, []string{verify.Chain}},
		{"content outside", func(m *maker) { m.attached = false }, []string{verify.Coverage, verify.MessageDigest}},
		{"no attributes", func(m *maker) { m.plain = true }, []string{verify.DEROrder, verify.ContentType, verify.MessageDigest,
			verify.SignatureValue, verify.SigningCertificate, verify.Policy}},
		{"too many signers", func(m *maker) { m.signers = 1200 }, []string{verify.Message, verify.Signer}},
		{"signing time", func(m *maker) { m.extra = [][]byte{signingTime()} }, nil},
		{"no certificate", func(m *maker) { m.orphan = true }, []string{verify.Message, verify.Signer}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := p.goodCMS()
			tt.change(&m)
			r := judgeCMS(t, m.make(t, []byte("content")), p.strict())
			if diff := cmp.Diff(tt.want, demanded(r.Signatures[0])); diff != "" {
				t.Errorf("missed (-want +got):\n%s\n%+v", diff, r)
			}
			if (r.Err() == nil) != (tt.want == nil) {
				t.Errorf("Err = %v", r.Err())
			}
		})
	}
}

// TestAttributesAreNoContent: a signature over attributes must not pass for one over content that looks like them.
func TestAttributesAreNoContent(t *testing.T) {
	t.Parallel()
	p := cast(t)
	m := p.goodCMS()
	m.plain = true
	attributes := tlv(0x31, attribute(idContentType, oid(idData)), attribute(idDigest, octets(sum(crypto.SHA256, []byte("content")))))
	r := judgeCMS(t, m.make(t, attributes), verify.Options{At: now})
	if got := r.Signatures[0].Check(verify.SignatureValue).Outcome; got != verify.Failed || r.Err() == nil {
		t.Errorf("the signature is %s, Err = %v", got, r.Err())
	}
}

// TestPlainCMS need not name its certificate, unless a policy demands it.
func TestPlainCMS(t *testing.T) {
	t.Parallel()
	p := cast(t)
	m := p.goodCMS()
	m.noID, m.noPolicy = true, true
	o := p.strict()
	o.Policy = false
	r := judgeCMS(t, m.make(t, []byte("content")), o)
	if err := r.Err(); err != nil {
		t.Errorf("Err = %v", err)
	}
	if got := r.Signatures[0].Check(verify.SigningCertificate).Outcome; got != verify.NotChecked {
		t.Errorf("signing-certificate is %s, want not checked", got)
	}
}

// TestCosigners: signatures of one message have no order, and each is judged.
func TestCosigners(t *testing.T) {
	t.Parallel()
	p := cast(t)
	content := []byte("content")
	joao := maker{key: p.curve, cert: p.joao, algorithm: "1.2.840.10045.4.3.4", policy: cades24, hash: crypto.SHA512}
	for _, makers := range [][]maker{{p.goodCMS(), joao}, {joao, p.goodCMS()}} {
		for _, o := range []verify.Options{p.strict(), {Anchors: p.strict().Anchors, At: now, Policy: true}} {
			r := judgeCMS(t, cosigned(t, content, nil, makers...), o)
			if err := r.Err(); err != nil || len(r.Signatures) != 2 {
				t.Errorf("Err = %v of %d signatures", err, len(r.Signatures))
			}
		}
	}
	careless := joao
	careless.noID, careless.noPolicy, careless.reversed = true, true, true
	r := judgeCMS(t, cosigned(t, content, nil, p.goodCMS(), careless), p.strict())
	if err := r.Err(); err != nil {
		t.Errorf("Err = %v, want the other's attributes not to matter", err)
	}
	o := p.strict()
	o.Signer = nil
	if judgeCMS(t, cosigned(t, content, nil, p.goodCMS(), careless), o).Err() == nil {
		t.Error("Err = nil with no signer asked for, want each signature to be judged")
	}
}

// TestAlteredCosignature is over something else, which nobody must pass over.
func TestAlteredCosignature(t *testing.T) {
	t.Parallel()
	p := cast(t)
	joao := maker{key: p.curve, cert: p.joao, algorithm: "1.2.840.10045.4.3.2", policy: cades24, over: []byte("something else")}
	file := cosigned(t, []byte("content"), nil, p.goodCMS(), joao)
	r := judgeCMS(t, file, p.strict())
	if got := demanded(r.Signatures[1]); !cmp.Equal(got, []string{verify.MessageDigest}) || demanded(r.Signatures[0]) != nil {
		t.Errorf("missed %v and %v, want the digest of the other alone", demanded(r.Signatures[0]), got)
	}
}

func TestDetached(t *testing.T) {
	t.Parallel()
	p := cast(t)
	m := p.goodCMS()
	m.attached = false
	content := bytes.Repeat([]byte("content "), 20_000)
	der := m.make(t, content)
	attached := m
	attached.attached = true
	tests := []struct {
		name    string
		message []byte
		content []byte
		want    []string
	}{
		{"DER", der, content, nil},
		{"PEM", armor("PKCS7", der), content, nil},
		{"other content", der, content[1:], []string{verify.MessageDigest}},
		{"bytes after it", append(bytes.Clone(der), 0), content, []string{verify.Coverage}},
		{"text after PEM", append(armor("CMS", der), "text"...), content, []string{verify.Coverage}},
		{"content inside", attached.make(t, content), content, []string{verify.Coverage, verify.MessageDigest}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := verify.Detached(tt.message, bytes.NewReader(tt.content), p.strict())
			if err != nil {
				t.Fatalf("Detached = %v", err)
			}
			if diff := cmp.Diff(tt.want, demanded(r.Signatures[0])); diff != "" {
				t.Errorf("missed (-want +got):\n%s", diff)
			}
			if (r.Err() == nil) != (tt.want == nil) || len(r.Signatures[0].Signed) > 0 {
				t.Errorf("Err = %v, report = %+v", r.Err(), r)
			}
		})
	}
	r, err := verify.Detached(der, nil, p.strict())
	if err != nil || !cmp.Equal(demanded(r.Signatures[0]), []string{verify.Coverage, verify.MessageDigest}) {
		t.Errorf("without content Detached = %+v, %v", r, err)
	}
	if _, err := verify.Detached(der, io.MultiReader(strings.NewReader("content "), iotest.ErrReader(errDisk)), p.strict()); !errors.Is(err, errDisk) {
		t.Errorf("Detached = %v, want the error of the content", err)
	}
}
