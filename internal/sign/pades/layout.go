package pades

import (
	"bytes"
	"fmt"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/pdf"
)

// layout is what will be appended, but for the signature dictionary.
type layout struct {
	file      *pdf.File
	update    *pdf.Update
	options   Options
	signature pdf.Ref // the signature dictionary's
	reference string  // what the field's lock adds to it
}

// plan checks what the document allows and puts the field in its place.
func plan(f *pdf.File, o Options) (*layout, error) {
	root, rootRef, err := f.Root()
	if err != nil {
		return nil, err
	}
	c := change{field: o.Field, seal: o.Seal != nil && o.Field == ""}
	if err := checkCertification(f, root, c); err != nil {
		return nil, err
	}
	form, err := survey(f, root.Get("AcroForm"), c)
	if err != nil {
		return nil, err
	}
	page, err := pageFor(f, c, o.Seal)
	if err != nil {
		return nil, err
	}
	l := &layout{file: f, update: f.Update(), options: o}
	l.signature = l.update.New()
	if o.Field == "" {
		return l, l.addField(root, rootRef, page, form.free())
	}
	return l, l.fillField(root, rootRef, form)
}

// fillField makes the signature the value of a field that is there. Its object, page and rectangle stay.
func (l *layout) fillField(root pdf.Dict, rootRef pdf.Ref, form *form) error {
	field, err := form.pick()
	if err != nil {
		return err
	}
	if err := checkSeed(l.file, l.options, field.dict); err != nil {
		return err
	}
	if l.reference, err = lockReference(l.file, rootRef, field.dict); err != nil {
		return err
	}
	filled, err := field.dict.With("V", l.signature.String()).Dict()
	if err != nil {
		return err
	}
	l.update.Put(field.ref, filled.Text())
	if l.options.Seal != nil {
		field.dict = filled
		if err := l.sealField(field); err != nil {
			return err
		}
	}
	return l.editForm(root, rootRef, "")
}

// addField adds a field, of which the widget is a part, to the form and to a page: invisible, or with the seal.
//
// Its flags are those that PDF/A asks for, print and not hidden, and locked, since nobody should move it. An invisible one
// has an appearance, too, though an empty one, because PDF/A-1 wants one for every field.
func (l *layout) addField(root pdf.Dict, rootRef pdf.Ref, page pdf.Page, name string) error {
	field, look := l.update.New(), l.update.New()
	rect, spoken, err := l.look(page, look)
	if err != nil {
		return err
	}
	l.update.Put(field, fmt.Appendf(nil, "<</Type/Annot/Subtype/Widget/FT/Sig/T%s%s/F %d/Rect%s/P %s/V %s/AP<</N %s>>>>",
		encodeText(name), spoken, flagPrint|flagLocked, rect, page.Ref, l.signature, look))
	if err := l.editForm(root, rootRef, field.String()); err != nil {
		return err
	}
	return l.annotate(page, field.String())
}

// look puts what a new field shows into the section, and returns where it shows it and what it says to who cannot see it.
func (l *layout) look(page pdf.Page, look pdf.Ref) (pdf.Rect, string, error) {
	if l.options.Seal == nil {
		l.update.Put(look, []byte("<</Type/XObject/Subtype/Form/BBox[0 0 0 0]/Resources<<>>/Length 0>>\nstream\n\nendstream"))
		return pdf.Rect{}, "", nil
	}
	rect, err := l.sealPage(page, look)
	return rect, l.options.art.spoken(), err
}

// editForm tells the form that it has signatures, and adds a field to it unless that is empty.
func (l *layout) editForm(root pdf.Dict, rootRef pdf.Ref, field string) error {
	root, changed, err := l.update.Edit(root, "AcroForm", func(v pdf.Value) (pdf.Value, error) {
		return l.editedForm(v, field)
	})
	if err == nil && changed {
		l.update.Put(rootRef, root.Text())
	}
	return err
}

func (l *layout) editedForm(v pdf.Value, field string) (pdf.Value, error) {
	const signaturesExist, appendOnly = 1, 2
	if v.IsNull() {
		v = pdf.Dict{}.Text()
	}
	d, err := v.Dict()
	if err != nil {
		return nil, err
	}
	if field != "" {
		d, _, err = l.update.Edit(d, "Fields", func(v pdf.Value) (pdf.Value, error) { return v.Append(field) })
		if err != nil {
			return nil, err
		}
	}
	flags, err := l.file.Int(d.Get("SigFlags"), 0)
	if err != nil {
		return nil, err
	}
	return d.With("SigFlags", fmt.Sprint(flags|signaturesExist|appendOnly)), nil
}

// annotate adds the widget to the page. An array of annotations that other pages use as well is copied into the page:
// the widget must be on one page only.
func (l *layout) annotate(page pdf.Page, widget string) error {
	appendTo := func(v pdf.Value) (pdf.Value, error) { return v.Append(widget) }
	own, err := l.ownAnnots(page)
	if err != nil {
		return err
	}
	if !own {
		old, _, err := l.file.Resolve(page.Dict.Get("Annots"))
		if err != nil {
			return err
		}
		if old, err = appendTo(old); err != nil {
			return err
		}
		l.update.Put(page.Ref, page.Dict.With("Annots", string(old)))
		return nil
	}
	d, changed, err := l.update.Edit(page.Dict, "Annots", appendTo)
	if err == nil && changed {
		l.update.Put(page.Ref, d.Text())
	}
	return err
}

// maxCompared is how many pages are looked at for a shared array. Beyond it the array is taken for shared, which is
// right in any case; it only is more to write.
const maxCompared = 64

// ownAnnots reports whether the array of annotations is certain to be this page's alone.
func (l *layout) ownAnnots(page pdf.Page) (bool, error) {
	ref, ok := page.Dict.Get("Annots").Ref()
	if !ok {
		return true, nil
	}
	n, users := 0, 0
	for p, err := range l.file.Pages() {
		if err != nil {
			return false, err
		}
		if other, ok := p.Dict.Get("Annots").Ref(); ok && other == ref {
			users++
		}
		if n++; n > maxCompared || users > 1 {
			return false, nil
		}
	}
	return true, nil
}

// write adds the signature dictionary, writes the section and fills in what depends on where things come to lie. It
// returns where in the section the value of Contents is.
func (l *layout) write(size int64, room int) (*pdf.Section, int, int, error) {
	d := l.options.dictionary(room, l.reference)
	l.update.Put(l.signature, d.text)
	section, err := l.update.Encode()
	if err != nil {
		return nil, 0, 0, err
	}
	at := section.Offset(l.signature)
	from, to := at+d.contents, at+d.afterwards
	ranges := fmt.Appendf(nil, rangeFormat, size+int64(from), size+int64(to), len(section.Bytes)-to)
	if len(ranges) != rangeWidth || !bytes.HasPrefix(section.Bytes[from:], []byte("<")) {
		return nil, 0, 0, fault.New(fault.Internal, "the signature dictionary is not where it should be")
	}
	copy(section.Bytes[at+d.byteRange:], ranges)
	return section, from, to, nil
}
