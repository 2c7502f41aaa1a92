package pades_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/pades"
	"bulksigner/internal/sign/signtest"
)

// hostile is a document that must be refused, with what the refusal says.
type hostile struct {
	name string
	doc  []byte
	want fault.Code
	says string
}

func hostiles() []hostile {
	return append(damaged(), append(forbidden(), bombs()...)...)
}

func damaged() []hostile {
	sound := onePage("", "")
	circle := signtest.OnePage("", "")
	circle.Table(root + "/Prev 1000000")
	first := circle.Len()
	circle.Table(root)
	twoSections := bytes.Replace(circle.Bytes(), []byte("/Prev 1000000"), fmt.Appendf(nil, "/Prev %07d", first), 1)

	return []hostile{
		{"empty", nil, fault.PDFNotAPDF, "empty"},
		{"text", []byte(strings.Repeat("no PDF at all\n", 200)), fault.PDFNotAPDF, "begin like a PDF"},
		{"header too late", append(make([]byte, 1020), sound...), fault.PDFNotAPDF, "begin like a PDF"},
		{"bytes before the header", append([]byte("\xEF\xBB\xBF\n"), sound...), fault.PDFMalformed, "4 bytes before the header"},
		{"unknown version", bytes.Replace(sound, []byte("PDF-1.7"), []byte("PDF-3.7"), 1), fault.PDFMalformed, "version"},
		{"header alone", []byte("%PDF-1.7\n"), fault.PDFMalformed, "no start offset"},
		{"cut off", sound[:len(sound)-30], fault.PDFMalformed, "no start offset"},
		{"start offset beyond the end", []byte("%PDF-1.7\nstartxref\n9999\n%%EOF\n"), fault.PDFMalformed, "outside"},
		{"start offset into a text", []byte("%PDF-1.7\nstartxref\n3\n%%EOF\n"), fault.PDFMalformed, "no cross-reference section at 3"},
		{"padding of 2 MiB", append(bytes.Clone(sound), make([]byte, 2<<20)...), fault.PDFMalformed, "no start offset"},
		{"Prev to itself", rebuilt(func(d *signtest.Document) { d.Table(fmt.Sprintf("%s/Prev %d", root, d.Len())) }), fault.PDFMalformed, "circular"},
		{"Prev in a circle", twoSections, fault.PDFMalformed, "circular"},
		{"Prev beyond the end", rebuilt(func(d *signtest.Document) { d.Table(root + "/Prev 99999999") }), fault.PDFMalformed, "outside"},
		{"no Root", rebuilt(func(d *signtest.Document) { d.Table("/Info 1 0 R") }), fault.PDFMalformed, "catalog"},
		{"Root is not there", rebuilt(func(d *signtest.Document) { d.Table("/Root 9 0 R") }), fault.PDFMalformed, "catalog"},
		{"no Size", bytes.Replace(sound, []byte("/Size"), []byte("/Sice"), 1), fault.PDFMalformed, "Size"},
		{"Size of a billion", rebuilt(func(d *signtest.Document) { d.Table(root + "/Size 1000000000") }), fault.PDFMalformed, "Size"},
		{"table of a billion", bytes.Replace(sound, []byte("\n1 3\n"), []byte("\n1 3000000000\n"), 1), fault.PDFMalformed, "claims more"},
		{"damaged entry", bytes.Replace(sound, []byte(" 00000 n"), []byte(" 0000O n"), 1), fault.PDFMalformed, "damaged"},
		{"table to the wrong object", bytes.Replace(sound, []byte("1 0 obj"), []byte("7 0 obj"), 1), fault.PDFMalformed, "does not lead to object 1"},
		{"references in a circle", rebuilt(func(d *signtest.Document) {
			d.Object(1, "2 0 R")
			d.Object(2, "1 0 R")
			d.Table(root)
		}), fault.PDFMalformed, "circle"},
		{"page tree in a circle", rebuilt(func(d *signtest.Document) {
			d.Object(2, "<</Type/Pages/Kids[4 0 R]>>")
			d.Object(4, "<</Type/Pages/Kids[2 0 R]>>")
			d.Table(root)
		}), fault.PDFMalformed, "page tree"},
		{"page that is no object", rebuilt(func(d *signtest.Document) {
			d.Object(2, "<</Type/Pages/Kids[<</Type/Page>>]>>")
			d.Table(root)
		}), fault.PDFMalformed, "page tree"},
		{"form is a number", onePage("/AcroForm 1", ""), fault.PDFMalformed, "dictionary"},
		{"fields are a number", onePage("/AcroForm<</Fields 1>>", ""), fault.PDFMalformed, "array"},
		{"annotations are a name", onePage("", "/Annots/None"), fault.PDFMalformed, "array"},
		{"brackets do not match", onePage("/X[<<]>>", ""), fault.PDFMalformed, "stray"},
		{"string without end", onePage("/X(", ""), fault.PDFMalformed, "ends within"},
		{"stream in a stream", packed(func(d *signtest.Document) {
			d.Pack(7, "", map[int]string{1: "<</Type/Catalog/Pages 2 0 R>>"})
			d.Pack(8, "/Length 9 0 R", map[int]string{2: "<<>>"})
			d.Pack(8, "", map[int]string{7: "<<>>"})
			d.Rows(10, root, 12)
		}), fault.PDFMalformed, "not there"},
		{"length in its own stream", packed(func(d *signtest.Document) {
			d.Pack(5, "/Length 9 0 R", map[int]string{1: "<</Type/Catalog/Pages 2 0 R>>", 9: "100"})
			d.Rows(10, root, 12)
		}), fault.PDFMalformed, "need each other"},
	}
}

