package verify

// maxWidth is the longest field of a cross-reference stream's entry: a number of 64 bits.
const maxWidth = 8

// xrefStream reads a section that is a stream, and returns a lexer that stands after it.
func (p *pdf) xrefStream(at int64, s *section) (*lexer, error) {
	l, err := p.lexerAt(at)
	if err != nil {
		return nil, err
	}
	o, err := l.indirect(-1)
	if err != nil {
		return nil, err
	}
	d, ok := o.value.(dict)
	if !ok || d.get("Type") != object(name("XRef")) {
		return nil, malformed("there is no cross-reference section where one should be")
	}
	data, end, err := p.streamData(o, 0)
	if err != nil {
		return nil, err
	}
	s.trailer, s.data = d, data
	if s.data == nil {
		s.data = []byte{}
	}
	if err := s.layOut(); err != nil {
		return nil, err
	}
	return p.afterStream(end)
}

// afterStream reads the two keywords that end a stream. If they are not there no revision ends there, and that is all.
func (p *pdf) afterStream(end int64) (*lexer, error) {
	l, err := p.lexerAt(min(end, p.size-1))
	if err != nil {
		return nil, err
	}
	for _, want := range []string{"endstream", "endobj"} {
		t, err := l.token()
		if forgive(err) != nil {
			return nil, err
		}
		if t.text != want {
			break
		}
	}
	return l, nil
}

// layOut reads the widths of the fields and the numbers that the entries are for.
func (s *section) layOut() error {
	widths, ok := s.trailer.get("W").(array)
	if !ok || len(widths) != 3 {
		return malformed("a cross-reference stream lacks its widths")
	}
	for i, w := range widths {
		if s.widths[i], ok = w.(int64); !ok || s.widths[i] < 0 || s.widths[i] > maxWidth {
			return malformed("a cross-reference stream has a bad width")
		}
	}
	size, ok := s.trailer.get("Size").(int64)
	if !ok {
		return malformed("a cross-reference stream lacks its size")
	}
	index := array{int64(0), size}
	if given, ok := s.trailer.get("Index").(array); ok {
		index = given
	}
	return s.divide(index)
}

func (s *section) divide(index array) error {
	width := s.width()
	if len(index)%2 != 0 || width == 0 {
		return malformed("a cross-reference stream has a bad index")
	}
	var at int64
	for i := 0; i < len(index); i += 2 {
		first, ok1 := index[i].(int64)
		count, ok2 := index[i+1].(int64)
		part := subsection{first: first, count: count, at: at}
		if !ok1 || !ok2 || !part.valid() || count > (int64(len(s.data))-at)/width {
			return malformed("a cross-reference stream has a bad index")
		}
		s.parts = append(s.parts, part)
		at += count * width
	}
	return nil
}

func (s *section) width() int64 { return s.widths[0] + s.widths[1] + s.widths[2] }

// streamEntry reads the entry number i after the place at.
func (s *section) streamEntry(at, i int64) entry {
	b := s.data[at+i*s.width():]
	field := func(width int64) (n int64) {
		for _, c := range b[:width] {
			n = n<<8 | int64(c)
		}
		b = b[width:]
		return n
	}
	e := entry{kind: entryInFile} // what a width of 0 means
	if s.widths[0] > 0 {
		e.kind = field(s.widths[0])
	}
	e.offset, e.index = field(s.widths[1]), field(s.widths[2])
	return e
}
