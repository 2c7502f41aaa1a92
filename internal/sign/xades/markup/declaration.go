package markup

import (
	"slices"
	"strings"

	"bulksigner/internal/fault"
)

// declaration reads the XML declaration, if there is one, and compares what it says with what was found.
func (p *parser) declaration(found encoding) error {
	const start = "<?xml"
	if !strings.HasPrefix(p.text, start) || len(p.text) == len(start) || !isSpace(p.text[len(start)]) {
		return nil
	}
	p.pos = len(start)
	version, err := p.pseudo("version")
	if err != nil {
		return err
	}
	if version != "1.0" {
		return p.malformed("the version of XML is not 1.0")
	}
	if err := p.declaredEncoding(found); err != nil {
		return err
	}
	standalone, err := p.pseudo("standalone")
	if err != nil {
		return err
	}
	if standalone != "" && standalone != "yes" && standalone != "no" {
		return p.malformed("standalone is neither yes nor no")
	}
	p.space()
	if !p.accept("?>") {
		return p.malformed("the XML declaration is damaged")
	}
	return nil
}

func (p *parser) declaredEncoding(found encoding) error {
	name, err := p.pseudo("encoding")
	if err != nil || name == "" {
		return err
	}
	if !slices.ContainsFunc(found.names, func(n string) bool { return strings.EqualFold(n, name) }) {
		return fault.New(fault.XMLEncodingUnsupported, "the document says that its encoding is %.40q, but it is read as %s", name, found.names[0])
	}
	return nil
}

// pseudo reads one part of the declaration. It returns "" if another one comes, or none.
func (p *parser) pseudo(name string) (string, error) {
	from := p.pos
	if !p.space() || !p.accept(name) {
		p.pos = from
		return "", nil
	}
	if err := p.equals(); err != nil {
		return "", err
	}
	value, err := p.quoted("the " + name)
	if err == nil && value == "" {
		err = p.malformed("the %s is empty", name)
	}
	return value, err
}
