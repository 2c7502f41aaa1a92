package pdf

import (
	"bytes"
	"math"
	"strconv"
)

// Rect is a rectangle: left, bottom, right and top.
type Rect struct{ X0, Y0, X1, Y1 float64 }

// Width is how wide the rectangle is.
func (r Rect) Width() float64 { return r.X1 - r.X0 }

// Height is how high the rectangle is.
func (r Rect) Height() float64 { return r.Y1 - r.Y0 }

// IsEmpty reports whether the rectangle covers nothing.
func (r Rect) IsEmpty() bool { return r.X0 >= r.X1 || r.Y0 >= r.Y1 }

// Intersect returns the part of the rectangle that another one covers, too.
func (r Rect) Intersect(o Rect) Rect {
	return Rect{max(r.X0, o.X0), max(r.Y0, o.Y0), min(r.X1, o.X1), min(r.Y1, o.Y1)}
}

// String writes the rectangle as a file does.
func (r Rect) String() string {
	out := []byte{'['}
	for i, n := range [4]float64{r.X0, r.Y0, r.X1, r.Y1} {
		if i > 0 {
			out = append(out, ' ')
		}
		out = AppendNumber(out, n)
	}
	return string(append(out, ']'))
}

// Rect resolves a value that is a rectangle, given by any two opposite corners. Without a value it is empty.
func (f *File) Rect(v Value) (Rect, error) {
	v, _, err := f.Resolve(v)
	if err != nil {
		return Rect{}, err
	}
	var n [4]float64
	i := 0
	for item, err := range v.Items() {
		if err != nil {
			return Rect{}, err
		}
		if item, _, err = f.Resolve(item); err != nil {
			return Rect{}, err
		}
		x, ok := item.Number()
		if !ok || i == len(n) {
			return Rect{}, malformed("there is no rectangle where one must be")
		}
		n[i] = x
		i++
	}
	if i != len(n) && i != 0 {
		return Rect{}, malformed("there is no rectangle where one must be")
	}
	return Rect{min(n[0], n[2]), min(n[1], n[3]), max(n[0], n[2]), max(n[1], n[3])}, nil
}

// maxNumber bounds numbers that are coordinates: it is far beyond the largest page, and exact to a thousandth.
const maxNumber = 1 << 30

// Number reads an integer or a real number.
func (v Value) Number() (float64, bool) {
	if len(bytes.Trim(v, "+-.0123456789")) > 0 {
		return 0, false // no exponent, no infinity
	}
	n, err := strconv.ParseFloat(string(v), 64)
	return n, err == nil && math.Abs(n) <= maxNumber
}

// AppendNumber writes a number as a file does: without an exponent, to the fourth decimal, which is a hundredth of what any
// device can show, and without zeros at the end.
func AppendNumber(out []byte, n float64) []byte {
	const decimals, scale = 4, 1e4
	n = math.Round(n*scale) / scale
	if n == 0 {
		n = 0 // of the two zeros the one without a sign
	}
	text := strconv.AppendFloat(nil, n, 'f', decimals, 64)
	return append(out, bytes.TrimRight(bytes.TrimRight(text, "0"), ".")...)
}
