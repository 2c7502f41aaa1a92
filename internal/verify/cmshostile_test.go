package verify_test

import (
	"bytes"
	"crypto/x509"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/verify"
)

// TestHostileCMS: each ends in an error with a code.
func TestHostileCMS(t *testing.T) {
	t.Parallel()
	p := cast(t)
	der := p.goodCMS().make(t, []byte("content"))
	// with puts parts in place of those of a message, from its version on.
	with := func(parts ...[]byte) []byte { return seq(oid(idSignedData), tlv(0xA0, seq(parts...))) }
	version, set := []byte{2, 1, 1}, tlv(0x31)
	content := func(value []byte) []byte { return seq(oid(idData), tlv(0xA0, value)) }
	huge := octets(make([]byte, 18<<20))
	tests := []struct {
		name   string
		file   []byte
		detail string
	}{
		{"empty", nil, "well-formed"},
		{"one byte", []byte{0x30}, "well-formed"},
		{"not a message", []byte("text"), "well-formed"},
		{"cut", der[:len(der)-1], "well-formed"},
		{"cut within a header", der[:3], "well-formed"},
		{"longer than the file", append([]byte{0x30, 0x84, 0x7F, 0xFF, 0xFF, 0xFF}, der[4:]...), "well-formed"},
		{"negative length", append([]byte{0x30, 0x88, 0x80, 0, 0, 0, 0, 0, 0, 0}, der[4:]...), "well-formed"},
		{"length of nine bytes", append([]byte{0x30, 0x89, 0, 0, 0, 0, 0, 0, 0, 0, 1}, der[4:]...), "well-formed"},
		{"mark that never comes", append([]byte{0x30, 0x80}, der[4:]...), "well-formed"},
		{"primitive without length", with(version, []byte{0x02, 0x80, 0, 0}), "well-formed"},
		{"long tag", with([]byte{0x1F, 0x81, 0x01, 0}, set), "well-formed"},
		{"data", seq(oid(idData), tlv(0xA0, octets(nil))), "SignedData"},
		{"nothing in it", seq(oid(idSignedData)), "well-formed"},
		{"more in it", seq(oid(idSignedData), tlv(0xA0, seq(version, set, seq(oid(idData)), set)), set), "well-formed"},
		{"content of another kind", with(version, set, content(seq()), set), "well-formed"},
		{"two contents", with(version, set, seq(oid(idData), tlv(0xA0, octets(nil), octets(nil))), set), "well-formed"},
		{"pieces of another kind", with(version, set, content(tlv(0x24, seq())), set), "well-formed"},
		{"something after the signers", with(version, set, seq(oid(idData)), set, set), "well-formed"},
		{"certificates after the lists", with(version, set, seq(oid(idData)), tlv(0xA1), tlv(0xA0), set), "well-formed"},
		{"certificates twice", with(version, set, seq(oid(idData)), tlv(0xA0), tlv(0xA0), set), "well-formed"},
		{"something else", with(version, set, seq(oid(idData)), seq(), set), "well-formed"},
		{"too long", with(version, set, seq(oid(idData)), tlv(0xA0, huge), set), "17 MiB"},
		{"too deep", with(version, nested(0x30, 100), seq(oid(idData)), set), "well-formed"},
		{"too deep a content", with(version, set, content(nested(0x24, 100)), set), "well-formed"},
		{"too deep without lengths", with(version, bytes.Repeat([]byte{0x30, 0x80}, 100_000)), "well-formed"},
		{"too many pieces", with(version, set, content(tlv(0x24, bytes.Repeat([]byte{4, 0}, 5<<20))), set), "too many pieces"},
		{"pieces of a string that are none", with(version, tlv(0x24, seq()), seq(oid(idData)), set), "well-formed"},
		{"PEM of something else", armor("CERTIFICATE", der), "PEM"},
		{"PEM of two", append(armor("CMS", der), armor("CMS", der)...), "PEM"},
		{"PEM with headers", bytes.Replace(armor("CMS", der), []byte("-----\n"), []byte("-----\nA: b\n\n"), 1), "PEM"},
		{"PEM without end", armor("CMS", der)[:100], "PEM"},
		{"PEM of nothing", armor("CMS", nil), "PEM"},
		{"PEM that is too large", append(armor("CMS", der), make([]byte, 33<<20)...), "32 MiB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := verify.CMS(bytes.NewReader(tt.file), int64(len(tt.file)), verify.Options{})
			if !errors.Is(err, fault.CMSMalformed) || !strings.Contains(fault.DetailOf(err), tt.detail) {
				t.Errorf("CMS = %v, want %s for %q", err, fault.CMSMalformed, tt.detail)
			}
			if _, err := verify.Detached(tt.file, nil, verify.Options{}); !errors.Is(err, fault.CMSMalformed) {
				t.Errorf("Detached = %v, want %s", err, fault.CMSMalformed)
			}
		})
	}
}

