package markup

import (
	"io"
	"slices"
	"strings"
)

// Canonicalizer is a Handler that writes what it receives in exclusive canonical form without comments
// (http://www.w3.org/2001/10/xml-exc-c14n#): a whole document, or the part of it that it is given.
type Canonicalizer struct {
	w        io.Writer
	buf      []byte
	rendered *scope // namespaces that the form has declared
	fresh    []Name // those that the current element adds
	depth    int
	after    bool // the root was written
}

// NewCanonicalizer returns a Canonicalizer that writes to w. Flush must be called at the end.
func NewCanonicalizer(w io.Writer) *Canonicalizer {
	return &Canonicalizer{w: w, buf: make([]byte, 0, 2*flushAt), rendered: newScope()}
}

const flushAt = 16 << 10

// Start implements Handler.
func (c *Canonicalizer) Start(e *Element) error {
	c.depth++
	c.buf = append(c.buf, '<')
	c.buf = append(c.buf, e.Name.Full...)
	c.namespaces(e)
	for _, a := range e.Attributes {
		c.attribute(" ", a.Name.Full, a.Value)
	}
	c.buf = append(c.buf, '>')
	return c.spill()
}

// End implements Handler.
func (c *Canonicalizer) End(e *Element) error {
	c.buf = append(c.buf, "</"...)
	c.buf = append(c.buf, e.Name.Full...)
	c.buf = append(c.buf, '>')
	c.rendered.leave(c.depth)
	c.depth--
	c.after = c.depth == 0
	return c.spill()
}

// Text implements Handler.
func (c *Canonicalizer) Text(s string) error {
	c.buf = appendEscaped(c.buf, s, &textEscapes)
	return c.spill()
}

// Instruction implements Handler. An instruction outside of the root has a line of its own.
func (c *Canonicalizer) Instruction(target, data string) error {
	if c.after {
		c.buf = append(c.buf, '\n')
	}
	c.buf = append(c.buf, "<?"...)
	c.buf = append(c.buf, target...)
	if data != "" {
		c.buf = append(c.buf, ' ')
		c.buf = append(c.buf, data...)
	}
	c.buf = append(c.buf, "?>"...)
	if c.depth == 0 && !c.after {
		c.buf = append(c.buf, '\n')
	}
	return c.spill()
}

// Flush writes what is left.
func (c *Canonicalizer) Flush() error {
	_, err := c.w.Write(c.buf)
	c.buf = c.buf[:0]
	return err
}

func (c *Canonicalizer) spill() error {
	if len(c.buf) < flushAt {
		return nil
	}
	return c.Flush()
}

// namespaces declares the namespaces that the names of the element and its attributes use, unless the form says the same
// already.
func (c *Canonicalizer) namespaces(e *Element) {
	c.fresh = c.fresh[:0]
	c.use(e.Name)
	for _, a := range e.Attributes {
		if a.Name.Prefix != "" {
			c.use(a.Name)
		}
	}
	slices.SortFunc(c.fresh, func(a, b Name) int { return strings.Compare(a.Prefix, b.Prefix) })
	for _, n := range c.fresh {
		if n.Prefix == "" {
			c.attribute(" xmlns", "", n.Space)
		} else {
			c.attribute(" xmlns:", n.Prefix, n.Space)
		}
	}
}

// use notes a namespace. The default namespace counts as said when it is nothing and nothing was said.
func (c *Canonicalizer) use(n Name) {
	if n.Prefix == "xml" || c.rendered.lookup(n.Prefix) == n.Space {
		return
	}
	c.rendered.declare(n.Prefix, n.Space, c.depth)
	c.fresh = append(c.fresh, n)
}

func (c *Canonicalizer) attribute(lead, name, value string) {
	c.buf = append(c.buf, lead...)
	c.buf = append(c.buf, name...)
	c.buf = append(c.buf, `="`...)
	c.buf = appendEscaped(c.buf, value, &valueEscapes)
	c.buf = append(c.buf, '"')
}

// What stands for a byte in canonical form, where it does not stand for itself.
var (
	textEscapes  = [256]string{'&': "&amp;", '<': "&lt;", '>': "&gt;", '\r': "&#xD;"}
	valueEscapes = [256]string{'&': "&amp;", '<': "&lt;", '"': "&quot;", '\t': "&#x9;", '\n': "&#xA;", '\r': "&#xD;"}
)

func appendEscaped(buf []byte, s string, escapes *[256]string) []byte {
	from := 0
	for i := range len(s) {
		if e := escapes[s[i]]; e != "" {
			buf = append(buf, s[from:i]...)
			buf = append(buf, e...)
			from = i + 1
		}
	}
	return append(buf, s[from:]...)
}
