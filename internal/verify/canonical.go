package verify

import (
	"bytes"
	"cmp"
	"hash"
	"slices"
	"strings"
)

// canonicalForm is a way of writing XML so that the same document is the same bytes: inclusive (Canonical XML 1.0) or
// exclusive (Exclusive XML Canonicalization 1.0).
type canonicalForm struct {
	exclusive bool
	comments  bool
	inclusive []string // prefixes that the exclusive form treats as the inclusive one does; "" is the default namespace
}

// What writing a canonical form costs besides its bytes.
const (
	nodeCost    = 8
	bindingCost = 16
)

// canonizer writes the canonical form of a part of a document.
type canonizer struct {
	canonicalForm
	tree *xmlTree
	hash hash.Hash
	omit func(int32) bool // elements that are left out, with what is under them

	buf      []byte
	bound    scope // what prefixes stand for
	rendered scope // what the output so far says
	prefixes []string
	attrs    []xmlAttribute
}

// canonical hashes the canonical form of a node and everything under it. It returns errTooMuch if a document costs more
// than one that was not made to.
func (t *xmlTree) canonical(f canonicalForm, apex int32, omit func(int32) bool, h hash.Hash) error {
	if t.work < 0 {
		return errTooMuch
	}
	c := &canonizer{canonicalForm: f, tree: t, hash: h, omit: omit, bound: newScope(), rendered: newScope()}
	c.context(t.nodes[apex].parent)
	if t.nodes[apex].kind == xmlRoot {
		c.document()
	} else {
		c.element(apex, true)
	}
	c.flush(0)
	if t.work < 0 {
		return errTooMuch
	}
	return nil
}

// context binds what is declared above the node that the form begins with.
func (c *canonizer) context(above int32) {
	if above < 0 {
		return
	}
	c.context(c.tree.nodes[above].parent)
	c.declare(&c.tree.nodes[above])
}

// declare binds what an element declares, and reports whether that is anything.
func (c *canonizer) declare(n *xmlNode) bool {
	found := false
	for _, a := range c.tree.attrs[n.attrs:n.more] {
		if a.space == xmlnsSpace {
			c.bound.bind(string(c.tree.text[a.local:a.to]), a.declared)
			c.tree.work -= bindingCost
			found = true
		}
	}
	return found
}

// document writes what stands beside the root element, each on a line of its own.
func (c *canonizer) document() {
	for i := range c.tree.children(0) {
		if c.tree.nodes[i].kind == xmlElement {
			c.node(i)
			continue
		}
		from := len(c.buf)
		c.node(i)
		switch {
		case len(c.buf) == from: // a comment that is left out
		case i < c.tree.root:
			c.buf = append(c.buf, '\n')
		default:
			c.buf = slices.Insert(c.buf, from, '\n')
		}
	}
}

func (c *canonizer) node(i int32) {
	n := &c.tree.nodes[i]
	raw := c.tree.text[n.from:n.to]
	c.tree.work -= nodeCost
	switch n.kind {
	case xmlElement:
		c.element(i, false)
		return
	case xmlCharacters:
		c.buf = canonicalText.append(c.buf, raw)
	case xmlCDATA:
		c.buf = canonicalCDATA.append(c.buf, c.tree.cdata(n))
	case xmlComment:
		if c.comments {
			c.buf = plainLiteral.append(c.buf, raw)
		}
	case xmlInstruction:
		c.instruction(raw)
	}
}

// instruction writes a processing instruction with one blank after its name.
func (c *canonizer) instruction(raw []byte) {
	body := raw[2 : len(raw)-2]
	name := ncName(body)
	c.buf = append(append(c.buf, "<?"...), body[:name]...)
	if data := bytes.TrimLeft(body[name:], " \t\r\n"); len(data) > 0 {
		c.buf = plainLiteral.append(append(c.buf, ' '), data)
	}
	c.buf = append(c.buf, "?>"...)
}

// flushAt is how many bytes wait to be hashed.
const flushAt = 32 << 10

// flush hashes what waits, if it is so many bytes.
func (c *canonizer) flush(least int) {
	if len(c.buf) < least {
		return
	}
	c.tree.work -= int64(len(c.buf))
	if c.tree.work >= 0 {
		c.hash.Write(c.buf)
	}
	c.buf = c.buf[:0]
}

