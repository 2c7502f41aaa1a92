package workflow

import (
	"context"
	"crypto"
	"fmt"
	"io"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/profile"
	"bulksigner/internal/sign/pades"
	"bulksigner/internal/sign/xades"
	"bulksigner/internal/verify"
)

// draft is a document laid out in its format: all that is missing is the signature.
type draft interface {
	// name is what the output is called, for an input of the given name.
	name(input string) string
	// sign asks the key once.
	sign(d *document, key crypto.Signer) (signed, error)
}

// signed is an output that is not published yet.
type signed struct {
	content     *io.SectionReader
	contentType string
	begins      bool // with the original, byte for byte
	beside      bool // the original is published too: the output does not contain it
	judge       func(verify.Options) (verify.Report, error)
}

// form is what all drafts know.
type form struct {
	profile profile.Profile
	format  profile.Format
	key     profile.Key
	policy  icpbrasil.Policy
	now     time.Time
}

func (f form) name(input string) string { return f.profile.OutputName(input, f.format) }

// layOut prepares a document in a format. Whatever makes a file unfit for it is found here.
func (w *Workflow) layOut(ctx context.Context, d *document, format profile.Format, p profile.Profile, key profile.Key) (draft, error) {
	f := form{profile: p, format: format, key: key, now: w.Now()}
	kind, known := map[profile.Format]icpbrasil.Form{profile.Pades: icpbrasil.PAdES, profile.Cades: icpbrasil.CAdES, profile.Xades: icpbrasil.XAdES}[format]
	if !known {
		return nil, fault.New(fault.JobFormatUnsupported, "there is no format %q", format)
	}
	var err error
	if f.policy, err = icpbrasil.Current(kind, f.now); err != nil {
		return nil, err
	}
	switch format {
	case profile.Pades:
		seal, err := w.seal(ctx, p.Signature.Seal)
		if err != nil {
			return nil, err
		}
		return f.layOutPDF(d, seal)
	case profile.Xades:
		return f.layOutXML(d, w.maxXML())
	}
	return f.layOutCMS(d)
}

// pdf is a draft of PAdES.
type pdf struct {
	form
	draft *pades.Document
}

// brasilia is the time zone in which a seal tells the time: Brazil's official one, which has had no summer time since 2019.
var brasilia = time.FixedZone("", -3*60*60)

// seal is what a profile's seal looks like, with its image; nil for an invisible signature.
func (w *Workflow) seal(ctx context.Context, s *profile.Seal) (*pades.Seal, error) {
	if s == nil {
		return nil, nil
	}
	seal := &pades.Seal{Page: s.Page, Left: s.Left, Bottom: s.Bottom, Width: s.Width, Height: s.Height, Text: s.Text}
	if s.Image == "" {
		return seal, nil
	}
	var err error
	if seal.Image, err = w.Assets.Asset(ctx, s.Image); err != nil {
		return nil, fmt.Errorf("fetch the image of the seal: %w", err)
	}
	return seal, nil
}

func (f form) layOutPDF(d *document, seal *pades.Seal) (draft, error) {
	s := f.profile.Signature
	doc, err := pades.Prepare(d, d.size, pades.Options{
		Certificate: f.key.Certificate, Chain: f.key.Chain, Hash: digest(f.profile), Policy: f.policy, Time: f.now.In(brasilia), Seal: seal,
		SubFilter: pades.SubFilter(s.SubFilter), Name: s.Name, Reason: s.Reason, Location: s.Location, ContactInfo: s.ContactInfo, Field: s.Field,
	})
	if err != nil {
		return nil, err
	}
	return pdf{f, doc}, nil
}

func (f pdf) sign(d *document, key crypto.Signer) (signed, error) {
	appended, err := f.draft.Sign(d.digest, key)
	if err != nil {
		return signed{}, err
	}
	content := joined{head: d, size: d.size, tail: appended}.section()
	return signed{content: content, contentType: "application/pdf", begins: true, judge: func(o verify.Options) (verify.Report, error) {
		return verify.PDF(content, content.Size(), o)
	}}, nil
}

// xml is a draft of XAdES.
type xml struct {
	form
	draft *xades.Document
}

// maxXML bounds XML documents, in bytes.
func (w *Workflow) maxXML() int64 {
	if w.MaxXML == 0 {
		return xades.MaxDocument
	}
	return w.MaxXML
}

func (f form) layOutXML(d *document, limit int64) (draft, error) {
	if d.size > limit {
		return nil, fault.New(fault.XMLTooLarge, "the document has %d bytes, more than %d", d.size, limit)
	}
	text, err := io.ReadAll(io.NewSectionReader(d, 0, d.size))
	if err != nil {
		return nil, err
	}
	doc, err := xades.Prepare(text, xades.Options{
		Certificate: f.key.Certificate, Chain: f.key.Chain, Hash: digest(f.profile), Policy: f.policy, Time: f.now, Element: f.profile.Signature.Element,
	})
	if err != nil {
		return nil, err
	}
	return xml{f, doc}, nil
}

func (f xml) sign(_ *document, key crypto.Signer) (signed, error) {
	out, err := f.draft.Sign(key)
	if err != nil {
		return signed{}, err
	}
	return signed{content: whole(out), contentType: "application/xml", judge: func(o verify.Options) (verify.Report, error) {
		return verify.XML(out, o)
	}}, nil
}
