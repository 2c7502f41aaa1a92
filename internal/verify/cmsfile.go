package verify

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"errors"
	"hash"
	"io"
	"slices"

	"bulksigner/internal/fault"
	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/sign/cms"
)

// CMS judges all signatures of a CMS message that contains what it signs. The content streams through a fixed buffer,
// whether the message is in DER or, as others write it, in BER. A message in PEM is held in memory, up to 32 MiB.
//
// It returns an error only if the message cannot be read as far as its signatures: fault.CMSMalformed, or an error
// without a code if reading went wrong. A message without content has signatures over something unknown: its report
// says so, and is not good.
func CMS(file io.ReaderAt, size int64, o Options) (Report, error) {
	m, err := openCMS(file, size)
	if err != nil {
		return Report{}, cmsFault(err)
	}
	if m.content < 0 {
		return m.report(o, nil, unknown("the content is not in the message"))
	}
	return m.report(o, m.hashContent, m.within())
}

// Detached judges all signatures of a CMS message, in DER, BER or PEM, over content that stands beside it. The content
// is read once, to its end, and only if the message can be read; how much there may be is up to the caller.
func Detached(message []byte, content io.Reader, o Options) (Report, error) {
	m, err := openCMS(bytes.NewReader(message), int64(len(message)))
	if err != nil {
		return Report{}, cmsFault(err)
	}
	if m.content >= 0 {
		return m.report(o, nil, fail("%s", errAttached))
	}
	if content == nil {
		return m.report(o, nil, unknown("there is no content beside the message"))
	}
	copied := func(w io.Writer) error {
		_, err := io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{content}, make([]byte, chunk))
		return err
	}
	return m.report(o, copied, m.within())
}

func cmsFault(err error) error {
	if f, ok := errors.AsType[flaw](err); ok {
		return fault.New(fault.CMSMalformed, "%s", string(f))
	}
	return err
}

// cmsFile is a message in a file, read but for its content.
type cmsFile struct {
	ber     *ber
	size    int64
	der     []byte // the message in DER, without its content
	content int64  // where the OCTET STRING is; negative if there is none
	from    int64  // of the content itself
	to      int64
	end     int64 // of the message
	rest    int64 // bytes that follow it
	armored bool
	note    string // what is unusual about the encoding
}

func openCMS(file io.ReaderAt, size int64) (*cmsFile, error) {
	plain, rest, err := unarmor(file, size)
	if err != nil {
		return nil, err
	}
	m := &cmsFile{content: -1, size: size}
	if plain != nil {
		file, m.size, m.armored = bytes.NewReader(plain), int64(len(plain)), true
	}
	m.ber = newBER(file, m.size)
	m.read()
	if m.ber.loose {
		m.note = "the message is in BER, not in DER"
	}
	m.rest = m.size - m.end + int64(rest)
	return m, m.ber.err
}

// read goes through the message (RFC 5652, sections 3 and 5.1) and puts it together again without its content.
func (m *cmsFile) read() {
	b := m.ber
	b.enter(tagSequence)
	kind := b.value()
	if b.err == nil && string(kind) != signedDataOID {
		b.fail(flaw(errType.Error()))
	}
	b.enter(tagExplicit0)
	b.enter(tagSequence)
	data := encode(tagSequence, b.value(), b.value(), m.encapsulated(), m.others())
	b.leave()
	b.leave()
	b.leave()
	m.der, m.end = encode(tagSequence, kind, encode(tagExplicit0, data)), b.pos
}

// signedDataOID is the encoded content type of signed data.
const signedDataOID = "\x06\x09\x2A\x86\x48\x86\xF7\x0D\x01\x07\x02"

// encapsulated passes over the content and returns the rest of what encloses it.
func (m *cmsFile) encapsulated() []byte {
	b := m.ber
	b.enter(tagSequence)
	kind := b.value()
	if b.more() {
		b.enter(tagExplicit0)
		m.content, m.from = b.pos, -1
		b.octets(func(from, to int64) {
			if m.from < 0 {
				m.from = from
			}
			m.to = to
		})
		if m.from < 0 { // a string of no pieces
			m.from, m.to = b.pos, b.pos
		}
		b.leave()
	}
	b.leave()
	return encode(tagSequence, kind)
}

