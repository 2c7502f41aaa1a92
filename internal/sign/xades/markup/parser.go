package markup

import (
	"slices"
	"strings"

	"bulksigner/internal/fault"
)

// parser hands a document over to its handler.
type parser struct {
	lexer
	handler    Handler
	scope      *scope
	open       []Element
	attributes []Attribute // of the element that is being read, in one piece of memory for all
}

// misc reads what may stand outside of the root: comments, instructions and white space.
func (p *parser) misc() error {
	for {
		p.space()
		var err error
		switch {
		case p.accept("<!--"):
			err = p.comment()
		case p.accept("<?"):
			err = p.instruction()
		case p.accept("<!DOCTYPE"):
			err = p.refuse(fault.XMLDoctype, "the document has a document type declaration")
		default:
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// root reads the root element with all that is in it.
func (p *parser) root() error {
	if !p.accept("<") {
		return p.malformed("there is no root element")
	}
	if err := p.startTag(); err != nil {
		return err
	}
	for len(p.open) > 0 {
		if err := p.next(); err != nil {
			return err
		}
	}
	return nil
}

// next reads one piece of an element's content.
func (p *parser) next() error {
	switch {
	case p.pos == len(p.text):
		return p.malformed("the document ends within an element")
	case p.text[p.pos] != '<':
		return p.characters()
	case p.accept("</"):
		return p.endTag()
	case p.accept("<!--"):
		return p.comment()
	case p.accept("<![CDATA["):
		return p.cdata()
	case p.accept("<?"):
		return p.instruction()
	}
	p.pos++
	return p.startTag()
}

func (p *parser) characters() error {
	if p.accept("&") {
		s, err := p.reference()
		if err != nil {
			return err
		}
		return p.handler.Text(s)
	}
	n := strings.IndexAny(p.rest(), "<&")
	if n < 0 {
		n = len(p.rest())
	}
	s := p.rest()[:n]
	if strings.Contains(s, "]]>") {
		return p.malformed("]]> stands in text")
	}
	p.pos += n
	return p.handler.Text(normalLines(s))
}

func (p *parser) cdata() error {
	s, err := p.until("]]>", "a CDATA section")
	if err != nil || s == "" {
		return err
	}
	return p.handler.Text(normalLines(s))
}

func (p *parser) comment() error {
	s, err := p.until("-->", "a comment")
	if err != nil {
		return err
	}
	if strings.Contains(s, "--") || strings.HasSuffix(s, "-") {
		return p.malformed("a comment has -- in it")
	}
	return nil
}

func (p *parser) instruction() error {
	target, err := p.name()
	if err != nil {
		return err
	}
	if strings.EqualFold(target, "xml") {
		return p.malformed("an instruction has the reserved name xml")
	}
	space := p.space()
	data, err := p.until("?>", "an instruction")
	if err != nil {
		return err
	}
	if !space && data != "" {
		return p.malformed("the name of an instruction is damaged")
	}
	return p.handler.Instruction(target, normalLines(data))
}

// startTag reads a start tag or an empty-element tag behind its <.
func (p *parser) startTag() error {
	depth := len(p.open) + 1
	if depth > MaxDepth {
		return p.refuse(fault.XMLTooDeep, "elements are nested deeper than %d", MaxDepth)
	}
	name, err := p.qualified()
	if err != nil {
		return err
	}
	if err := p.readAttributes(depth); err != nil {
		return err
	}
	p.open = append(p.open, Element{Name: name, Depth: depth, parser: p, Attributes: p.attributes, Close: p.pos})
	e := &p.open[depth-1]
	if err := p.resolve(e); err != nil {
		return err
	}
	e.Empty = p.accept("/")
	if !p.accept(">") {
		return p.malformed("a start tag is damaged")
	}
	if err := p.handler.Start(e); err != nil {
		return err
	}
	if e.Empty {
		return p.end()
	}
	return nil
}

// endTag reads an end tag behind its </.
func (p *parser) endTag() error {
	e := &p.open[len(p.open)-1]
	e.Close = p.pos - len("</")
	if !p.accept(e.Name.Full) {
		return p.malformed("an end tag does not fit its start tag")
	}
	p.space()
	if !p.accept(">") {
		return p.malformed("an end tag does not fit its start tag")
	}
	return p.end()
}

// end closes the innermost element.
func (p *parser) end() error {
	e := &p.open[len(p.open)-1]
	e.Attributes = nil
	if err := p.handler.End(e); err != nil {
		return err
	}
	p.scope.leave(e.Depth)
	p.open = p.open[:len(p.open)-1]
	return nil
}

// readAttributes reads all attributes of a tag. Namespace declarations among them take effect at once, and names are
// resolved afterwards: a declaration holds for the whole tag.
func (p *parser) readAttributes(depth int) error {
	p.attributes = p.attributes[:0]
	for n := 0; ; n++ {
		if !p.space() || p.pos == len(p.text) || p.text[p.pos] == '>' || p.text[p.pos] == '/' {
			return nil
		}
		if n == maxAttributes {
			return p.refuse(fault.XMLTooLarge, "an element has more than %d attributes", maxAttributes)
		}
		name, err := p.qualified()
		if err != nil {
			return err
		}
		if err := p.equals(); err != nil {
			return err
		}
		value, err := p.value()
		if err != nil {
			return err
		}
		if err := p.attribute(name, value, depth); err != nil {
			return err
		}
	}
}

func (p *parser) attribute(name Name, value string, depth int) error {
	switch {
	case name.Full == "xmlns":
		return p.declare("", value, depth)
	case name.Prefix == "xmlns":
		return p.declare(name.Local, value, depth)
	}
	p.attributes = append(p.attributes, Attribute{name, value})
	return nil
}

func (p *parser) declare(prefix, space string, depth int) error {
	if wrong := checkDeclaration(prefix, space); wrong != "" {
		return p.malformed("%s", wrong)
	}
	if !p.scope.declare(prefix, space, depth) {
		return p.malformed("an element declares a prefix twice")
	}
	if len(p.scope.undo) > maxBindings {
		return p.refuse(fault.XMLTooLarge, "there are more than %d namespaces in scope", maxBindings)
	}
	return nil
}

// resolve finds the namespaces of the element and its attributes, and brings these into canonical order, in which
// doubles are neighbours.
func (p *parser) resolve(e *Element) error {
	e.Name.Space = p.scope.lookup(e.Name.Prefix)
	if e.Name.Prefix != "" && e.Name.Space == "" {
		return p.malformed("the prefix of an element is not declared")
	}
	for i := range e.Attributes {
		n := &e.Attributes[i].Name
		if n.Prefix == "" {
			continue // the default namespace is not for attributes
		}
		if n.Space = p.scope.lookup(n.Prefix); n.Space == "" {
			return p.malformed("the prefix of an attribute is not declared")
		}
	}
	slices.SortFunc(e.Attributes, compareNames)
	for i := 1; i < len(e.Attributes); i++ {
		if compareNames(e.Attributes[i-1], e.Attributes[i]) == 0 {
			return p.malformed("an element has an attribute twice")
		}
	}
	return nil
}
