package pades_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/pades"
	"bulksigner/internal/sign/pdf"
	"bulksigner/internal/sign/signtest"
)

// logo is an image with a corner of its own colour and a transparent side, so that it is seen which side is up.
func logo(t testing.TB) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, 40, 30))
	for y := range 30 {
		for x := range 40 {
			c := color.NRGBA{200, 30, 30, uint8(6 * x)}
			if x < 20 && y > 15 {
				c = color.NRGBA{0, 60, 160, 255}
			}
			m.Set(x, y, c)
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, m); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// sealed signs with a seal.
func sealed(t testing.TB, doc []byte, s *pades.Seal) ([]byte, error) {
	t.Helper()
	return sign(t, doc, world.ECDSA, func(o *pades.Options) { o.Seal = s })
}

func mustSeal(t testing.TB, doc []byte, s *pades.Seal) []byte {
	t.Helper()
	signed, err := sealed(t, doc, s)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// leaf is a document of one page; above goes into the node above.
func leaf(above, page string) []byte {
	d := signtest.NewDocument("1.7", "\n")
	d.Object(1, "<</Type/Catalog/Pages 2 0 R>>")
	d.Object(2, "<</Type/Pages/Kids[3 0 R]/Count 1"+above+">>")
	d.Object(3, "<</Type/Page/Parent 2 0 R"+page+">>")
	return d.Table(root).Bytes()
}

// TestSealIsUpright renders pages that show the same 200 by 300 points however they are turned and cut, and so must show
// the same seal.
func TestSealIsUpright(t *testing.T) {
	t.Parallel()
	const tall, wide = "/MediaBox[0 0 200 300]", "/MediaBox[0 0 300 200]"
	tests := []struct{ name, above, page string }{
		{"turned by 90", "", wide + "/Rotate 90"},
		{"turned by 180", "", tall + "/Rotate 180"},
		{"turned by 270", "", wide + "/Rotate 270"},
		{"turned by -90", "", wide + "/Rotate -90"},
		{"turned by 450", "", wide + "/Rotate 450"},
		{"turned by 90 from above", wide + "/Rotate 90", ""},
		{"turned by 180 from above", tall + "/Rotate 180", ""},
		{"turned by 270 from above", wide + "/Rotate 270", ""},
		{"not turned, against what is above", "/Rotate 90", tall + "/Rotate 0"},
		{"turned by an angle that does not count", "", tall + "/Rotate 45"},
		{"corners the other way round", "", "/MediaBox[200 300 0 0]"},
		{"begins elsewhere", "", "/MediaBox[-50 -70 150 230]"},
		{"cut", "", "/MediaBox[-100 -100 400 500]/CropBox[11 22 211 322]"},
		{"cut from above", "/MediaBox[-100 -100 400 500]/CropBox[11 22 211 322]", ""},
		{"cut larger than it is", "", tall + "/CropBox[-9 -9 999 999]"},
		{"cut and turned by 90", "/Rotate 90", "/MediaBox[-100 -100 400 500]/CropBox[11 22 311 222]"},
		{"cut and turned by 180", "/Rotate 180", "/MediaBox[-100 -100 400 500]/CropBox[11 22 211 322]"},
		{"cut and turned by 270", "/Rotate 270", "/MediaBox[-100 -100 400 500]/CropBox[11 22 311 222]"},
	}
	seal := &pades.Seal{Page: 1, Left: 30, Bottom: 20, Width: 150, Height: 60, Text: "Assinado por\n{name}", Image: logo(t)}
	want := signtest.Render(t, mustSeal(t, leaf("", tall), seal), 1, 2)
	room := image.Rect(2*30, 2*(300-20-60), 2*(30+150), 2*(300-20))
	if ink := signtest.Ink(want); !ink.In(room) || ink.Dx() < room.Dx()*4/5 || ink.Dy() < room.Dy()*2/3 {
		t.Fatalf("the seal is in %v, want most of %v", ink, room)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			doc := leaf(tt.above, tt.page)
			signed := mustSeal(t, doc, seal)
			judge(t, doc, signed)
			checkWidget(t, signed, 1)
			got := signtest.Render(t, signed, 1, 2)
			if ink := signtest.Ink(got); !ink.In(room) {
				t.Errorf("the seal is in %v, want within %v", ink, room)
			}
			if d := difference(got, want); d > 2 {
				t.Errorf("the page looks other than the one that is not turned, by %.1f in the mean of what is not white", d)
			}
		})
	}
}

