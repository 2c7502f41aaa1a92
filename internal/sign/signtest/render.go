package signtest

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// Poppler returns what one of poppler's tools writes about a document, as pdftotext or pdffonts. before are its options.
func Poppler(t testing.TB, doc []byte, tool string, before ...string) []byte {
	t.Helper()
	path, file := Tool(t, tool, "poppler-utils"), filepath.Join(t.TempDir(), "document.pdf")
	if err := os.WriteFile(file, doc, 0o600); err != nil {
		t.Fatal(err)
	}
	args := append(before, file)
	if tool == "pdftotext" {
		args = append(args, "-")
	}
	out, err := exec.CommandContext(t.Context(), path, args...).Output()
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return out
}

// Render returns what is visible of a page, at a number of pixels for a point.
func Render(t testing.TB, doc []byte, page, pixels int) image.Image {
	t.Helper()
	n := strconv.Itoa(page)
	out := Poppler(t, doc, "pdftoppm", "-png", "-cropbox", "-r", strconv.Itoa(72*pixels), "-f", n, "-l", n)
	m, err := png.Decode(bytes.NewReader(out))
	if err != nil {
		t.Fatalf("pdftoppm: %v", err)
	}
	return m
}

// Ink returns the rectangle that holds all of an image that is not white, from the upper left corner.
func Ink(m image.Image) (ink image.Rectangle) {
	const white = 0xF000
	b := m.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if red, green, blue, _ := m.At(x, y).RGBA(); min(red, green, blue) < white {
				ink = ink.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return ink
}