func forbidden() []hostile {
	certified := func(p string) []byte {
		return onePage("/Perms<</DocMDP<</Type/Sig/Reference[<</TransformMethod/DocMDP/TransformParams<<"+p+">>>>]>>>>", "")
	}
	locked := "/AcroForm<</Fields[4 0 R]>>"
	return []hostile{
		{"encrypted", rebuilt(func(d *signtest.Document) { d.Table(root + "/Encrypt<</Filter/Standard>>") }), fault.PDFEncrypted, "encrypted"},
		{"encrypted before an update", rebuilt(func(d *signtest.Document) {
			d.Table(root + "/Encrypt 9 0 R")
			d.Object(4, "null")
			d.Table(root)
		}), fault.PDFEncrypted, "encrypted"},
		{"certified", certified("/P 1"), fault.PDFCertified, "no changes"},
		{"approved for good", rebuilt(func(d *signtest.Document) {
			d.Object(1, "<</Type/Catalog/Pages 2 0 R"+locked+">>")
			d.Object(4, "<</FT/Sig/T(A)/V<</Type/Sig>>/Lock<</Action/All/P 1>>>>")
			d.Table(root)
		}), fault.PDFCertified, "no changes"},
		{"no page", rebuilt(func(d *signtest.Document) {
			d.Object(2, "<</Type/Pages/Kids[null 9 0 R]>>")
			d.Table(root)
		}), fault.PDFNoPage, "no page"},
	}
}

func bombs() []hostile {
	deep := strings.Repeat("[", 100_000)
	zeros := signtest.Deflate(make([]byte, 16<<20))
	return []hostile{
		{"nested arrays", onePage("/X"+deep, ""), fault.PDFMalformed, "deeper than 256"},
		{"nested arrays in the trailer", rebuilt(func(d *signtest.Document) { d.Table(root + "/X" + deep) }), fault.PDFMalformed, "deeper than 256"},
		{"object of 5 MB", onePage("/X("+strings.Repeat("x", 5<<20)+")", ""), fault.PDFMalformed, "larger than 4194304 bytes"},
		{"object stream of 16 MB", rebuilt(func(d *signtest.Document) {
			d.Pack(5, "", map[int]string{1: "<<>>"})
			d.Stream(5, "/Type/ObjStm/N 1/First 4/Filter/FlateDecode", zeros)
			d.Rows(6, root, 0)
		}), fault.PDFMalformed, "larger than 8388608 bytes"},
		{"objects of a stream by the million", rebuilt(func(d *signtest.Document) {
			d.Pack(5, "", map[int]string{1: "<<>>"})
			d.Stream(5, "/Type/ObjStm/N 2000000000/First 4/Filter/FlateDecode", signtest.Deflate([]byte("1 0 <<>>")))
			d.Rows(6, root, 0)
		}), fault.PDFMalformed, "damaged"},
		{"rows of a gigabyte", section("/W[8 8 8]/Index[0 8000000]/Filter/FlateDecode", zeros), fault.PDFMalformed, "too large"},
		{"rows fewer than claimed", section("/W[1 2 1]/Index[0 8]", []byte("abcd")), fault.PDFMalformed, "shorter than it says"},
		{"columns of impossible width", section("/W[1 2000000000 1]", nil), fault.PDFMalformed, "impossible columns"},
		{"columns missing", section("/W[1 2]", nil), fault.PDFMalformed, "impossible columns"},
		{"objects of impossible number", section("/W[1 2 1]/Index[0 1 -5 9]", nil), fault.PDFMalformed, "impossible objects"},
		{"predictor with huge columns", section("/W[1 2 1]/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 2147483647>>", zeros), fault.PDFMalformed, "impossible predictor"},
		{"predictor that does not exist", section("/W[1 2 1]/Filter/FlateDecode/DecodeParms<</Predictor 2>>", zeros), fault.PDFMalformed, "impossible predictor"},
		{"filter of a row that does not exist", section("/W[1 2 1]/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 4>>",
			signtest.Deflate(bytes.Repeat([]byte{9}, 500))), fault.PDFMalformed, "impossible predictor"},
		{"another filter", section("/W[1 2 1]/Filter/LZWDecode", nil), fault.PDFMalformed, "LZWDecode"},
		{"two filters", section("/W[1 2 1]/Filter[/ASCIIHexDecode/FlateDecode]", nil), fault.PDFMalformed, "2 filters"},
		{"data that is not compressed", section("/W[1 2 1]/Filter/FlateDecode", []byte("what is this")), fault.PDFMalformed, "cannot be decoded"},
		{"length beyond the end", section("/W[1 2 1]/Length 99999999", nil), fault.PDFMalformed, "no possible length"},
		{"fields that nest", rebuilt(func(d *signtest.Document) {
			d.Object(1, "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[10 0 R]>>>>")
			for n := 10; n < 100; n++ {
				d.Object(n, fmt.Sprintf("<</T(x)/Kids[%d 0 R]>>", n+1))
			}
			d.Table(root)
		}), fault.PDFMalformed, "nest deeper"},
		{"pages that nest", rebuilt(func(d *signtest.Document) {
			for n := 2; n < 200; n++ {
				d.Object(n, fmt.Sprintf("<</Type/Pages/Kids[%d 0 R]>>", n+1))
			}
			d.Table(root)
		}), fault.PDFMalformed, "page tree"},
		{"marks without numbers", append([]byte("%PDF-1.7\n"), strings.Repeat("startxref%", 150_000)...), fault.PDFMalformed, "no start offset"},
		{"dictionary of many entries", onePage(strings.Repeat("/A 1", 70_000), ""), fault.PDFMalformed, "more than 65536 entries"},
		{"name of many bytes", formed("<</FT/Tx/T(" + strings.Repeat("x", 40_000) + ")>>"), fault.PDFMalformed, "longer than 32767 bytes"},
		{"pages that are not there", rebuilt(func(d *signtest.Document) {
			d.Object(2, "<</Type/Pages/Kids["+strings.Repeat("9 0 R ", 100_000)+"]>>")
			d.Table(root)
		}), fault.PDFNoPage, "no page"},
		{"work without end", busy(), fault.PDFMalformed, "too large to be read"},
	}
}

