package verify

// Limits of forms.
const (
	maxFields = 20000 // fields and their parts
	maxLevels = 32    // fields under each other
)

// located is a signature dictionary with the name of the field that holds it.
type located struct {
	field string
	dict  dict
}

// walker collects the signatures of a form.
type walker struct {
	p      *pdf
	seen   map[ref]bool // fields
	values map[ref]bool // of fields; apart, so that a signature listed as a field as well is not lost
	fields int
	found  []located
}

// signatures finds the signature dictionaries that the form's fields hold, in the order of the fields.
func (p *pdf) signatures() ([]located, error) {
	catalog, err := p.dict(p.trailer.get("Root"))
	if err != nil {
		return nil, err
	}
	if catalog.entries == nil {
		return nil, malformed("the file has no catalog")
	}
	form, err := p.dict(catalog.get("AcroForm"))
	if err != nil {
		return nil, err
	}
	w := &walker{p: p, seen: make(map[ref]bool), values: make(map[ref]bool)}
	err = w.walk(form.get("Fields"), "", 0)
	return w.found, err
}

// dict resolves a value to a dictionary, which has no entries if the value is something else.
func (p *pdf) dict(o object) (dict, error) {
	v, err := p.resolve(o, 0)
	d, _ := v.(dict)
	return d, err
}

// walk visits the fields of one level.
func (w *walker) walk(o object, parent string, level int) error {
	v, err := w.p.resolve(o, 0)
	if err != nil {
		return err
	}
	fields, _ := v.(array)
	if len(fields) > 0 && level >= maxLevels {
		return malformed("form fields are nested more than %d deep", maxLevels)
	}
	for _, f := range fields {
		if known(w.seen, f) {
			continue
		}
		if w.fields++; w.fields > maxFields {
			return malformed("the form has more than %d fields", maxFields)
		}
		if err := w.field(f, parent, level); err != nil {
			return err
		}
	}
	return nil
}

// known remembers a reference and reports whether it was met before.
func known(seen map[ref]bool, o object) bool {
	r, ok := o.(ref)
	if !ok {
		return false
	}
	was := seen[r]
	seen[r] = true
	return was
}

// field takes any field's value for a signature that looks like one: a field without its type does not hide one.
func (w *walker) field(o object, parent string, level int) error {
	d, err := w.p.dict(o)
	if err != nil {
		return err
	}
	full, err := w.name(d, parent)
	if err != nil {
		return err
	}
	if v := d.get("V"); !known(w.values, v) {
		value, err := w.p.dict(v)
		if err != nil {
			return err
		}
		if value.get("Contents") != nil || value.get("ByteRange") != nil {
			w.found = append(w.found, located{full, value})
		}
	}
	if len(w.found) > maxSignatures {
		return malformed("there are more than %d signatures", maxSignatures)
	}
	return w.walk(d.get("Kids"), full, level+1)
}

// name is a field's full name: the partial ones on the way to it, joined by dots.
func (w *walker) name(d dict, parent string) (string, error) {
	v, err := w.p.resolve(d.get("T"), 0)
	if err != nil {
		return "", err
	}
	partial, ok := v.(pdfString)
	switch {
	case !ok:
		return parent, nil
	case parent == "":
		return partial.text(), nil
	}
	return clip(parent + "." + partial.text()), nil
}
