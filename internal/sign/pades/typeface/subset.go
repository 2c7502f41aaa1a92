package typeface

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// Subset is a font with some of the glyphs of another.
type Subset struct {
	File   []byte
	Glyphs []Glyph // the number in the other font of each glyph here
}

// Glyph is the number in the subset of a glyph of the font that it was cut out of, 0 if it is not there.
func (s *Subset) Glyph(old Glyph) Glyph {
	i, ok := slices.BinarySearch(s.Glyphs, old)
	if !ok {
		return 0
	}
	return Glyph(i)
}

// Subset cuts some glyphs out of the font, in the order of their numbers and with glyph 0, which every font must have.
func (f *Font) Subset(glyphs []Glyph) *Subset {
	s := &Subset{Glyphs: f.closure(glyphs)}
	var glyf, loca, hmtx []byte
	for _, old := range s.Glyphs {
		loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
		glyf = append(glyf, s.outline(f.outline(old))...)
		hmtx = append(hmtx, f.metrics(old)...)
	}
	loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
	if len(glyf) == 0 {
		glyf = make([]byte, 4) // a table must have a length
	}
	s.File = assemble(map[string][]byte{
		"glyf": glyf, "loca": loca, "hmtx": hmtx,
		"head": f.subsetHead(), "hhea": f.subsetHhea(len(s.Glyphs)), "maxp": f.subsetMaxp(len(s.Glyphs)),
	})
	return s
}

// closure adds the glyphs that others are composed of, sorts all and drops what is there twice or not in the font.
func (f *Font) closure(glyphs []Glyph) []Glyph {
	seen := map[Glyph]bool{0: true}
	todo := slices.Clone(glyphs)
	for len(todo) > 0 {
		g := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[g] || int(g) >= f.glyphs {
			continue
		}
		seen[g] = true
		for part := range components(f.outline(g)) {
			todo = append(todo, Glyph(part.u16(2)))
		}
	}
	all := make([]Glyph, 0, len(seen))
	for g := range seen {
		all = append(all, g)
	}
	slices.Sort(all)
	return all
}

// outline copies an outline with the numbers that its parts have in the subset, without instructions and padded to a
// multiple of four.
func (s *Subset) outline(old table) []byte {
	out := bytes.Clone(withoutInstructions(old))
	for part := range components(out) {
		flags := part.u16(0) &^ haveInstructions
		binary.BigEndian.PutUint16(part[0:], uint16(flags))
		binary.BigEndian.PutUint16(part[2:], uint16(s.Glyph(Glyph(part.u16(2)))))
	}
	return append(out, make([]byte, -len(out)&3)...)
}

func (f *Font) subsetHead() []byte {
	const (
		flagsAt, formatAt = 16, 50
		byInstructions    = 1<<2 | 1<<4 // instructions depend on the size, or change widths
		longOffsets       = 1
	)
	head := bytes.Clone(f.head()[:headSize])
	binary.BigEndian.PutUint16(head[flagsAt:], uint16(f.head().u16(flagsAt)&^byInstructions))
	binary.BigEndian.PutUint16(head[formatAt:], longOffsets)
	return head
}

func (f *Font) subsetHhea(glyphs int) []byte {
	const metricsAt = 34
	hhea := bytes.Clone(f.hhea()[:hheaSize])
	binary.BigEndian.PutUint16(hhea[metricsAt:], uint16(glyphs))
	return hhea
}

func (f *Font) subsetMaxp(glyphs int) []byte {
	const glyphsAt, zonesAt, partsAt = 4, 14, 28
	maxp := bytes.Clone(f.tables["maxp"][:maxpSize])
	binary.BigEndian.PutUint16(maxp[glyphsAt:], uint16(glyphs))
	clear(maxp[zonesAt:partsAt]) // all of it is about instructions
	maxp[zonesAt+1] = 1
	return maxp
}
