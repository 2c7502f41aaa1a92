package pades

import (
	"fmt"
	"strings"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/pdf"
)

// field is the signature field that is asked for, if the form has it.
type field struct {
	ref  pdf.Ref
	dict pdf.Dict
}

// form is what must be known of a document's fields.
type form struct {
	file   *pdf.File
	wanted string // the field to fill
	change change

	seen    map[pdf.Ref]bool
	taken   map[string]bool // names of root fields that begin like ours
	found   *field
	problem string   // why the field that has the name wanted cannot be used
	empty   []string // names of empty signature fields
	locked  bool     // an earlier signature locks the field that is wanted
}

const (
	namePrefix = "Signature"
	maxListed  = 10    // empty fields listed to the user
	maxLevels  = 64    // of the field hierarchy
	maxShown   = 100   // characters shown of a field's name
	maxName    = 32767 // bytes of a field's full name, as many as ISO 32000-1, annex C, grants a string
)

// survey goes through all fields: for names, for the field that is wanted, and for what earlier signatures lock.
func survey(f *pdf.File, acroForm pdf.Value, c change) (*form, error) {
	s := &form{file: f, wanted: c.field, change: c, seen: map[pdf.Ref]bool{}, taken: map[string]bool{}}
	d, _, err := f.Dict(acroForm)
	if err != nil {
		return nil, err
	}
	return s, s.visitAll(d.Get("Fields"), inherited{}, 0)
}

// inherited is what a field has from its parents.
type inherited struct {
	name, kind string
	value      pdf.Value
}

func (s *form) visitAll(kids pdf.Value, from inherited, level int) error {
	kids, _, err := s.file.Resolve(kids)
	if err != nil {
		return err
	}
	for kid, err := range kids.Items() {
		if err == nil {
			err = s.visit(kid, from, level)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// visit looks at one field and those below it. A field that is listed twice counts once.
func (s *form) visit(v pdf.Value, from inherited, level int) error {
	d, ref, err := s.file.Dict(v)
	direct := ref == pdf.Ref{} // not allowed, but its name counts
	if err != nil || d.IsNull() || s.seen[ref] && !direct {
		return err
	}
	if level == maxLevels {
		return fault.New(fault.PDFMalformed, "the form's fields nest deeper than %d levels", maxLevels)
	}
	s.seen[ref] = true
	part, _, err := s.file.Resolve(d.Get("T"))
	if err != nil {
		return err
	}
	name, ok := part.Text()
	if !ok && level > 0 {
		return nil // a widget of its parent, no field
	}
	own, err := s.inherit(d, decodeText(name), from)
	if err != nil {
		return err
	}
	if level == 0 && strings.HasPrefix(own.name, namePrefix) {
		s.taken[own.name] = true
	}
	if own.name == s.wanted && own.kind != "Sig" {
		s.problem = "is not a signature field"
	}
	if own.kind == "Sig" {
		if err := s.signature(d, ref, own); err != nil {
			return err
		}
	}
	return s.visitAll(d.Get("Kids"), own, level+1)
}

func (s *form) inherit(d pdf.Dict, name string, from inherited) (inherited, error) {
	if from.name != "" {
		name = from.name + "." + name
	}
	if len(name) > maxName {
		return inherited{}, fault.New(fault.PDFMalformed, "a field's name is longer than %d bytes", maxName)
	}
	own := inherited{name: name, kind: from.kind, value: from.value}
	kind, err := s.file.Name(d.Get("FT"))
	if err != nil {
		return own, err
	}
	if kind != "" {
		own.kind = kind
	}
	value, _, err := s.file.Resolve(d.Get("V"))
	if !value.IsNull() {
		own.value = value
	}
	return own, err
}

// signature notes a signature field: as one that can be filled, or for what its signature locks.
func (s *form) signature(d pdf.Dict, ref pdf.Ref, own inherited) error {
	if own.value.IsNull() {
		if len(s.empty) < maxListed {
			s.empty = append(s.empty, own.name)
		}
		if own.name == s.wanted && s.found == nil && ref != (pdf.Ref{}) {
			s.found = &field{ref, d}
		}
		return nil
	}
	if own.name == s.wanted {
		s.problem = "is signed already"
	}
	locked, err := locks(s.file, own.value, s.change)
	if err != nil {
		return err
	}
	s.locked = s.locked || locked
	return fieldForbids(s.file, d, s.change)
}

// free is the first name that no root field has.
func (s *form) free() string {
	for n := 1; ; n++ {
		if name := fmt.Sprint(namePrefix, n); !s.taken[name] {
			return name
		}
	}
}

// pick returns the wanted field, or says what is wrong and which fields there are.
func (s *form) pick() (*field, error) {
	if s.found != nil && s.problem == "" {
		if s.locked {
			return nil, fault.New(fault.PDFField, "the field %s is locked by an earlier signature", shown(s.wanted))
		}
		return s.found, nil
	}
	problem := s.problem
	if problem == "" {
		problem = "does not exist"
	}
	list := "there is no empty signature field"
	if len(s.empty) > 0 {
		list = "empty signature fields are " + shown(s.empty...)
	}
	return nil, fault.New(fault.PDFField, "the field %s %s; %s", shown(s.wanted), problem, list)
}

// shown quotes names for the user.
func shown(names ...string) string {
	var out []string
	for _, n := range names {
		if r := []rune(n); len(r) > maxShown {
			n = string(r[:maxShown]) + "…"
		}
		out = append(out, fmt.Sprintf("%q", n))
	}
	return strings.Join(out, ", ")
}
