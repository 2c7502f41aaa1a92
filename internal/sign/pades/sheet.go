package pades

import (
	"fmt"
	"math"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/pdf"
)

// sheet is a page as it is displayed.
type sheet struct {
	box   pdf.Rect // what is visible of it, in units of the page
	turns int      // quarters of a circle by which it is turned clockwise
	unit  float64  // a unit of the page, in points
}

// openSheet reads what says how a page is displayed.
func openSheet(f *pdf.File, p pdf.Page) (sheet, error) {
	s := sheet{unit: 1}
	var err error
	if s.box, err = visible(f, p); err != nil {
		return s, err
	}
	rotate, err := f.Inherited(p, "Rotate")
	if err != nil {
		return s, err
	}
	if n, ok := rotate.Number(); ok && math.Mod(n, 90) == 0 { // readers take no notice of other angles
		s.turns = (int(n)/90%4 + 4) % 4
	}
	unit, _, err := f.Resolve(p.Dict.Get("UserUnit"))
	if n, ok := unit.Number(); ok && n > 0 {
		s.unit = n
	}
	return s, err
}

// visible is the part of a page that readers show. As they do, it takes a crop box outside of the page for none.
func visible(f *pdf.File, p pdf.Page) (pdf.Rect, error) {
	var boxes [2]pdf.Rect
	for i, key := range []string{"MediaBox", "CropBox"} {
		v, err := f.Inherited(p, key)
		if err != nil {
			return pdf.Rect{}, err
		}
		if boxes[i], err = f.Rect(v); err != nil {
			return pdf.Rect{}, err
		}
	}
	media, crop := boxes[0], boxes[1]
	if media.IsEmpty() {
		return media, fault.New(fault.PDFSealMisplaced, "the page has no size, so that there is no place for the seal")
	}
	if both := media.Intersect(crop); !both.IsEmpty() {
		return both, nil
	}
	return media, nil
}

// displayed returns the size in points that a rectangle of the page has when it is displayed.
func (s sheet) displayed(r pdf.Rect) (width, height float64) {
	width, height = r.Width()*s.unit, r.Height()*s.unit
	if s.turns%2 == 1 {
		return height, width
	}
	return width, height
}

// tolerance is by how many points a seal may be too large, since sizes of pages are often rounded.
const tolerance = 0.01

// place returns where on the page a rectangle of the display lies, or fault.PDFSealMisplaced.
func (s sheet) place(seal *Seal) (pdf.Rect, error) {
	width, height := s.displayed(s.box)
	fits := seal.Left >= 0 && seal.Width > 0 && seal.Left+seal.Width <= width+tolerance &&
		seal.Bottom >= 0 && seal.Height > 0 && seal.Bottom+seal.Height <= height+tolerance
	if !fits {
		return pdf.Rect{}, fault.New(fault.PDFSealMisplaced,
			"page %d shows %.2f by %.2f points, in which a seal of %.2f by %.2f at %.2f, %.2f does not lie", seal.Page,
			width, height, seal.Width, seal.Height, seal.Left, seal.Bottom)
	}
	left, bottom := seal.Left/s.unit, seal.Bottom/s.unit
	right, top := (seal.Left+seal.Width)/s.unit, (seal.Bottom+seal.Height)/s.unit
	b := s.box
	r := [4]pdf.Rect{
		{X0: b.X0 + left, Y0: b.Y0 + bottom, X1: b.X0 + right, Y1: b.Y0 + top},
		{X0: b.X1 - top, Y0: b.Y0 + left, X1: b.X1 - bottom, Y1: b.Y0 + right},
		{X0: b.X1 - right, Y0: b.Y1 - top, X1: b.X1 - left, Y1: b.Y1 - bottom},
		{X0: b.X0 + bottom, Y0: b.Y1 - right, X1: b.X0 + top, Y1: b.Y1 - left},
	}[s.turns]
	return r.Intersect(b), nil
}

// upright turns a drawing of a size so that it stands upright on the page as displayed: the entry of its dictionary that
// says so. The drawing stays in the quadrant where it was.
func (s sheet) upright(width, height float64) string {
	w, h := string(pdf.AppendNumber(nil, width)), string(pdf.AppendNumber(nil, height))
	return [4]string{
		"",
		fmt.Sprintf("/Matrix[0 1 -1 0 %s 0]", h),
		fmt.Sprintf("/Matrix[-1 0 0 -1 %s %s]", w, h),
		fmt.Sprintf("/Matrix[0 -1 1 0 0 %s]", w),
	}[s.turns]
}

// pageFor returns the page that the change is for: the seal's, or the first.
func pageFor(f *pdf.File, c change, seal *Seal) (pdf.Page, error) {
	number := 1
	if c.seal {
		number = seal.Page
	}
	pages := f.Pages()
	if number < 0 {
		pages = f.PagesBackward()
	}
	n := 0
	for p, err := range pages {
		if n++; err != nil || n == number || n == -number {
			return p, err
		}
	}
	if n == 0 {
		return pdf.Page{}, fault.New(fault.PDFNoPage, "the document has no page")
	}
	return pdf.Page{}, fault.New(fault.PDFSealMisplaced, "the document has %d pages and no page %d for the seal", n, number)
}
