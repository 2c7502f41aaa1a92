package xades

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/xades/markup"
)

// survey reads a document once: it digests what is to be signed, finds where the signature goes, and what forbids it.
type survey struct {
	part
	options *Options
	digest  []byte

	ids     map[string]bool
	open    []openID // of the elements that are open, outermost first
	earlier earlier

	found  int    // elements that could be meant
	named  int    // elements of the name, with an identifier or without
	target string // the identifier of the first, "" for the document
	place  place
}

// openID is an identifier of an open element.
type openID struct {
	value string
	depth int
}

// place is where the signature goes: to the end of an element.
type place struct {
	depth  int             // of the element, 0 as long as there is none
	around map[string]bool // identifiers of the element and of those around it

	at    int // where its content ends, 0 before that is known
	empty bool
	name  string
	inner bool // it is a part of another signature
}

func newSurvey(source markup.Source, o *Options) (*survey, error) {
	sum := o.Hash.New()
	s := &survey{options: o, ids: map[string]bool{}, part: part{form: markup.NewCanonicalizer(sum), all: o.whole()}}
	if err := source.Parse(s); err != nil {
		return nil, err
	}
	if err := s.form.Flush(); err != nil {
		return nil, err
	}
	s.digest = sum.Sum(nil)
	return s, s.judge()
}

// Start implements markup.Handler.
func (s *survey) Start(e *markup.Element) error {
	own, err := s.identify(e)
	if err != nil {
		return err
	}
	if s.options.Element == e.Name.Local {
		s.named++
	}
	if target, ok := s.wants(e, own); ok {
		if s.found++; s.found == 1 {
			s.choose(e, target)
		}
	}
	s.earlier.start(e)
	return s.part.Start(e)
}

// End implements markup.Handler.
func (s *survey) End(e *markup.Element) error {
	if e.Depth == s.place.depth && s.place.at == 0 {
		s.place.close(e)
	}
	for n := len(s.open); n > 0 && s.open[n-1].depth == e.Depth; n-- {
		s.open = s.open[:n-1]
	}
	s.earlier.end(e)
	return s.part.End(e)
}

// Text implements markup.Handler.
func (s *survey) Text(text string) error {
	s.earlier.add(text)
	return s.part.Text(text)
}

// identifiers are the attributes by which signatures find elements, without a document type to say so.
var identifiers = []string{"Id", "ID", "id"}

// identify notes the identifiers of an element and returns them. A value that comes twice in a document would let
// whoever verifies a signature find another element than was signed.
func (s *survey) identify(e *markup.Element) ([]openID, error) {
	before := len(s.open)
	for _, name := range identifiers {
		if v, _ := e.Attribute(name); v != "" {
			s.open = append(s.open, openID{v, e.Depth})
		}
	}
	if i := slices.IndexFunc(e.Attributes, isXMLID); i >= 0 {
		v := e.Attributes[i].Value
		if !markup.IsName(v) {
			return nil, fault.New(fault.XMLMalformed, "an xml:id is not a name, in line %d", e.Line())
		}
		s.open = append(s.open, openID{v, e.Depth})
	}
	for _, id := range s.open[before:] {
		if s.ids[id.value] {
			return nil, fault.New(fault.XMLDuplicateID, "an identifier comes twice, the second time in line %d", e.Line())
		}
		s.ids[id.value] = true
	}
	return s.open[before:], nil
}

func isXMLID(a markup.Attribute) bool { return a.Name.Full == "xml:id" }

// wants reports whether an element could be the one to sign, and by which identifier.
func (s *survey) wants(e *markup.Element, own []openID) (string, bool) {
	o := s.options
	if o.whole() {
		return "", e.Depth == 1
	}
	if o.Element != "" && o.Element != e.Name.Local {
		return "", false
	}
	for _, id := range own {
		if o.ID == "" || o.ID == id.value {
			return id.value, true
		}
	}
	return "", false
}

// choose makes e the element to sign. The signature goes to its parent, or, if there is none, into it.
func (s *survey) choose(e *markup.Element, target string) {
	s.target = target
	s.place = place{depth: max(e.Depth-1, 1), around: map[string]bool{}}
	for _, id := range s.open {
		if id.depth <= s.place.depth {
			s.place.around[id.value] = true
		}
	}
	if !s.all {
		s.begin(e)
	}
}

func (p *place) close(e *markup.Element) {
	p.at, p.empty, p.name = e.Close, e.Empty, e.Name.Full
	p.inner = e.Name.Space == spaceDSig && e.Name.Local != "Object" // anything may stand in an Object
}

// judge says what forbids the signature.
func (s *survey) judge() error {
	o := s.options
	switch {
	case s.found == 0 && o.ID != "":
		return fault.New(fault.XMLElementNotFound, "there is no element %.60s with the identifier that was asked for", o.Element)
	case s.found == 0:
		return fault.New(fault.XMLElementNotFound, "there is no element %.60s with an identifier", o.Element)
	case s.found > 1:
		return fault.New(fault.XMLElementNotFound, "there are %d elements %.60s, and it is not said which one is meant", s.found, o.Element)
	case s.named > 1 && o.ID == "":
		// Whoever reads the document could take an unsigned one for the signed one.
		return fault.New(fault.XMLElementNotFound, "there are %d elements %.60s, and only one of them has an identifier", s.named, o.Element)
	case strings.ContainsFunc(s.target, notPlain):
		return fault.New(fault.XMLElementNotFound, "the element's identifier has characters that a reference cannot have")
	case s.place.depth+envelopeDepth > markup.MaxDepth:
		return fault.New(fault.XMLTooDeep, "with the signature in it, the document would be nested deeper than %d", markup.MaxDepth)
	case s.place.inner:
		return fault.New(fault.XMLSigned, "the place for the signature is inside of another signature")
	}
	return s.earlier.judge(s.place.around, s.ids)
}

// notPlain matches characters that some libraries do not find again in a reference.
func notPlain(r rune) bool {
	return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r != '_' && r != '-' && r != '.'
}

// uri is what the signature calls the thing that it signs.
func (s *survey) uri() string {
	if s.options.whole() {
		return ""
	}
	return "#" + s.target
}

// freeID makes an identifier out of what is signed, by whom and when, that nothing in the document has.
func (s *survey) freeID(o *Options) signatureID {
	seed := append(append([]byte(s.uri()), s.digest...), o.Certificate.Raw...)
	seed = append(seed, o.signingTime()...)
	for n := uint32(0); ; n++ {
		sum := sha256.Sum256(binary.BigEndian.AppendUint32(seed, n))
		id := signatureID("signature-" + hex.EncodeToString(sum[:16]))
		if !s.ids[string(id)] && !s.ids[id.reference()] && !s.ids[id.properties()] {
			return id
		}
	}
}
