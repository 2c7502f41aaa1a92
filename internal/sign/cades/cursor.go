package cades

import (
	"errors"
	"fmt"
	"io"

	"bulksigner/internal/fault"
)

// maxDepth bounds how far elements of unknown length are nested. Real messages need eight levels.
const maxDepth = 32

// window is how much of a file is read at a time. A large content of known length is stepped over unread; one in pieces
// is read once for the lengths of its pieces.
const window = 32 << 10

// cursor walks through a message in BER, of which DER is a part. It goes in and out of elements, whether their lengths
// are written in front of them or not, and never beyond the end of the element that it is in.
type cursor struct {
	file   io.ReaderAt
	at     int64
	inside []element
	left   int // bytes that may still be taken into memory

	buffer []byte
	from   int64 // where in the file the buffer begins
}

// element is where contents lie.
type element struct {
	tag  byte
	body int64
	end  int64 // of the contents if open is false, otherwise the latest at which they can end
	open bool  // the length is not known: two zero bytes end the contents
}

func newCursor(file io.ReaderAt, size int64) *cursor {
	return &cursor{file: file, inside: []element{{end: size}}, left: MaxExtras}
}

func malformed(format string, args ...any) error {
	return fault.New(fault.CMSMalformed, "the file begins like a signed message and is damaged: "+format, args...)
}

// peek returns the next n bytes without a step.
func (c *cursor) peek(n int) ([]byte, error) {
	if limit := c.top().end; c.at+int64(n) > limit {
		return nil, malformed("an element is cut off at %d", limit)
	}
	i := c.at - c.from
	if i < 0 || i+int64(n) > int64(len(c.buffer)) {
		if err := c.fill(n); err != nil {
			return nil, err
		}
		i = 0
	}
	return c.buffer[i : i+int64(n)], nil
}

// fill reads on from where the cursor is.
func (c *cursor) fill(n int) error {
	if c.buffer == nil {
		c.buffer = make([]byte, min(window, c.inside[0].end))
	}
	c.from, c.buffer = c.at, c.buffer[:cap(c.buffer)]
	got, err := c.file.ReadAt(c.buffer, c.at)
	c.buffer = c.buffer[:got]
	if got >= n {
		return nil
	}
	if errors.Is(err, io.EOF) {
		return malformed("it ends at %d", c.at+int64(got))
	}
	return fmt.Errorf("read at %d: %w", c.at, err)
}

// copy fills p with what is at a place of the file, wherever the cursor is.
func (c *cursor) copy(p []byte, at int64) error {
	if i := at - c.from; i >= 0 && i+int64(len(p)) <= int64(len(c.buffer)) {
		copy(p, c.buffer[i:])
		return nil
	}
	return readFull(c.file, p, at)
}

// readFull fills p with what is at a place of the file.
func readFull(file io.ReaderAt, p []byte, at int64) error {
	n, err := file.ReadAt(p, at)
	switch {
	case n == len(p):
		return nil
	case errors.Is(err, io.EOF):
		return malformed("it ends at %d", at+int64(n))
	}
	return fmt.Errorf("read at %d: %w", at, err)
}

func (c *cursor) top() element { return c.inside[len(c.inside)-1] }

// more reports whether the element that the cursor is in goes on.
func (c *cursor) more() (bool, error) {
	if t := c.top(); !t.open {
		return c.at < t.end, nil
	}
	b, err := c.peek(2)
	return err == nil && (b[0] != 0 || b[1] != 0), err
}

// next reads the beginning of an element and stays before it.
func (c *cursor) next() (element, error) {
	b, err := c.peek(2)
	if err != nil {
		return element{}, err
	}
	const longTag, constructed, long, unknown = 0x1F, 0x20, 0x80, 0x80
	e := element{tag: b[0], body: c.at + 2, end: c.top().end}
	switch length := b[1]; {
	case e.tag == 0, e.tag&longTag == longTag:
		return e, malformed("there is no tag at %d", c.at)
	case length == unknown:
		if e.open = true; e.tag&constructed == 0 {
			return e, malformed("the length at %d has no end", c.at)
		}
		return e, nil
	case length < long:
		return e, e.close(int64(length))
	default:
		return c.longLength(e, int(length-long))
	}
}

// longLength reads a length of n bytes. BER allows zeros in front of it.
func (c *cursor) longLength(e element, n int) (element, error) {
	if n > 8 {
		return e, malformed("the length at %d has %d bytes", c.at, n)
	}
	b, err := c.peek(2 + n)
	if err != nil {
		return e, err
	}
	var length uint64
	for _, d := range b[2:] {
		length = length<<8 | uint64(d)
	}
	e.body += int64(n)
	return e, e.close(int64(min(length, 1<<62)))
}

// close sets the end of an element that must fit into the one around it.
func (e *element) close(length int64) error {
	if length > e.end-e.body {
		return malformed("the element before %d is cut off", e.body)
	}
	e.end = e.body + length
	return nil
}

// enter steps into the next element.
func (c *cursor) enter(e element) error {
	if len(c.inside) > maxDepth {
		return malformed("elements are nested deeper than %d", maxDepth)
	}
	c.inside, c.at = append(c.inside, e), e.body
	return nil
}

// leave steps out of the element that the cursor is in, which must have nothing left in it.
func (c *cursor) leave() error {
	more, err := c.more()
	if err != nil {
		return err
	}
	if more {
		return malformed("there is something unexpected at %d", c.at)
	}
	if c.top().open {
		c.at += 2
	}
	c.inside = c.inside[:len(c.inside)-1]
	return nil
}

// leaveAll steps out of a number of elements.
func (c *cursor) leaveAll(n int) error {
	for range n {
		if err := c.leave(); err != nil {
			return err
		}
	}
	return nil
}

// finish expects the end of the file. What follows a message would be lost, or be taken for signed.
func (c *cursor) finish() error {
	if c.at != c.top().end {
		return malformed("something follows it, at %d", c.at)
	}
	return nil
}

// skip steps over the next element.
func (c *cursor) skip() error {
	depth := len(c.inside)
	for {
		more := true
		var err error
		if len(c.inside) > depth {
			more, err = c.more()
		}
		switch {
		case err != nil:
		case more:
			err = c.pass()
		default:
			err = c.leave()
		}
		if err != nil || len(c.inside) == depth {
			return err
		}
	}
}

// pass steps over the next element if its length is known, and into it if not.
func (c *cursor) pass() error {
	e, err := c.next()
	if err == nil && e.open {
		return c.enter(e)
	}
	c.at = e.end
	return err
}
