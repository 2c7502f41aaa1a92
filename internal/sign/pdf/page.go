package pdf

import (
	"iter"
	"slices"
)

// Page is one page: the dictionary and its reference.
type Page struct {
	Dict Dict
	Ref  Ref

	above []Dict // the nodes of the tree that lead to the page, the root first
}

// Pages goes through the pages in their order. It ends after an error.
func (f *File) Pages() iter.Seq2[Page, error] { return f.walk(false) }

// PagesBackward goes through the pages from the last to the first. It ends after an error.
func (f *File) PagesBackward() iter.Seq2[Page, error] { return f.walk(true) }

func (f *File) walk(backward bool) iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		root, _, err := f.Root()
		if err != nil {
			yield(Page{}, err)
			return
		}
		w := walker{f: f, seen: map[int]bool{}, backward: backward, yield: yield}
		w.visit(root.Get("Pages"), nil)
	}
}

// Inherited returns an attribute of a page: its own, or that of the nearest node above that has it.
func (f *File) Inherited(p Page, key string) (Value, error) {
	v, _, err := f.Resolve(p.Dict.Get(key))
	for _, node := range slices.Backward(p.above) {
		if err != nil || !v.IsNull() {
			break
		}
		v, _, err = f.Resolve(node.Get(key))
	}
	return v, err
}

// walker goes through a page tree. A node that comes twice would be a circle or a page that is two pages, neither of
// which a file may have.
type walker struct {
	f        *File
	seen     map[int]bool
	backward bool
	yield    func(Page, error) bool
}

// visit returns false when there is nothing more to do.
func (w *walker) visit(v Value, above []Dict) bool {
	d, ref, err := w.f.Dict(v)
	switch {
	case err != nil:
	case d.IsNull():
		return true // a node that is not there has no pages
	case ref == Ref{} || w.seen[ref.Num] || len(above) == maxLevels:
		err = errTree
	}
	if err != nil {
		w.yield(Page{}, err)
		return false
	}
	w.seen[ref.Num] = true
	kids, _, err := w.f.Resolve(d.Get("Kids"))
	if err != nil {
		w.yield(Page{}, err)
		return false
	}
	if kids.IsNull() && d.Get("Type").Name() != "Pages" {
		return w.yield(Page{d, ref, above}, nil)
	}
	below := append(slices.Clip(above), d)
	for kid, err := range w.order(kids) {
		if err != nil {
			w.yield(Page{}, err)
			return false
		}
		if !w.visit(kid, below) {
			return false
		}
	}
	return true
}

// order goes through the items of an array from either end. What comes before the last is known only after reading all.
func (w *walker) order(kids Value) iter.Seq2[Value, error] {
	if !w.backward {
		return kids.Items()
	}
	return func(yield func(Value, error) bool) {
		var refs []Ref // a page has to be an object of its own, and as a value it would take more memory
		for kid, err := range kids.Items() {
			ref, ok := kid.Ref()
			if err == nil && !ok && !kid.IsNull() {
				err = errTree
			}
			if err != nil {
				yield(nil, err)
				return
			}
			refs = append(refs, ref)
		}
		for _, ref := range slices.Backward(refs) {
			if ref != (Ref{}) && !yield(Value(ref.String()), nil) {
				return
			}
		}
	}
}

var errTree = malformed("the page tree is damaged")
