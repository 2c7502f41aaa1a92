package pades

import (
	"strings"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/pdf"
)

// What a signature of the document does not allow to be done after it.
var (
	errCertified = fault.New(fault.PDFCertified, "the document is certified and allows no changes, not even signatures")
	errFormsOnly = fault.New(fault.PDFCertified, "the document is certified and allows signatures, but no seal outside of its fields")
)

// The values of P under which a document must stay as it is, or may have its form filled and be signed.
const (
	noChanges = 1
	formsOnly = 2
)

// change is what is about to be done to a document.
type change struct {
	field string // filled, if it is named
	seal  bool   // something visible is added to a page, which readers count as an annotation
}

// checkCertification refuses a document whose certification does not allow the change.
func checkCertification(f *pdf.File, root pdf.Dict, c change) error {
	perms, _, err := f.Dict(root.Get("Perms"))
	if err != nil {
		return err
	}
	_, err = locks(f, perms.Get("DocMDP"), c)
	return err
}

// locks reads what a signature allows to be changed after it: it reports whether the value of the field is locked, or
// returns fault.PDFCertified.
func locks(f *pdf.File, signature pdf.Value, c change) (bool, error) {
	d, _, err := f.Dict(signature)
	if err != nil {
		return false, err
	}
	references, _, err := f.Resolve(d.Get("Reference"))
	if err != nil {
		return false, err
	}
	locked := false
	for item, err := range references.Items() {
		if err != nil {
			return false, err
		}
		one, err := transform(f, item, c)
		if err != nil {
			return false, err
		}
		locked = locked || one
	}
	return locked, nil
}

// transform reads one signature reference (ISO 32000-1, 12.8.1 and 12.8.2).
func transform(f *pdf.File, reference pdf.Value, c change) (bool, error) {
	d, _, err := f.Dict(reference)
	if err != nil {
		return false, err
	}
	method, err := f.Name(d.Get("TransformMethod"))
	if err != nil {
		return false, err
	}
	params, _, err := f.Dict(d.Get("TransformParams"))
	if err != nil {
		return false, err
	}
	switch method {
	case "DocMDP":
		return false, forbids(f, params, formsOnly, c) // what a certification allows that does not say
	case "FieldMDP":
		return covers(f, params, c.field)
	}
	return false, nil
}

func forbids(f *pdf.File, params pdf.Dict, missing int64, c change) error {
	p, err := f.Int(params.Get("P"), missing)
	switch {
	case err != nil:
		return err
	case p == noChanges:
		return errCertified
	case p == formsOnly && c.seal:
		return errFormsOnly
	}
	return nil
}

// fieldForbids reads the lock of a signed field, by which PDF 2.0 lets an approval signature forbid further changes.
func fieldForbids(f *pdf.File, signed pdf.Dict, c change) error {
	d, _, err := f.Dict(signed.Get("Lock"))
	if err != nil {
		return err
	}
	return forbids(f, d, 0, c)
}

// covers reports whether a lock holds for a field. A name in it stands for all fields below it, too.
func covers(f *pdf.File, lock pdf.Dict, field string) (bool, error) {
	action, err := f.Name(lock.Get("Action"))
	if err != nil || action == "All" {
		return action == "All", err
	}
	named, err := contains(f, lock.Get("Fields"), func(name string) bool {
		return field == name || strings.HasPrefix(field, name+".")
	})
	return action == "Include" && named || action == "Exclude" && !named, err
}

// contains looks for a name or a string that fits: in an array of them, or in one alone.
func contains(f *pdf.File, v pdf.Value, fits func(string) bool) (bool, error) {
	v, _, err := f.Resolve(v)
	if err != nil {
		return false, err
	}
	if !v.IsArray() {
		return fits(word(v)), nil
	}
	for item, err := range v.Items() {
		if err != nil {
			return false, err
		}
		if item, _, err = f.Resolve(item); err != nil {
			return false, err
		}
		if fits(word(item)) {
			return true, nil
		}
	}
	return false, nil
}

// word is what a name or a string says.
func word(v pdf.Value) string {
	if b, ok := v.Text(); ok {
		return decodeText(b)
	}
	return v.Name()
}
