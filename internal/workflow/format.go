package workflow

import (
	"crypto"
	"io"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/profile"
	"bulksigner/internal/sign/pades"
	"bulksigner/internal/verify"
)

// draft is a document laid out in its format: all that is missing is the signature.
type draft interface {
	// sign asks the key once.
	sign(d *document, key crypto.Signer) (signed, error)
}

// signed is an output that is not published yet.
type signed struct {
	content     *io.SectionReader
	contentType string
	begins      bool // with the original, byte for byte
	judge       func(verify.Options) (verify.Report, error)
}

// layOut prepares a document in a format. Whatever makes a file unfit for it is found here.
func layOut(d *document, f profile.Format, p profile.Profile, key profile.Key, now time.Time) (draft, error) {
	switch f {
	case profile.Pades:
		return layOutPDF(d, p, key, now)
	}
	return nil, fault.New(fault.JobFormatUnsupported, "signatures in the format %s cannot be made yet", f)
}

// pdf is a draft of PAdES.
type pdf struct{ *pades.Document }

func layOutPDF(d *document, p profile.Profile, key profile.Key, now time.Time) (draft, error) {
	policy, err := icpbrasil.Current(icpbrasil.PAdES, now)
	if err != nil {
		return nil, err
	}
	s := p.Signature
	doc, err := pades.Prepare(d, d.size, pades.Options{
		Certificate: key.Certificate, Chain: key.Chain, Hash: digest(p), Policy: policy, SubFilter: pades.SubFilter(s.SubFilter),
		Name: s.Name, Reason: s.Reason, Location: s.Location, ContactInfo: s.ContactInfo, Field: s.Field, Time: now,
	})
	if err != nil {
		return nil, err
	}
	return pdf{doc}, nil
}

func (f pdf) sign(d *document, key crypto.Signer) (signed, error) {
	appended, err := f.Sign(d.digest, key)
	if err != nil {
		return signed{}, err
	}
	content := joined{head: d, size: d.size, tail: appended}.section()
	return signed{content: content, contentType: "application/pdf", begins: true, judge: func(o verify.Options) (verify.Report, error) {
		return verify.PDF(content, content.Size(), o)
	}}, nil
}
