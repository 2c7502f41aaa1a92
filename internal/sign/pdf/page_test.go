package pdf_test

import (
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/pdf"
	"bulksigner/internal/sign/signtest"
)

// tree is a document whose pages are 3 to 6, below nodes of which some have attributes.
func tree() []byte {
	d := signtest.NewDocument("1.7", "\n")
	d.Object(1, "<</Type/Catalog/Pages 2 0 R>>")
	d.Object(2, "<</Type/Pages/Kids[3 0 R null 7 0 R 9 0 R 6 0 R]/MediaBox[0 0 100 100]/Rotate 8 0 R>>")
	d.Object(3, "<</Type/Page/Rotate 180>>")
	d.Object(4, "<</Type/Page/MediaBox null>>")
	d.Object(5, "<</Type/Page/MediaBox[0 0 3 3]>>")
	d.Object(6, "<</Type/Page>>")
	d.Object(7, "<</Type/Pages/Kids[4 0 R 5 0 R]/MediaBox[0 0 2 2]>>")
	d.Object(8, "90")
	return d.Table("/Root 1 0 R").Bytes()
}

func numbers(t *testing.T, pages iter.Seq2[pdf.Page, error]) (out []int) {
	t.Helper()
	for p, err := range pages {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p.Ref.Num)
	}
	return out
}

func TestPagesInBothDirections(t *testing.T) {
	t.Parallel()
	f := open(t, tree())
	if got, want := numbers(t, f.Pages()), []int{3, 4, 5, 6}; !slices.Equal(got, want) {
		t.Errorf("Pages = %v, want %v", got, want)
	}
	if got, want := numbers(t, f.PagesBackward()), []int{6, 5, 4, 3}; !slices.Equal(got, want) {
		t.Errorf("PagesBackward = %v, want %v", got, want)
	}
}

func TestInherited(t *testing.T) {
	t.Parallel()
	f := open(t, tree())
	want := map[int]string{3: "[0 0 100 100] 180", 4: "[0 0 2 2] 90", 5: "[0 0 3 3] 90", 6: "[0 0 100 100] 90"}
	for _, pages := range []iter.Seq2[pdf.Page, error]{f.Pages(), f.PagesBackward()} {
		for p, err := range pages {
			if err != nil {
				t.Fatal(err)
			}
			box, err1 := f.Inherited(p, "MediaBox")
			rotate, err2 := f.Inherited(p, "Rotate")
			if got := string(box) + " " + string(rotate); got != want[p.Ref.Num] || err1 != nil || err2 != nil {
				t.Errorf("page %d has %s, %v, %v, want %s", p.Ref.Num, got, err1, err2, want[p.Ref.Num])
			}
			if none, err := f.Inherited(p, "CropBox"); !none.IsNull() || err != nil {
				t.Errorf("page %d has the crop box %s, %v", p.Ref.Num, none, err)
			}
		}
	}
}

func TestPagesBackwardRefuse(t *testing.T) {
	t.Parallel()
	for name, kids := range map[string]string{
		"circle":        "3 0 R 2 0 R",
		"twice":         "3 0 R 3 0 R",
		"direct page":   "3 0 R<</Type/Page>>",
		"numbers":       strings.Repeat("1 ", 1000),
		"a stray brace": "3 0 R }",
	} {
		d := signtest.OnePage("", "")
		d.Object(2, "<</Type/Pages/Kids["+kids+"]>>")
		f := open(t, d.Table("/Root 1 0 R").Bytes())
		var err error
		for _, err = range f.PagesBackward() {
			if err != nil {
				break
			}
		}
		if !errors.Is(err, fault.PDFMalformed) {
			t.Errorf("%s: PagesBackward = %v, want %s", name, err, fault.PDFMalformed)
		}
	}
}
