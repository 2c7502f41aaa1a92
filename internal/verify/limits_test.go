package verify_test

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"bulksigner/internal/verify"
)

// TestMalformedMessages: each is reported under the check that cannot be made, and none is taken for good.
func TestMalformedMessages(t *testing.T) {
	t.Parallel()
	p := cast(t)
	attr := func(id string, value []byte) func(*maker) {
		return func(m *maker) { m.extra = [][]byte{attribute(id, value)} }
	}
	without := func(id string, value []byte) func(*maker) {
		return func(m *maker) { m.noID, m.noPolicy = true, true; attr(id, value)(m) }
	}
	after := func(f func([]byte) []byte) func(*maker) { return func(m *maker) { m.after = f } }
	tests := []struct {
		name   string
		change func(*maker)
		check  string
		detail string
		room   int
	}{
		{"another kind of message", after(func([]byte) []byte { return seq(oid(idData), tlv(0xA0, octets(nil))) }), verify.Message, "SignedData", 0},
		{"no signed data", after(func([]byte) []byte { return seq(oid(idSignedData), tlv(0xA0, octets(nil))) }), verify.Message, "DER", 0},
		{"a version that is none", after(swap(
			tlv(0x02, []byte{1}), tlv(0x05, []byte{1}))), verify.Message, "DER", 0},
		{"no signer", after(func([]byte) []byte {
			return seq(oid(idSignedData), tlv(0xA0, seq([]byte{2, 1, 1}, tlv(0x31), seq(oid(idData)), tlv(0x31))))
		}), verify.Message, "no signer", 0},
		{"too many signers", after(func([]byte) []byte {
			signers := bytes.Repeat(seq([]byte{2, 1, 1}, seq(), algorithmID("1.2"), algorithmID("1.2"), octets(nil)), 300)
			return seq(oid(idSignedData), tlv(0xA0, seq([]byte{2, 1, 1}, tlv(0x31), seq(oid(idData)), tlv(0x31, signers))))
		}), verify.Message, "too many signers", 0},
		{"too long", func(m *maker) { m.unsigned = [][]byte{attribute(idArchival, octets(make([]byte, 1<<20)))} }, verify.Message, "1 MiB", 1<<20 + 1<<16},
		{"too many attributes", func(m *maker) {
			for range 70 {
				m.extra = append(m.extra, attribute(idArchival, seq()))
			}
		}, verify.Message, "too many", 0},
		{"unreadable attributes", func(m *maker) { m.extra = [][]byte{{0x30, 0x01, 0x00}} }, verify.Message, "cannot be read", 0},
		{"unreadable unsigned attributes", func(m *maker) { m.unsigned = [][]byte{octets(nil)} }, verify.Message, "cannot be read", 0},
		{"unknown digest", after(func(der []byte) []byte {
			return bytes.ReplaceAll(der, algorithmID(idSHA256), algorithmID("2.16.840.1.101.3.4.2.9"))
		}), verify.MessageDigest, "not known", 0},
		{"certificate named by nothing", without(idCertV2, seq(seq())), verify.SigningCertificate, "cannot be read", 0},
		{"certificate named by garbage", without(idCertV2, octets(nil)), verify.SigningCertificate, "cannot be read", 0},
		{"certificate named by a weak hash", without(idCertV2, seq(seq(seq(algorithmID(idSHA1), octets(make([]byte, 20)))))),
			verify.SigningCertificate, "cannot be read", 0},
		{"certificate named by garbage in version 1", without(idCertV1, octets(nil)), verify.SigningCertificate, "cannot be read", 0},
		{"certificate named by another kind of name", without(idCertV2, seq(seq(seq(octets(sum(crypto.SHA256, p.maria.Raw)),
			seq(seq(tlv(0x86, []byte("x"))), integer(p.maria.SerialNumber)))))), verify.SigningCertificate, "issuer and number", 0},
		{"certificate named by two names", without(idCertV2, seq(seq(seq(octets(sum(crypto.SHA256, p.maria.Raw)),
			seq(seq(tlv(0x86), tlv(0x86)), integer(p.maria.SerialNumber)))))), verify.SigningCertificate, "issuer and number", 0},
		{"certificate named twice", attr(idCertV2, seq()), verify.SigningCertificate, "more than once", 0},
		{"RSA-PSS without parameters", func(m *maker) { m.algorithm = idPSS }, verify.SignatureValue, "did not make", 0},
		{"issuer that is nothing", after(swap(p.maria.RawIssuer, bytes.Repeat([]byte{5, 0}, len(p.maria.RawIssuer)/2))), verify.Message, "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := p.good()
			tt.change(&m)
			r := judge(t, signed(t, m, dictionary{room: tt.room}), verify.Options{At: now})
			c := r.Signatures[0].Check(tt.check)
			if c.Outcome == verify.Passed || c.Outcome == "" || !strings.Contains(c.Detail, tt.detail) {
				t.Errorf("%+v, want it not to have passed for %q", c, tt.detail)
			}
			if r.Err() == nil {
				t.Error("Err = nil")
			}
		})
	}
}