// others reads certificates, revocation lists and signers. A message with more in it is not one that we can read.
func (m *cmsFile) others() []byte {
	var out []byte
	for last := byte(0); m.ber.more(); {
		v := m.ber.value()
		if m.ber.err != nil {
			break
		}
		known := v[0] == tagExplicit0 && last == 0 || v[0] == tagExplicit1 && last != tagExplicit1 || v[0] == cms.TagSet
		if !known || last == cms.TagSet {
			m.ber.fail(errEncoding)
		}
		last, out = v[0], append(out, v...)
	}
	return out
}

// hashContent writes the content, piece by piece.
func (m *cmsFile) hashContent(w io.Writer) error {
	b := newBER(m.ber.file, m.size)
	b.pos = m.content
	b.octets(func(from, to int64) { b.copy(w, from, to) })
	return b.err
}

// within says whether the message is all that there is.
func (m *cmsFile) within() finding {
	if m.rest > 0 {
		return fail("%d bytes follow the message that no signature covers", m.rest)
	}
	return pass("all of the content is signed")
}

// report judges the message. content writes what is signed; without it that is unknown.
func (m *cmsFile) report(o Options, content func(io.Writer) error, coverage finding) (Report, error) {
	r := Report{Format: string(icpbrasil.CAdES)}
	base := Signature{CoversWholeFile: coverage.outcome == Passed}
	base.add(Coverage, coverage)
	origin := origin{form: icpbrasil.CAdES, attributed: true, note: m.note, limits: inFile}
	parsed, err := parseMessage(m.der, origin)
	if err != nil {
		base.add(Message, fail("%s", err))
		r.Signatures = []Signature{base}
		return r, nil
	}
	if len(parsed.data.SignerInfos) > inFile.signers {
		content = nil // each counts at the most, and none is judged
	}
	sums, err := parsed.sums(content)
	if err != nil {
		return Report{}, err
	}
	j := &judge{options: o}
	all, err := j.each(base, parsed, origin, sums.find)
	if err != nil {
		return Report{}, err
	}
	demandAnySigner(all, o.Signer)
	for _, s := range all {
		r.Signatures = append(r.Signatures, m.locate(s.Signature))
	}
	return r, nil
}

// locate says where in the file the content is, if it is there as it was signed. In PEM it is nowhere to be pointed at.
func (m *cmsFile) locate(s Signature) Signature {
	if m.content >= 0 && !m.armored && s.Check(MessageDigest).Outcome == Passed {
		s.Signed = []Part{{From: m.from, To: m.to}}
	}
	return s
}

// digests are those of one content.
type digests map[crypto.Hash][]byte

func (d digests) find(h crypto.Hash) ([]byte, error) {
	if sum, ok := d[h]; ok {
		return sum, nil
	}
	return nil, errNoContent
}

// sums hashes the content once, for all algorithms that signers use.
func (m *message) sums(content func(io.Writer) error) (digests, error) {
	if content == nil {
		return nil, nil
	}
	hashes := make(map[crypto.Hash]hash.Hash)
	var all []io.Writer
	for _, info := range m.data.SignerInfos {
		h, ok := cms.HashByOID(info.DigestAlgorithm.Algorithm)
		if ok && hashes[h] == nil {
			hashes[h] = h.New()
			all = append(all, hashes[h])
		}
	}
	if err := content(io.MultiWriter(all...)); err != nil {
		return nil, err
	}
	out := make(digests)
	for h, w := range hashes {
		out[h] = w.Sum(nil)
	}
	return out, nil
}

// demandAnySigner asks for a signature by a certificate, if one is given, among signatures that have no order. Those by
// the certificate are judged in full; the others must not be over something that was altered. If there is none by the
// certificate all are judged in full, so that the report tells why.
func demandAnySigner(all []judged, cert *x509.Certificate) {
	if cert == nil || len(all) == 0 {
		return
	}
	is := func(s judged) bool { return s.cert != nil && s.cert.Equal(cert) }
	if !slices.ContainsFunc(all, is) {
		all[len(all)-1].add(Signer, fail("no signature was made with the certificate that was asked for"))
		return
	}
	for i := range all {
		if is(all[i]) {
			all[i].add(Signer, pass(""))
		} else {
			all[i].leaveToOthers(altered)
		}
	}
}
