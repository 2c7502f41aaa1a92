package cades

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Kind is what a file is to a signer.
type Kind int

// The kinds of files.
const (
	// Plain is content to be signed as it is. So is a SignedData that nobody can add a signature to: a bag of
	// certificates, a time-stamp token, which has one signer by its own standard, or one whose content is a structure
	// and not octets.
	Plain Kind = iota
	// Attached is a SignedData with its content, which can be signed by another signer.
	Attached
	// Detached is a SignedData without its content.
	Detached
)

// Inspect tells what kind of file there is. It looks at the beginning alone, in DER, BER or PEM: whether the rest is
// sound, PrepareCoSign finds out.
//
// It returns fault.CMSMalformed for a file that begins like a SignedData and does not go on like one, JobInputTooLarge for
// one with an absurd number of algorithms, and the error of the reader as it is.
func Inspect(file io.ReaderAt, size int64) (Kind, error) {
	beginning, err := peekFile(file, size)
	if err != nil {
		return Plain, err
	}
	if label, body := armorLabel(beginning); label != "" {
		beginning = unarmor(beginning[body:])
		file, size = bytes.NewReader(beginning), size/4*3
	}
	if !beginsSigned(beginning) {
		return Plain, nil
	}
	h, err := newCursor(file, size).head()
	return h.kind, err
}

// peekFile reads the beginning of a file, enough for the head of any SignedData.
func peekFile(file io.ReaderAt, size int64) ([]byte, error) {
	b := make([]byte, max(0, min(size, window)))
	n, err := file.ReadAt(b, 0)
	if n < len(b) && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the beginning: %w", err)
	}
	return b[:n], nil
}

// beginsSigned looks for the content type that is the first thing in a SignedData.
func beginsSigned(b []byte) bool {
	const long, unknown = 0x80, 0x80
	if len(b) < 2 || b[0] != tagSequence {
		return false
	}
	body := 2
	if b[1] > unknown {
		body += int(b[1] - long)
	}
	return body < len(b) && strings.HasPrefix(string(b[body:min(len(b), body+len(oidSignedData))]), oidSignedData)
}

// head is a SignedData up to its content.
type head struct {
	kind        Kind
	contentType string
	algorithms  [][]byte
}

// head walks to the content, if there is any, and stays before it.
func (c *cursor) head() (h head, err error) {
	if err := c.outermost(); err != nil {
		return h, err
	}
	if h.algorithms, err = c.takeAlgorithms(); err != nil {
		return h, err
	}
	if err := c.expect(tagSequence); err != nil {
		return h, err
	}
	oid, err := c.takeOnly(tagOID)
	if err != nil {
		return h, err
	}
	h.contentType = string(oid)
	h.kind, err = c.content(len(h.algorithms) == 0)
	if h.contentType == oidTSTInfo {
		h.kind = Plain
	}
	return h, err
}

// outermost walks into a SignedData, past its version.
func (c *cursor) outermost() error {
	if err := c.expect(tagSequence); err != nil {
		return err
	}
	oid, err := c.takeOnly(tagOID)
	if err != nil {
		return err
	}
	if string(oid) != oidSignedData {
		return malformed("it is no SignedData")
	}
	for _, tag := range []byte{tag0, tagSequence} {
		if err := c.expect(tag); err != nil {
			return err
		}
	}
	_, err = c.takeOnly(tagInteger)
	return err
}

// content steps into what encloses the content. Without content and without an algorithm there is no signature either.
func (c *cursor) content(nobody bool) (Kind, error) {
	there, err := c.has(tag0)
	switch {
	case err != nil:
		return Plain, err
	case !there && nobody:
		return Plain, nil
	case !there:
		return Detached, nil
	}
	if err := c.expect(tag0); err != nil {
		return Plain, err
	}
	e, err := c.next()
	if err != nil || e.tag != tagOctets && e.tag != tagChunks {
		return Plain, err
	}
	return Attached, nil
}
