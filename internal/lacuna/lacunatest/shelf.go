package lacunatest

import (
	"cmp"
	"slices"
)

// everywhere and nowhere name the shelves of all documents and of those without a folder. Others have a folder's id.
const (
	everywhere = ""
	nowhere    = "none"
)

// shelf holds documents in order of creation, and those that are pending apart, so that a page of a long list costs no
// more than one of a short list.
type shelf struct{ all, pending []*document }

func (s *Signer) shelfOf(id string) *shelf {
	sh, ok := s.order[id]
	if !ok {
		sh = &shelf{}
		s.order[id] = sh
	}
	return sh
}

func (s *Signer) shelves(d *document) []*shelf {
	place := nowhere
	if d.folder != nil {
		place = d.folder.id
	}
	return []*shelf{s.shelfOf(everywhere), s.shelfOf(place)}
}

func (s *Signer) shelve(d *document) {
	for _, sh := range s.shelves(d) {
		sh.all = insert(sh.all, d)
	}
}

func (s *Signer) unshelve(d *document) {
	for _, sh := range s.shelves(d) {
		sh.all, sh.pending = remove(sh.all, d), remove(sh.pending, d)
	}
}

// reshelve follows a document's status.
func (s *Signer) reshelve(d *document) {
	for _, sh := range s.shelves(d) {
		if d.status == Pending {
			sh.pending = insert(sh.pending, d)
		} else {
			sh.pending = remove(sh.pending, d)
		}
	}
}

func insert(docs []*document, d *document) []*document {
	i, found := place(docs, d)
	if found {
		return docs
	}
	return slices.Insert(docs, i, d)
}

func remove(docs []*document, d *document) []*document {
	i, found := place(docs, d)
	if !found {
		return docs
	}
	return slices.Delete(docs, i, i+1)
}

func place(docs []*document, d *document) (int, bool) {
	return slices.BinarySearchFunc(docs, d, func(a, b *document) int { return cmp.Compare(a.serial, b.serial) })
}
