package pdf

import "slices"

// objectStream is a decoded stream of objects.
type objectStream struct {
	num   int
	text  []byte
	index []packedAt
}

// packedAt says where in the text an object begins.
type packedAt struct{ num, at int32 }

// keptStreams is how many decoded object streams are kept: what belongs together tends to lie in the same ones.
const keptStreams = 2

// packed reads an object out of an object stream.
func (f *File) packed(num int, p place) (Value, error) {
	st, err := f.objectStream(p.at)
	if err != nil {
		return nil, err
	}
	i := p.second
	if i >= len(st.index) || int(st.index[i].num) != num {
		// The number counts where the place is wrong: some writers leave the place at 0.
		i = slices.IndexFunc(st.index, func(x packedAt) bool { return int(x.num) == num })
	}
	if i < 0 {
		return nil, malformed("object %d is not in the object stream that it should be in", num)
	}
	s := scanner{text: st.text, pos: int(st.index[i].at), whole: true}
	v, err := s.value()
	if err != nil {
		return nil, err
	}
	return v, f.src.spend(len(v))
}

func (f *File) objectStream(num int64) (objectStream, error) {
	for _, st := range f.streams {
		if int64(st.num) == num {
			return st, nil
		}
	}
	if num < 1 || num > maxObjects {
		return objectStream{}, malformed("an object lies in a stream that cannot exist")
	}
	p, err := f.find(int(num))
	if err != nil {
		return objectStream{}, err
	}
	if p.kind != isPlain {
		return objectStream{}, malformed("object stream %d is not there", num)
	}
	o, err := f.object(Ref{int(num), p.second})
	if err != nil {
		return objectStream{}, err
	}
	st, err := f.unpack(o)
	if err != nil {
		return objectStream{}, err
	}
	if len(f.streams) == keptStreams {
		f.streams = f.streams[1:]
	}
	f.streams = append(f.streams, st)
	return st, nil
}

// unpack decodes an object stream and reads its head: pairs of number and offset.
func (f *File) unpack(o object) (objectStream, error) {
	d, err := o.value.Dict()
	if err != nil || o.data == 0 {
		return objectStream{}, malformed("object %d is not an object stream", o.ref.Num)
	}
	if o.value, err = f.decode(d, o.data, maxObjectStream); err != nil {
		return objectStream{}, err
	}
	n, err := f.Int(d.Get("N"), -1)
	if err != nil {
		return objectStream{}, err
	}
	first, err := f.Int(d.Get("First"), -1)
	if err != nil {
		return objectStream{}, err
	}
	if n < 0 || first < 0 || first > int64(len(o.value)) || n > first || n > maxPacked {
		return objectStream{}, malformed("object stream %d is damaged", o.ref.Num)
	}
	st := objectStream{num: o.ref.Num, text: o.value, index: make([]packedAt, 0, n)}
	s := scanner{text: o.value[:first], whole: true}
	for range n {
		num, err1 := s.integer()
		at, err2 := s.integer()
		if err1 != nil || err2 != nil || num > maxObjects || at > int64(len(o.value))-first {
			return objectStream{}, malformed("object stream %d is damaged", o.ref.Num)
		}
		st.index = append(st.index, packedAt{int32(num), int32(first + at)})
	}
	return st, nil
}

// loadStream reads a section that is a cross-reference stream.
func (f *File) loadStream(at int64) (section, error) {
	o, err := f.objectAt(at)
	if err != nil && f.src.failed != nil {
		return section{}, err
	}
	d, bad := o.value.Dict()
	if err != nil || bad != nil || o.data == 0 || d.Get("Type").Name() != "XRef" {
		return section{}, malformed("there is no cross-reference section at %d", at)
	}
	sec := section{trailer: d, stream: true}
	width, err := sec.readWidths(d.Get("W"))
	if err != nil {
		return section{}, err
	}
	want, err := sec.readIndex(d, width)
	if err != nil {
		return section{}, err
	}
	if want > maxTable-f.tables() {
		return section{}, malformed("the cross-reference streams are too large")
	}
	if sec.rows, err = f.decode(d, o.data, want); err != nil {
		return section{}, err
	}
	if int64(len(sec.rows)) < want {
		return section{}, malformed("a cross-reference stream is shorter than it says")
	}
	return sec, nil
}

func (f *File) tables() (n int64) {
	for i := range f.sections {
		n += int64(len(f.sections[i].rows))
	}
	return n
}

// readWidths reads the widths of the three columns.
func (s *section) readWidths(v Value) (int, error) {
	i, sum := 0, 0
	for item, err := range v.Items() {
		n, ok := item.Int()
		if err != nil || !ok || n < 0 || n > 8 || i == len(s.widths) {
			return 0, malformed("a cross-reference stream has impossible columns")
		}
		s.widths[i] = int(n)
		sum += int(n)
		i++
	}
	if i < len(s.widths) || sum == 0 {
		return 0, malformed("a cross-reference stream has impossible columns")
	}
	return sum, nil
}

// readIndex reads the subsections, pairs of first number and count, and returns how many bytes the rows take.
func (s *section) readIndex(d Dict, width int) (int64, error) {
	index := d.Get("Index")
	if index.IsNull() {
		index = Value("[0 " + string(d.Get("Size")) + "]")
	}
	var rows, first int64
	half := false
	for item, err := range index.Items() {
		n, ok := item.Int()
		if err != nil || !ok || n < 0 || n > maxObjects {
			return 0, malformed("a cross-reference stream claims impossible objects")
		}
		if half = !half; half {
			first = n
			continue
		}
		if err := s.addRun(run{int(first), int(n), rows * int64(width), width}); err != nil {
			return 0, err
		}
		rows += n
	}
	if half {
		return 0, malformed("a cross-reference stream claims impossible objects")
	}
	return rows * int64(width), nil
}
