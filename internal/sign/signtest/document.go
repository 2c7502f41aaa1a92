package signtest

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Document builds PDF files of any shape, sound or not, for tests.
type Document struct {
	EOL    string // after each line that the builder writes
	out    bytes.Buffer
	places map[int]place // of the section being written
	last   int           // where the newest section begins
	chain  bool          // there is an older section
	top    int           // the highest object number
}

type place struct {
	kind       byte
	at, second int
}

// NewDocument begins a file with its header.
func NewDocument(version, eol string) *Document {
	d := &Document{EOL: eol, places: map[int]place{}}
	d.line("%%PDF-%s", version)
	return d
}

// OnePage begins a file that lacks only its cross-reference section. What is given is added to Catalog (object 1) and
// page (object 3).
func OnePage(catalog, page string) *Document {
	d := NewDocument("1.7", "\n")
	d.Object(1, "<</Type/Catalog/Pages 2 0 R"+catalog+">>")
	d.Object(2, "<</Type/Pages/Kids[3 0 R]/Count 1>>")
	d.Object(3, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]"+page+">>")
	return d
}

func (d *Document) line(format string, args ...any) {
	fmt.Fprintf(&d.out, format, args...)
	d.out.WriteString(d.EOL)
}

// Raw writes text as it is and returns where it begins.
func (d *Document) Raw(text string) int {
	at := d.out.Len()
	d.out.WriteString(text)
	return at
}

// Object writes an object of generation 0.
func (d *Document) Object(num int, text string) { d.Generation(num, 0, text) }

// Generation writes an object.
func (d *Document) Generation(num, gen int, text string) {
	d.places[num] = place{1, d.out.Len(), gen}
	d.line("%d %d obj", num, gen)
	d.line("%s", strings.ReplaceAll(text, "\n", d.EOL))
	d.line("endobj")
}

// Free marks an object as not there.
func (d *Document) Free(num int) { d.places[num] = place{0, 0, 65535} }

// Stream writes a stream. extra is added to its dictionary, and may give a Length of its own.
func (d *Document) Stream(num int, extra string, data []byte) {
	d.places[num] = place{1, d.out.Len(), 0}
	if !strings.Contains(extra, "/Length") {
		extra += fmt.Sprintf("/Length %d", len(data))
	}
	d.line("%d 0 obj", num)
	d.line("<<%s>>", extra)
	d.Raw("stream\n")
	d.out.Write(data)
	d.line("\nendstream")
	d.line("endobj")
}

// Pack writes an object stream with objects in the order of their numbers.
func (d *Document) Pack(num int, extra string, objects map[int]string) {
	var head, body bytes.Buffer
	for i, n := range slices.Sorted(maps.Keys(objects)) {
		fmt.Fprintf(&head, "%d %d ", n, body.Len())
		body.WriteString(objects[n] + " ")
		d.places[n] = place{2, num, i}
	}
	data := Deflate(append(head.Bytes(), body.Bytes()...))
	d.Stream(num, fmt.Sprintf("/Type/ObjStm/N %d/First %d/Filter/FlateDecode%s", len(objects), head.Len(), extra), data)
}

// Table ends the section with a classic table of what was written since the last one.
func (d *Document) Table(trailer string) *Document { return d.table(trailer, 20) }

// NarrowTable is Table with entries of 19 bytes, as some writers have them.
func (d *Document) NarrowTable(trailer string) *Document { return d.table(trailer, 19) }

func (d *Document) table(trailer string, width int) *Document {
	at := d.out.Len()
	d.line("xref")
	d.line("0 1")
	end := map[int]string{20: " \n", 19: "\n"}[width]
	if width == 20 && d.EOL == "\r\n" {
		end = "\r\n"
	}
	fmt.Fprintf(&d.out, "0000000000 65535 f%s", end)
	nums := d.visible()
	for i := 0; i < len(nums); {
		n := consecutive(nums[i:])
		d.line("%d %d", nums[i], n)
		for _, num := range nums[i : i+n] {
			p := d.places[num]
			fmt.Fprintf(&d.out, "%010d %05d %c%s", p.at*int(p.kind), p.second, "fn"[p.kind], end)
		}
		i += n
	}
	d.line("trailer")
	d.line("<<%s%s>>", d.sized(trailer), d.prev(trailer))
	return d.end(at)
}

