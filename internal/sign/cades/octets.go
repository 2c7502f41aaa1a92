package cades

import "io"

// octets is the content of a message, where it lies in the file: in one piece, or in BER in any number of pieces.
type octets struct {
	file io.ReaderAt
	end  int64 // of the file
	size int64
	at   int64 // of the first piece
	many bool  // there are more pieces

	marks marks // the beginnings of pieces, if there are many
}

// octets steps over the content and remembers where it is.
func (c *cursor) octets() (*octets, error) {
	e, err := c.next()
	if err != nil {
		return nil, err
	}
	o := &octets{file: c.file, end: c.inside[0].end}
	if e.tag == tagOctets {
		o.at, o.size, c.at = e.body, e.end-e.body, e.end
		return o, checkSize(o.size)
	}
	depth := len(c.inside)
	if err := c.enter(e); err != nil {
		return nil, err
	}
	for len(c.inside) > depth {
		if err := c.piece(o); err != nil {
			return nil, err
		}
	}
	return o, checkSize(o.size)
}

// piece steps over one piece, into pieces that are in pieces themselves, or out of them.
func (c *cursor) piece(o *octets) error {
	o.marks.note(o.size, c.at)
	more, err := c.more()
	if err != nil {
		return err
	}
	if !more {
		return c.leave()
	}
	e, err := c.next()
	if err != nil {
		return err
	}
	switch e.tag {
	case tagChunks:
		return c.enter(e)
	case tagOctets:
		o.add(e)
		c.at = e.end
		return nil
	}
	return malformed("there is something in the content, at %d, that is no part of it", c.at)
}

func (o *octets) add(e element) {
	length := e.end - e.body
	if o.size == 0 {
		o.at = e.body
	} else if length > 0 {
		o.many = true
	}
	o.size += length
}

// ReadAt implements io.ReaderAt for what lies within the content: a section reader asks for nothing else.
func (o *octets) ReadAt(p []byte, off int64) (int, error) {
	if !o.many {
		return o.file.ReadAt(p, o.at+off)
	}
	c := newCursor(o.file, o.end)
	from := o.marks.before(off)
	off -= from.inside
	c.at = from.file
	n := 0
	for n < len(p) {
		e, err := c.nextPiece()
		if err != nil {
			return n, err
		}
		length := e.end - e.body
		if off >= length {
			off -= length
			continue
		}
		part := p[n:min(int64(len(p)), int64(n)+length-off)]
		if err := c.copy(part, e.body+off); err != nil {
			return n, err
		}
		n, off = n+len(part), 0
	}
	return n, nil
}

// nextPiece goes on to the next piece that is not in pieces itself. How they are nested was checked before.
func (c *cursor) nextPiece() (element, error) {
	for {
		b, err := c.peek(2)
		if err != nil {
			return element{}, err
		}
		if b[0] == 0 {
			c.at += 2
			continue
		}
		e, err := c.next()
		if err != nil {
			return element{}, err
		}
		if e.tag == tagOctets {
			c.at = e.end
			return e, nil
		}
		c.at = e.body
	}
}
