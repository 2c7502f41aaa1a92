package pdf

import "iter"

// Page is one page: the dictionary and its reference.
type Page struct {
	Dict Dict
	Ref  Ref
}

// Pages goes through the pages in their order. It ends after an error.
func (f *File) Pages() iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		root, _, err := f.Root()
		if err != nil {
			yield(Page{}, err)
			return
		}
		w := walker{f: f, seen: map[int]bool{}, yield: yield}
		w.visit(root.Get("Pages"), 0)
	}
}

// walker goes through a page tree. A node that comes twice would be a circle or a page that is two pages, neither of
// which a file may have.
type walker struct {
	f     *File
	seen  map[int]bool
	yield func(Page, error) bool
}

// visit returns false when there is nothing more to do.
func (w *walker) visit(v Value, level int) bool {
	d, ref, err := w.f.Dict(v)
	switch {
	case err != nil:
	case d.IsNull():
		return true // a node that is not there has no pages
	case ref == Ref{} || w.seen[ref.Num] || level == maxLevels:
		err = malformed("the page tree is damaged")
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
		return w.yield(Page{d, ref}, nil)
	}
	for kid, err := range kids.Items() {
		if err != nil {
			w.yield(Page{}, err)
			return false
		}
		if !w.visit(kid, level+1) {
			return false
		}
	}
	return true
}
