package api

import "bulksigner/internal/profile"

// signatureForm is how signatures look, as it is written.
type signatureForm struct {
	Digest      *string   `json:"digest,omitempty" nullable:"true" doc:"SHA-256, as if it is left out, or SHA-512."`
	SubFilter   *string   `json:"subFilter,omitempty" nullable:"true" doc:"Pades: ETSI.CAdES.detached, as if it is left out, or PBAD.PAdES."`
	Field       *string   `json:"field,omitempty" nullable:"true" doc:"Pades: an empty signature field to fill; a new one if it is left out."`
	Name        *string   `json:"name,omitempty" nullable:"true" doc:"Pades: who signs, as the signature states it."`
	Reason      *string   `json:"reason,omitempty" nullable:"true" doc:"Pades: why."`
	Location    *string   `json:"location,omitempty" nullable:"true" doc:"Pades: where."`
	ContactInfo *string   `json:"contactInfo,omitempty" nullable:"true" doc:"Pades: how to reach the signer."`
	Seal        *sealForm `json:"seal,omitempty" doc:"Pades: what a reader sees of the signature; nothing if it is left out."`
	Detached    *bool     `json:"detached,omitempty" nullable:"true" doc:"Cades: the content is beside the signature and not in it."`
	Nested      *bool     `json:"nested,omitempty" nullable:"true" doc:"Cades: an input that is signed already is content, and not co-signed."`
	Element     *string   `json:"element,omitempty" nullable:"true" doc:"Xades: the local name of the element to sign; the whole document if it is left out."`
}

// sealForm is what a reader sees of a signature, as it is written.
type sealForm struct {
	Page   *int32   `json:"page,omitempty" nullable:"true" doc:"1 is the first, as if it is left out, and -1 the last."`
	Left   *float64 `json:"left,omitempty" nullable:"true" doc:"Points from the left of the page as it is displayed."`
	Bottom *float64 `json:"bottom,omitempty" nullable:"true" doc:"Points from its bottom."`
	Width  *float64 `json:"width,omitempty" nullable:"true"`
	Height *float64 `json:"height,omitempty" nullable:"true"`
	Text   *string  `json:"text,omitempty" nullable:"true" doc:"{name} in it is who signed and {time} when; the usual text if it is left out."`
	Image  *string  `json:"image,omitempty" nullable:"true" doc:"A PNG or JPEG file at s3://bucket/key."`
}

func (f *signatureForm) apply(s *profile.Signature) {
	if f == nil {
		return
	}
	give((*string)(&s.Digest), f.Digest)
	give(&s.SubFilter, f.SubFilter)
	give(&s.Field, f.Field)
	give(&s.Name, f.Name)
	give(&s.Reason, f.Reason)
	give(&s.Location, f.Location)
	give(&s.ContactInfo, f.ContactInfo)
	give(&s.Detached, f.Detached)
	give(&s.Nested, f.Nested)
	give(&s.Element, f.Element)
	if k := f.Seal; k != nil {
		s.Seal = &profile.Seal{
			Page: 1, Left: value(k.Left), Bottom: value(k.Bottom), Width: value(k.Width), Height: value(k.Height),
			Text: value(k.Text), Image: value(k.Image),
		}
		if k.Page != nil {
			s.Seal.Page = int(*k.Page)
		}
	}
}

// signatureShape is how signatures look, as it is read.
type signatureShape struct {
	Digest      profile.Digest `json:"digest"`
	SubFilter   string         `json:"subFilter"`
	Field       string         `json:"field"`
	Name        string         `json:"name"`
	Reason      string         `json:"reason"`
	Location    string         `json:"location"`
	ContactInfo string         `json:"contactInfo"`
	Seal        *sealShape     `json:"seal,omitempty"`
	Detached    bool           `json:"detached"`
	Nested      bool           `json:"nested"`
	Element     string         `json:"element"`
	_           struct{}       `json:"-" additionalProperties:"true"`
}

// sealShape is what a reader sees of a signature, as it is read.
type sealShape struct {
	Page   int      `json:"page"`
	Left   float64  `json:"left"`
	Bottom float64  `json:"bottom"`
	Width  float64  `json:"width"`
	Height float64  `json:"height"`
	Text   string   `json:"text"`
	Image  string   `json:"image"`
	_      struct{} `json:"-" additionalProperties:"true"`
}

func signatureOf(s profile.Signature) *signatureShape {
	shape := &signatureShape{
		Digest: s.Digest, SubFilter: s.SubFilter, Field: s.Field, Name: s.Name, Reason: s.Reason, Location: s.Location,
		ContactInfo: s.ContactInfo, Detached: s.Detached, Nested: s.Nested, Element: s.Element,
	}
	if k := s.Seal; k != nil {
		shape.Seal = &sealShape{Page: k.Page, Left: k.Left, Bottom: k.Bottom, Width: k.Width, Height: k.Height, Text: k.Text, Image: k.Image}
	}
	return shape
}
