package verify_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/verify"
)

// raw writes a file out of objects, with a table and a trailer of the caller's.
func raw(objects []string, trailer string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	table := "xref\n0 1\n0000000000 65535 f \n"
	for i, o := range objects {
		table += fmt.Sprintf("%d 1\n%010d 00000 n \n", i+1, b.Len())
		fmt.Fprintf(&b, "%d 0 obj %s endobj\n", i+1, o)
	}
	at := b.Len()
	fmt.Fprintf(&b, "%strailer %s\nstartxref %d %%%%EOF\n", table, strings.ReplaceAll(trailer, "HERE", fmt.Sprint(at)), at)
	return b.Bytes()
}

// section writes a file whose only section is what is given.
func section(body string) []byte {
	const head = "%PDF-1.7\n"
	return fmt.Appendf(nil, "%s%s\nstartxref %d %%%%EOF\n", head, body, len(head))
}

func stream(entries string, data []byte) string {
	return fmt.Sprintf("<<%s/Length %d>>stream\n%s\nendstream", entries, len(data), data)
}

// bomb inflates to n zeros.
func bomb(n int) []byte { return deflate(make([]byte, n)) }

// TestHostileFiles: each ends in an error with a code, and none in a second.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	const root = "<</Root 1 0 R>>"
	form := func(fields string) []string { return []string{"<</AcroForm<</Fields " + fields + ">>>>"} }
	deep := strings.Repeat("[", 1000)
	xref := func(entries string, data []byte) []byte {
		return section("7 0 obj " + stream("/Type/XRef/Root 1 0 R"+entries, data) + " endobj")
	}
	tests := []struct {
		name string
		file []byte
		want error
	}{
		{"empty", nil, fault.PDFNotAPDF},
		{"no PDF", []byte("PK\x03\x04 a ZIP file"), fault.PDFNotAPDF},
		{"header alone", []byte("%PDF-1.7"), fault.PDFMalformed},
		{"no number", []byte("%PDF-1.7 startxref"), fault.PDFMalformed},
		{"offset beyond the end", []byte("%PDF-1.7 startxref 99999999999"), fault.PDFMalformed},
		{"negative offset", []byte("%PDF-1.7 startxref -1"), fault.PDFMalformed},
		{"Prev is itself", raw([]string{"null"}, "<</Root 1 0 R/Prev HERE>>"), fault.PDFMalformed},
		{"Prev is a name", raw([]string{"null"}, "<</Root 1 0 R/Prev/A>>"), fault.PDFMalformed},
		{"XRefStm is the table", raw([]string{"null"}, "<</Root 1 0 R/XRefStm 1>>"), fault.PDFMalformed},
		{"no catalog", raw([]string{"null"}, root), fault.PDFMalformed},
		{"no root", raw([]string{"null"}, "<<>>"), fault.PDFMalformed},
		{"root is itself", raw([]string{"1 0 R"}, root), fault.PDFMalformed},
		{"object of another number", raw([]string{"null", "2 0 obj null"}, "<</Root 9 0 R>>"), fault.PDFMalformed},
		{"encrypted", raw([]string{"<<>>"}, "<</Root 1 0 R/Encrypt 1 0 R>>"), fault.PDFEncrypted},
		{"deep trailer", raw([]string{"null"}, deep), fault.PDFMalformed},
		{"deep object", raw([]string{deep}, root), fault.PDFMalformed},
		{"deep form", raw(form(strings.Repeat("[<</Kids", 100)+"[]"+strings.Repeat(">>]", 100)), root), fault.PDFMalformed},
		{"many fields", raw(form("["+strings.Repeat("<<>>", 30000)+"]"), root), fault.PDFMalformed},
		{"many signatures", raw(form("["+strings.Repeat("<</V<</Contents<00>>>>>", 300)+"]"), root), fault.PDFMalformed},
		{"many values", raw(form("["+strings.Repeat("0 ", 1<<17+1)+"]"), root), fault.PDFMalformed},
		{"long hex string", raw([]string{"<" + strings.Repeat("0", 4<<20) + ">"}, root), fault.PDFMalformed},
		{"string without end", raw([]string{"(((("}, root), fault.PDFMalformed},
		{"bad hex", raw([]string{"<xyz>"}, root), fault.PDFMalformed},
		{"dictionary without a value", raw([]string{"<</A>>"}, root), fault.PDFMalformed},
		{"dictionary without keys", raw([]string{"<<1 2>>"}, root), fault.PDFMalformed},
		{"R alone", raw([]string{"[R]"}, root), fault.PDFMalformed},
		{"two values", raw([]string{"1 2"}, root), fault.PDFMalformed},
		{"stray brackets", raw([]string{"] > } )"}, root), fault.PDFMalformed},
		{"table with a huge count", section("xref 0 2147483646 trailer <<>>"), fault.PDFMalformed},
		{"table with a negative count", section("xref 0 -5 trailer <<>>"), fault.PDFMalformed},
		{"table with huge numbers", section("xref 99999999999 1\n0000000000 00000 n \ntrailer <<>>"), fault.PDFMalformed},
		{"table with many parts", section("xref " + strings.Repeat("1 1 0000000000 00000 n \n", 1<<16+1) + "trailer <<>>"), fault.PDFMalformed},
		{"table with a bad entry", section("xref 1 1 xxxxxxxxxx 00000 n \ntrailer <</Root 1 0 R>>"), fault.PDFMalformed},
		{"stream without widths", xref("/Size 1", nil), fault.PDFMalformed},
		{"stream of width 0", xref("/Size 1/W[0 0 0]", nil), fault.PDFMalformed},
		{"stream of negative width", xref("/Size 1/W[1 -1 1]", []byte("000")), fault.PDFMalformed},
		{"stream of huge width", xref("/Size 1/W[1 9999999999 1]", []byte("000")), fault.PDFMalformed},
		{"stream of huge size", xref("/Size 2147483646/W[1 1 1]", []byte("000")), fault.PDFMalformed},
		{"stream of odd index", xref("/Size 1/W[1 1 1]/Index[0 1 2]", []byte("000")), fault.PDFMalformed},
		{"stream without size", xref("/W[1 1 1]", []byte("000")), fault.PDFMalformed},
		{"stream with an unknown filter", xref("/Size 1/W[1 1 1]/Filter/LZWDecode", []byte("000")), fault.PDFMalformed},
		{"stream with two filters", xref("/Size 1/W[1 1 1]/Filter[/FlateDecode/FlateDecode]", []byte("000")), fault.PDFMalformed},
		{"damaged stream", xref("/Size 1/W[1 1 1]/Filter/FlateDecode", []byte("000")), fault.PDFMalformed},
		{"bomb", xref("/Size 1/W[1 1 1]/Filter/FlateDecode", bomb(17<<20)), fault.PDFMalformed},
		{"predictor without rows", xref("/Size 1/W[1 1 1]/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 0>>", bomb(4)), fault.PDFMalformed},
		{"predictor of an image", xref("/Size 1/W[1 1 1]/Filter/FlateDecode/DecodeParms<</Predictor 2>>", bomb(4)), fault.PDFMalformed},
		{"predictor with a part of a row", xref("/Size 1/W[1 1 1]/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 3>>", bomb(3)), fault.PDFMalformed},
		{"length of another kind", section("7 0 obj <</Type/XRef/Length/A>>stream\n endstream endobj"), fault.PDFMalformed},
		{"length beyond the end", section("7 0 obj <</Type/XRef/Length 9999>>stream\n endstream endobj"), fault.PDFMalformed},
		{"stream without dictionary", section("7 0 obj 1 stream\n endstream endobj"), fault.PDFMalformed},
		{"object where a section should be", section("7 0 obj <<>> endobj"), fault.PDFMalformed},
		// Object 1 is in object stream 1, which is in itself.
		{"object stream in itself", xref("/Size 2/W[1 1 1]", []byte{0, 0, 0, 2, 1, 0}), fault.PDFMalformed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := verify.PDF(bytes.NewReader(tt.file), int64(len(tt.file)), verify.Options{}); !errors.Is(err, tt.want) {
				t.Errorf("PDF = %v, want %v", err, tt.want)
			}
		})
	}
}

