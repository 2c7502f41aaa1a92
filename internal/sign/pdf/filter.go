package pdf

import (
	"bufio"
	"compress/flate"
	"errors"
	"io"
)

// decode reads the data of a stream at an offset, at most limit bytes of it: for a cross-reference stream that is what
// it should have, for others more than that is an error.
func (f *File) decode(d Dict, at, limit int64) ([]byte, error) {
	length, err := f.Int(d.Get("Length"), -1)
	if err != nil {
		return nil, err
	}
	if length < 0 || length > f.src.size-at {
		return nil, malformed("a stream has no possible length")
	}
	parms, compressed, err := f.filter(d)
	if err != nil {
		return nil, err
	}
	var r io.Reader = io.NewSectionReader(f.src, at, length)
	if compressed {
		if r, err = inflate(r); err != nil {
			return nil, err
		}
	}
	if r, err = f.predict(r, parms); err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(r, limit+1))
	switch {
	case f.src.failed != nil:
		return nil, f.src.failed
	case errors.Is(err, errRow):
		return nil, err
	case err != nil && int64(len(out)) < limit:
		return nil, malformed("a stream cannot be decoded")
	case int64(len(out)) > limit && d.Get("Type").Name() != "XRef":
		return nil, malformed("a stream is larger than %d bytes when decoded", limit)
	}
	return out[:min(int64(len(out)), limit)], f.src.spend(len(out) + int(min(length, limit)))
}

// filter reads how a stream is compressed. Structure is never compressed in another way than this.
func (f *File) filter(d Dict) (parms Dict, compressed bool, err error) {
	name, err := f.only(d.Get("Filter"))
	if err != nil {
		return Dict{}, false, err
	}
	if name.IsNull() {
		return Dict{}, false, nil
	}
	if name.Name() != "FlateDecode" {
		return Dict{}, false, malformed("a stream of the file's structure uses the filter %.20q", name)
	}
	v, err := f.only(d.Get("DecodeParms"))
	if err != nil || v.IsNull() {
		return Dict{}, true, err
	}
	parms, err = v.Dict()
	return parms, true, err
}

// only resolves a value that may also be written as an array of one.
func (f *File) only(v Value) (Value, error) {
	v, _, err := f.Resolve(v)
	if err != nil || !v.IsArray() {
		return v, err
	}
	var only Value
	n := 0
	for item, err := range v.Items() {
		if err != nil {
			return nil, err
		}
		only = item
		n++
	}
	if n > 1 {
		return nil, malformed("a stream of the file's structure uses %d filters", n)
	}
	only, _, err = f.Resolve(only)
	return only, err
}

// inflate begins with the two bytes of the zlib header. The checksum at the end is not looked at, and no reader does:
// there are writers that get it wrong.
func inflate(r io.Reader) (io.Reader, error) {
	br := bufio.NewReader(r)
	var head [2]byte
	if _, err := io.ReadFull(br, head[:]); err != nil {
		return nil, malformed("a stream cannot be decoded")
	}
	if head[0]&0x0f != 8 || head[1]&0x20 != 0 || (int(head[0])<<8|int(head[1]))%31 != 0 {
		return nil, malformed("a stream cannot be decoded")
	}
	return flate.NewReader(br), nil
}

// predict undoes a PNG predictor, which cross-reference streams use to make their columns compress well.
func (f *File) predict(r io.Reader, parms Dict) (io.Reader, error) {
	var n [4]int64
	for i, p := range []struct {
		key     string
		missing int64
	}{{"Predictor", 1}, {"Columns", 1}, {"Colors", 1}, {"BitsPerComponent", 8}} {
		v, err := f.Int(parms.Get(p.key), p.missing)
		if err != nil {
			return nil, err
		}
		n[i] = v
	}
	predictor, columns, colors, bits := n[0], n[1], n[2], n[3]
	if predictor == 1 {
		return r, nil
	}
	if predictor < 10 || predictor > 15 || columns < 1 || columns > maxRow || colors < 1 || colors > 32 || bits < 1 || bits > 16 {
		return nil, malformed("a stream has an impossible predictor")
	}
	row := (columns*colors*bits + 7) / 8
	if row > maxRow {
		return nil, malformed("a stream has an impossible predictor")
	}
	size := int((colors*bits + 7) / 8)
	return &png{r: bufio.NewReader(r), step: size, row: make([]byte, size+int(row)), last: make([]byte, size+int(row))}, nil
}

// errRow is a row whose filter does not exist.
var errRow = malformed("a stream has an impossible predictor")

// png undoes the filters of PNG, row by row. Each row has step zero bytes before it, the left neighbours of its first.
type png struct {
	r         *bufio.Reader
	step      int
	row, last []byte
	rest      []byte // of the row, not handed out yet
}

// Read implements io.Reader.
func (p *png) Read(out []byte) (int, error) {
	if len(p.rest) == 0 {
		if err := p.next(); err != nil {
			return 0, err
		}
	}
	n := copy(out, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

func (p *png) next() error {
	filter, err := p.r.ReadByte()
	if err != nil {
		return err
	}
	p.row, p.last = p.last, p.row
	line := p.row[p.step:]
	n, err := io.ReadFull(p.r, line)
	if n == 0 && err != nil {
		return err
	}
	clear(line[n:]) // a last row may be short
	if filter > 4 {
		return errRow
	}
	for i := p.step; i < len(p.row); i++ {
		left, up, corner := p.row[i-p.step], p.last[i], p.last[i-p.step]
		switch filter {
		case 1:
			p.row[i] += left
		case 2:
			p.row[i] += up
		case 3:
			p.row[i] += byte((int(left) + int(up)) / 2)
		case 4:
			p.row[i] += paeth(left, up, corner)
		}
	}
	p.rest = line[:n]
	return nil
}

// paeth picks the neighbour that is nearest to left + up - corner.
func paeth(left, up, corner byte) byte {
	a, b, c := int(left), int(up), int(corner)
	toLeft, toUp, toCorner := abs(b-c), abs(a-c), abs(a+b-2*c)
	switch {
	case toLeft <= toUp && toLeft <= toCorner:
		return left
	case toUp <= toCorner:
		return up
	}
	return corner
}

func abs(n int) int { return max(n, -n) }
