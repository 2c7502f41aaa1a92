package verify

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
)

// maxStream is how many bytes a cross-reference stream or an object stream may have, compressed or not. It is enough for
// two million objects.
const maxStream = 16 << 20

// streamData returns a stream's decoded bytes, and where its encoded ones end.
func (p *pdf) streamData(o indirect, depth int) ([]byte, int64, error) {
	d, ok := o.value.(dict)
	if !ok || o.stream < 0 {
		return nil, 0, malformed("an object should be a stream and is not")
	}
	length, err := p.integer(d.get("Length"), depth)
	if err != nil {
		return nil, 0, err
	}
	if length < 0 || length > maxStream || length > p.size-o.stream {
		return nil, 0, malformed("the length %d of a stream is out of bounds", length)
	}
	if err := p.work.take(length); err != nil {
		return nil, 0, err
	}
	raw := make([]byte, length)
	if err := readAt(p.file, raw, o.stream); err != nil {
		return nil, 0, err
	}
	data, err := p.decode(d, raw)
	return data, o.stream + length, err
}

// readAt fills b. Its errors are of reading; none of them says that the file is malformed.
func readAt(r io.ReaderAt, b []byte, offset int64) error {
	n, err := r.ReadAt(b, offset)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF // the file is shorter than was said
	}
	return fmt.Errorf("read the file: %w", err)
}

// decode undoes the one filter that these kinds of streams have in practice.
func (p *pdf) decode(d dict, raw []byte) ([]byte, error) {
	filter, err := only(d.get("Filter"))
	if err != nil || filter == nil {
		return raw, err
	}
	if filter != object(name("FlateDecode")) {
		return nil, malformed("a stream that holds objects has a filter other than FlateDecode")
	}
	data, err := p.inflate(raw)
	if err != nil {
		return nil, err
	}
	parms, err := only(d.get("DecodeParms"))
	if err != nil {
		return nil, err
	}
	if parms, ok := parms.(dict); ok {
		return unpredict(parms, data)
	}
	return data, nil
}

// only takes a single value out of the array that it may be in.
func only(o object) (object, error) {
	a, ok := o.(array)
	switch {
	case !ok:
		return o, nil
	case len(a) == 0:
		return nil, nil
	case len(a) == 1:
		return a[0], nil
	}
	return nil, malformed("a stream that holds objects has %d filters", len(a))
}

func (p *pdf) inflate(raw []byte) ([]byte, error) {
	z, err := zlib.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, malformed("a compressed stream is damaged")
	}
	limit := min(maxStream, p.work.left)
	data, err := io.ReadAll(io.LimitReader(z, limit+1))
	if err != nil {
		return nil, malformed("a compressed stream is damaged")
	}
	if int64(len(data)) > limit {
		return nil, malformed("a compressed stream is too long")
	}
	return data, p.work.take(int64(len(data)))
}

// maxRow is the longest row of a predictor: rows here are entries of a few bytes.
const maxRow = 1 << 16

// unpredict undoes the row filters that PNG defines and cross-reference streams use.
func unpredict(parms dict, data []byte) ([]byte, error) {
	predictor := number(parms, "Predictor", 1)
	if predictor == 1 {
		return data, nil
	}
	columns := number(parms, "Columns", 1)
	if predictor < 10 || predictor > 15 || columns < 1 || columns > maxRow ||
		number(parms, "Colors", 1) != 1 || number(parms, "BitsPerComponent", 8) != 8 {
		return nil, malformed("a stream that holds objects has a predictor that is not used for that")
	}
	row, out := int(columns), make([]byte, 0, len(data))
	above := make([]byte, row)
	for ; len(data) > row; data = data[row+1:] {
		current := data[1 : row+1]
		if err := unfilter(data[0], current, above); err != nil {
			return nil, err
		}
		out = append(out, current...)
		above = current
	}
	if len(data) > 0 {
		return nil, malformed("the last row of a stream is incomplete")
	}
	return out, nil
}

// number reads an integer entry that has a default. What is not an integer is -1, which no caller accepts.
func number(d dict, key name, otherwise int64) int64 {
	switch v := d.get(key).(type) {
	case nil:
		return otherwise
	case int64:
		return v
	}
	return -1
}

func unfilter(kind byte, row, above []byte) error {
	if kind > 4 {
		return malformed("a row of a stream has an unknown filter")
	}
	for i := range row {
		var left, corner byte
		if i > 0 {
			left, corner = row[i-1], above[i-1]
		}
		switch kind {
		case 1:
			row[i] += left
		case 2:
			row[i] += above[i]
		case 3:
			row[i] += byte((int(left) + int(above[i])) / 2)
		case 4:
			row[i] += paeth(left, above[i], corner)
		}
	}
	return nil
}

// paeth picks the neighbour that is closest to left + above - corner. The corner is the row above's, undone already.
func paeth(left, above, corner byte) byte {
	estimate := int(left) + int(above) - int(corner)
	distance := func(b byte) int { return max(estimate-int(b), int(b)-estimate) }
	switch {
	case distance(left) <= distance(above) && distance(left) <= distance(corner):
		return left
	case distance(above) <= distance(corner):
		return above
	}
	return corner
}
