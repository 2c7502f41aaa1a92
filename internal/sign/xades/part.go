package xades

import "bulksigner/internal/sign/xades/markup"

// part is a handler that passes on one element of a document, from begin until it ends, or all of the document.
type part struct {
	form  *markup.Canonicalizer
	all   bool
	depth int // of the element, 0 outside of it
}

// begin makes the element that is about to start the one.
func (p *part) begin(e *markup.Element) { p.depth = e.Depth }

func (p *part) covers() bool { return p.all || p.depth > 0 }

// Start implements markup.Handler.
func (p *part) Start(e *markup.Element) error {
	if !p.covers() {
		return nil
	}
	return p.form.Start(e)
}

// End implements markup.Handler.
func (p *part) End(e *markup.Element) error {
	if !p.covers() {
		return nil
	}
	if e.Depth == p.depth {
		p.depth = 0
	}
	return p.form.End(e)
}

// Text implements markup.Handler.
func (p *part) Text(s string) error {
	if !p.covers() {
		return nil
	}
	return p.form.Text(s)
}

// Instruction implements markup.Handler.
func (p *part) Instruction(target, data string) error {
	if !p.covers() {
		return nil
	}
	return p.form.Instruction(target, data)
}

// namedPart passes on the element of a name.
type namedPart struct {
	part
	name string
}

// Start implements markup.Handler.
func (p *namedPart) Start(e *markup.Element) error {
	if e.Name.Full == p.name {
		p.begin(e)
	}
	return p.part.Start(e)
}
