package cades

import (
	"bytes"

	"bulksigner/internal/fault"
)

// maxElements bounds every set in a message: signatures, certificates, revocation lists and algorithms.
const maxElements = 1024

// expect steps into the next element, which must have the tag.
func (c *cursor) expect(tag byte) error {
	e, err := c.next()
	if err != nil {
		return err
	}
	if e.tag != tag {
		return malformed("there is a tag %#02x at %d, want %#02x", e.tag, c.at, tag)
	}
	return c.enter(e)
}

// has reports whether the next element is there and has the tag.
func (c *cursor) has(tag byte) (bool, error) {
	more, err := c.more()
	if err != nil || !more {
		return false, err
	}
	e, err := c.next()
	return e.tag == tag, err
}

// take returns the next element as it is encoded.
func (c *cursor) take() ([]byte, error) {
	from := c.at
	if err := c.skip(); err != nil {
		return nil, err
	}
	size := c.at - from
	if size > int64(c.left) {
		return nil, fault.New(fault.JobInputTooLarge, "the message has more than %d bytes besides its content", MaxExtras)
	}
	c.left -= int(size)
	out := make([]byte, size)
	return out, c.copy(out, from)
}

// takeOnly is take for an element that must have the tag.
func (c *cursor) takeOnly(tag byte) ([]byte, error) {
	e, err := c.next()
	if err != nil {
		return nil, err
	}
	if e.tag != tag {
		return nil, malformed("there is a tag %#02x at %d, want %#02x", e.tag, c.at, tag)
	}
	return c.take()
}

// takeOptional is takeAll for an element that may be left out.
func (c *cursor) takeOptional(tag byte) ([][]byte, error) {
	if there, err := c.has(tag); err != nil || !there {
		return nil, err
	}
	return c.takeAll(tag)
}

// takeAll returns all elements of the next element, which must have the tag.
func (c *cursor) takeAll(tag byte) ([][]byte, error) {
	if err := c.expect(tag); err != nil {
		return nil, err
	}
	var out [][]byte
	for {
		more, err := c.more()
		if err != nil {
			return nil, err
		}
		if !more {
			return out, c.leave()
		}
		b, err := c.take()
		if err != nil {
			return nil, err
		}
		if out = append(out, b); len(out) > maxElements {
			return nil, fault.New(fault.JobInputTooLarge, "the message has more than %d certificates, lists or signatures", maxElements)
		}
	}
}

// takeAlgorithms takes the digest algorithms. No signature covers them here, so that they may be written again in DER.
func (c *cursor) takeAlgorithms() ([][]byte, error) {
	algorithms, err := c.takeAll(tagSet)
	for i, a := range algorithms {
		parts, err := newCursor(bytes.NewReader(a), int64(len(a))).takeAll(tagSequence)
		if err != nil {
			return nil, err
		}
		if len(parts) == 0 {
			return nil, malformed("it has a digest algorithm without a name")
		}
		algorithms[i] = wrap(tagSequence, bytes.Join(parts, nil))
	}
	return algorithms, err
}

// firstIn returns the first element of an element, as it is encoded.
func firstIn(b []byte) ([]byte, error) {
	c := newCursor(bytes.NewReader(b), int64(len(b)))
	e, err := c.next()
	if err != nil {
		return nil, err
	}
	if err := c.enter(e); err != nil {
		return nil, err
	}
	return c.take()
}