// difference is how much two images differ where one of them is not white, in the mean, of 255.
func difference(a, b image.Image) float64 {
	if a.Bounds() != b.Bounds() {
		return math.Inf(1)
	}
	sum, n := 0, 0
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			p, q := color.GrayModel.Convert(a.At(x, y)).(color.Gray).Y, color.GrayModel.Convert(b.At(x, y)).(color.Gray).Y
			if min(p, q) < 250 {
				sum += max(int(p)-int(q), int(q)-int(p))
				n++
			}
		}
	}
	return float64(sum) / float64(max(n, 1))
}

// checkWidget looks at the annotation that was added last to a page, and returns its rectangle.
func checkWidget(t *testing.T, signed []byte, page int) pdf.Rect {
	t.Helper()
	f := opened(t, signed)
	p := pagesOf(t, f)[page-1]
	items := itemsOf(t, f, p.Dict.Get("Annots"))
	w, _, err := f.Dict(pdf.Value(items[len(items)-1]))
	if err != nil {
		t.Fatal(err)
	}
	if flags, _ := f.Int(w.Get("F"), 0); flags&(1<<2) == 0 || flags&(1<<0|1<<1|1<<3|1<<4|1<<5|1<<8) != 0 {
		t.Errorf("the flags of the widget are %b", flags)
	}
	looks, _, err := f.Dict(w.Get("AP"))
	for key := range looks.Entries() {
		if key != "N" {
			t.Errorf("the widget has another look: %s", key)
		}
	}
	if err != nil || looks.IsNull() {
		t.Errorf("the widget has no look: %v", err)
	}
	rect, err := f.Rect(w.Get("Rect"))
	if err != nil {
		t.Fatal(err)
	}
	return rect
}

// TestCorpusIsSealed seals all documents that can be signed, and lets all judges look at them.
func TestCorpusIsSealed(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(signtest.Corpus(t, "pdf"), "*.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		want, refused := refusals[name]
		if own, ok := sealRefusals[name]; ok {
			want, refused = own, true
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			signed, err := sealed(t, doc, &pades.Seal{Page: 1, Left: 5, Bottom: 5, Width: 160, Height: 50, Image: logo(t)})
			if refused {
				if fault.CodeOf(err) != want {
					t.Errorf("Prepare = %v, want %s", err, want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			judge(t, doc, signed)
			compareStructure(t, doc, signed)
			compareWithQPDF(t, doc, signed)
			checkWidget(t, signed, 1)
			checkFont(t, signed)
			if name != "acroform-indirect.pdf" { // whose NeedAppearances makes poppler, and it alone, draw no signature field
				checkSeen(t, doc, signed)
			}
		})
	}
}

// sealRefusals are the documents of the corpus that can be signed, but not with a seal.
var sealRefusals = map[string]fault.Code{
	"certified-p2.pdf":         fault.PDFCertified,
	"large-object-numbers.pdf": fault.PDFSealMisplaced, // its first page is smaller than the seal
}

var fontLine = regexp.MustCompile(`(?m)^[A-Z]{6}\+GoRegular +CID TrueType +Identity-H +yes yes yes `)

func checkFont(t *testing.T, signed []byte) {
	t.Helper()
	if fonts := string(signtest.Poppler(t, signed, "pdffonts", "-l", "1")); !fontLine.MatchString(fonts) {
		t.Errorf("pdffonts sees no embedded subset that can be read as text:\n%s", fonts)
	}
}

// checkSeen wants the first page to have changed where the seal is, and nowhere else.
func checkSeen(t *testing.T, doc, signed []byte) {
	t.Helper()
	before, after := signtest.Render(t, doc, 1, 1), signtest.Render(t, signed, 1, 1)
	var changed image.Rectangle
	for y := range after.Bounds().Dy() {
		for x := range after.Bounds().Dx() {
			if before.At(x, y) != after.At(x, y) {
				changed = changed.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	bottom := after.Bounds().Dy() - 5
	if room := image.Rect(5, bottom-50, 165, bottom).Inset(-1); changed.Empty() || !changed.In(room) {
		t.Errorf("the page changed in %v, want within %v", changed, room)
	}
}
