package icpbrasiltest

import (
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"strings"
)

var (
	oidCountry      = asn1.ObjectIdentifier{2, 5, 4, 6}
	oidOrganization = asn1.ObjectIdentifier{2, 5, 4, 10}
	oidUnit         = asn1.ObjectIdentifier{2, 5, 4, 11}
	oidCommonName   = asn1.ObjectIdentifier{2, 5, 4, 3}
	oidSerialNumber = asn1.ObjectIdentifier{2, 5, 4, 5}
)

// attribute is one component of a distinguished name.
type attribute struct {
	id    asn1.ObjectIdentifier
	value string
}

var (
	authorityName = []attribute{{oidCountry, "BR"}, {oidOrganization, "ICP-Brasil"}}
	signerName    = []attribute{
		{oidCountry, "BR"},
		{oidOrganization, "ICP-Brasil"},
		{oidUnit, "AC Emissora de Teste"},
		{oidUnit, "00000000000191"},
		{oidUnit, "videoconferencia"},
	}
)

// marshalName encodes a distinguished name with one component per set. pkix.Name would put all units into one set,
// which no authority does.
func marshalName(attributes []attribute) ([]byte, error) {
	rdns := make(pkix.RDNSequence, len(attributes))
	for i, a := range attributes {
		rdns[i] = pkix.RelativeDistinguishedNameSET{{Type: a.id, Value: a.value}}
	}
	der, err := asn1.Marshal(rdns)
	if err != nil {
		return nil, fmt.Errorf("encode a name: %w", err)
	}
	return der, nil
}

// otherName is a name of a kind that ICP-Brasil defines: 2.16.76.1.3.kind.
type otherName struct {
	kind int
	text string
}

// otherNames holds what the rules demand of a natural person, in the usual order.
func (p Person) otherNames() ([]otherName, error) {
	identity, err := p.identity()
	if err != nil {
		return nil, err
	}
	cei, err := digits("CEI", p.CEI, 12)
	if err != nil {
		return nil, err
	}
	voter, err := digits("voter's card", p.Voter, 19)
	if err != nil {
		return nil, err
	}
	if p.Voter != "" {
		voter += p.City
	}
	return []otherName{{1, identity}, {6, cei}, {5, voter}}, nil
}

// otherNames holds what the rules demand of a legal person, in the order that they fix.
func (c Company) otherNames() ([]otherName, error) {
	identity, err := c.Responsible.identity()
	if err != nil {
		return nil, err
	}
	cnpj, err := digits("CNPJ", c.CNPJ, 14)
	if err != nil {
		return nil, err
	}
	cei, err := digits("CEI", c.CEI, 12)
	if err != nil {
		return nil, err
	}
	return []otherName{{4, identity}, {2, c.Responsible.Name}, {3, cnpj}, {7, cei}}, nil
}

// identity is birth date, CPF, NIS and RG without separators, then whoever issued the RG.
func (p Person) identity() (string, error) {
	text := "00000000"
	if !p.Birth.IsZero() {
		text = p.Birth.Format("02012006")
	}
	fields := []struct {
		name, value string
		width       int
	}{{"CPF", p.CPF, 11}, {"NIS", p.NIS, 11}, {"RG", p.RG, 15}}
	for _, f := range fields {
		s, err := digits(f.name, f.value, f.width)
		if err != nil {
			return "", err
		}
		text += s
	}
	if p.RG != "" {
		text += p.RGIssuer
	}
	return text, nil
}

// digits pads a number with zeros to the width that its field has.
func digits(name, value string, width int) (string, error) {
	if len(value) > width {
		return "", fmt.Errorf("a %s has at most %d characters", name, width)
	}
	return strings.Repeat("0", width-len(value)) + value, nil
}

// stringTags are the ASN.1 types of the encodings; the zero encoding is the usual one.
var stringTags = map[Encoding]int{
	0:         asn1.TagOctetString,
	Octet:     asn1.TagOctetString,
	Printable: asn1.TagPrintableString,
	UTF8:      asn1.TagUTF8String,
}

// Tags of GeneralName.
const (
	tagOtherName  = 0
	tagRFC822Name = 1
)

func marshalAltName(names []otherName, e Encoding, email string) ([]byte, error) {
	var general []asn1.RawValue
	for _, n := range names {
		v, err := n.marshal(e)
		if err != nil {
			return nil, err
		}
		general = append(general, v)
	}
	if email != "" {
		general = append(general, asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: tagRFC822Name, Bytes: []byte(email)})
	}
	der, err := asn1.Marshal(general)
	if err != nil {
		return nil, fmt.Errorf("encode a subject alternative name: %w", err)
	}
	return der, nil
}

func (n otherName) marshal(e Encoding) (asn1.RawValue, error) {
	tag, ok := stringTags[e]
	if !ok {
		return asn1.RawValue{}, fmt.Errorf("there is no encoding %d for an otherName", e)
	}
	id, err := asn1.Marshal(asn1.ObjectIdentifier{2, 16, 76, 1, 3, n.kind})
	if err != nil {
		return asn1.RawValue{}, fmt.Errorf("encode an otherName: %w", err)
	}
	text, err := asn1.Marshal(asn1.RawValue{Tag: tag, Bytes: []byte(n.text)})
	if err != nil {
		return asn1.RawValue{}, fmt.Errorf("encode an otherName: %w", err)
	}
	value, err := asn1.Marshal(asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 0, IsCompound: true, Bytes: text})
	if err != nil {
		return asn1.RawValue{}, fmt.Errorf("encode an otherName: %w", err)
	}
	return asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: tagOtherName, IsCompound: true, Bytes: append(id, value...)}, nil
}
