package pades_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bulksigner/internal/sign/pades"
	"bulksigner/internal/sign/signtest"
)

// photo is the logo as a file of JPEG.
func photo(t *testing.T) []byte {
	t.Helper()
	m, err := png.Decode(bytes.NewReader(logo(t)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, m, nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func greyLogo(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, 20, 10))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestPDFAKeepsItsConformance lets veraPDF judge documents of PDF/A, sealed in several ways and not at all.
func TestPDFAKeepsItsConformance(t *testing.T) {
	t.Parallel()
	seals := []*pades.Seal{nil}
	for _, img := range [][]byte{nil, logo(t), greyLogo(t), photo(t)} {
		seals = append(seals, &pades.Seal{Page: 1, Left: 10, Bottom: 10, Width: 200, Height: 60, Text: "{name} \u00A0 日本 ção", Image: img})
	}
	var docs [][]byte
	var want []string
	for _, level := range []string{"1b", "2b", "3b"} {
		doc, err := os.ReadFile(filepath.Join(signtest.Corpus(t, "pdf"), "pdfa-"+level+".pdf"))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range seals {
			docs, want = append(docs, mustSeal(t, doc, s)), append(want, level)
		}
	}
	if got := signtest.VeraPDF(t, docs...); !slices.Equal(got, want) {
		t.Errorf("veraPDF says %q, want %q", got, want)
	}
}

// TestPDFAJudgeSeesMistakes is the control: what a seal must not have breaks the rules.
func TestPDFAJudgeSeesMistakes(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile(filepath.Join(signtest.Corpus(t, "pdf"), "pdfa-1b.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	signed := mustSeal(t, doc, &pades.Seal{Page: 1, Left: 10, Bottom: 10, Width: 200, Height: 60, Image: logo(t)})
	rules := map[string][2]string{
		"6.5.3-2": {"/F 132", "/F 128"},         // not printed
		"6.3.4-1": {"/FontFile2", "/FontFileX"}, // font not embedded
		"6.3.5-3": {"/CIDSet", "/CIDSex"},       // no set of its glyphs
		"6.3.6-1": {"/W[0[", "/W[9["},           // other widths than the font has
	}
	var docs [][]byte
	var want []string
	for rule, r := range rules {
		docs, want = append(docs, bytes.ReplaceAll(signed, []byte(r[0]), []byte(r[1]))), append(want, rule)
	}
	for i, got := range signtest.VeraPDF(t, docs...) {
		if !strings.Contains(got, want[i]) {
			t.Errorf("veraPDF says %q about a document that breaks %s", got, want[i])
		}
	}
}
