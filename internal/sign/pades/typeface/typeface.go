// Package typeface holds the font that seals are written in, and cuts subsets out of it.
//
// The font is Go Regular by Bigelow & Holmes (see LICENSE), reduced by gen.go to the Latin script with its punctuation and
// freed of its instructions for coarse screens. A subset is a TrueType font with the outlines of the glyphs asked for and
// of those that they are composed of, as ISO 32000-1, 9.9, wants it inside a PDF. The same glyphs give the same bytes. What
// a damaged font lacks reads as zero; it may look wrong, but cannot do harm. What is written is left to pades.
package typeface

import (
	_ "embed" // for the font
	"encoding/binary"
	"errors"
	"sync"
)

//go:generate go run gen.go -o regular.ttf Go-Regular.ttf

//go:embed regular.ttf
var regular []byte

// Regular returns the font of seals. It is read once.
var Regular = sync.OnceValues(func() (*Font, error) { return Parse(regular) })

// Glyph is the number of a shape in a font. Shape 0 stands for characters that the font does not have.
type Glyph uint16

// Font is a TrueType font. It may be used concurrently.
type Font struct {
	tables map[string]table
	glyphs int
	long   bool // the offsets of the outlines have four bytes
	cmap   table
}

// needed are the tables of every TrueType font that has a use in a PDF, in the order in which they are written.
var needed = []string{"glyf", "head", "hhea", "hmtx", "loca", "maxp"}

const (
	headerSize = 12
	recordSize = 16
	headSize   = 54
	hheaSize   = 36
	maxpSize   = 32
	maxTables  = 64
)

// Parse reads a font with TrueType outlines.
func Parse(file []byte) (*Font, error) {
	whole := table(file)
	if whole.u32(0) != 0x00010000 {
		return nil, errors.New("this is not a TrueType font")
	}
	f := &Font{tables: map[string]table{}}
	for i := range min(whole.u16(4), maxTables) {
		record := whole.from(headerSize + i*recordSize)
		f.tables[string(record.first(4))] = whole.from(int(record.u32(8))).first(int(record.u32(12)))
	}
	for _, name := range needed {
		if len(f.tables[name]) == 0 {
			return nil, errors.New("the font has no table " + name)
		}
	}
	if len(f.tables["head"]) < headSize || len(f.tables["hhea"]) < hheaSize || len(f.tables["maxp"]) < maxpSize {
		return nil, errors.New("the font has tables that are too short")
	}
	f.glyphs, f.long = f.tables["maxp"].u16(4), f.tables["head"].u16(50) != 0
	f.cmap = unicode(f.tables["cmap"])
	return f, nil
}

// Tables that describe the font as a whole.
func (f *Font) head() table { return f.tables["head"] }
func (f *Font) hhea() table { return f.tables["hhea"] }

// UnitsPerEm is the size of the font in its own units, in which all other measures are.
func (f *Font) UnitsPerEm() int { return max(f.head().u16(18), 1) }

// Ascent is how far the font reaches above the line that it stands on.
func (f *Font) Ascent() int { return f.hhea().i16(4) }

// Descent is how far the font reaches below that line, as a negative number.
func (f *Font) Descent() int { return f.hhea().i16(6) }

// Bounds is the rectangle that holds every glyph: left, bottom, right and top.
func (f *Font) Bounds() [4]int {
	h := f.head()
	return [4]int{h.i16(36), h.i16(38), h.i16(40), h.i16(42)}
}

// Advance is the width of a glyph with the space around it.
func (f *Font) Advance(g Glyph) int { return f.metrics(g).u16(0) }

// metrics returns the four bytes of advance and left side bearing. The last advance stands for all further glyphs.
func (f *Font) metrics(g Glyph) table {
	hmtx, full := f.tables["hmtx"], f.hhea().u16(34)
	if int(g) < full || full == 0 {
		return hmtx.from(4 * int(g)).first(4)
	}
	out := make(table, 0, 4)
	out = binary.BigEndian.AppendUint16(out, uint16(hmtx.u16(4*(full-1))))
	return binary.BigEndian.AppendUint16(out, uint16(hmtx.u16(4*full+2*(int(g)-full))))
}

// outline returns the description of a glyph, empty for one that shows nothing.
func (f *Font) outline(g Glyph) table {
	if int(g) >= f.glyphs {
		return nil
	}
	loca := f.tables["loca"]
	from, to := 2*loca.u16(2*int(g)), 2*loca.u16(2*int(g)+2)
	if f.long {
		from, to = int(loca.u32(4*int(g))), int(loca.u32(4*int(g)+4))
	}
	return f.tables["glyf"].from(from).first(to - from)
}

// table is a part of a font. Beyond its end there are zeros.
type table []byte

func (t table) from(at int) table {
	if at < 0 || at > len(t) {
		return nil
	}
	return t[at:]
}

func (t table) first(n int) table { return t[:max(0, min(n, len(t)))] }

func (t table) u16(at int) int {
	b := t.from(at)
	if len(b) < 2 {
		return 0
	}
	return int(binary.BigEndian.Uint16(b))
}

func (t table) i16(at int) int { return int(int16(t.u16(at))) }

func (t table) u32(at int) uint32 { return uint32(t.u16(at))<<16 | uint32(t.u16(at+2)) }
