package typeface_test

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
	"testing"

	"bulksigner/internal/sign/pades/typeface"
)

// tiny is a font made by hand: 1 is a simple outline, 2 is composed of 1 twice, 3 shows nothing, 4 is composed of itself, 5 of 3.
// The first two have instructions. Offsets are short, and the last glyphs share an advance.
func tiny() []byte {
	simple := slices.Concat(simpleOutline, u16(3), []byte{0xB0, 1, 2}, points, []byte{0})
	composed := slices.Concat(u16(0xFFFF, 0, 0, 100, 100),
		u16(1<<5|1, 1, 10, 20),                          // words, more to come
		u16(1<<5|1<<7, 1, 0x0102, 0x4000, 0, 0, 0x4000), // bytes and a matrix, more to come
		u16(1<<8|1<<3, 3, 0, 0x4000),                    // a scale, then instructions
		u16(2), []byte{0xB0, 1})
	circular := u16(0xFFFF, 0, 0, 100, 100, 0, 4, 0)
	last := u16(0xFFFF, 0, 0, 100, 100, 0, 3, 0x0506)
	var glyf, loca []byte
	for _, outline := range [][]byte{{}, simple, composed, {}, circular, last} {
		loca = append(loca, u16(len(glyf)/2)...)
		glyf = append(glyf, append(outline, make([]byte, -len(outline)&3)...)...)
	}
	loca = append(loca, u16(len(glyf)/2)...)
	head, hhea, maxp := make([]byte, 54), make([]byte, 36), make([]byte, 32)
	binary.BigEndian.PutUint16(head[18:], 1000)
	binary.BigEndian.PutUint16(hhea[34:], 3)
	binary.BigEndian.PutUint16(maxp[4:], 6)
	return font(map[string][]byte{
		"glyf": glyf, "loca": loca, "head": head, "hhea": hhea, "maxp": maxp,
		"hmtx": u16(500, 0, 600, 1, 700, 2, 3, 4, 5),
		// one segment from a to d that lists its glyphs
		"cmap": u16(0, 1, 3, 1, 0, 12, 4, 40, 0, 4, 4, 1, 0, 'd', 0xFFFF, 0, 'a', 0xFFFF, 0, 1, 4, 0, 0, 1, 2, 3),
	})
}

var (
	simpleOutline = u16(1, 0, 0, 100, 100, 2) // one contour, which ends with the third point
	points        = []byte{0x37, 0x37, 0x37, 10, 20, 30, 10, 20, 30}
)

func u16(values ...int) (out []byte) {
	for _, v := range values {
		out = binary.BigEndian.AppendUint16(out, uint16(v))
	}
	return out
}

func font(tables map[string][]byte) []byte {
	names := slices.Sorted(maps.Keys(tables))
	out := append(u16(1, 0, len(names)), make([]byte, 6)...)
	var body []byte
	for _, name := range names {
		out = append(append(out, name...), 0, 0, 0, 0)
		out = binary.BigEndian.AppendUint32(out, uint32(12+16*len(names)+len(body)))
		out = binary.BigEndian.AppendUint32(out, uint32(len(tables[name])))
		body = append(body, tables[name]...)
	}
	return append(out, body...)
}

func TestTinyFont(t *testing.T) {
	t.Parallel()
	f, err := typeface.Parse(tiny())
	if err != nil {
		t.Fatal(err)
	}
	for r, want := range map[rune]typeface.Glyph{'a': 0, 'b': 1, 'c': 2, 'd': 3, 'e': 0, 'A': 0} {
		if g, ok := f.Glyph(r); g != want || ok != (want != 0) {
			t.Errorf("Glyph(%q) = %d, %t, want %d", r, g, ok, want)
		}
	}
	for g, want := range map[typeface.Glyph]int{0: 500, 1: 600, 2: 700, 3: 700, 4: 700} {
		if got := f.Advance(g); got != want {
			t.Errorf("Advance(%d) = %d, want %d", g, got, want)
		}
	}
}

// TestInstructionsAreLeftOut compares the outlines of a subset with those that were made by hand.
func TestInstructionsAreLeftOut(t *testing.T) {
	t.Parallel()
	f, err := typeface.Parse(tiny())
	if err != nil {
		t.Fatal(err)
	}
	s := f.Subset([]typeface.Glyph{2})
	if want := []typeface.Glyph{0, 1, 2, 3}; !slices.Equal(s.Glyphs, want) {
		t.Fatalf("the subset has the glyphs %d, want %d", s.Glyphs, want)
	}
	if want := slices.Concat(simpleOutline, u16(0), points); !bytes.Contains(s.File, want) {
		t.Error("the simple outline is not as it was, without instructions")
	}
	if want := u16(1<<3, 3, 0, 0x4000); !bytes.Contains(s.File, want) || bytes.Contains(s.File, []byte{0xB0, 1}) {
		t.Error("the composed outline is not as it was, without instructions")
	}
}

func TestComponentsAreRenumbered(t *testing.T) {
	t.Parallel()
	f, err := typeface.Parse(tiny())
	if err != nil {
		t.Fatal(err)
	}
	s := f.Subset([]typeface.Glyph{5})
	if want := []typeface.Glyph{0, 3, 5}; !slices.Equal(s.Glyphs, want) {
		t.Fatalf("the subset has the glyphs %d, want %d", s.Glyphs, want)
	}
	if want := u16(0xFFFF, 0, 0, 100, 100, 0, 1, 0x0506); !bytes.Contains(s.File, want) {
		t.Error("the part of the outline has not its new number")
	}
}

func TestCircularOutline(t *testing.T) {
	t.Parallel()
	f, err := typeface.Parse(tiny())
	if err != nil {
		t.Fatal(err)
	}
	if s := f.Subset([]typeface.Glyph{4}); !slices.Equal(s.Glyphs, []typeface.Glyph{0, 4}) {
		t.Errorf("the subset has the glyphs %d, want 0 and 4", s.Glyphs)
	}
}

func TestNoFont(t *testing.T) {
	t.Parallel()
	whole := tiny()
	for name, file := range map[string][]byte{
		"nothing":      nil,
		"text":         []byte("no font at all"),
		"OpenType CFF": append([]byte("OTTO"), whole[4:]...),
		"cut off":      whole[:40],
		"short head":   font(map[string][]byte{"glyf": {0}, "head": {0}, "hhea": {0}, "hmtx": {0}, "loca": {0}, "maxp": {0}}),
	} {
		if _, err := typeface.Parse(file); err == nil {
			t.Errorf("%s is taken for a font", name)
		}
	}
}
