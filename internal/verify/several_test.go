package verify_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"bulksigner/internal/verify"

	"github.com/google/go-cmp/cmp"
)

func TestTwoSignatures(t *testing.T) {
	t.Parallel()
	p := cast(t)
	joao := maker{key: p.curve, cert: p.joao, others: p.pki.Chain, algorithm: "1.2.840.10045.4.3.2"}
	for _, streams := range []bool{false, true} {
		b := newPDF(100, streams)
		b.sign(t, joao, dictionary{})
		r := judge(t, b.sign(t, p.good(), dictionary{}), p.strict())
		if err := r.Err(); err != nil {
			t.Fatalf("Err = %v", err)
		}
		first, second := r.Signatures[0], r.Signatures[1]
		if first.SignerName != "JOAO DE TESTE" || second.SignerName != "MARIA DE TESTE" {
			t.Errorf("signers are %q and %q, want the older first", first.SignerName, second.SignerName)
		}
		if first.CoversWholeFile || !second.CoversWholeFile {
			t.Errorf("covers the whole file: %t, %t, want the newer alone", first.CoversWholeFile, second.CoversWholeFile)
		}
		if got := first.Check(verify.Coverage).Outcome; got != verify.Passed {
			t.Errorf("coverage of the first is %s", got)
		}
	}
}

// TestOthersAreNotJudgedByOurRules: an earlier signature may be old, foreign and weak, but not broken.
func TestOthersAreNotJudgedByOurRules(t *testing.T) {
	t.Parallel()
	p := cast(t)
	old := p.good()
	old.cert, old.noPolicy, old.noID, old.reversed = p.expired, true, true, true
	b := newPDF(100, false)
	b.sign(t, old, dictionary{subFilter: "adbe.pkcs7.detached"})
	file := b.sign(t, p.good(), dictionary{})
	r := judge(t, file, p.strict())
	if err := r.Err(); err != nil {
		t.Errorf("Err = %v", err)
	}
	if got := r.Signatures[0].Check(verify.DEROrder); got.Outcome != verify.Failed || got.Demanded {
		t.Errorf("%+v, want it to have failed and not to matter", got)
	}
	alone := p.strict()
	alone.Signer, alone.Policy = nil, false
	if judge(t, file, alone).Err() == nil {
		t.Error("Err = nil with no signer asked for, want each signature to be judged")
	}
}

func TestBrokenEarlierSignature(t *testing.T) {
	t.Parallel()
	p := cast(t)
	b := newPDF(100, false)
	b.sign(t, p.good(), dictionary{})
	b.Bytes()[20] ^= 1 // in the comment; the second signature signs what is there
	r := judge(t, b.sign(t, p.good(), dictionary{}), p.strict())
	if got := demanded(r.Signatures[0]); !cmp.Equal(got, []string{verify.MessageDigest}) {
		t.Errorf("the first misses %v, want the digest", got)
	}
	if got := demanded(r.Signatures[1]); got != nil {
		t.Errorf("the second misses %v, want nothing", got)
	}
	if r.Err() == nil {
		t.Error("Err = nil")
	}
}

func TestRangeThatEndsWithinARevision(t *testing.T) {
	t.Parallel()
	p := cast(t)
	b := newPDF(0, false)
	first := dictionary{byteRange: func(from, to, _ int) string { return fmt.Sprintf("[0 %d %d 9]", from, to) }}
	b.sign(t, p.good(), first)
	r := judge(t, b.sign(t, p.good(), dictionary{}), p.strict())
	if got := r.Signatures[0].Check(verify.Coverage).Outcome; got != verify.Failed {
		t.Errorf("coverage is %s, want failed", got)
	}
}

func TestDocumentTimestamp(t *testing.T) {
	t.Parallel()
	p := cast(t)
	b := newPDF(0, false)
	b.sign(t, p.good(), dictionary{})
	file := b.sign(t, p.good(), dictionary{subFilter: "ETSI.RFC3161"})
	o := p.strict()
	o.Signer = nil
	r := judge(t, file, o)
	if err := r.Err(); err != nil {
		t.Errorf("Err = %v", err)
	}
	if got := r.Signatures[1].Check(verify.Timestamp).Outcome; got != verify.NotChecked {
		t.Errorf("the time-stamp is %q, want not checked", got)
	}
	if got := r.Signatures[0].Check(verify.Coverage).Detail; !strings.Contains(got, "time-stamp") {
		t.Errorf("coverage says %q, want it to say what follows", got)
	}
	if judge(t, file, p.strict()).Err() == nil {
		t.Error("Err = nil, want the time-stamp not to pass for the signer's signature")
	}
}

