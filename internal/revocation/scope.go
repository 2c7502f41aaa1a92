package revocation

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/crypto/cryptobyte"
	tag "golang.org/x/crypto/cryptobyte/asn1"
)

var (
	oidDeltaIndicator    = asn1.ObjectIdentifier{2, 5, 29, 27}
	oidDistributionPoint = asn1.ObjectIdentifier{2, 5, 29, 28}
	// harmless are extensions of a list that may be critical: the signature makes up for the one, nothing hangs on the other.
	harmless = []asn1.ObjectIdentifier{{2, 5, 29, 35}, {2, 5, 29, 20}} // authority key identifier, number
)

// scope is which certificates a list speaks of. The zero scope is all of its issuer's.
type scope struct {
	stated             bool     // the list has one; it may have no two
	named              bool     // it belongs to one distribution point
	points             []string // the addresses of that point
	usersOnly, casOnly bool
}

// scopeOf reads a list's scope from its extensions and refuses lists that cannot be used.
func scopeOf(list []pkix.Extension) (scope, error) {
	var s scope
	for _, e := range list {
		switch {
		case e.Id.Equal(oidDeltaIndicator):
			return scope{}, errors.New("the list is a delta, and not a whole one")
		case e.Id.Equal(oidDistributionPoint):
			if s.stated {
				return scope{}, errors.New("the list states its scope twice")
			}
			if err := s.read(e.Value); err != nil {
				return scope{}, err
			}
		case e.Critical && !slices.ContainsFunc(harmless, e.Id.Equal):
			return scope{}, fmt.Errorf("the list has an unknown critical extension %s", e.Id)
		}
	}
	return s, nil
}

// read reads an issuing distribution point, RFC 5280, section 5.2.5.
func (s *scope) read(der []byte) error {
	var fields, name, reasons cryptobyte.String
	var partial, indirect, attributes bool
	input := cryptobyte.String(der)
	ok := input.ReadASN1(&fields, tag.SEQUENCE) && input.Empty() &&
		fields.ReadOptionalASN1(&name, &s.named, choice(0).Constructed()) &&
		readFlag(&fields, 1, &s.usersOnly) && readFlag(&fields, 2, &s.casOnly) &&
		fields.ReadOptionalASN1(&reasons, &partial, choice(3)) &&
		readFlag(&fields, 4, &indirect) && readFlag(&fields, 5, &attributes) && fields.Empty()
	if !ok || s.named && !s.readPoints(name) {
		return errors.New("the list's scope is malformed")
	}
	switch {
	case indirect:
		return errors.New("the list is an indirect one")
	case partial:
		return errors.New("the list is one for some reasons alone")
	case attributes:
		return errors.New("the list is one of attribute certificates")
	}
	s.stated = true
	return nil
}

// readPoints keeps the addresses in a distribution point's full name. A name relative to the issuer's, or one of another
// kind, leaves none, and then the list covers nothing: certificates are only asked for addresses.
func (s *scope) readPoints(name cryptobyte.String) bool {
	var names, value cryptobyte.String
	if name.PeekASN1Tag(choice(1).Constructed()) {
		return name.SkipASN1(choice(1).Constructed()) && name.Empty()
	}
	if !name.ReadASN1(&names, choice(0).Constructed()) || !name.Empty() {
		return false
	}
	for !names.Empty() {
		var kind tag.Tag
		if !names.ReadAnyASN1(&value, &kind) {
			return false
		}
		if kind == choice(6) {
			s.points = append(s.points, string(value))
		}
	}
	return true
}

// covers returns why a list does not speak of a certificate. Lists of several distribution points may have one issuer: on
// the way here, one could be put in the place of another.
func (s scope) covers(certificate *x509.Certificate) error {
	if s.usersOnly && certificate.IsCA || s.casOnly && !certificate.IsCA {
		return errors.New("the list is one of another kind of certificate")
	}
	mine := func(point string) bool { return slices.Contains(certificate.CRLDistributionPoints, point) }
	if s.named && !slices.ContainsFunc(s.points, mine) {
		return errors.New("the list is one of another distribution point")
	}
	return nil
}

// choice is the tag of a field that has a number in place of a type.
func choice(n uint8) tag.Tag { return tag.Tag(n).ContextSpecific() }

// readFlag reads a boolean that may be missing. DER has one way to write true; false, though it is the default, is written
// by some.
func readFlag(s *cryptobyte.String, n uint8, flag *bool) bool {
	var value cryptobyte.String
	var present bool
	if !s.ReadOptionalASN1(&value, &present, choice(n)) {
		return false
	}
	if !present {
		return true
	}
	*flag = len(value) == 1 && value[0] == 0xFF
	return len(value) == 1 && (value[0] == 0 || value[0] == 0xFF)
}
