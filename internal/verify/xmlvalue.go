package verify

import (
	"encoding/base64"
	"errors"
	"iter"
	"strings"
	"unicode/utf8"
)

// rendering is how characters get from the text into a value or into a canonical form.
type rendering struct {
	special   [256]bool       // bytes that may need something done
	escapes   map[rune]string // what stands for a character
	attribute bool            // white space is blanks
	literal   bool            // there are no references
}

var (
	textEscapes      = map[rune]string{'&': "&amp;", '<': "&lt;", '>': "&gt;", '\r': "&#xD;"}
	attributeEscapes = map[rune]string{'&': "&amp;", '<': "&lt;", '"': "&quot;", '\t': "&#x9;", '\n': "&#xA;", '\r': "&#xD;"}
)

// The renderings: plain ones are for reading, canonical ones are those of C14N, section 2.3.
var (
	plainText      = rendering{special: specials("&\r")}
	plainLiteral   = rendering{special: specials("\r"), literal: true}
	plainAttribute = rendering{special: specials("&\t\n\r"), attribute: true}

	canonicalText      = rendering{special: specials("&\r<>"), escapes: textEscapes}
	canonicalCDATA     = rendering{special: specials("&\r<>"), escapes: textEscapes, literal: true}
	canonicalAttribute = rendering{special: specials("&\t\n\r<\""), escapes: attributeEscapes, attribute: true}
)

func specials(chars string) (table [256]bool) {
	for _, c := range []byte(chars) {
		table[c] = true
	}
	return table
}

// append renders a part of the text. Line ends become line feeds, as every reader of XML makes them; a carriage return
// that was written as a reference stays one.
func (r *rendering) append(dst, raw []byte) []byte {
	done := 0
	for i := 0; i < len(raw); {
		b := raw[i]
		if !r.special[b] {
			i++
			continue
		}
		dst = append(dst, raw[done:i]...)
		switch {
		case b == '&' && !r.literal:
			c, n := reference(raw[i:])
			dst = r.appendRune(dst, c)
			i += max(n, 1)
		case b == '\r' && i+1 < len(raw) && raw[i+1] == '\n':
			i++ // the line feed speaks for both
		case isXMLSpace(b) && r.attribute:
			dst = append(dst, ' ')
			i++
		case b == '\r':
			dst = append(dst, '\n')
			i++
		default:
			dst = r.appendRune(dst, rune(b))
			i++
		}
		done = i
	}
	return append(dst, raw[done:]...)
}

// appendValue renders a value that was read before. What is escaped is ASCII.
func (r *rendering) appendValue(dst []byte, value string) []byte {
	done := 0
	for i := range len(value) {
		if r.special[value[i]] {
			dst = r.appendRune(append(dst, value[done:i]...), rune(value[i]))
			done = i + 1
		}
	}
	return append(dst, value[done:]...)
}

func (r *rendering) appendRune(dst []byte, c rune) []byte {
	if s, ok := r.escapes[c]; ok {
		return append(dst, s...)
	}
	return utf8.AppendRune(dst, c)
}

// value is that of an attribute, as a reader sees it.
func (t *xmlTree) value(a xmlAttribute) string {
	return string(plainAttribute.append(nil, t.text[a.value:a.end]))
}

// is reports whether a node is an element of that name.
func (t *xmlTree) is(i int32, space, local string) bool {
	n := &t.nodes[i]
	return n.kind == xmlElement && string(t.text[n.local:n.name]) == local && t.spaces[n.space] == space
}

// elements goes over the elements directly under a node.
func (t *xmlTree) elements(i int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for k := range t.children(i) {
			if t.nodes[k].kind == xmlElement && !yield(k) {
				return
			}
		}
	}
}

// children goes over all nodes directly under a node.
func (t *xmlTree) children(i int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for k := i + 1; k < t.nodes[i].next; k = t.nodes[k].next {
			if !yield(k) {
				return
			}
		}
	}
}

// within reports whether a node is another or lies under it.
func (t *xmlTree) within(i, under int32) bool { return i >= under && i < t.nodes[under].next }

// attribute returns an attribute that is in no namespace.
func (t *xmlTree) attribute(i int32, name string) (string, bool) {
	n := &t.nodes[i]
	for _, a := range t.attrs[n.attrs:n.more] {
		if a.space == noSpace && string(t.text[a.local:a.to]) == name {
			return t.value(a), true
		}
	}
	return "", false
}

// errLeaf: a comment within a value makes readers see different values.
var errLeaf = errors.New("a value of the signature has something else than text in it")

// leaf returns the text of an element that contains nothing else.
func (t *xmlTree) leaf(i int32) (string, error) {
	var out []byte
	for k := range t.children(i) {
		n := &t.nodes[k]
		switch n.kind {
		case xmlCharacters:
			out = plainText.append(out, t.text[n.from:n.to])
		case xmlCDATA:
			out = plainLiteral.append(out, t.cdata(n))
		default:
			return "", errLeaf
		}
	}
	return strings.Trim(string(out), " \t\r\n"), nil
}

// cdata is the text of a CDATA section.
func (t *xmlTree) cdata(n *xmlNode) []byte {
	return t.text[n.from+int32(len("<![CDATA[")) : n.to-int32(len("]]>"))]
}

// withoutSpace takes out what base64 and lists of it may be broken with.
var withoutSpace = strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "")

// binary returns the bytes that an element has in base64.
func (t *xmlTree) binary(i int32) ([]byte, error) {
	text, err := t.leaf(i)
	if err != nil {
		return nil, err
	}
	b, err := base64.StdEncoding.DecodeString(withoutSpace.Replace(text))
	if err != nil {
		return nil, errors.New("a value of the signature is not in base64")
	}
	return b, nil
}

// xmlCursor goes over the elements under another, in a fixed order.
type xmlCursor struct {
	tree     *xmlTree
	next     int32
	end      int32
	expected bool // all that was taken was there
}

func (t *xmlTree) cursor(i int32) *xmlCursor {
	c := &xmlCursor{tree: t, next: i + 1, end: t.nodes[i].next, expected: true}
	c.skip()
	return c
}

func (c *xmlCursor) skip() {
	for c.next < c.end && c.tree.nodes[c.next].kind != xmlElement {
		c.next = c.tree.nodes[c.next].next
	}
}

// optional takes the next element if it has that name.
func (c *xmlCursor) optional(space, local string) (int32, bool) {
	i := c.next
	if i >= c.end || !c.tree.is(i, space, local) {
		return 0, false
	}
	c.next = c.tree.nodes[i].next
	c.skip()
	return i, true
}

// take takes the next element, which must have that name.
func (c *xmlCursor) take(space, local string) int32 {
	i, ok := c.optional(space, local)
	c.expected = c.expected && ok
	return i
}

// done reports whether everything was there and nothing else is.
func (c *xmlCursor) done() bool { return c.expected && c.next >= c.end }
