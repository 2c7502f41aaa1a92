package verify

import (
	"bytes"

	"bulksigner/internal/fault"
)

// endTag ends the element that was begun last.
func (p *xmlParser) endTag() error {
	i := p.open[len(p.open)-1]
	n := &p.nodes[i]
	if n.kind != xmlElement {
		return badXML("an element ends that did not begin")
	}
	size, err := p.until(2, ">")
	if err != nil {
		return err
	}
	name := p.text[n.from+1 : n.name]
	body, ok := bytes.CutPrefix(p.text[p.at+2:p.at+size-1], name)
	if !ok || len(bytes.TrimLeft(body, " \t\r\n")) > 0 {
		return badXML("an element ends under another name than it began with")
	}
	p.at += size
	p.end(i)
	return nil
}

// end closes the element that is open.
func (p *xmlParser) end(i int32) {
	p.nodes[i].to, p.nodes[i].next = int32(p.at), int32(len(p.nodes))
	p.open = p.open[:len(p.open)-1]
	p.scope.leave()
}

func (p *xmlParser) startTag() error {
	local, size := qName(p.text[p.at+1:])
	switch {
	case size == 0:
		return badXML("an element has no name that is allowed")
	case size > maxXMLName:
		return errXMLName
	case len(p.open) == 1 && p.root > 0:
		return badXML("the document has more than one root element")
	case len(p.open) > maxXMLDepth:
		return fault.New(fault.XMLTooDeep, "elements are nested more than %d deep", maxXMLDepth)
	}
	from := int32(p.at)
	i := p.add(xmlElement, 1+size)
	if len(p.open) == 1 {
		p.root = i
	}
	p.open = append(p.open, i)
	n := &p.nodes[i]
	n.local, n.name, n.attrs = from+1+int32(local), int32(p.at), int32(len(p.attrs))
	empty, err := p.attributes()
	if err != nil {
		return err
	}
	n.more = int32(len(p.attrs))
	if err := p.resolve(i); err != nil {
		return err
	}
	if empty {
		p.end(i)
	}
	return nil
}

// attributes reads the rest of a start tag and reports whether the element has no content.
func (p *xmlParser) attributes() (empty bool, err error) {
	for count := 0; ; count++ {
		spaced := p.space()
		rest := p.text[p.at:]
		switch {
		case bytes.HasPrefix(rest, []byte(">")):
			p.at++
			return false, nil
		case bytes.HasPrefix(rest, []byte("/>")):
			p.at += 2
			return true, nil
		case !spaced:
			return false, badXML("a start tag is not well-formed")
		case count == maxXMLAttributes:
			return false, fault.New(fault.XMLTooLarge, "an element has more than %d attributes", maxXMLAttributes)
		}
		if err := p.attribute(); err != nil {
			return false, err
		}
	}
}

// space passes over white space and reports whether there was any.
func (p *xmlParser) space() bool {
	from := p.at
	for p.at < len(p.text) && isXMLSpace(p.text[p.at]) {
		p.at++
	}
	return p.at > from
}

func (p *xmlParser) attribute() error {
	local, size := qName(p.text[p.at:])
	a := xmlAttribute{from: int32(p.at), local: int32(p.at + local), to: int32(p.at + size)}
	p.at += size
	p.space()
	if size == 0 || p.at == len(p.text) || p.text[p.at] != '=' {
		return badXML("an attribute is not well-formed")
	}
	if size > maxXMLName {
		return errXMLName
	}
	p.at++
	p.space()
	if p.at == len(p.text) || p.text[p.at] != '"' && p.text[p.at] != '\'' {
		return badXML("the value of an attribute is not in quotes")
	}
	quote := p.text[p.at]
	p.at++
	n := bytes.IndexByte(p.text[p.at:], quote)
	if n < 0 {
		return badXML("the document ends within its markup")
	}
	raw := p.text[p.at : p.at+n]
	if bytes.IndexByte(raw, '<') >= 0 {
		return badXML("the value of an attribute has an angle bracket")
	}
	a.value, a.end = int32(p.at), int32(p.at+n)
	p.at += n + 1
	p.attrs = append(p.attrs, a)
	return checkReferences(raw)
}

