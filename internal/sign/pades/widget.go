package pades

import (
	"strconv"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/pdf"
)

// Flags of an annotation (ISO 32000-1, table 165).
const (
	flagInvisible    = 1 << 0
	flagHidden       = 1 << 1
	flagPrint        = 1 << 2
	flagNoZoom       = 1 << 3
	flagNoRotate     = 1 << 4
	flagNoView       = 1 << 5
	flagLocked       = 1 << 7
	flagToggleNoView = 1 << 8

	// notForSeals are flags under which a seal is not seen, or not where and how it was drawn.
	notForSeals = flagInvisible | flagHidden | flagNoZoom | flagNoRotate | flagNoView | flagToggleNoView
)

// sealPage draws the seal for a new field, as the object look, and returns where on the page the field is.
func (l *layout) sealPage(page pdf.Page, look pdf.Ref) (pdf.Rect, error) {
	s, err := openSheet(l.file, page)
	if err != nil {
		return pdf.Rect{}, err
	}
	rect, err := s.place(l.options.Seal)
	if err != nil {
		return pdf.Rect{}, err
	}
	width, height := l.options.Seal.Width, l.options.Seal.Height
	return rect, l.options.art.draw(l.update, look, width, height, s.upright(width, height))
}

// sealField draws the seal in the rectangle of the field that is filled.
func (l *layout) sealField(field *field) error {
	w, err := l.widgetOf(field)
	if err != nil {
		return err
	}
	rect, err := l.file.Rect(w.dict.Get("Rect"))
	if err != nil {
		return err
	}
	if rect.IsEmpty() {
		return misplaced(l.options, "has no room for a seal: it is invisible")
	}
	page, err := l.pageOf(w)
	if err != nil {
		return err
	}
	s, err := openSheet(l.file, page)
	if err != nil {
		return err
	}
	look := l.update.New()
	width, height := s.displayed(rect)
	if err := l.options.art.draw(l.update, look, width, height, s.upright(width, height)); err != nil {
		return err
	}
	return l.show(w, look)
}

func misplaced(o Options, why string) error {
	return fault.New(fault.PDFSealMisplaced, "the field %s %s", shown(o.Field), why)
}

// widgetOf returns the part of a field that stands on a page: often the field itself, otherwise the first of its kids that
// is there.
func (l *layout) widgetOf(f *field) (*field, error) {
	if !f.dict.Get("Rect").IsNull() {
		return f, nil
	}
	kids, _, err := l.file.Resolve(f.dict.Get("Kids"))
	if err != nil {
		return nil, err
	}
	for kid, err := range kids.Items() {
		if err != nil {
			return nil, err
		}
		d, ref, err := l.file.Dict(kid)
		if err != nil {
			return nil, err
		}
		if !d.Get("Rect").IsNull() && ref != (pdf.Ref{}) {
			return &field{ref, d}, nil
		}
	}
	return nil, misplaced(l.options, "has no room for a seal: it stands on no page")
}

// pageOf finds the page that a widget stands on: the one that it names, or the one that lists it.
func (l *layout) pageOf(w *field) (pdf.Page, error) {
	named, ok := w.dict.Get("P").Ref()
	for p, err := range l.file.Pages() {
		if err != nil || ok && p.Ref == named {
			return p, err
		}
		if ok {
			continue
		}
		listed, err := l.lists(p, w.ref)
		if err != nil || listed {
			return p, err
		}
	}
	return pdf.Page{}, misplaced(l.options, "has no room for a seal: it stands on no page")
}

func (l *layout) lists(p pdf.Page, widget pdf.Ref) (bool, error) {
	annots, _, err := l.file.Resolve(p.Dict.Get("Annots"))
	if err != nil {
		return false, err
	}
	for item, err := range annots.Items() {
		if err != nil {
			return false, err
		}
		if ref, ok := item.Ref(); ok && ref == widget {
			return true, nil
		}
	}
	return false, nil
}

// show gives a widget its look, and flags under which it is seen on screen and on paper. PDF/A wants no other look.
func (l *layout) show(w *field, look pdf.Ref) error {
	flags, err := l.file.Int(w.dict.Get("F"), 0)
	if err != nil {
		return err
	}
	d, err := w.dict.With("F", strconv.FormatInt(flags&^notForSeals|flagPrint, 10)).Dict()
	if err != nil {
		return err
	}
	l.update.Put(w.ref, d.With("AP", "<</N "+look.String()+">>"))
	return nil
}
