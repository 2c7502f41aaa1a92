package picture

import (
	"bytes"
	"compress/zlib"
	"slices"
)

// The filters of PNG that are tried on each row (ISO 15948, 9.2): none for flat drawings, the others for photographs.
const (
	filterNone = iota
	filterSub
	filterUp
	filters
)

// compress writes the rows of an image as PNG does: each with the filter that leaves the smallest values, all deflated.
func compress(flat []byte, width, colors int) ([]byte, error) {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	row, above := make([]byte, width*colors), make([]byte, width*colors)
	var filtered [filters][]byte
	for f := range filtered {
		filtered[f] = append([]byte{byte(f)}, row...)
	}
	for pixels := range slices.Chunk(flat, 3*width) {
		row, above = above, row
		samples(row, pixels, colors)
		filter(&filtered, row, above, colors)
		if _, err := w.Write(smallest(&filtered)); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// samples takes the first of the three bytes of each pixel, or all.
func samples(row, pixels []byte, colors int) {
	for i, o := 0, 0; o < len(row); i, o = i+3, o+colors {
		copy(row[o:o+colors], pixels[i:])
	}
}

func filter(filtered *[filters][]byte, row, above []byte, colors int) {
	copy(filtered[filterNone][1:], row)
	for i, c := range row {
		left := byte(0)
		if i >= colors {
			left = row[i-colors]
		}
		filtered[filterSub][1+i] = c - left
		filtered[filterUp][1+i] = c - above[i]
	}
}

// smallest picks the filter by the sum of absolute values, as the standard recommends.
func smallest(filtered *[filters][]byte) []byte {
	best, least := 0, -1
	for f, row := range filtered {
		sum := 0
		for _, c := range row[1:] {
			n := int(int8(c))
			sum += max(n, -n)
		}
		if least < 0 || sum < least {
			best, least = f, sum
		}
	}
	return filtered[best]
}
