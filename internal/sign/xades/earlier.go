package xades

import (
	"regexp"
	"strings"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/xades/markup"
)

// earlier finds out what the signatures that a document has already cover, and whether one more would break them.
//
// It reads references, not mathematics. What it does not understand counts as covering everything: a document is rather
// refused than its signatures broken.
type earlier struct {
	all     bool            // something covers the whole document, or nobody knows what
	covered map[string]bool // identifiers of elements that are covered

	coverage coverage
	filter   filter
}

// coverage is what a ds:Reference that is being read covers.
type coverage struct {
	depth   int // 0 if none is
	uri     string
	excepts bool // it leaves out all signatures, the one to come among them
	opaque  bool // it does something that is not understood
}

// filter is an XPath that is being read.
type filter struct {
	depth int // 0 if none is
	text  strings.Builder
}

const spaceFilter2 = "http://www.w3.org/2002/06/xmldsig-filter2"

// transparent are the transforms whose result changes only if what they are given does.
var transparent = map[string]bool{
	enveloped:                  true,
	exclusive:                  true,
	exclusive + "WithComments": true,
	"http://www.w3.org/TR/2001/REC-xml-c14n-20010315":              true,
	"http://www.w3.org/TR/2001/REC-xml-c14n-20010315#WithComments": true,
	"http://www.w3.org/2006/12/xml-c14n11":                         true,
	"http://www.w3.org/2006/12/xml-c14n11#WithComments":            true,
	"http://www.w3.org/TR/1999/REC-xpath-19991116":                 true, // its XPath decides
	spaceFilter2: true,
}

func (x *earlier) start(e *markup.Element) {
	r := &x.coverage
	switch {
	case e.Name.Is(spaceDSig, "Reference") && r.depth == 0:
		*r = coverage{depth: e.Depth}
		r.uri, _ = e.Attribute("URI") // without one, only an application knows what is meant: as bad as everything
	case r.depth == 0:
	case e.Name.Is(spaceDSig, "Reference"): // none may stand in another one
		r.opaque = true
	case e.Name.Is(spaceDSig, "Transform"):
		algorithm, _ := e.Attribute("Algorithm")
		r.opaque = r.opaque || !transparent[algorithm]
	case e.Name.Is(spaceDSig, "XPath") || e.Name.Is(spaceFilter2, "XPath"):
		x.filter = filter{depth: e.Depth}
		kind, _ := e.Attribute("Filter")
		r.opaque = r.opaque || e.Name.Space == spaceFilter2 && kind != "subtract"
	}
}

func (x *earlier) add(text string) {
	if x.filter.depth > 0 {
		x.filter.text.WriteString(text)
	}
}

func (x *earlier) end(e *markup.Element) {
	switch e.Depth {
	case x.filter.depth:
		x.endFilter(e)
	case x.coverage.depth:
		x.endReference()
	}
}

// exceptions are the XPaths that leave out every signature.
var exceptions = map[string]*regexp.Regexp{
	spaceDSig:    regexp.MustCompile(`^not\(ancestor-or-self::([^:()]+):Signature\)$`),
	spaceFilter2: regexp.MustCompile(`^(?://|/descendant::|/descendant-or-self::)([^:()]+):Signature$`),
}

func (x *earlier) endFilter(e *markup.Element) {
	expression := strings.Join(strings.Fields(x.filter.text.String()), "")
	m := exceptions[e.Name.Space].FindStringSubmatch(expression)
	if m != nil && e.Namespace(m[1]) == spaceDSig {
		x.coverage.excepts = true
	} else {
		x.coverage.opaque = true
	}
	x.filter = filter{}
}

func (x *earlier) endReference() {
	r := x.coverage
	x.coverage = coverage{}
	id, local := strings.CutPrefix(r.uri, "#")
	if m := pointer.FindStringSubmatch(id); m != nil {
		id = m[1] + m[2]
	}
	switch {
	case r.uri != "" && !local: // another file
	case r.opaque, !r.excepts && (id == "" || id == "xpointer(/)"):
		x.all = true
	case !r.excepts:
		x.cover(id)
	}
}

func (x *earlier) cover(id string) {
	if x.covered == nil {
		x.covered = map[string]bool{}
	}
	x.covered[id] = true
}

// pointer is the other way to write a reference to an identifier.
var pointer = regexp.MustCompile(`^xpointer\(id\((?:'([^']*)'|"([^"]*)")\)\)$`)

// judge says whether a signature that is put inside the elements with the identifiers around would break another one.
func (x *earlier) judge(around, known map[string]bool) error {
	if x.all {
		return fault.New(fault.XMLSigned, "the document has a signature that covers all of it and would break")
	}
	for id := range around {
		if x.covered[id] {
			return fault.New(fault.XMLSigned, "the document has a signature that covers the place for the new one and would break")
		}
	}
	for id := range x.covered {
		if !known[id] {
			return fault.New(fault.XMLSigned, "the document has a signature of which it is unknown what it covers")
		}
	}
	return nil
}
