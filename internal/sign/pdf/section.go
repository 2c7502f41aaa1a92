package pdf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
)

// Section is a section to be appended, and where in it something is to be found.
type Section struct {
	Bytes   []byte
	ID      int // where the 32 hexadecimal digits of the changing identifier are, 0 if the file has none
	offsets []int
	objects []updated
	base    int64
}

// idDigits is the length of the identifier written: 16 bytes, as everyone has them.
const idDigits = 32

// Encode writes the section: a line end if the file lacks one, the objects, and a cross-reference section of the kind
// that the file's newest one is, so that whoever can read the file can read the section.
func (u *Update) Encode() (*Section, error) {
	s := &Section{base: u.f.src.size}
	if u.next > maxObjects {
		return nil, malformed("the file has no more numbers for objects")
	}
	eol, err := u.f.endsLine()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if !eol {
		out.WriteByte('\n')
	}
	u.sort()
	for _, o := range u.objects {
		s.offsets = append(s.offsets, out.Len())
		fmt.Fprintf(&out, "%d %d obj\n%s\nendobj\n", o.ref.Num, o.ref.Gen, o.text)
	}
	s.objects = u.objects
	trailer, at, err := u.f.trailer()
	if err != nil {
		return nil, err
	}
	if u.f.sections[0].stream {
		s.writeStream(&out, u.f, u.New(), trailer, at)
	} else {
		s.writeTable(&out, u.f, u.next, trailer, at)
	}
	s.Bytes = out.Bytes()
	return s, nil
}

// Offset returns where in the section the text of an object begins.
func (s *Section) Offset(ref Ref) int {
	for i, o := range s.objects {
		if o.ref == ref {
			return s.offsets[i] + len(fmt.Sprintf("%d %d obj\n", ref.Num, ref.Gen))
		}
	}
	return -1
}

// own are the keys that describe a section and not the document.
var own = map[string]bool{
	"Size": true, "Prev": true, "XRefStm": true, "ID": true, "Type": true, "W": true, "Index": true, "Length": true,
	"Filter": true, "DecodeParms": true, "F": true, "FFilter": true, "FDecodeParms": true, "DL": true,
}

// trailer returns the entries that the new section takes over, with the identifier, whose changing half is blank. It
// also returns where that half is.
func (f *File) trailer() (text []byte, idAt int, err error) {
	var out bytes.Buffer
	for key, both := range f.Trailer().Entries() {
		if !own[key] {
			out.Write(both)
			out.WriteByte('\n')
		}
	}
	first, err := f.firstID()
	if err != nil {
		return nil, 0, err
	}
	if first != nil {
		fmt.Fprintf(&out, "/ID[%s<", first)
		idAt = out.Len()
		fmt.Fprintf(&out, "%0*d>]\n", idDigits, 0)
	}
	return out.Bytes(), idAt, nil
}

// firstID is the half of the identifier that never changes, as it stands. A file without identifier gets none: it is
// its writer's to give.
func (f *File) firstID() (Value, error) {
	id, _, err := f.Resolve(f.Trailer().Get("ID"))
	if err != nil {
		return nil, err
	}
	for first, err := range id.Items() {
		if _, ok := first.Text(); ok {
			return first, nil
		}
		return nil, err
	}
	return nil, nil
}

func (s *Section) writeTable(out *bytes.Buffer, f *File, size int, trailer []byte, idAt int) {
	start := s.base + int64(out.Len())
	out.WriteString("xref\n")
	for i := 0; i < len(s.objects); {
		n := s.consecutive(i)
		fmt.Fprintf(out, "%d %d\n", s.objects[i].ref.Num, n)
		for ; n > 0; n-- {
			fmt.Fprintf(out, "%010d %05d n \n", s.base+int64(s.offsets[i]), s.objects[i].ref.Gen)
			i++
		}
	}
	fmt.Fprintf(out, "trailer\n<</Size %d/Prev %d\n", size, f.startXRef)
	s.finish(out, trailer, idAt)
	fmt.Fprintf(out, ">>\n%s\n%d\n%%%%EOF\n", startMark, start)
}

// writeStream writes a cross-reference stream without compression: it has a few entries.
func (s *Section) writeStream(out *bytes.Buffer, f *File, ref Ref, trailer []byte, idAt int) {
	start := s.base + int64(out.Len())
	s.objects = append(s.objects, updated{ref: ref})
	s.offsets = append(s.offsets, out.Len())
	var rows, index []byte
	for i, o := range s.objects {
		row := binary.BigEndian.AppendUint64(nil, uint64(s.base)+uint64(s.offsets[i]))
		rows = append(append(rows, isPlain), row[3:]...) // five bytes hold any offset of ten digits
		rows = binary.BigEndian.AppendUint16(rows, uint16(o.ref.Gen))
	}
	for i := 0; i < len(s.objects); i += s.consecutive(i) {
		index = append(strconv.AppendInt(index, int64(s.objects[i].ref.Num), 10), ' ')
		index = append(strconv.AppendInt(index, int64(s.consecutive(i)), 10), ' ')
	}
	fmt.Fprintf(out, "%d 0 obj\n<</Type/XRef/Size %d/Prev %d/W[1 5 2]/Index[%s]/Length %d\n", ref.Num, ref.Num+1,
		f.startXRef, bytes.TrimRight(index, " "), len(rows))
	s.finish(out, trailer, idAt)
	fmt.Fprintf(out, ">>\nstream\n%s\nendstream\nendobj\n%s\n%d\n%%%%EOF\n", rows, startMark, start)
}

// finish writes the entries taken over and notes where the identifier came to lie.
func (s *Section) finish(out *bytes.Buffer, trailer []byte, idAt int) {
	if idAt > 0 {
		s.ID = out.Len() + idAt
	}
	out.Write(trailer)
}

// consecutive counts the objects from i on whose numbers follow each other.
func (s *Section) consecutive(i int) int {
	n := 1
	for i+n < len(s.objects) && s.objects[i+n].ref.Num == s.objects[i].ref.Num+n {
		n++
	}
	return n
}
