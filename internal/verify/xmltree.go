package verify

import (
	"bytes"

	"bulksigner/internal/fault"
)

// Limits of documents.
const (
	maxXMLDepth      = 256
	maxXMLAttributes = 256  // of one element
	maxXMLName       = 1024 // bytes
)

var errXMLName = fault.New(fault.XMLTooLarge, "a name is longer than 1 KiB")

// xmlKind is the kind of a node.
type xmlKind uint8

const (
	xmlRoot xmlKind = iota // the document itself
	xmlElement
	xmlCharacters
	xmlCDATA
	xmlComment
	xmlInstruction
)

// xmlNode is a part of the text. Nodes stand in the order of the document, so that those under a node follow it up to
// next. They are small, since there can be many: more than two million in a document of empty elements.
type xmlNode struct {
	kind         xmlKind
	space        int32 // of an element's name
	parent, next int32
	from, to     int32 // in the text
	local, name  int32 // of an element: where the local name begins and ends
	attrs, more  int32 // of an element: its attributes are attrs[attrs:more] of the tree
}

// xmlAttribute is a part of the text. A declaration of a namespace is one too: its space is xmlnsSpace, and its local
// name is the prefix.
type xmlAttribute struct {
	space, declared int32 // declared is the namespace that a declaration is about
	from, local, to int32 // of the name
	value, end      int32
}

// Namespaces that every document has.
const (
	noSpace int32 = iota
	xmlSpace
	xmlnsSpace
)

const (
	xmlSpaceURI   = "http://www.w3.org/XML/1998/namespace"
	xmlnsSpaceURI = "http://www.w3.org/2000/xmlns/"
)

// xmlTree is a document. Nothing in it is copied from the text or changed: what is read out of it and what is hashed is
// the same.
type xmlTree struct {
	*xmlText
	nodes  []xmlNode
	attrs  []xmlAttribute
	spaces []string         // namespace names
	ids    map[string]int32 // elements by what identifies them
	root   int32            // the outermost element
	work   int64            // that canonical forms may still cost
}

// xmlParser reads a document. It resolves no entity and fetches nothing.
type xmlParser struct {
	*xmlTree
	at       int
	open     []int32 // what is being read, from the document down
	scope    scope
	interned map[string]int32 // the places of namespaces
}

// parseXML reads a document, or says why it is none that a signature can be judged in.
func parseXML(document []byte) (*xmlTree, error) {
	text, err := decodeXML(document)
	if err != nil {
		return nil, err
	}
	size := int64(len(text.text))
	t := &xmlTree{xmlText: text, spaces: []string{"", xmlSpaceURI, xmlnsSpaceURI}, ids: make(map[string]int32),
		work: max(hashMinimum, maxPasses*size)}
	p := &xmlParser{xmlTree: t, scope: newScope(),
		interned: map[string]int32{"": noSpace, xmlSpaceURI: xmlSpace, xmlnsSpaceURI: xmlnsSpace}}
	p.scope.bind("xml", xmlSpace)
	if err := p.document(); err != nil {
		return nil, err
	}
	return t, nil
}

func (p *xmlParser) document() error {
	// Pieces of markup are about as many as nodes: an element has two tags, and text may follow each.
	p.nodes = make([]xmlNode, 0, bytes.Count(p.text, []byte("<"))+8)
	p.nodes = append(p.nodes, xmlNode{kind: xmlRoot, parent: -1, to: int32(len(p.text))})
	p.open = append(p.open, 0)
	if bytes.HasPrefix(p.text, []byte("<?xml")) && len(p.text) > 5 && isXMLSpace(p.text[5]) {
		p.at = bytes.Index(p.text, []byte("?>")) + 2 // the declaration was read before
	}
	for p.at < len(p.text) {
		if err := p.part(); err != nil {
			return err
		}
	}
	switch {
	case len(p.open) > 1:
		return badXML("the document ends within an element")
	case p.root == 0:
		return badXML("the document has no element")
	}
	p.nodes[0].next = int32(len(p.nodes))
	return nil
}

// part reads one piece of markup, or the text up to the next.
func (p *xmlParser) part() error {
	rest := p.text[p.at:]
	switch {
	case rest[0] != '<':
		return p.characters()
	case bytes.HasPrefix(rest, []byte("<!--")):
		return p.comment()
	case bytes.HasPrefix(rest, []byte("<![CDATA[")):
		return p.cdata()
	case bytes.HasPrefix(rest, []byte("<!DOCTYPE")):
		return fault.New(fault.XMLDoctype, "the document has a DOCTYPE")
	case bytes.HasPrefix(rest, []byte("<?")):
		return p.instruction()
	case bytes.HasPrefix(rest, []byte("</")):
		return p.endTag()
	}
	return p.startTag()
}

// add takes the next n bytes for a node.
func (p *xmlParser) add(kind xmlKind, n int) int32 {
	i := int32(len(p.nodes))
	p.nodes = append(p.nodes, xmlNode{kind: kind, parent: p.open[len(p.open)-1], next: i + 1, from: int32(p.at), to: int32(p.at + n)})
	p.at += n
	return i
}

// until measures a part that begins here and ends with a mark, which must not overlap the beginning.
func (p *xmlParser) until(begin int, mark string) (int, error) {
	n := bytes.Index(p.text[min(p.at+begin, len(p.text)):], []byte(mark))
	if n < 0 {
		return 0, badXML("the document ends within its markup")
	}
	return begin + n + len(mark), nil
}

func (p *xmlParser) comment() error {
	n, err := p.until(4, "--")
	if err != nil {
		return err
	}
	if p.at+n >= len(p.text) || p.text[p.at+n] != '>' {
		return badXML("a comment has two hyphens within")
	}
	p.add(xmlComment, n+1)
	return nil
}

func (p *xmlParser) cdata() error {
	if len(p.open) == 1 {
		return badXML("there is text outside of the root element")
	}
	n, err := p.until(9, "]]>")
	if err != nil {
		return err
	}
	p.add(xmlCDATA, n)
	return nil
}

func (p *xmlParser) instruction() error {
	n, err := p.until(2, "?>")
	if err != nil {
		return err
	}
	body := p.text[p.at+2 : p.at+n-2]
	target := ncName(body)
	if target == 0 || target < len(body) && !isXMLSpace(body[target]) || bytes.EqualFold(body[:target], []byte("xml")) {
		return badXML("a processing instruction has no name that is allowed")
	}
	p.add(xmlInstruction, n)
	return nil
}

// characters reads the text up to the next markup.
func (p *xmlParser) characters() error {
	n := bytes.IndexByte(p.text[p.at:], '<')
	if n < 0 {
		n = len(p.text) - p.at
	}
	raw := p.text[p.at : p.at+n]
	if len(p.open) == 1 {
		if len(bytes.TrimLeft(raw, " \t\r\n")) > 0 {
			return badXML("there is text outside of the root element")
		}
		p.at += n // it is no part of the document
		return nil
	}
	if bytes.Contains(raw, []byte("]]>")) {
		return badXML("there is the end of a CDATA section without its beginning")
	}
	if err := checkReferences(raw); err != nil {
		return err
	}
	p.add(xmlCharacters, n)
	return nil
}

func checkReferences(raw []byte) error {
	for {
		i := bytes.IndexByte(raw, '&')
		if i < 0 {
			return nil
		}
		_, n := reference(raw[i:])
		if n == 0 {
			return badXML("there is a reference to something that XML does not have")
		}
		raw = raw[i+n:]
	}
}