// resolve finds the namespaces of an element and its attributes (Namespaces in XML 1.0).
func (p *xmlParser) resolve(i int32) error {
	n := &p.nodes[i]
	own := p.attrs[n.attrs:n.more]
	p.scope.enter()
	for k := range own {
		if err := p.declare(&own[k]); err != nil {
			return err
		}
	}
	var ok bool
	if n.space, ok = p.spaceOf(n.from+1, n.local, true); !ok {
		return badXML("an element has a prefix that stands for nothing")
	}
	for k := range own {
		a := &own[k]
		if a.space != xmlnsSpace {
			if a.space, ok = p.spaceOf(a.from, a.local, false); !ok {
				return badXML("an attribute has a prefix that stands for nothing")
			}
		}
		for _, b := range own[:k] {
			if b.space == a.space && bytes.Equal(p.text[b.local:b.to], p.text[a.local:a.to]) {
				return badXML("an element has the same attribute twice")
			}
		}
		if err := p.identify(i, *a); err != nil {
			return err
		}
	}
	return nil
}

// spaceOf looks a prefix up. An attribute without one is in no namespace.
func (p *xmlParser) spaceOf(from, local int32, element bool) (int32, bool) {
	if local == from {
		if !element {
			return noSpace, true
		}
		space, _ := p.scope.find("")
		return space, true
	}
	return p.scope.find(string(p.text[from : local-1]))
}

// declare takes in an attribute that declares a namespace.
func (p *xmlParser) declare(a *xmlAttribute) error {
	name := string(p.text[a.from:a.to])
	prefix := ""
	switch {
	case name == "xmlns":
		a.local = a.to
	case a.local > a.from && string(p.text[a.from:a.local-1]) == "xmlns":
		prefix = string(p.text[a.local:a.to])
	default:
		return nil
	}
	a.space = xmlnsSpace
	uri := p.value(*a)
	switch {
	case prefix == "xmlns", uri == xmlnsSpaceURI, (prefix == "xml") != (uri == xmlSpaceURI):
		return badXML("a namespace is declared that must not be")
	case prefix != "" && uri == "":
		return badXML("the declaration of a prefix is taken back, which XML 1.0 does not have")
	}
	space, ok := p.interned[uri]
	if !ok {
		space = int32(len(p.spaces))
		p.spaces = append(p.spaces, uri)
		p.interned[uri] = space
	}
	a.declared = space
	p.scope.bind(prefix, space)
	return nil
}

// identify keeps what identifies an element. Readers differ in which names they take for an identifier, so that one value
// must not stand for two elements under any of them.
func (p *xmlParser) identify(i int32, a xmlAttribute) error {
	switch name := string(p.text[a.local:a.to]); {
	case a.space == noSpace && (name == "Id" || name == "ID" || name == "id"), a.space == xmlSpace && name == "id":
	default:
		return nil
	}
	id := p.value(a)
	if other, ok := p.ids[id]; ok && other != i {
		return fault.New(fault.XMLDuplicateID, "two elements of the document have the same identifier")
	}
	p.ids[id] = i
	return nil
}

// scope is what prefixes stand for, while a document is walked.
type scope struct {
	bound map[string]int32
	undo  []binding
	marks []int
}

type binding struct {
	prefix string
	space  int32
	had    bool
}

func newScope() scope { return scope{bound: make(map[string]int32)} }

func (s *scope) enter() { s.marks = append(s.marks, len(s.undo)) }

func (s *scope) bind(prefix string, space int32) {
	was, had := s.bound[prefix]
	s.undo = append(s.undo, binding{prefix, was, had})
	s.bound[prefix] = space
}

// leave takes back what was bound since the last enter.
func (s *scope) leave() {
	mark := s.marks[len(s.marks)-1]
	s.marks = s.marks[:len(s.marks)-1]
	for i := len(s.undo) - 1; i >= mark; i-- {
		if u := s.undo[i]; u.had {
			s.bound[u.prefix] = u.space
		} else {
			delete(s.bound, u.prefix)
		}
	}
	s.undo = s.undo[:mark]
}

// find says what a prefix stands for. Without one it is no namespace unless a default was declared.
func (s *scope) find(prefix string) (int32, bool) {
	space, ok := s.bound[prefix]
	return space, ok || prefix == ""
}