// nested puts values into each other.
func nested(tag byte, depth int) []byte {
	var out []byte
	for range depth {
		out = tlv(tag, out)
	}
	return out
}

// TestUnreadableSigners: a message that can be read as far as its signatures has a report, which is not good.
func TestUnreadableSigners(t *testing.T) {
	t.Parallel()
	p := cast(t)
	with := func(parts ...[]byte) []byte {
		return seq(oid(idSignedData), tlv(0xA0, seq(slices.Concat([][]byte{{2, 1, 1}, tlv(0x31), seq(oid(idData), tlv(0xA0, octets(nil)))}, parts)...)))
	}
	var certs []byte
	for range 1200 {
		certs = append(certs, p.maria.Raw...)
	}
	for name, file := range map[string][]byte{
		"no signer": with(tlv(0x31)), "a signer of nothing": with(tlv(0x31, seq())), "no signers": with(),
		"too many certificates": with(tlv(0xA0, certs), tlv(0x31, seq())),
	} {
		r := judgeCMS(t, file, verify.Options{At: now})
		if got := r.Signatures[0].Check(verify.Message).Outcome; got != verify.Failed || r.Err() == nil {
			t.Errorf("%s: cms is %s, Err = %v", name, got, r.Err())
		}
	}
}

// TestCMSReadErrors: whenever reading fails, that is the error.
func TestCMSReadErrors(t *testing.T) {
	t.Parallel()
	p := cast(t)
	content := bytes.Repeat([]byte("content "), 40_000)
	pieces := [][]byte{octets(content[:200_000]), octets(content[200_000:])}
	files := map[string][]byte{
		"DER": p.goodCMS().make(t, content), "BER": cosigned(t, content, pieces, p.goodCMS()), "PEM": armor("CMS", p.goodCMS().make(t, nil)),
		"XML": []byte(signedXML(t, p.goodXML())),
	}
	for name, file := range files {
		for reads := range 1000 {
			if reads == 999 {
				t.Errorf("%s: reading does not end", name)
			}
			r, err := verify.File(&failing{bytes.NewReader(file), reads}, int64(len(file)), p.strict())
			if err == nil {
				if err := r.Err(); err != nil {
					t.Errorf("%s: Err = %v after %d reads", name, err, reads)
				}
				break
			}
			if !errors.Is(err, errDisk) {
				t.Errorf("%s: File = %v after %d reads, want the error of reading", name, err, reads)
			}
		}
	}
}

// TestMemoryDoesNotGrowWithContent verifies messages of 16 MiB and counts what is allocated altogether.
func TestMemoryDoesNotGrowWithContent(t *testing.T) {
	p := cast(t) // not parallel: it counts everybody's allocations
	content := make([]byte, 16<<20)
	pieces := slices.Collect(slices.Chunk(content, 1000))
	for i, b := range pieces {
		pieces[i] = octets(b)
	}
	for name, file := range map[string][]byte{"DER": p.goodCMS().make(t, content), "BER": cosigned(t, content, pieces, p.goodCMS())} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := judgeCMS(t, file, p.strict()).Err(); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 2<<20 {
			t.Errorf("%s: %d bytes were allocated, want less than 2 MiB", name, got)
		}
	}
}

// FuzzCMS looks for panics, for errors without a code, and for content that nobody signed.
func FuzzCMS(f *testing.F) {
	m := lightMaker(f)
	m.policy, m.attached = cades24, true
	o := verify.Options{Anchors: []*x509.Certificate{m.cert}, At: now, Signer: m.cert}
	content := []byte("content that was signed")
	f.Add(m.make(f, content))
	f.Add(armor("CMS", m.make(f, content)))
	f.Add(cosigned(f, content, [][]byte{octets(content[:3]), marked(0x24, octets(content[3:]))}, m))
	f.Fuzz(func(t *testing.T, file []byte) {
		r, err := verify.CMS(bytes.NewReader(file), int64(len(file)), o)
		if err != nil {
			if fault.CodeOf(err) == fault.Internal {
				t.Errorf("an error without a code: %v", err)
			}
			return
		}
		if r.Err() != nil || bytes.HasPrefix(bytes.TrimSpace(file), []byte("-----")) {
			return
		}
		if s := r.Signatures[0]; len(s.Signed) == 1 && !bytes.Contains(file, content) && file[1] != 0x80 && s.Check(verify.Message).Detail == "" {
			t.Errorf("content that nobody signed is good: %x", file)
		}
		if _, err := verify.Detached(file, io.LimitReader(nil, 0), o); err != nil {
			t.Errorf("CMS reads the message and Detached = %v", err)
		}
	})
}
