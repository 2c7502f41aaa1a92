package verify_test

import (
	"bytes"
	"compress/zlib"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"bulksigner/internal/verify"
)

// builder writes a PDF, revision by revision.
type builder struct {
	bytes.Buffer
	offsets map[int]int // of the objects of this revision
	next    int         // object number
	prev    int         // where the newest section begins
	fields  []string    // of the form
	streams bool        // write cross-reference streams, and the catalog into an object stream
	packed  map[int]string
}

// newPDF writes a document with one empty page and a comment of the given size.
func newPDF(filler int, streams bool) *builder {
	b := &builder{streams: streams, next: 5, offsets: make(map[int]int), packed: make(map[int]string)}
	b.WriteString("%PDF-1.7\n%\xE2\xE3\xCF\xD3\n")
	b.WriteString("%" + strings.Repeat("x", filler) + "\n")
	b.object(2, "<</Type/Pages/Kids[3 0 R]/Count 1>>")
	b.object(3, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>")
	b.object(4, "<</Title(%%EOF startxref 17 %%EOF)>>")
	b.catalog()
	b.close()
	return b
}

func (b *builder) object(num int, body string) {
	b.offsets[num] = b.Len()
	fmt.Fprintf(b, "%d 0 obj\n%s\nendobj\n", num, body)
}

func (b *builder) catalog() {
	body := "<</Type/Catalog/Pages 2 0 R"
	if len(b.fields) > 0 {
		body += "/AcroForm<</SigFlags 3/Fields[" + strings.Join(b.fields, " ") + "]>>"
	}
	body += ">>"
	if b.streams {
		b.packed[1] = body
		return
	}
	b.object(1, body)
}

// close ends a revision.
func (b *builder) close() {
	b.finish()
	b.offsets, b.packed = make(map[int]int), make(map[int]string)
}

func (b *builder) finish() {
	prev := ""
	if b.prev > 0 {
		prev = fmt.Sprintf("/Prev %d", b.prev)
	}
	if b.streams {
		b.xrefStream(prev)
	} else {
		b.xrefTable(prev)
	}
	fmt.Fprintf(b, "startxref\n%d\n%%%%EOF\n", b.prev)
}

func (b *builder) xrefTable(prev string) {
	b.prev = b.Len()
	b.WriteString("xref\n")
	if prev == "" {
		b.WriteString("0 1\n0000000000 65535 f \n")
	}
	for num := range b.next {
		if at, ok := b.offsets[num]; ok {
			fmt.Fprintf(b, "%d 1\n%010d 00000 n \n", num, at)
		}
	}
	fmt.Fprintf(b, "trailer\n<</Size %d/Root 1 0 R%s>>\n", b.next, prev)
}

// xrefStream packs what waits into an object stream and writes the section with a predictor, as most writers do.
func (b *builder) xrefStream(prev string) {
	var head, body string
	for num, o := range b.packed {
		head += fmt.Sprintf("%d %d ", num, len(body))
		body += o + " "
	}
	container := b.next
	data := deflate([]byte(head + body))
	b.object(container, fmt.Sprintf("<</Type/ObjStm/N %d/First %d/Filter/FlateDecode/Length %d>>stream\n%s\nendstream",
		len(b.packed), len(head), len(data), data))
	b.next += 2
	b.prev = b.Len()
	b.offsets[container+1] = b.prev
	var rows []byte
	var index string
	above := make([]byte, 6)
	for num := range b.next {
		var row []byte
		if at, ok := b.offsets[num]; ok {
			row = []byte{1, byte(at >> 24), byte(at >> 16), byte(at >> 8), byte(at), 0}
		} else if _, ok := b.packed[num]; ok {
			row = []byte{2, 0, 0, byte(container >> 8), byte(container), 0}
		} else {
			continue
		}
		rows = append(rows, 2) // each byte is written as the difference to the one above
		for i, v := range row {
			rows = append(rows, v-above[i])
		}
		above = row
		index += fmt.Sprintf("%d 1 ", num)
	}
	data = deflate(rows)
	fmt.Fprintf(b, "%d 0 obj\n<</Type/XRef/W[1 4 1]/Index[%s]/Size %d/Root 1 0 R%s/Filter/FlateDecode"+
		"/DecodeParms<</Predictor 12/Columns 6>>/Length %d>>stream\r\n%s\r\nendstream\nendobj\n",
		container+1, index, b.next, prev, len(data), data)
}

func deflate(b []byte) []byte {
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	if _, err := z.Write(b); err != nil {
		panic(err)
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// dictionary is the signature dictionary; its fields are the knobs.
type dictionary struct {
	subFilter string // ETSI.CAdES.detached
	entries   string // more of them
	room      int    // for the signature, in bytes
	byteRange func(from, to, end int) string
	literal   bool // a string of zeros in parentheses in place of the message
}

const holder = "**********"

// sign appends a revision with one signature and returns the file so far.
func (b *builder) sign(t testing.TB, m maker, d dictionary) []byte {
	t.Helper()
	if d.subFilter == "" {
		d.subFilter = "ETSI.CAdES.detached"
	}
	if d.room == 0 {
		d.room = 12 << 10
	}
	if d.byteRange == nil {
		d.byteRange = func(from, to, end int) string { return fmt.Sprintf("[0 %d %d %d]", from, to, end-to) }
	}
	field, value := b.next, b.next+1
	b.next += 2
	b.fields = append(b.fields, fmt.Sprintf("%d 0 R", field))
	b.object(field, fmt.Sprintf("<</FT/Sig/T(Sig%d)/V %d 0 R/Type/Annot/Subtype/Widget/Rect[0 0 0 0]/P 3 0 R>>", len(b.fields), value))
	b.offsets[value] = b.Len()
	place := strings.Repeat(holder, 12)
	fmt.Fprintf(b, "%d 0 obj\n<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/%s%s/ByteRange %s/Contents ", value, d.subFilter, d.entries, place)
	from := b.Len()
	fmt.Fprintf(b, "<%s>", strings.Repeat("0", 2*d.room))
	to := b.Len()
	b.WriteString(">>\nendobj\n")
	b.catalog()
	b.close()
	file := b.Bytes()
	ranges := d.byteRange(from, to, len(file))
	ranges += strings.Repeat(" ", len(place)-len(ranges))
	copy(file[bytes.LastIndex(file, []byte(place)):], ranges)
	der := m.make(t, slices.Concat(file[:from], file[to:]))
	if len(der) > d.room {
		t.Fatalf("a message of %d bytes does not fit into %d", len(der), d.room)
	}
	copy(file[from+1:], hex.EncodeToString(der))
	if d.literal {
		copy(file[from:to], "("+strings.Repeat("0", 2*d.room)+")")
	}
	return slices.Clone(file)
}

// signed is a small document with one signature.
func signed(t testing.TB, m maker, d dictionary) []byte {
	t.Helper()
	return newPDF(0, false).sign(t, m, d)
}

// judge verifies a file that must be readable.
func judge(t testing.TB, file []byte, o verify.Options) verify.Report {
	t.Helper()
	r, err := verify.PDF(bytes.NewReader(file), int64(len(file)), o)
	if err != nil {
		t.Fatalf("PDF = %v", err)
	}
	return r
}

// demanded lists the checks that the report misses.
func demanded(s verify.Signature) []string {
	var names []string
	for _, c := range s.Checks {
		if c.Demanded && c.Outcome != verify.Passed {
			names = append(names, c.Name)
		}
	}
	return names
}
