package pdf

import "bytes"

// loadTable reads a classic table: the places of its subsections, and the trailer. The entries, of which there may be
// hundreds of thousands, are passed over.
func (f *File) loadTable(at int64) (section, error) {
	var sec section
	next := at
	err := f.scan(at, func(s *scanner) error {
		err := s.word("xref")
		next = at + int64(s.pos)
		return err
	})
	at = next
	for more := true; more && err == nil; {
		more, at, err = f.subsection(&sec, at)
	}
	if err != nil {
		return section{}, err
	}
	err = f.scan(at, func(s *scanner) error {
		if err := s.word("trailer"); err != nil {
			return err
		}
		v, err := s.value()
		if err != nil {
			return err
		}
		sec.trailer, err = Value(bytes.Clone(v)).Dict()
		return err
	})
	return sec, err
}

// subsection reads the head of a subsection and returns where the next one begins. There is none before the trailer.
func (f *File) subsection(sec *section, at int64) (bool, int64, error) {
	var r run
	more := true
	err := f.scan(at, func(s *scanner) error {
		if k, tok, err := s.token(); err != nil {
			return err
		} else if k == keyword && string(tok) == "trailer" {
			more = false
			return nil
		}
		s.pos = 0
		first, err := s.integer()
		if err != nil {
			return err
		}
		count, err := s.integer()
		if err != nil {
			return err
		}
		if r.first, r.count = int(min(first, maxObjects+1)), int(min(count, maxObjects+1)); count == 0 {
			r.at = at + int64(s.pos)
			return nil
		}
		s.space()
		r.at = at + int64(s.pos)
		r.width, err = s.entryWidth(count)
		return err
	})
	if err != nil || !more {
		return false, at, err
	}
	return true, r.at + int64(r.count)*int64(r.width), sec.addRun(r)
}

// entryWidth measures the first entry of a subsection. It should be 20, but there are writers that end entries with one
// byte, or with three. That all entries of a subsection have the same width shows where it ends, and in each lookup.
func (s *scanner) entryWidth(count int64) (int, error) {
	from := s.pos
	if len(s.text)-from < 22 && !s.whole {
		return 0, errMore
	}
	if !isEntry(s.text[from:]) {
		return 0, malformed("a cross-reference table is damaged")
	}
	if count == 1 {
		return 18, nil // what follows is white space of any length
	}
	for width := 18; width < 22 && from+width < len(s.text); width++ {
		if class[s.text[from+width]] != white {
			return width, nil
		}
	}
	return 0, malformed("a cross-reference table is damaged")
}
