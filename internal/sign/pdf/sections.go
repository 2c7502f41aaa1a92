package pdf

import (
	"cmp"
	"slices"
	"strconv"
)

// section is one cross-reference section. Nothing is kept of a classic table but where its entries are; of a stream, the
// decoded rows.
type section struct {
	trailer Dict
	stream  bool
	hybrid  bool // the next section is the stream of a hybrid file, which has what this table calls free
	runs    []run
	rows    []byte
	widths  [3]int
}

// run is a subsection: entries of consecutive objects.
type run struct {
	first, count int
	at           int64 // where the first entry is: in the file, or in the rows
	width        int   // of an entry
}

// loadSections follows the chain of sections from the newest.
func (f *File) loadSections(start int64) error {
	f.startXRef = start
	seen := map[int64]bool{}
	for at := start; ; {
		table, err := f.load(at, seen)
		if err != nil {
			return err
		}
		f.sections = append(f.sections, table)
		if err := f.loadHidden(table.trailer.Get("XRefStm"), seen); err != nil {
			return err
		}
		prev, err := f.offset(table.trailer.Get("Prev"))
		if err != nil || prev == 0 {
			return f.findFree(err)
		}
		at = prev
	}
}

// loadHidden loads the stream of a hybrid file. Its own chain is not followed: it belongs to the table.
func (f *File) loadHidden(v Value, seen map[int64]bool) error {
	last := &f.sections[len(f.sections)-1]
	at, err := f.offset(v)
	if err != nil || at == 0 || last.stream {
		return err
	}
	hidden, err := f.load(at, seen)
	if err != nil {
		return err
	}
	if !hidden.stream {
		return malformed("there is no cross-reference stream where XRefStm points")
	}
	last.hybrid = true
	f.sections = append(f.sections, hidden)
	return nil
}

func (f *File) load(at int64, seen map[int64]bool) (section, error) {
	if seen[at] {
		return section{}, malformed("the chain of cross-reference sections is circular")
	}
	if len(seen) >= maxSections {
		return section{}, malformed("there are more than %d cross-reference sections", maxSections)
	}
	seen[at] = true
	sec, err := f.loadSection(at)
	if err != nil {
		return section{}, err
	}
	total := len(sec.runs)
	for i := range f.sections {
		total += len(f.sections[i].runs)
	}
	if total > maxRuns {
		return section{}, malformed("the cross-reference sections have more than %d parts", maxRuns)
	}
	slices.SortFunc(sec.runs, func(a, b run) int { return cmp.Compare(a.first, b.first) })
	return sec, nil
}

func (f *File) loadSection(at int64) (section, error) {
	table := false
	err := f.scan(at, func(s *scanner) error {
		_, tok, err := s.token()
		table = string(tok) == "xref"
		return err
	})
	if err != nil {
		return section{}, err
	}
	if table {
		return f.loadTable(at)
	}
	return f.loadStream(at)
}

// offset reads an offset that may be missing. Some writers say 0 for none.
func (f *File) offset(v Value) (int64, error) {
	if v.IsNull() {
		return 0, nil
	}
	n, ok := v.Int()
	if !ok || n < 0 || n >= f.src.size {
		return 0, malformed("the trailer has an offset outside of the file")
	}
	return n, nil
}

// findFree finds the first number for new objects: no section may know it, whatever Size says.
func (f *File) findFree(err error) error {
	if err != nil {
		return err
	}
	for i := range f.sections {
		for _, r := range f.sections[i].runs {
			f.free = max(f.free, r.first+r.count)
		}
	}
	size, ok := f.Trailer().Get("Size").Int()
	if !ok || size < 1 || size > maxObjects {
		return malformed("the trailer's Size is not a number of objects")
	}
	f.free = max(f.free, int(size))
	return nil
}

// addRun checks a subsection and adds it.
func (s *section) addRun(r run) error {
	if r.first < 0 || r.count < 0 || r.first > maxObjects || r.count > maxObjects-r.first {
		return malformed("a cross-reference section claims more than %d objects", maxObjects)
	}
	if r.count > 0 {
		s.runs = append(s.runs, r)
	}
	if len(s.runs) > maxRuns {
		return malformed("the cross-reference sections have more than %d parts", maxRuns)
	}
	return nil
}

// place is where an object is.
type place struct {
	kind   uint8 // as in cross-reference streams
	at     int64 // the offset, or the number of the object stream
	second int   // the generation, or the place in the object stream
}

// Kinds of places. Any other means null, as the standard asks.
const (
	isFree   = 0
	isPlain  = 1
	isPacked = 2
)

// find looks an object up, newest section first. A section without it leaves it to the older ones. What the table of a
// hybrid file calls free may be in its stream, hidden from readers that know tables only.
func (f *File) find(num int) (place, error) {
	if err := f.src.spend(perObject + 2*len(f.sections)); err != nil {
		return place{}, err
	}
	for i := range f.sections {
		p, ok, err := f.sections[i].find(f, num)
		if err != nil {
			return place{}, err
		}
		if ok && p.kind == isFree && f.sections[i].hybrid {
			hidden, found, err := f.sections[i+1].find(f, num)
			if err != nil || found {
				return hidden, err
			}
		}
		if ok {
			return p, nil
		}
	}
	return place{}, nil
}

func (s *section) find(f *File, num int) (place, bool, error) {
	i, exact := slices.BinarySearchFunc(s.runs, num, func(r run, n int) int { return cmp.Compare(r.first, n) })
	if !exact {
		i--
	}
	if i < 0 || num >= s.runs[i].first+s.runs[i].count {
		return place{}, false, nil
	}
	r := s.runs[i]
	at := r.at + int64(num-r.first)*int64(r.width)
	if s.stream {
		return s.row(int(at)), true, nil
	}
	p, err := f.tableEntry(at)
	return p, true, err
}

// row reads an entry of a cross-reference stream (ISO 32000-1, 7.5.8.3).
func (s *section) row(at int) place {
	p := place{kind: isPlain}
	if s.widths[0] > 0 {
		p.kind = uint8(min(number64(s.rows[at:at+s.widths[0]]), 255))
	}
	at += s.widths[0]
	p.at = number64(s.rows[at : at+s.widths[1]])
	at += s.widths[1]
	p.second = int(min(number64(s.rows[at:at+s.widths[2]]), maxObjects))
	return p
}

func number64(b []byte) (n int64) {
	for _, c := range b {
		n = n<<8 | int64(c)
	}
	return max(n, 0) & (1<<62 - 1)
}

// tableEntry reads an entry of a classic table: ten digits, five digits, and n or f.
func (f *File) tableEntry(at int64) (place, error) {
	var b [18]byte
	if err := f.src.read(b[:], at); err != nil {
		return place{}, err
	}
	if !isEntry(b[:]) {
		return place{}, malformed("a cross-reference entry is damaged")
	}
	off, _ := strconv.ParseInt(string(b[:10]), 10, 64) // isEntry has seen digits
	gen, _ := strconv.Atoi(string(b[11:16]))
	if b[17] == 'f' || off == 0 { // some writers leave numbers unused by pointing to the header
		return place{kind: isFree}, nil
	}
	return place{kind: isPlain, at: off, second: gen}, nil
}

func isEntry(b []byte) bool {
	return len(b) >= 18 && isDigits(b[:10]) && b[10] == ' ' && isDigits(b[11:16]) && b[16] == ' ' && (b[17] == 'n' || b[17] == 'f')
}