func (c *canonizer) element(i int32, apex bool) {
	if c.tree.work < 0 || c.omit != nil && c.omit(i) {
		return
	}
	n := &c.tree.nodes[i]
	name := c.tree.text[n.from+1 : n.name]
	c.bound.enter()
	c.rendered.enter()
	declares := c.declare(n)
	c.buf = append(append(c.buf, '<'), name...)
	c.namespaces(n, apex, declares)
	c.attributes(n, apex)
	c.buf = append(c.buf, '>')
	for k := range c.tree.children(i) {
		c.node(k)
		c.flush(flushAt)
		if c.tree.work < 0 {
			break
		}
	}
	c.buf = append(append(append(c.buf, "</"...), name...), '>')
	c.bound.leave()
	c.rendered.leave()
}

// namespaces writes the declarations that the form wants on an element, and that the output does not have already.
func (c *canonizer) namespaces(n *xmlNode, apex, declares bool) {
	c.prefixes = c.prefixes[:0]
	switch {
	case c.exclusive:
		c.utilized(n)
		if apex || declares {
			c.prefixes = append(c.prefixes, c.inclusive...)
		}
	case apex:
		for p := range c.bound.bound {
			c.prefixes = append(c.prefixes, p)
		}
	case declares:
		for _, a := range c.tree.attrs[n.attrs:n.more] {
			if a.space == xmlnsSpace {
				c.prefixes = append(c.prefixes, string(c.tree.text[a.local:a.to]))
			}
		}
	}
	slices.Sort(c.prefixes)
	for _, p := range slices.Compact(c.prefixes) {
		c.namespace(p)
	}
}

// utilized collects the prefixes of an element's own name and of its attributes'.
func (c *canonizer) utilized(n *xmlNode) {
	prefix := ""
	if n.local > n.from+1 {
		prefix = string(c.tree.text[n.from+1 : n.local-1])
	}
	c.prefixes = append(c.prefixes, prefix)
	for _, a := range c.tree.attrs[n.attrs:n.more] {
		if a.space != xmlnsSpace && a.local > a.from {
			c.prefixes = append(c.prefixes, string(c.tree.text[a.from:a.local-1]))
		}
	}
}

func (c *canonizer) namespace(prefix string) {
	space, ok := c.bound.find(prefix)
	said, known := c.rendered.find(prefix)
	if !ok || known && said == space || prefix == "xml" {
		return
	}
	c.rendered.bind(prefix, space)
	c.buf = append(c.buf, " xmlns"...)
	if prefix != "" {
		c.buf = append(append(c.buf, ':'), prefix...)
	}
	c.buf = append(c.buf, `="`...)
	c.buf = append(canonicalAttribute.appendValue(c.buf, c.tree.spaces[space]), '"')
}

// attributes writes attributes in the order of their namespaces and names.
func (c *canonizer) attributes(n *xmlNode, apex bool) {
	c.attrs = c.attrs[:0]
	for _, a := range c.tree.attrs[n.attrs:n.more] {
		if a.space != xmlnsSpace {
			c.attrs = append(c.attrs, a)
		}
	}
	if apex && !c.exclusive {
		c.inherit(n.parent)
	}
	slices.SortFunc(c.attrs, func(a, b xmlAttribute) int {
		return cmp.Or(strings.Compare(c.tree.spaces[a.space], c.tree.spaces[b.space]),
			bytes.Compare(c.tree.text[a.local:a.to], c.tree.text[b.local:b.to]))
	})
	for _, a := range c.attrs {
		c.buf = append(append(c.buf, ' '), c.tree.text[a.from:a.to]...)
		c.buf = canonicalAttribute.append(append(c.buf, `="`...), c.tree.text[a.value:a.end])
		c.buf = append(c.buf, '"')
	}
}

// inherit adds the attributes of the namespace xml that stand above an element, the nearest of each name: the inclusive
// form takes them along (Canonical XML 1.0, section 2.4).
func (c *canonizer) inherit(above int32) {
	for ; above > 0; above = c.tree.nodes[above].parent {
		n := &c.tree.nodes[above]
		for _, a := range c.tree.attrs[n.attrs:n.more] {
			name := c.tree.text[a.local:a.to]
			has := slices.ContainsFunc(c.attrs, func(b xmlAttribute) bool {
				return b.space == xmlSpace && bytes.Equal(c.tree.text[b.local:b.to], name)
			})
			if a.space == xmlSpace && !has {
				c.attrs = append(c.attrs, a)
			}
		}
	}
}
