package typeface_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/sign/pades/typeface"
)

func regular(t testing.TB) *typeface.Font {
	t.Helper()
	f, err := typeface.Regular()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestRegularHasPortuguese(t *testing.T) {
	t.Parallel()
	f := regular(t)
	const needed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 .,:;-+/()'\"&@ºª°§–—“”‘’…€" +
		"ÀÁÂÃÇÉÊÍÓÔÕÚÜÑàáâãçéêíóôõúüñ\u00A0\uFFFD"
	for _, r := range needed {
		if g, ok := f.Glyph(r); !ok || g == 0 || f.Advance(g) == 0 {
			t.Errorf("Glyph(%q) = %d, %t with a width of %d", r, g, ok, f.Advance(g))
		}
	}
	for _, r := range []rune{-1, '\n', 'Ж', '日', '👍', 0x10FFFF, 0xFFFF} {
		if g, ok := f.Glyph(r); ok || g != 0 {
			t.Errorf("Glyph(%q) = %d, %t, want none", r, g, ok)
		}
	}
}

func TestRegularMeasures(t *testing.T) {
	t.Parallel()
	f := regular(t)
	b := f.Bounds()
	if f.UnitsPerEm() != 2048 || f.Ascent() != 1935 || f.Descent() != -432 || b[0] >= 0 || b[1] >= 0 || b[2] <= 2048 || b[3] <= 1480 {
		t.Errorf("em %d, from %d to %d, bounds %v", f.UnitsPerEm(), f.Descent(), f.Ascent(), b)
	}
}

// glyphsOf are the shapes of a text, each as often as it comes.
func glyphsOf(f *typeface.Font, text string) (out []typeface.Glyph) {
	for _, r := range text {
		g, _ := f.Glyph(r)
		out = append(out, g)
	}
	return out
}

func TestSubset(t *testing.T) {
	t.Parallel()
	f := regular(t)
	s := f.Subset(glyphsOf(f, "Ação ação"))
	again := f.Subset(glyphsOf(f, "oãçãoaA çA "))
	if !bytes.Equal(s.File, again.File) || !cmp.Equal(s.Glyphs, again.Glyphs) {
		t.Error("the same characters in another order make another subset")
	}
	if s.Glyphs[0] != 0 || len(s.File) > 4000 {
		t.Errorf("the subset has the glyphs %d and %d bytes", s.Glyphs, len(s.File))
	}
	small, err := typeface.Parse(s.File)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range glyphsOf(f, "Açã o") {
		if n := s.Glyph(g); n == 0 || small.Advance(n) != f.Advance(g) {
			t.Errorf("glyph %d is %d in the subset, with a width of %d, want %d", g, n, small.Advance(n), f.Advance(g))
		}
	}
	if z, _ := f.Glyph('z'); s.Glyph(z) != 0 {
		t.Error("the subset has a glyph that was not asked for")
	}
	if sum := checksum(s.File); sum != 0xB1B0AFBA {
		t.Errorf("the checksum of the whole is %#x", sum)
	}
}

func TestSubsetOfNothing(t *testing.T) {
	t.Parallel()
	f := regular(t)
	s := f.Subset([]typeface.Glyph{60000})
	if !cmp.Equal(s.Glyphs, []typeface.Glyph{0}) {
		t.Errorf("the subset has the glyphs %d, want 0 alone", s.Glyphs)
	}
	if _, err := typeface.Parse(s.File); err != nil {
		t.Error(err)
	}
}

// TestReduce holds that a reduced font says the same about the characters that it kept, and nothing about others.
func TestReduce(t *testing.T) {
	t.Parallel()
	f := regular(t)
	small, err := typeface.Parse(f.Reduce([]rune("zabcãé日b")))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range "zabcãé" {
		old, _ := f.Glyph(r)
		g, ok := small.Glyph(r)
		if !ok || small.Advance(g) != f.Advance(old) {
			t.Errorf("Glyph(%q) = %d, %t with a width of %d, want %d", r, g, ok, small.Advance(g), f.Advance(old))
		}
	}
	for _, r := range "dx日" {
		if _, ok := small.Glyph(r); ok {
			t.Errorf("the reduced font has %q", r)
		}
	}
}

func checksum(b []byte) (sum uint32) {
	for len(b) >= 4 {
		sum += binary.BigEndian.Uint32(b)
		b = b[4:]
	}
	return sum
}

func FuzzParse(f *testing.F) {
	font := regular(f)
	f.Add(font.Reduce([]rune("ãb")), 'ã')
	f.Add(tiny(), 'b')
	f.Fuzz(func(t *testing.T, file []byte, r rune) {
		font, err := typeface.Parse(file)
		if err != nil {
			return
		}
		g, _ := font.Glyph(r)
		s := font.Subset([]typeface.Glyph{g, 1, 2, 0xFFFF})
		if _, err := typeface.Parse(s.File); err != nil {
			t.Errorf("the subset cannot be read: %v", err)
		}
		font.Reduce([]rune{r, 'a', 'b'})
		_, _, _, _, _ = font.UnitsPerEm(), font.Ascent(), font.Descent(), font.Bounds(), font.Advance(g)
	})
}
