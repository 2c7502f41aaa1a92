package pades_test

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/pades"
	"bulksigner/internal/sign/pdf"
	"bulksigner/internal/sign/signtest"
)

// pages is a document of n pages in a tree of two levels, the last of them of another size.
func pages(n int) []byte {
	d := signtest.NewDocument("1.7", "\n")
	d.Object(1, "<</Type/Catalog/Pages 2 0 R>>")
	var kids strings.Builder
	for i := range n {
		fmt.Fprintf(&kids, "%d 0 R ", 10+i)
		d.Object(10+i, fmt.Sprintf("<</Type/Page/Parent 3 0 R/MediaBox[0 0 %d 100]>>", 100+10*i))
	}
	d.Object(2, "<</Type/Pages/Kids[3 0 R]/Count "+strconv.Itoa(n)+">>")
	d.Object(3, "<</Type/Pages/Parent 2 0 R/Kids["+kids.String()+"]/Count "+strconv.Itoa(n)+">>")
	return d.Table(root).Bytes()
}

func TestSealOnAPage(t *testing.T) {
	t.Parallel()
	doc := pages(5)
	for number, want := range map[int]int{1: 1, 3: 3, 5: 5, -1: 5, -2: 4, -5: 1} {
		signed := mustSeal(t, doc, &pades.Seal{Page: number, Left: 10, Bottom: 10, Width: 80, Height: 40})
		rect := checkWidget(t, signed, want)
		if rect != (pdf.Rect{X0: 10, Y0: 10, X1: 90, Y1: 50}) {
			t.Errorf("page %d: the rectangle is %v", number, rect)
		}
		judge(t, doc, signed)
	}
}

// TestSealInPoints holds that units of a page that are not points make the seal no larger and no smaller.
func TestSealInPoints(t *testing.T) {
	t.Parallel()
	seal := &pades.Seal{Page: 1, Left: 30, Bottom: 20, Width: 150, Height: 60}
	for page, want := range map[string]pdf.Rect{
		"/MediaBox[0 0 100 150]/UserUnit 2":             {X0: 15, Y0: 10, X1: 90, Y1: 40},
		"/MediaBox[10 10 160 110]/UserUnit 2/Rotate 90": {X0: 120, Y0: 25, X1: 150, Y1: 100},
		"/MediaBox[0 0 400 600]/UserUnit 0.5":           {X0: 60, Y0: 40, X1: 360, Y1: 160},
		"/MediaBox[0 0 200 300]/UserUnit -1":            {X0: 30, Y0: 20, X1: 180, Y1: 80},
		"/MediaBox[9 9 200 300]/CropBox[500 0 600 100]": {X0: 39, Y0: 29, X1: 189, Y1: 89}, // which leaves nothing to show
	} {
		signed := mustSeal(t, leaf("", page), seal)
		if got := checkWidget(t, signed, 1); got != want {
			t.Errorf("%s: the rectangle is %v, want %v", page, got, want)
		}
		if !strings.Contains(string(signed), "/BBox[0 0 150 60]") {
			t.Errorf("%s: the drawing is not 150 by 60 points", page)
		}
	}
}