// TestHugeKeyIsNotTried: an operation with a key of a megabit takes minutes.
func TestHugeKeyIsNotTried(t *testing.T) {
	t.Parallel()
	p := cast(t)
	m := p.good()
	modulus := p.key.N.Bytes()
	huge := bytes.Repeat(modulus, 40) // 80 kilobits, and odd like the one that it is made of
	der := bytes.Clone(m.cert.RawTBSCertificate)
	key := seq(tlv(0x02, append([]byte{0}, huge...)), []byte{2, 3, 1, 0, 1})
	info := seq(seq(oid(idRSA), []byte{5, 0}), tlv(0x03, append([]byte{0}, key...)))
	body := bytes.Replace(der[4:], m.cert.RawSubjectPublicKeyInfo, info, 1)
	cert, err := x509.ParseCertificate(seq(seq(body), seq(oid("1.2.840.113549.1.1.13"), []byte{5, 0}), tlv(0x03, []byte{0}, make([]byte, 256))))
	if err != nil {
		t.Fatal(err)
	}
	m.cert = cert
	s := judge(t, signed(t, m, dictionary{room: 64 << 10}), p.strict()).Signatures[0]
	if got := s.Check(verify.Message).Outcome; got != verify.Failed {
		t.Errorf("cms is %s, want failed", got)
	}
}

// crowded writes a file with many signatures whose ranges all span the whole file.
func crowded(t *testing.T, m maker, n, filler int) []byte {
	t.Helper()
	der := m.make(t, []byte("something else"))
	b := &builder{offsets: make(map[int]int), next: 2}
	b.WriteString("%PDF-1.7\n")
	const place = "0 0000000000 0000000000 0000000000"
	var gaps [][3]int
	for range n {
		b.offsets[b.next] = b.Len()
		fmt.Fprintf(b, "%d 0 obj <</T(A)/V<</SubFilter/ETSI.CAdES.detached/ByteRange[", b.next)
		at := b.Len()
		b.WriteString(place + "]/Contents ")
		from := b.Len()
		fmt.Fprintf(b, "<%s>", hex.EncodeToString(der))
		gaps = append(gaps, [3]int{at, from, b.Len()})
		b.WriteString(">>>> endobj\n")
		b.fields = append(b.fields, fmt.Sprintf("%d 0 R", b.next))
		b.next++
	}
	fmt.Fprintf(b, "%%%s\n", strings.Repeat("x", filler))
	b.catalog()
	b.finish()
	file := b.Bytes()
	for _, g := range gaps {
		copy(file[g[0]:], fmt.Sprintf("0 %010d %010d %010d", g[1], g[2], len(file)-g[2]))
	}
	return file
}

// TestHashingIsBounded: a file cannot make us hash it hundreds of times.
func TestHashingIsBounded(t *testing.T) {
	t.Parallel()
	const n, size = 40, 10 << 20
	r := judge(t, crowded(t, lightMaker(t), n, size), verify.Options{At: now})
	outcomes := make(map[verify.Outcome]int)
	for _, s := range r.Signatures {
		outcomes[s.Check(verify.MessageDigest).Outcome]++
	}
	if outcomes[verify.NotChecked] < n-10 || outcomes[verify.Failed] < 6 {
		t.Errorf("outcomes = %v, want the first to be hashed and most not", outcomes)
	}
}

// TestBadChainsAreBounded: a file cannot make us try hundreds of chains.
func TestBadChainsAreBounded(t *testing.T) {
	t.Parallel()
	p := cast(t)
	r := judge(t, crowded(t, lightMaker(t), 20, 0), verify.Options{At: now, Anchors: p.strict().Anchors})
	outcomes := make(map[verify.Outcome]int)
	for _, s := range r.Signatures {
		outcomes[s.Check(verify.Chain).Outcome]++
	}
	if outcomes[verify.Failed] != 8 || outcomes[verify.NotChecked] != 12 {
		t.Errorf("outcomes = %v, want 8 chains tried", outcomes)
	}
}

// TestCriticalExtension: what cannot be understood is not passed over.
func TestCriticalExtension(t *testing.T) {
	t.Parallel()
	m := lightMaker(t)
	template := *m.cert
	template.ExtraExtensions = append(template.ExtraExtensions, criticalExtension())
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, m.key.Public(), m.key)
	if err != nil {
		t.Fatal(err)
	}
	if m.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	o := verify.Options{At: now, Anchors: []*x509.Certificate{m.cert}}
	if got := judge(t, signed(t, m, dictionary{}), o).Signatures[0].Check(verify.Chain); got.Outcome != verify.Failed || !strings.Contains(got.Detail, "critical") {
		t.Errorf("%+v, want it to have failed for the extension", got)
	}
}
