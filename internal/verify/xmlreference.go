package verify

import (
	"bytes"
	"cmp"
	"crypto"
	"errors"
	"strings"
)

// xmlReference names something that is signed, how it is written for that, and its digest.
type xmlReference struct {
	uri    string
	hasURI bool
	kind   string // its Type
	hash   crypto.Hash
	digest []byte

	form          canonicalForm
	enveloped     bool   // without the signature itself
	allSignatures bool   // without any signature
	fault         string // why its transforms are not followed here

	apex  int32 // what it leads to; set when it is followed
	match bool  // the digest is right
}

// readReference reads a Reference element (XML Signature, section 4.4.3). Transforms that are not known here do not make
// it unreadable: they are a finding of their own.
func (t *xmlTree) readReference(i int32) (xmlReference, error) {
	var r xmlReference
	r.uri, r.hasURI = t.attribute(i, "URI")
	r.kind, _ = t.attribute(i, "Type")
	c := t.cursor(i)
	transforms, some := c.optional(dsigSpace, "Transforms")
	method := c.take(dsigSpace, "DigestMethod")
	value := c.take(dsigSpace, "DigestValue")
	if !c.done() {
		return r, errXMLShape
	}
	algorithm, _ := t.attribute(method, "Algorithm")
	r.hash = xmlDigests[algorithm]
	if some {
		r.fault = t.readTransforms(transforms, &r)
	}
	var err error
	r.digest, err = t.binary(value)
	return r, err
}

// readTransforms reads a chain of transforms, in which only the last may make bytes of nodes.
func (t *xmlTree) readTransforms(i int32, r *xmlReference) string {
	written := false
	for k := range t.elements(i) {
		if !t.is(k, dsigSpace, "Transform") {
			return "a transform cannot be read"
		}
		if written {
			return "a transform follows the canonical form, which is not supported here"
		}
		var fault string
		if written, fault = t.readTransform(k, r); fault != "" {
			return fault
		}
	}
	return ""
}

func (t *xmlTree) readTransform(i int32, r *xmlReference) (written bool, fault string) {
	switch algorithm, _ := t.attribute(i, "Algorithm"); algorithm {
	case methodEnveloped:
		r.enveloped = true
		return false, ""
	case methodXPath:
		if !t.leavesSignaturesOut(i) {
			return false, "an XPath transform other than the one that leaves all signatures out is not supported here"
		}
		r.allSignatures = true
		return false, ""
	}
	form, ok := t.readForm(i)
	if !ok {
		return false, "a transform is not supported here"
	}
	// A reference within a document never takes its comments along (XML Signature, section 4.4.3.3).
	r.form, r.form.comments = form, false
	return true, ""
}

// leavesSignaturesOut recognizes the one expression that has a meaning here. Blanks in it mean nothing.
func (t *xmlTree) leavesSignaturesOut(i int32) bool {
	c := t.cursor(i)
	x := c.take(dsigSpace, "XPath")
	if !c.done() {
		return false
	}
	text, err := t.leaf(x)
	if err != nil {
		return false
	}
	rest, begins := strings.CutPrefix(withoutSpace.Replace(text), "not(ancestor-or-self::")
	prefix, ends := strings.CutSuffix(rest, ":Signature)")
	return begins && ends && t.prefix(x, prefix) == dsigSpace
}

// prefix says what a prefix stands for within an element; nothing, if nothing.
func (t *xmlTree) prefix(i int32, prefix string) string {
	for ; i > 0; i = t.nodes[i].parent {
		n := &t.nodes[i]
		for _, a := range t.attrs[n.attrs:n.more] {
			if a.space == xmlnsSpace && string(t.text[a.local:a.to]) == prefix {
				return t.spaces[a.declared]
			}
		}
	}
	return ""
}

// find says what a reference leads to: the document, or one element of it.
func (t *xmlTree) find(r *xmlReference) (apex int32, fault string) {
	if !r.hasURI {
		return 0, "a reference does not say what it refers to"
	}
	if r.uri == "" {
		return 0, ""
	}
	id, ok := strings.CutPrefix(r.uri, "#")
	switch {
	case !ok:
		return 0, "a reference leads out of the document"
	case ncName([]byte(id)) != len(id) || id == "":
		return 0, "a reference is not a plain name, which is all that is supported here"
	}
	apex, ok = t.ids[id]
	if !ok {
		return 0, "a reference leads to no element"
	}
	return apex, ""
}

// follow finds what the references of a signature lead to, and says whether that could be done without doubt.
func (t *xmlTree) follow(s *xmlSignature) finding {
	first := ""
	for k := range s.references {
		r := &s.references[k]
		apex, fault := t.find(r)
		switch {
		case fault != "":
			r.fault = fault
		case r.fault == "" && t.empty(s, r, apex):
			r.fault = "a reference leads to the signature itself"
		}
		r.apex = apex
		first = cmp.Or(first, r.fault)
	}
	if first != "" {
		return fail("%s", first)
	}
	return pass("")
}

// empty reports whether the transforms leave nothing of what a reference leads to.
func (t *xmlTree) empty(s *xmlSignature, r *xmlReference, apex int32) bool {
	if r.enveloped && t.within(apex, s.at) {
		return true
	}
	for i := apex; r.allSignatures && i > 0; i = t.nodes[i].parent {
		if t.is(i, dsigSpace, "Signature") {
			return true
		}
	}
	return false
}

// compare holds what is there against what was signed. One part that differs is proof, whatever is unknown of others.
func (t *xmlTree) compare(s *xmlSignature) finding {
	known, same := pass(""), true
	for k := range s.references {
		r := &s.references[k]
		sum, err := t.digest(s, r)
		if err != nil {
			known = unknown(err.Error())
			continue
		}
		r.match = bytes.Equal(sum, r.digest)
		same = same && r.match
	}
	if !same {
		return fail("the content is not what was signed")
	}
	return known
}

var errDigest = errors.New("the digest algorithm is not known here")

// digest hashes what a reference leads to.
func (t *xmlTree) digest(s *xmlSignature, r *xmlReference) ([]byte, error) {
	switch {
	case r.fault != "":
		return nil, errNoContent
	case r.hash == 0:
		return nil, errDigest
	}
	var omit func(int32) bool
	switch {
	case r.allSignatures:
		omit = func(i int32) bool { return t.is(i, dsigSpace, "Signature") }
	case r.enveloped:
		omit = func(i int32) bool { return i == s.at }
	}
	h := r.hash.New()
	if err := t.canonical(r.form, r.apex, omit, h); err != nil {
		return nil, err
	}
	return h.Sum(nil), nil
}
