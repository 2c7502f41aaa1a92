package typeface

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// Reduce writes a font of its own with the given characters, as far as this one has them. Unlike a subset it can be read
// again by Parse, to find glyphs in it.
func (f *Font) Reduce(characters []rune) []byte {
	characters = slices.Clone(characters)
	slices.Sort(characters)
	characters = slices.DeleteFunc(slices.Compact(characters), func(r rune) bool {
		_, ok := f.Glyph(r)
		return !ok
	})
	var glyphs []Glyph
	for _, r := range characters {
		g, _ := f.Glyph(r)
		glyphs = append(glyphs, g)
	}
	s := f.Subset(glyphs)
	for i, g := range glyphs {
		glyphs[i] = s.Glyph(g)
	}
	whole, tables := table(s.File), map[string][]byte{"cmap": encodeCmap(characters, glyphs)}
	for i := range whole.u16(4) {
		record := whole.from(headerSize + i*recordSize)
		tables[string(record.first(4))] = whole.from(int(record.u32(8))).first(int(record.u32(12)))
	}
	return assemble(tables)
}

// run is a sequence of characters whose glyphs follow each other, too.
type run struct{ first, last, delta uint16 }

// runs ends with the one that the format wants at the end.
func runs(characters []rune, glyphs []Glyph) (out []run) {
	for i, r := range characters {
		c, delta := uint16(r), uint16(glyphs[i])-uint16(r)
		if last := len(out) - 1; last >= 0 && out[last].last+1 == c && out[last].delta == delta {
			out[last].last = c
			continue
		}
		out = append(out, run{c, c, delta})
	}
	return append(out, run{0xFFFF, 0xFFFF, 1})
}

// encodeCmap writes a table cmap with one part of format 4.
func encodeCmap(characters []rune, glyphs []Glyph) []byte {
	all := runs(characters, glyphs)
	power := bits.Len(uint(len(all))) - 1
	out := words(nil, 0, 1, 3, 1, 0, 12) // one part, of Microsoft's basic plane, twelve bytes further on
	out = words(out, 4, 16+8*len(all), 0, 2*len(all), 2<<power, power, 2*(len(all)-1<<power))
	for _, r := range all {
		out = words(out, int(r.last))
	}
	out = words(out, 0)
	for _, r := range all {
		out = words(out, int(r.first))
	}
	for _, r := range all {
		out = words(out, int(r.delta))
	}
	return append(out, make([]byte, 2*len(all))...) // no offsets
}

func words(out []byte, values ...int) []byte {
	for _, v := range values {
		out = binary.BigEndian.AppendUint16(out, uint16(v))
	}
	return out
}
