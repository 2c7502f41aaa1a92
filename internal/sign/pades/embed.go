package pades

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"bulksigner/internal/sign/pades/typeface"
	"bulksigner/internal/sign/pdf"
)

// embed puts a subset of a font into the section and returns the font's reference. The codes in a text are the numbers of
// glyphs in the subset, two bytes each.
func embed(u *pdf.Update, font *typeface.Font, s *typeface.Subset, text [][]char) (pdf.Ref, error) {
	file, set, unicode, descriptor, cid, ref := u.New(), u.New(), u.New(), u.New(), u.New(), u.New()
	name := tag(s) + "+GoRegular"
	if err := putStream(u, file, fmt.Sprintf("/Length1 %d", len(s.File)), s.File); err != nil {
		return ref, err
	}
	if err := putStream(u, set, "", present(len(s.Glyphs))); err != nil {
		return ref, err
	}
	if err := putStream(u, unicode, "", toUnicode(s, text)); err != nil {
		return ref, err
	}
	u.Put(descriptor, describe(font, name, file, set))
	u.Put(cid, fmt.Appendf(nil, "<</Type/Font/Subtype/CIDFontType2/BaseFont/%s/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)"+
		"/Supplement 0>>/FontDescriptor %s/CIDToGIDMap/Identity/W%s>>", name, descriptor, widths(font, s)))
	u.Put(ref, fmt.Appendf(nil, "<</Type/Font/Subtype/Type0/BaseFont/%s/Encoding/Identity-H/DescendantFonts[%s]/ToUnicode %s>>",
		name, cid, unicode))
	return ref, nil
}

// tag marks the name of a font as a subset's. Other glyphs have another one, so that readers do not take two for the same.
func tag(s *typeface.Subset) string {
	const letters = 6
	sum := sha256.Sum256(s.File)
	out := make([]byte, letters)
	for i := range out {
		out[i] = 'A' + sum[i]%26
	}
	return string(out)
}

// describe is the descriptor of the font. Its measures are thousandths of the size.
func describe(font *typeface.Font, name string, file, set pdf.Ref) []byte {
	const symbolic, stem = 4, 86 // codes mean nothing outside of this font; Go Regular's stems
	b := font.Bounds()
	return fmt.Appendf(nil, "<</Type/FontDescriptor/FontName/%s/Flags %d/FontBBox[%d %d %d %d]/ItalicAngle 0/Ascent %d/Descent %d"+
		"/CapHeight %d/StemV %d/FontFile2 %s/CIDSet %s>>", name, symbolic, thousandths(font, b[0]), thousandths(font, b[1]),
		thousandths(font, b[2]), thousandths(font, b[3]), thousandths(font, font.Ascent()), thousandths(font, font.Descent()),
		capHeight, stem, file, set)
}

// capHeight is the height of Go Regular's capitals, in thousandths of its size.
const capHeight = 723

func thousandths(font *typeface.Font, n int) int {
	return int(math.Round(1000 * float64(n) / float64(font.UnitsPerEm())))
}

func widths(font *typeface.Font, s *typeface.Subset) string {
	out := []byte("[0[")
	for i, g := range s.Glyphs {
		if i > 0 {
			out = append(out, ' ')
		}
		out = fmt.Append(out, thousandths(font, font.Advance(g)))
	}
	return string(append(out, "]]"...))
}

// present is a set of the numbers from 0 on, one bit each. PDF/A-1 wants one for every subset.
func present(n int) []byte {
	out := bytes.Repeat([]byte{0xFF}, (n+7)/8)
	out[len(out)-1] <<= -n & 7
	return out
}

// toUnicode says which characters the codes stand for, so that the text can be searched and copied.
func toUnicode(s *typeface.Subset, text [][]char) []byte {
	characters := map[typeface.Glyph]rune{}
	for _, line := range text {
		for _, c := range line {
			g := s.Glyph(c.glyph)
			if r, ok := characters[g]; !ok || c.r < r { // a space and one without a break look alike
				characters[g] = c.r
			}
		}
	}
	out := bytes.NewBufferString("/CIDInit/ProcSet findresource begin\n12 dict begin\nbegincmap\n" +
		"/CIDSystemInfo<</Registry(Adobe)/Ordering(UCS)/Supplement 0>>def\n/CMapName/Adobe-Identity-UCS def\n/CMapType 2 def\n" +
		"1 begincodespacerange\n<0000><FFFF>\nendcodespacerange\n")
	const most = 100 // entries in one list
	for list := range slices.Chunk(slices.Sorted(maps.Keys(characters)), most) {
		fmt.Fprintf(out, "%d beginbfchar\n", len(list))
		for _, g := range list {
			fmt.Fprintf(out, "<%04X><%04X>\n", g, characters[g])
		}
		out.WriteString("endbfchar\n")
	}
	out.WriteString("endcmap\nCMapName currentdict/CMap defineresource pop\nend\nend\n")
	return out.Bytes()
}

// compressors are kept, since each has a megabyte of tables.
var compressors = sync.Pool{New: func() any { return zlib.NewWriter(nil) }}

// putStream puts a compressed stream into the section.
func putStream(u *pdf.Update, ref pdf.Ref, dict string, data []byte) error {
	w := compressors.Get().(*zlib.Writer)
	defer compressors.Put(w)
	var out bytes.Buffer
	w.Reset(&out)
	_, err := w.Write(data)
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return fmt.Errorf("compress a stream of the seal: %w", err)
	}
	text := fmt.Appendf(nil, "<<%s/Filter/FlateDecode/Length %d>>\nstream\n", dict, out.Len())
	u.Put(ref, append(append(text, out.Bytes()...), "\nendstream"...))
	return nil
}
