package verify

import (
	"cmp"
	"crypto"
	"crypto/x509"
	"fmt"
	"io"
	"slices"

	"bulksigner/internal/icpbrasil"
)

// PDF judges all signatures of a PDF file. It returns an error only if the file cannot be read as far as its
// signatures: one with a code if it is the file's fault, one without if reading it went wrong. A file without
// signatures has an empty report, whose Err says so.
//
// A document time-stamp is reported and not judged. If nothing but time-stamps follows a signature, what they cover
// beyond it is vouched for by nobody who is judged here; CoversWholeFile is then false, and the detail says so.
func PDF(file io.ReaderAt, size int64, o Options) (Report, error) {
	p, err := openPDF(file, size)
	if err != nil {
		return Report{}, err
	}
	found, err := p.placed()
	if err != nil {
		return Report{}, err
	}
	report := Report{Format: string(icpbrasil.PAdES), Signatures: []Signature{}}
	j := &judge{options: o, digests: newDigester(file, size)}
	var all []judged
	for i := range found {
		s, err := j.pdf(p, found, i)
		if err != nil {
			return Report{}, err
		}
		all = append(all, s...)
	}
	demandSigner(all, o.Signer)
	for _, s := range all {
		report.Signatures = append(report.Signatures, s.Signature)
	}
	return report, nil
}

// placed reads all signatures, oldest first.
func (p *pdf) placed() ([]placed, error) {
	found, err := p.signatures()
	if err != nil {
		return nil, err
	}
	var out []placed
	for _, at := range found {
		s, err := p.read(at)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b placed) int { return cmp.Compare(a.order(), b.order()) })
	return out, nil
}

// pdf judges one signature of a file; it is several if the message has several signers.
func (j *judge) pdf(p *pdf, all []placed, i int) ([]judged, error) {
	s := all[i]
	base := Signature{Field: s.field, SubFilter: s.subFilter, Time: s.claimed}
	base.CoversWholeFile = s.spanFault == "" && s.span.end == p.size
	base.add(ByteRange, s.byteRange())
	coverage, err := p.coverage(all, i)
	if err != nil {
		return nil, err
	}
	base.add(Coverage, coverage)
	switch {
	case s.timestamp():
		base.add(Timestamp, skipped("a document time-stamp is reported, not judged"))
	case !s.readable():
		base.add(Message, fail("this encoding of signatures is not known here"))
	default:
		digest := func(h crypto.Hash) ([]byte, error) {
			if s.spanFault != "" {
				return nil, errNoContent
			}
			return j.digests.sum(h, s.span)
		}
		return j.message(base, s.contents.value, s.origin(), digest)
	}
	return []judged{{Signature: base}}, nil
}

// coverage says how far the signed range reaches, and who vouches for the rest of the file.
func (p *pdf) coverage(all []placed, i int) (finding, error) {
	s := all[i]
	if s.spanFault != "" {
		return unknown("the byte range is no good"), nil
	}
	rest := p.size - s.span.end
	if rest == 0 {
		return pass("the whole file is signed"), nil
	}
	ends, err := p.endsRevision(s.span.end)
	if err != nil {
		return finding{}, err
	}
	if !ends {
		return fail("the signed range does not end where a revision of the file ends"), nil
	}
	later := slices.DeleteFunc(slices.Clone(all[i+1:]), func(l placed) bool { return l.span.end <= s.span.end })
	switch {
	case len(later) == 0:
		return fail("%d bytes follow that no signature covers", rest), nil
	case slices.ContainsFunc(later, func(l placed) bool { return !l.timestamp() }):
		return pass("a revision is signed; later signatures cover what follows"), nil
	}
	return pass(fmt.Sprintf("a revision is signed; %d bytes follow that only a document time-stamp covers", rest)), nil
}

// demandSigner asks the last signature to be made with a certificate, if one is given.
func demandSigner(all []judged, cert *x509.Certificate) {
	if cert == nil || len(all) == 0 {
		return
	}
	last := &all[len(all)-1]
	for i := range all[:len(all)-1] {
		all[i].leaveToOthers(broken)
	}
	switch {
	case last.cert == nil:
		last.add(Signer, fail("the last signature has no certificate that could be read"))
	case !last.cert.Equal(cert):
		last.add(Signer, fail("the last signature was made with another certificate"))
	default:
		last.add(Signer, pass(""))
	}
}
