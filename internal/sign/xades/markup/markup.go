// Package markup reads XML so strictly that everybody else reads the same, and writes it in exclusive canonical form.
//
// It knows XML 1.0 with namespaces, without document type declarations: nothing is ever expanded or fetched. Text and
// attribute values arrive as the specification normalizes them, while offsets lead back to the bytes as they were written,
// so that a document can be added to without being written anew. Nesting, names and attributes have limits; the size of a
// document is limited by the caller.
package markup

import (
	"slices"
	"strings"
)

// Limits of what is read. The depth is the one of common libraries, which would not read more.
const (
	MaxDepth = 256 // nested elements

	maxAttributes = 256  // of an element, namespace declarations included
	maxBindings   = 1024 // namespace declarations in scope
	maxName       = 1000 // bytes
)

// The namespaces that are bound without being declared.
const (
	spaceXML   = "http://www.w3.org/XML/1998/namespace"
	spaceXMLNS = "http://www.w3.org/2000/xmlns/"
)

// Name is the name of an element or an attribute.
type Name struct {
	Full          string // as written: prefix:local
	Prefix, Local string
	Space         string // the namespace, or "" if it has none
}

// Is reports whether the name is the given one, whatever its prefix.
func (n Name) Is(space, local string) bool { return n.Local == local && n.Space == space }

// Attribute is an attribute that declares no namespace.
type Attribute struct {
	Name  Name
	Value string // normalized as character data
}

// Element is an element while it is being read.
type Element struct {
	Name       Name
	Attributes []Attribute // in canonical order; gone once Start has returned
	Depth      int         // 1 for the root

	// Close is where the content ends: at the end tag or, in an empty-element tag, at its slash. It is known when End is
	// called.
	Close int
	Empty bool // written as one tag

	parser *parser
}

// Namespace returns what a prefix stands for inside the element, or "" if it was not declared.
func (e *Element) Namespace(prefix string) string { return e.parser.scope.lookup(prefix) }

// Line is the line in which the tag that is being read ends.
func (e *Element) Line() int { return line(e.parser.text[:e.parser.pos]) }

// Attribute returns the value of an attribute that is in no namespace.
func (e *Element) Attribute(local string) (string, bool) {
	i := slices.IndexFunc(e.Attributes, func(a Attribute) bool { return a.Name.Is("", local) })
	if i < 0 {
		return "", false
	}
	return e.Attributes[i].Value, true
}

// Handler receives a document piece by piece. Comments are left out: no canonical form used here has them.
//
// An error ends the reading and is returned as it is.
type Handler interface {
	// Start begins an element. The element must not be kept.
	Start(e *Element) error
	// End ends an element; Namespace still answers for its inside.
	End(e *Element) error
	// Text is a piece of character data: adjacent pieces belong together.
	Text(s string) error
	// Instruction is a processing instruction. It may stand outside of the root.
	Instruction(target, data string) error
}

// Parse reads a document to its end. It returns fault.XMLMalformed, XMLDoctype, XMLTooDeep, XMLTooLarge for an element
// that has too much to it, or XMLEncodingUnsupported if the document says that its encoding is another one.
func (s Source) Parse(h Handler) error {
	if err := checkCharacters(s.Text); err != nil {
		return err
	}
	p := &parser{lexer: lexer{text: s.Text}, handler: h, scope: newScope()}
	if err := p.declaration(s.encoding); err != nil {
		return err
	}
	if err := p.misc(); err != nil {
		return err
	}
	if err := p.root(); err != nil {
		return err
	}
	if err := p.misc(); err != nil {
		return err
	}
	if p.pos < len(p.text) {
		return p.malformed("there is something after the root element")
	}
	return nil
}

// compareNames is the order of attributes in canonical form.
func compareNames(a, b Attribute) int {
	if c := strings.Compare(a.Name.Space, b.Name.Space); c != 0 {
		return c
	}
	return strings.Compare(a.Name.Local, b.Name.Local)
}
