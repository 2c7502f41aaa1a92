package verify

import (
	"bytes"
	"crypto"
	"hash"
)

// Canonical returns a canonical form, for comparing it with what others make. It is of the element with an identifier,
// or of the whole document if that is empty.
func Canonical(document []byte, id string, exclusive, comments bool, inclusive ...string) ([]byte, error) {
	t, err := parseXML(document)
	if err != nil {
		return nil, err
	}
	c := &collector{Hash: crypto.SHA256.New()}
	f := canonicalForm{exclusive: exclusive, comments: comments, inclusive: inclusive}
	err = t.canonical(f, t.ids[id], nil, c)
	return c.Bytes(), err
}

// collector takes what would be hashed.
type collector struct {
	bytes.Buffer
	hash.Hash
}

func (c *collector) Write(b []byte) (int, error) { return c.Buffer.Write(b) }
func (c *collector) Reset()                      { c.Buffer.Reset() }