// TestWorkIsBounded: objects that lie in each other's strings, or streams that inflate one after the other, would cost
// the square of the file's size.
func TestWorkIsBounded(t *testing.T) {
	t.Parallel()
	var nested, table strings.Builder
	nested.WriteString("%PDF-1.7\n1 0 obj <</AcroForm<</Fields[")
	const n = 10000
	for i := range n {
		fmt.Fprintf(&nested, "%d 0 R ", i+2)
	}
	nested.WriteString("]>>>> endobj\n")
	fmt.Fprintf(&table, "xref 0 %d\n0000000000 65535 f \n%010d 00000 n \n", n+2, 9)
	for i := range n {
		fmt.Fprintf(&table, "%010d 00000 n \n", nested.Len())
		fmt.Fprintf(&nested, "%d 0 obj (", i+2)
	}
	nested.WriteString(strings.Repeat(") endobj ", n))
	at := nested.Len()
	file := fmt.Sprintf("%s%strailer <</Root 1 0 R>> startxref %d %%%%EOF", nested.String(), table.String(), at)
	_, err := verify.PDF(strings.NewReader(file), int64(len(file)), verify.Options{})
	if !errors.Is(err, fault.PDFMalformed) || !strings.Contains(err.Error(), "work") {
		t.Errorf("PDF = %v, want it to be too much work", err)
	}
}

// failing reads some of a file and then fails.
type failing struct {
	io.ReaderAt
	left int
}

var errDisk = errors.New("the disk is on fire")

func (f *failing) ReadAt(p []byte, off int64) (int, error) {
	if f.left--; f.left < 0 {
		return 0, errDisk
	}
	return f.ReaderAt.ReadAt(p, off)
}

// TestReadErrorsAreNotTheFilesFault: whenever reading fails, that is the error, and the file is not called malformed.
func TestReadErrorsAreNotTheFilesFault(t *testing.T) {
	t.Parallel()
	p := cast(t)
	for _, streams := range []bool{false, true} {
		b := newPDF(100, streams)
		b.sign(t, p.good(), dictionary{})
		file := b.sign(t, p.good(), dictionary{})
		for reads := 0; ; reads++ {
			_, err := verify.PDF(&failing{bytes.NewReader(file), reads}, int64(len(file)), verify.Options{})
			if err == nil && reads > 10 {
				break
			}
			if !errors.Is(err, errDisk) || fault.CodeOf(err) != fault.Internal {
				t.Fatalf("after %d reads: PDF = %v, want the reader's error", reads, err)
			}
		}
		if _, err := verify.PDF(bytes.NewReader(file), int64(len(file))+100, verify.Options{}); err == nil {
			t.Error("a file that is shorter than was said has no error")
		}
	}
}
