package verify_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"bulksigner/internal/verify"
)

// fieldName gives the reader a field with a name and a broken signature, and returns the name as it was read.
func fieldName(t *testing.T, file []byte) string {
	t.Helper()
	r := judge(t, file, verify.Options{})
	if len(r.Signatures) != 1 {
		t.Fatalf("got %d signatures, want 1", len(r.Signatures))
	}
	return r.Signatures[0].Field
}

const value = "/V<</Contents<00>/ByteRange[0 1 2 3]>>"

func TestStrings(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 300)
	tests := []struct{ name, token, want string }{
		{"plain", "(Field)", "Field"},
		{"balanced", "(a(b)c)", "a(b)c"},
		{"escaped", `(a\)\(\\)`, `a)(\`},
		{"unknown escape", `(\a\z)`, "az"},
		{"controls are left out", `(a\n\r\t\b\fb)`, "ab"},
		{"octal", `(\101\1023\7x)`, "AB3x"},
		{"line ends are joined", "(a\\\nb\\\r\nc\\\rd)", "abcd"},
		{"hex", "<4 1\n42>", "AB"},
		{"odd hex", "<414>", "A@"},
		{"lower case", "<4a6B>", "Jk"},
		{"Latin-1", `(S\343o)`, "São"},
		{"UTF-16", "<FEFF005300E3006F>", "São"},
		{"UTF-8", "<EFBBBF53C3A36F>", "São"},
		{"bad UTF-8", "<EFBBBF53C36F>", "So"},
		{"long", "(" + long + ")", long[:256]},
		{"long, of two bytes", "<EFBBBF" + strings.Repeat("C3A3", 300) + ">", strings.Repeat("ã", 128)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := raw([]string{"<</AcroForm<</Fields[<</T" + tt.token + value + ">>]>>>>"}, "<</Root 1 0 R>>")
			if got := fieldName(t, file); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestGrammar reads one document in unusual ways of writing it.
func TestGrammar(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, form string }{
		{"tight", "<</Fields[<</T(A)" + value + ">>]>>"},
		{"comments", "<<%a\n/Fields%b\r[%c\n<</T(A)" + value + ">>%d\n]>>"},
		{"names in hex", "<</F#69elds[<</#54(A)" + value + ">>]>>"},
		{"everything behind references", "2 % the form\n 0 %\r\n R"},
		{"other kinds of values", "<</A true/B false/C null/D -.5/E +3/F/G/H 1 0 R/Fields[<</T(A)" + value + ">>]>>"},
	}
	const behind = "<</Fields 3 0 R>>|[4 0 R]|<</T 5 0 R/V 6 0 R>>|(A)|<</Contents 7 0 R/ByteRange 8 0 R>>|<00>|[0 9 0 R 2 3]|1"
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			objects := append([]string{"<</AcroForm " + tt.form + ">>"}, strings.Split(behind, "|")...)
			if got := fieldName(t, raw(objects, "<</Root 1 0 R>>")); got != "A" {
				t.Errorf("got %q, want A", got)
			}
		})
	}
}

// TestPredictors undoes each row filter of PNG.
func TestPredictors(t *testing.T) {
	t.Parallel()
	for kind := range 5 {
		t.Run(fmt.Sprint(kind), func(t *testing.T) {
			t.Parallel()
			const head = "%PDF-1.7\n"
			objects := []string{"<</AcroForm 3 0 R>>", "null", "<</Fields[4 0 R]>>", "<</T(A)" + value + ">>"}
			var b bytes.Buffer
			b.WriteString(head)
			rows := [][]byte{{0, 0, 0, 255}}
			for i, o := range objects {
				rows = append(rows, []byte{1, byte(b.Len() >> 8), byte(b.Len()), 0})
				fmt.Fprintf(&b, "%d 0 obj %s endobj\n", i+1, o)
			}
			at := b.Len()
			entries := "/Type/XRef/W[1 2 1]/Size 5/Root 1 0 R/Filter[/FlateDecode]/DecodeParms[<</Predictor 15/Columns 4>>]"
			fmt.Fprintf(&b, "9 0 obj %s endobj\nstartxref %d %%%%EOF", stream(entries, deflate(filterRows(byte(kind), rows))), at)
			if got := fieldName(t, b.Bytes()); got != "A" {
				t.Errorf("got %q, want A", got)
			}
		})
	}
}

// filterRows writes rows as the PNG specification says, section 9.2.
func filterRows(kind byte, rows [][]byte) []byte {
	var out []byte
	above := make([]byte, len(rows[0]))
	for _, row := range rows {
		out = append(out, kind)
		for i := range row {
			var a, b, c int
			b = int(above[i])
			if i > 0 {
				a, c = int(row[i-1]), int(above[i-1])
			}
			guess := []int{0, a, b, (a + b) / 2, pngPaeth(a, b, c)}[kind]
			out = append(out, row[i]-byte(guess))
		}
		above = row
	}
	return out
}

func pngPaeth(a, b, c int) int {
	p := a + b - c
	pa, pb, pc := max(p-a, a-p), max(p-b, b-p), max(p-c, c-p)
	if pa <= pb && pa <= pc {
		return a
	}
	if pb <= pc {
		return b
	}
	return c
}

// TestHybridFile: an object that the table calls free is in the stream beside it.
func TestHybridFile(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	root := b.Len()
	b.WriteString("1 0 obj <</AcroForm 2 0 R>> endobj\n")
	form := b.Len()
	b.WriteString("2 0 obj <</Fields[<</T(A)" + value + ">>]>> endobj\n")
	hidden := b.Len()
	fmt.Fprintf(&b, "3 0 obj %s endobj\n", stream("/Type/XRef/W[1 2 1]/Size 3/Index[2 1]", []byte{1, byte(form >> 8), byte(form), 0}))
	at := b.Len()
	fmt.Fprintf(&b, "xref\n0 3\n0000000002 65535 f \n%010d 00000 n \n0000000000 00000 f \n", root)
	fmt.Fprintf(&b, "4 0\ntrailer <</Root 1 0 R/XRefStm %d>> startxref %d %%%%EOF", hidden, at)
	if got := fieldName(t, b.Bytes()); got != "A" {
		t.Errorf("got %q, want A", got)
	}
}

// TestWeakKeys refuses signatures that are right but prove little.
func TestWeakKeys(t *testing.T) {
	t.Parallel()
	for name, m := range weakMakers(t) {
		s := judge(t, signed(t, m, dictionary{}), verify.Options{At: now}).Signatures[0]
		if got := s.Check(verify.SignatureValue); got.Outcome != verify.Failed || got.Detail == "the certificate's key did not make this signature" {
			t.Errorf("%s: %+v, want it to have failed for its weakness", name, got)
		}
	}
}
