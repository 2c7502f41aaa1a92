package verify

import (
	"crypto/x509"
	"strings"
)

// Namespaces, besides those of signatures and of XAdES, whose elements belong into a signature.
const dsig11Space = "http://www.w3.org/2009/xmldsig11#"

// xmlCoverage finds out what of a document is signed, by all of its signatures together: the unsigned rest must not be
// mistaken for it. If a certificate is asked for, only its signatures count, since those of others are not judged in
// full.
type xmlCoverage struct {
	tree       *xmlTree
	signer     *x509.Certificate
	signatures []*xmlSignature
	trusted    []bool

	walked  bool
	parts   map[int32]bool   // elements that trusted signatures sign
	names   map[xmlName]bool // of those; true if an unsigned element has the same
	foreign bool             // there are unsigned elements in a signature that have no business there
}

type xmlName struct {
	space int32
	local string
}

// add takes in a signature, in the order of the document.
func (c *xmlCoverage) add(cert *x509.Certificate, s *xmlSignature) {
	c.signatures = append(c.signatures, s)
	c.trusted = append(c.trusted, cert != nil && (c.signer == nil || cert.Equal(c.signer)))
}

// judge puts the coverage of a signature in front of its checks, when all signatures are known.
func (c *xmlCoverage) judge(i int, out *Signature) {
	c.walkOnce()
	parts := c.partsOf(c.signatures[i])
	whole := c.whole(c.signatures[i], parts)
	f := c.find(i, parts, whole)
	out.CoversWholeFile = whole && f.outcome == Passed
	for _, r := range parts {
		out.Signed = append(out.Signed, c.locate(r))
	}
	out.Checks = append([]Check{{Name: Coverage, Outcome: f.outcome, Demanded: f.demanded, Detail: f.detail}}, out.Checks...)
}

func (c *xmlCoverage) find(i int, parts []*xmlReference, whole bool) finding {
	switch {
	case len(parts) == 0:
		return fail("there is no content that is as it was signed")
	case whole && c.trusted[i] && c.foreign:
		return fail("a signature contains elements that are not signed and do not belong there")
	case whole:
		return pass("the whole document is signed")
	}
	names := make([]string, len(parts))
	for k, r := range parts {
		name := c.name(r.apex)
		if c.trusted[i] && c.names[name] {
			return fail("there is another element %s that is not signed", clip(name.local))
		}
		names[k] = name.local
	}
	return pass("signed is " + clip(strings.Join(names, ", ")) + ", and not what is around it")
}

// partsOf lists what a signature signs besides itself, as far as it is still as it was signed.
func (c *xmlCoverage) partsOf(s *xmlSignature) []*xmlReference {
	var out []*xmlReference
	for k := range s.references {
		if r := &s.references[k]; r.match && c.isContent(s, r.apex) {
			out = append(out, r)
		}
	}
	return out
}

// isContent reports whether a part is content: what lies in the signature itself is that only in its objects.
func (c *xmlCoverage) isContent(s *xmlSignature, apex int32) bool {
	if apex == 0 || !c.tree.within(apex, s.at) {
		return true
	}
	for _, o := range s.objects {
		if c.tree.within(apex, o) {
			return !c.holder(o)
		}
	}
	return false
}

// holder reports whether an object is there for properties, and for nothing else.
func (c *xmlCoverage) holder(object int32) bool {
	some := false
	for i := range c.tree.elements(object) {
		n := &c.tree.nodes[i]
		if !strings.HasPrefix(c.tree.spaces[n.space], xadesFamily) && !c.tree.is(i, dsigSpace, "SignatureProperties") {
			return false
		}
		some = true
	}
	return some
}

// whole reports whether a signature signs the document, or contains all of it.
func (c *xmlCoverage) whole(s *xmlSignature, parts []*xmlReference) bool {
	signed := make(map[int32]bool)
	for _, r := range parts {
		signed[r.apex] = true
	}
	if signed[0] || signed[c.tree.root] {
		return true
	}
	if s.at != c.tree.root || len(parts) == 0 {
		return false
	}
	for _, o := range s.objects {
		if !signed[o] && !c.holder(o) {
			return false
		}
	}
	return true
}

// locate names a part and says where it is in the file.
func (c *xmlCoverage) locate(r *xmlReference) Part {
	if r.apex == 0 {
		return Part{Element: clip(c.name(c.tree.root).local), To: c.tree.size}
	}
	n := &c.tree.nodes[r.apex]
	return Part{Element: clip(c.name(r.apex).local), From: c.tree.offset(n.from), To: c.tree.offset(n.to)}
}

// name is an element's; the document has none.
func (c *xmlCoverage) name(i int32) xmlName {
	n := &c.tree.nodes[i]
	return xmlName{n.space, string(c.tree.text[n.local:n.name])}
}

// walkOnce goes over the document and looks for unsigned elements that could be taken for signed ones.
func (c *xmlCoverage) walkOnce() {
	if c.walked {
		return
	}
	c.walked = true
	c.parts, c.names = make(map[int32]bool), make(map[xmlName]bool)
	for i, s := range c.signatures {
		if !c.trusted[i] {
			continue
		}
		for _, r := range c.partsOf(s) {
			c.parts[r.apex] = true
			if r.apex > 0 {
				c.names[c.name(r.apex)] = false
			}
		}
	}
	c.walk(c.tree.root, c.parts[0], false)
}

// walk visits an element, of which is known whether it is signed with what is above it, and whether it is in a signature.
func (c *xmlCoverage) walk(i int32, signed, inside bool) {
	signature := c.tree.is(i, dsigSpace, "Signature")
	switch {
	case c.parts[i]:
		signed = true
	case signature && signed:
		signed = c.signsSignature(i)
	}
	inside = inside || signature
	if !signed {
		c.unsigned(i, inside)
	}
	for k := range c.tree.elements(i) {
		c.walk(k, signed, inside)
	}
}

// signsSignature reports whether a signature element is among what is signed, and not left out by a transform.
func (c *xmlCoverage) signsSignature(i int32) bool {
	for k, s := range c.signatures {
		if !c.trusted[k] {
			continue
		}
		for _, r := range c.partsOf(s) {
			if c.tree.within(i, r.apex) && !r.allSignatures && !(r.enveloped && s.at == i) {
				return true
			}
		}
	}
	return false
}

// unsigned takes in an element that nobody signs.
func (c *xmlCoverage) unsigned(i int32, inside bool) {
	name := c.name(i)
	space := c.tree.spaces[name.space]
	own := space == dsigSpace || space == dsig11Space || space == methodExclusive || strings.HasPrefix(space, xadesFamily)
	if inside && !own {
		c.foreign = true
	}
	if inside && own && (name.local != "Object" || c.holder(i)) {
		return // parts of signatures, which have the same names in each
	}
	if _, ok := c.names[name]; ok {
		c.names[name] = true
	}
}