// TestTimestampAlone: calling a signature a time-stamp is no way around being judged.
func TestTimestampAlone(t *testing.T) {
	t.Parallel()
	p := cast(t)
	o := p.strict()
	o.Signer = nil
	if judge(t, signed(t, p.good(), dictionary{subFilter: "ETSI.RFC3161"}), o).Err() == nil {
		t.Error("Err = nil")
	}
	r := judge(t, signed(t, p.good(), dictionary{entries: "/Type/DocTimeStamp"}), o)
	if r.Signatures[0].Check(verify.SignatureValue).Outcome == "" {
		t.Error("the signature was not judged")
	}
}

func TestSeveralSigners(t *testing.T) {
	t.Parallel()
	p := cast(t)
	m := p.good()
	m.signers = 3
	r := judge(t, signed(t, m, dictionary{}), p.strict())
	if len(r.Signatures) != 3 {
		t.Fatalf("got %d signatures, want one for each of three signers", len(r.Signatures))
	}
	if err := r.Err(); err != nil {
		t.Errorf("Err = %v", err)
	}
}

func TestKeyIdentifier(t *testing.T) {
	t.Parallel()
	p := cast(t)
	m := p.good()
	m.cert = selfSigned(t, m.key, "TESTE")
	m.keyID = true
	if got := demanded(judge(t, signed(t, m, dictionary{}), verify.Options{At: now}).Signatures[0]); got != nil {
		t.Errorf("missed %v, want nothing", got)
	}
}

// TestHiddenSignatures: neither a missing type nor a place deep in the form, nor being listed as a field, hides a
// signature.
func TestHiddenSignatures(t *testing.T) {
	t.Parallel()
	p := cast(t)
	tests := []struct {
		name    string
		rewrite func(b *builder, value string)
		field   string
	}{
		{"no type", func(b *builder, value string) {
			b.object(b.next, "<</T(A)/V "+value+">>")
			b.fields = []string{fmt.Sprint(b.next) + " 0 R"}
		}, "A"},
		{"a kid", func(b *builder, value string) {
			b.object(b.next, "<</T(B)/V "+value+">>")
			b.fields = []string{"<</T(A)/Kids[<</Kids[" + fmt.Sprint(b.next) + " 0 R]>>]>>"}
		}, "A.B"},
		{"listed as a field", func(b *builder, value string) {
			b.object(b.next, "<</T(A)/V "+value+">>")
			b.fields = []string{value, fmt.Sprint(b.next) + " 0 R"}
		}, "A"},
		{"a name in two bytes", func(b *builder, value string) {
			b.object(b.next, "<</T<FEFF00410042D83DDE00>/V "+value+">>")
			b.fields = []string{fmt.Sprint(b.next) + " 0 R"}
		}, "AB😀"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newPDF(0, false)
			b.sign(t, p.good(), dictionary{})
			tt.rewrite(b, fmt.Sprint(b.next-1)+" 0 R")
			b.next++
			b.catalog()
			b.close()
			r := judge(t, b.Bytes(), p.strict())
			if len(r.Signatures) != 1 || r.Signatures[0].Field != tt.field {
				t.Fatalf("report = %+v, want one signature in %q", r, tt.field)
			}
			if got := r.Signatures[0].Check(verify.Coverage).Outcome; got != verify.Failed {
				t.Errorf("coverage is %s, want failed", got)
			}
		})
	}
}

// TestMovedSignature: a later revision puts a copy of the signature somewhere else.
func TestMovedSignature(t *testing.T) {
	t.Parallel()
	p := cast(t)
	b := newPDF(0, false)
	file := b.sign(t, p.good(), dictionary{})
	from := bytes.LastIndex(file, []byte("<</Type/Sig"))
	to := from + bytes.Index(file[from:], []byte("\nendobj"))
	b.object(b.next-1, string(file[from:to]))
	b.close()
	r := judge(t, b.Bytes(), p.strict())
	if got := r.Signatures[0].Check(verify.ByteRange).Outcome; got != verify.Failed {
		t.Errorf("byte-range is %s, want failed", got)
	}
}

// TestPdfsigAgrees shows that the files of these tests are what others call signed.
func TestPdfsigAgrees(t *testing.T) {
	t.Parallel()
	pdfsig, err := exec.LookPath("pdfsig")
	if err != nil {
		t.Skip("pdfsig is not installed")
	}
	p := cast(t)
	b := newPDF(1000, true)
	b.sign(t, p.good(), dictionary{})
	path := filepath.Join(t.TempDir(), "signed.pdf")
	if err := os.WriteFile(path, b.sign(t, p.good(), dictionary{}), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), pdfsig, "-nocert", path).CombinedOutput()
	if got := strings.Count(string(out), "Signature is Valid."); got != 2 {
		t.Errorf("pdfsig finds %d valid signatures, want 2 (%v):\n%s", got, err, out)
	}
}