// visible are the objects that a table can name, in order.
func (d *Document) visible() []int {
	maps.DeleteFunc(d.places, func(_ int, p place) bool { return p.kind == 2 })
	return slices.Sorted(maps.Keys(d.places))
}

// Rows ends the section with a cross-reference stream. predictor is one of PNG's, 10 to 14, or 0.
func (d *Document) Rows(num int, trailer string, predictor byte) *Document {
	at := d.out.Len()
	d.rows(num, trailer+d.prev(trailer), predictor)
	return d.end(at)
}

// Hybrid ends the section with a stream for what is packed, and a table, which points to it, for the rest. To the table
// what is packed is free.
func (d *Document) Hybrid(num int, trailer string) *Document {
	plain := maps.Clone(d.places)
	maps.DeleteFunc(d.places, func(_ int, p place) bool { return p.kind != 2 })
	at := d.out.Len()
	packed := maps.Clone(d.places)
	d.rows(num, trailer, 12)
	d.places = plain
	for n := range packed {
		d.Free(n)
	}
	return d.Table(fmt.Sprintf("%s/XRefStm %d", trailer, at))
}

func (d *Document) rows(num int, trailer string, predictor byte) {
	const width = 7
	d.places[num] = place{1, d.out.Len(), 0}
	var rows, index bytes.Buffer
	nums := slices.Sorted(maps.Keys(d.places))
	last := make([]byte, width)
	for i, n := range nums {
		row := append([]byte{d.places[n].kind}, binary.BigEndian.AppendUint32(nil, uint32(d.places[n].at))...)
		row = binary.BigEndian.AppendUint16(row, uint16(d.places[n].second))
		rows.Write(filterRow(row, last, predictor))
		last = row
		if i == 0 || nums[i-1] != n-1 {
			fmt.Fprintf(&index, "%d %d ", n, consecutive(nums[i:]))
		}
	}
	extra := fmt.Sprintf("/Type/XRef/W[1 4 2]/Index[%s]/Filter/FlateDecode%s", index.String(), d.sized(trailer))
	if predictor != 0 {
		extra += fmt.Sprintf("/DecodeParms<</Predictor %d/Columns %d>>", predictor, width)
	}
	d.Stream(num, extra, Deflate(rows.Bytes()))
}

// filterRow applies a filter of PNG to a row of bytes.
func filterRow(row, last []byte, predictor byte) []byte {
	if predictor == 0 {
		return row
	}
	out := []byte{predictor - 10}
	for i, c := range row {
		var left, corner byte
		if i > 0 {
			left, corner = row[i-1], last[i-1]
		}
		switch predictor {
		case 11:
			c -= left
		case 12:
			c -= last[i]
		case 13:
			c -= byte((int(left) + int(last[i])) / 2)
		case 14:
			c -= paeth(int(left), int(last[i]), int(corner))
		}
		out = append(out, c)
	}
	return out
}

func paeth(a, b, c int) byte {
	near := func(n int) int { return max(n-(a+b-c), (a+b-c)-n) }
	best := a
	for _, n := range []int{b, c} {
		if near(n) < near(best) {
			best = n
		}
	}
	return byte(best)
}

func (d *Document) sized(trailer string) string {
	if strings.Contains(trailer, "/Size") {
		return trailer
	}
	for num := range d.places {
		d.top = max(d.top, num)
	}
	return trailer + fmt.Sprintf("/Size %d", d.top+1)
}

func (d *Document) prev(trailer string) string {
	if !d.chain || strings.Contains(trailer, "/Prev") {
		return ""
	}
	return fmt.Sprintf("/Prev %d", d.last)
}

func (d *Document) end(at int) *Document {
	d.line("startxref")
	d.line("%d", at)
	d.line("%%%%EOF")
	d.places, d.last, d.chain = map[int]place{}, at, true
	return d
}

// Len is the size of the file so far.
func (d *Document) Len() int { return d.out.Len() }

// Bytes is the file.
func (d *Document) Bytes() []byte { return bytes.Clone(d.out.Bytes()) }

func consecutive(nums []int) int {
	n := 1
	for n < len(nums) && nums[n] == nums[n-1]+1 {
		n++
	}
	return n
}

// Deflate compresses data as FlateDecode wants it.
func Deflate(data []byte) []byte {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	w.Write(data) // a bytes.Buffer takes everything
	w.Close()
	return out.Bytes()
}
