package pades_test

import (
	"errors"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/pades"
	"bulksigner/internal/sign/pdf"
	"bulksigner/internal/sign/signtest"
)

// sealHere fills the field Here with a seal, whose own place is none.
func sealHere(t *testing.T, doc []byte) ([]byte, error) {
	t.Helper()
	return sign(t, doc, world.ECDSA, func(o *pades.Options) {
		o.Field, o.Seal = "Here", &pades.Seal{Page: 99, Left: -5, Text: "{name}", Image: logo(t)}
	})
}

// template is a document with a turned page and the field Here on it. field is added to its widget.
func template(turned, field string) []byte {
	d := signtest.NewDocument("1.7", "\n")
	d.Object(1, "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[10 0 R]>>>>")
	d.Object(2, "<</Type/Pages/Kids[4 0 R 3 0 R]/Count 2/MediaBox[0 0 300 200]>>")
	d.Object(3, "<</Type/Page/Parent 2 0 R/Annots[10 0 R]"+turned+">>")
	d.Object(4, "<</Type/Page/Parent 2 0 R>>")
	d.Object(10, "<</Type/Annot/Subtype/Widget/FT/Sig/T(Here)"+field+">>")
	return d.Table(root).Bytes()
}

func TestSealInAField(t *testing.T) {
	t.Parallel()
	const rect = "/Rect[40 50 200 110]"
	tests := []struct {
		name, turned, field string
		room                image.Rectangle // as displayed, from the upper left corner
	}{
		{"names its page", "", rect + "/P 3 0 R", image.Rect(40, 90, 200, 150)},
		{"is listed by its page", "", rect, image.Rect(40, 90, 200, 150)},
		{"turned by 90", "/Rotate 90", "/Rect[40 20 100 180]", image.Rect(20, 40, 180, 100)},
		{"turned by 180", "/Rotate 180", rect, image.Rect(100, 50, 260, 110)},
		{"turned by 270", "/Rotate 270", "/Rect[40 20 100 180]", image.Rect(20, 200, 180, 260)},
		{"hidden", "", rect + "/F 34", image.Rect(40, 90, 200, 150)},
		{"does not turn with its page", "/Rotate 90", "/Rect[40 20 100 180]/F 16", image.Rect(20, 40, 180, 100)},
		{"has looks already", "", rect + "/AP<</N 4 0 R/D 4 0 R/R 4 0 R>>", image.Rect(40, 90, 200, 150)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			doc := template(tt.turned, tt.field)
			signed, err := sealHere(t, doc)
			if err != nil {
				t.Fatal(err)
			}
			judge(t, doc, signed)
			if got := checkWidget(t, signed, 2); !strings.Contains(tt.field, "/Rect"+got.String()) {
				t.Errorf("the rectangle is %v now", got)
			}
			ink := signtest.Ink(signtest.Render(t, signed, 2, 1))
			if !ink.In(tt.room) || ink.Dx() < tt.room.Dx()*2/3 || ink.Dy() < tt.room.Dy()*2/3 {
				t.Errorf("the seal is in %v, want most of %v", ink, tt.room)
			}
			if ink := signtest.Ink(signtest.Render(t, signed, 1, 1)); !ink.Empty() {
				t.Errorf("the other page has something in %v", ink)
			}
		})
	}
}

// TestSealInAWidgetOfItsOwn fills a field whose widget is another object: the value goes into one, the look into the other.
func TestSealInAWidgetOfItsOwn(t *testing.T) {
	t.Parallel()
	d := signtest.OnePage("/AcroForm<</Fields[10 0 R]>>", "/Annots[12 0 R]")
	d.Object(10, "<</FT/Sig/T(Here)/Kids[12 0 R]>>")
	d.Object(12, "<</Type/Annot/Subtype/Widget/Parent 10 0 R/Rect[5 5 95 45]>>")
	doc := d.Table(root).Bytes()
	signed, err := sealHere(t, doc)
	if err != nil {
		t.Fatal(err)
	}
	signature, content := take(t, signed, len(doc)) // pdfsig and mutool look for the value in the widget, where it is not
	if err := world.OpenSSL(t, signature, content); err != nil {
		t.Error(err)
	}
	if got, want := checkWidget(t, signed, 1), (pdf.Rect{X0: 5, Y0: 5, X1: 95, Y1: 45}); got != want {
		t.Errorf("the rectangle is %v, want %v", got, want)
	}
	if ink, room := signtest.Ink(signtest.Render(t, signed, 1, 1)), image.Rect(5, 55, 95, 95); ink.Empty() || !ink.In(room) {
		t.Errorf("the seal is in %v, want within %v", ink, room)
	}
}

func TestFieldWithoutRoom(t *testing.T) {
	t.Parallel()
	stray := signtest.OnePage("/AcroForm<</Fields[10 0 R]>>", "")
	stray.Object(10, "<</FT/Sig/T(Here)/Subtype/Widget/Rect[0 0 50 50]>>")
	tests := []struct {
		name string
		doc  []byte
		want fault.Code
		says string
	}{
		{"no rectangle", template("", ""), fault.PDFSealMisplaced, "stands on no page"},
		{"no size", template("", "/Rect[0 0 0 0]"), fault.PDFSealMisplaced, "it is invisible"},
		{"half a rectangle", template("", "/Rect[0 0]"), fault.PDFMalformed, "rectangle"},
		{"on a page that is none", template("", "/Rect[0 0 50 50]/P 1 0 R"), fault.PDFSealMisplaced, "stands on no page"},
		{"listed by no page", stray.Table(root).Bytes(), fault.PDFSealMisplaced, "stands on no page"},
		{"too small", template("", "/Rect[0 0 9 9]"), fault.PDFSealMisplaced, "not even at 4 points"},
	}
	for _, tt := range tests {
		if _, err := sealHere(t, tt.doc); !errors.Is(err, tt.want) || !strings.Contains(fault.DetailOf(err), tt.says) {
			t.Errorf("%s: Prepare = %v, want %v saying %q", tt.name, err, tt.want, tt.says)
		}
	}
}

// TestSealInACertifiedField: filling a field that is there is what a certification of forms allows.
func TestSealInACertifiedField(t *testing.T) {
	t.Parallel()
	d := signtest.OnePage("/AcroForm<</Fields[10 0 R]>>/Perms<</DocMDP<</Type/Sig/Reference[<</TransformMethod/DocMDP"+
		"/TransformParams<</P 2>>>>]>>>>", "/Annots[10 0 R]")
	d.Object(10, "<</FT/Sig/T(Here)"+widget+">>")
	if _, err := sealHere(t, d.Table(root).Bytes()); err != nil {
		t.Errorf("Prepare = %v", err)
	}
}

func TestCorpusFieldIsSealed(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile(filepath.Join(signtest.Corpus(t, "pdf"), "empty-signature-fields.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	signed, err := sign(t, doc, world.RSA, func(o *pades.Options) {
		o.Field, o.Seal = "SignatureEmployee", &pades.Seal{Image: logo(t)}
	})
	if err != nil {
		t.Fatal(err)
	}
	judge(t, doc, signed)
	checkFont(t, signed)
	if text := string(signtest.Poppler(t, signed, "pdftotext")); !strings.Contains(text, "MARIA DE TESTE") {
		t.Errorf("pdftotext does not read the seal:\n%s", text)
	}
}