// section is a document with a cross-reference stream of any kind.
func section(dict string, data []byte) []byte {
	d := signtest.OnePage("", "")
	at := d.Len()
	if !strings.Contains(dict, "/Length") {
		dict += fmt.Sprintf("/Length %d", len(data))
	}
	d.Stream(6, "/Type/XRef/Size 100/Root 1 0 R"+dict, data)
	d.Raw(fmt.Sprintf("startxref\n%d\n%%%%EOF\n", at))
	return d.Bytes()
}

// busy has a form of many fields, each of which needs the same large object.
func busy() []byte {
	d := signtest.OnePage("/AcroForm 4 0 R", "")
	var fields strings.Builder
	for n := 100; n < 1100; n++ {
		fmt.Fprintf(&fields, "%d 0 R ", n)
		d.Object(n, "<</T(x)/FT 5 0 R>>")
	}
	d.Object(4, "<</Fields["+fields.String()+"]>>")
	d.Object(5, "<</X("+strings.Repeat("x", 1<<20)+")>>")
	return d.Table(root).Bytes()
}

// TestRefusals runs alone: it measures time and memory.
func TestRefusals(t *testing.T) {
	o := options(t, world.ECDSA)
	for _, h := range hostiles() {
		t.Run(h.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := cpuTime(t)
			_, err := pades.Prepare(bytes.NewReader(h.doc), int64(len(h.doc)), o)
			took := cpuTime(t) - start
			runtime.ReadMemStats(&after)
			if !errors.Is(err, h.want) || !strings.Contains(fault.DetailOf(err), h.says) {
				t.Errorf("Prepare = %v, want %s saying %q", err, h.want, h.says)
			}
			if took > time.Second && !raceEnabled {
				t.Errorf("the refusal took %s, want well under a second", took)
			}
			if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 48 {
				t.Errorf("the refusal allocated %d MiB in all", used)
			}
			t.Logf("%s, %d KiB", took, (after.TotalAlloc-before.TotalAlloc)>>10)
		})
	}
}

// cpuTime is what the process has used, which other work on the machine does not lengthen.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// broken fails to read.
type broken struct{ err error }

func (b broken) ReadAt([]byte, int64) (int, error) { return 0, b.err }

func TestReaderErrorsAreNotTheFiles(t *testing.T) {
	t.Parallel()
	cause := errors.New("connection reset")
	_, err := pades.Prepare(broken{cause}, 1000, options(t, world.RSA))
	if !errors.Is(err, cause) || fault.CodeOf(err) != fault.Internal {
		t.Errorf("Prepare = %v, want the reader's error and no code of a file", err)
	}
	doc := onePage("", "")
	_, err = pades.Prepare(bytes.NewReader(doc), int64(len(doc))+100, options(t, world.RSA))
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("Prepare of a file shorter than said = %v, want %v", err, io.ErrUnexpectedEOF)
	}
}