func TestSealMisplaced(t *testing.T) {
	t.Parallel()
	const page = "/MediaBox[0 0 400 500]/CropBox[100 100 300 250]/Rotate 90" // shows 150 by 200 points
	tests := []struct {
		name string
		page string
		seal *pades.Seal
		want error
		says string
	}{
		{"all of the page", page, &pades.Seal{Page: 1, Width: 150, Height: 200}, nil, ""},
		{"rounded up", page, &pades.Seal{Page: 1, Width: 150.009, Height: 200.009}, nil, ""},
		{"too wide", page, &pades.Seal{Page: 1, Width: 151, Height: 100}, fault.PDFSealMisplaced, "shows 150.00 by 200.00 points"},
		{"too high", page, &pades.Seal{Page: 1, Width: 100, Height: 201}, fault.PDFSealMisplaced, "100.00 by 201.00 at 0.00, 0.00"},
		{"beyond the right", page, &pades.Seal{Page: 1, Left: 60, Width: 100, Height: 50}, fault.PDFSealMisplaced, "does not lie"},
		{"beyond the top", page, &pades.Seal{Page: 1, Bottom: 160, Width: 100, Height: 50}, fault.PDFSealMisplaced, "does not lie"},
		{"left of the page", page, &pades.Seal{Page: 1, Left: -1, Width: 100, Height: 50}, fault.PDFSealMisplaced, "does not lie"},
		{"below the page", page, &pades.Seal{Page: 1, Bottom: -1, Width: 100, Height: 50}, fault.PDFSealMisplaced, "does not lie"},
		{"no width", page, &pades.Seal{Page: 1, Height: 50}, fault.PDFSealMisplaced, "does not lie"},
		{"negative height", page, &pades.Seal{Page: 1, Bottom: 50, Width: 50, Height: -40}, fault.PDFSealMisplaced, "does not lie"},
		{"not a number", page, &pades.Seal{Page: 1, Left: math.NaN(), Width: 100, Height: 50}, fault.PDFSealMisplaced, "does not lie"},
		{"endless", page, &pades.Seal{Page: 1, Width: math.Inf(1), Height: 50}, fault.PDFSealMisplaced, "does not lie"},
		{"page 2", page, &pades.Seal{Page: 2, Width: 100, Height: 50}, fault.PDFSealMisplaced, "has 1 pages and no page 2"},
		{"page -2", page, &pades.Seal{Page: -2, Width: 100, Height: 50}, fault.PDFSealMisplaced, "no page -2"},
		{"page 0", page, &pades.Seal{Width: 100, Height: 50}, fault.PDFSealMisplaced, "no page 0"},
		{"page without a size", "", &pades.Seal{Page: 1, Width: 100, Height: 50}, fault.PDFSealMisplaced, "no size"},
		{"page of no size", "/MediaBox[0 0 0 100]", &pades.Seal{Page: 1, Width: 100, Height: 50}, fault.PDFSealMisplaced, "no size"},
		{"page with a strange size", "/MediaBox[0 0 /A4]", &pades.Seal{Page: 1, Width: 100, Height: 50}, fault.PDFMalformed, "rectangle"},
		{"too small for its text", page, &pades.Seal{Page: 1, Width: 20, Height: 20}, fault.PDFSealMisplaced, "not even at 4 points"},
		{"thinner than a letter", page, &pades.Seal{Page: 1, Width: 1, Height: 100}, fault.PDFSealMisplaced, "not even at 4 points"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			signed, err := sealed(t, leaf("", tt.page), tt.seal)
			if !errors.Is(err, tt.want) || !strings.Contains(fault.DetailOf(err), tt.says) {
				t.Fatalf("Prepare = %v, want %v saying %q", err, tt.want, tt.says)
			}
			if err != nil {
				return
			}
			visible := pdf.Rect{X0: 100, Y0: 100, X1: 300, Y1: 250}
			if r := checkWidget(t, signed, 1); r != r.Intersect(visible) {
				t.Errorf("the seal is at %v, not within %v", r, visible)
			}
		})
	}
}

// TestSealAndCertification: a certification that allows signatures still counts a new visible one as a change of the page.
func TestSealAndCertification(t *testing.T) {
	t.Parallel()
	certified := func(p string) []byte {
		return onePage("/AcroForm<</Fields[]>>/Perms<</DocMDP<</Type/Sig/Reference[<</TransformMethod/DocMDP/TransformParams<<"+
			p+">>>>]>>>>", "")
	}
	for p, want := range map[string]error{"/P 1": fault.PDFCertified, "/P 2": fault.PDFCertified, "": fault.PDFCertified, "/P 3": nil} {
		if _, err := sealed(t, certified(p), &pades.Seal{Page: 1, Width: 100, Height: 50}); !errors.Is(err, want) {
			t.Errorf("certified with %q: Prepare = %v, want %v", p, err, want)
		}
	}
	if _, err := sealed(t, certified("/P 2"), nil); err != nil {
		t.Errorf("without a seal: %v", err)
	}
}
