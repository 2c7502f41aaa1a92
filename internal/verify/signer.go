package verify

import (
	"crypto"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"regexp"
	"slices"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/cms"
)

// subject is one signer with all that its checks look at.
type subject struct {
	origin
	options  Options
	message  message
	info     cms.SignerInfo
	cert     *x509.Certificate
	signed   attributes
	unsigned attributes
	hash     crypto.Hash // of the content and the attributes; 0 if unknown
	digest   []byte      // of the content; nil if unknown
	reason   string      // why it is unknown
	policy   policyClaim
	chain    func() finding
	path     []*x509.Certificate // to an anchor, once chain has found it
}

// signerChecks are the checks of one signer, in the order of the report.
var signerChecks = []struct {
	name string
	make func(*subject) finding
}{
	{DEROrder, (*subject).derOrder},
	{ContentType, (*subject).contentType},
	{MessageDigest, (*subject).messageDigest},
	{SignatureValue, (*subject).signatureValue},
	{SigningCertificate, (*subject).signingCertificate},
	{Policy, (*subject).policyCheck},
	{ForbiddenAttributes, (*subject).forbiddenAttributes},
	{KeyUsage, (*subject).keyUsage},
	{Validity, (*subject).validity},
	{Chain, func(s *subject) finding { return s.chain() }},
	{Revocation, (*subject).revocation},
}

// signer judges one signer. The error is one of reading the file.
func (j *judge) signer(out *judged, m message, info cms.SignerInfo, o origin, digest digestFunc) error {
	s := &subject{origin: o, options: j.options, message: m, info: info}
	s.chain = func() finding { return j.chain(s) }
	s.cert = m.signerOf(info)
	var err error
	if s.signed, err = parseAttributes(info.SignedAttrs); err == nil {
		s.unsigned, err = parseAttributes(info.UnsignedAttrs)
	}
	switch {
	case err != nil:
		out.add(Message, fail("%s", err))
		return nil
	case s.cert == nil:
		out.add(Message, fail("the signer's certificate is not in the message, or cannot be read"))
		return nil
	}
	out.add(Message, pass(o.note))
	if err := s.hashContent(digest); err != nil {
		return err
	}
	s.policy = s.claim()
	s.describe(out)
	for _, c := range signerChecks {
		out.add(c.name, c.make(s))
	}
	return nil
}

// hashContent finds the digest of the content, or why it is unknown.
func (s *subject) hashContent(digest digestFunc) error {
	var ok bool
	if s.hash, ok = cms.HashByOID(s.info.DigestAlgorithm.Algorithm); !ok {
		s.reason = "the digest algorithm is not known here"
		return nil
	}
	var err error
	s.digest, err = digest(s.hash)
	if errors.Is(err, errNoContent) || errors.Is(err, errTooMuch) {
		s.reason = err.Error()
		return nil
	}
	return err
}

// describe writes down who signed, when and under which policy, as the signature has it.
func (s *subject) describe(out *judged) {
	out.cert = s.cert
	out.SignerName = signerName(s.cert)
	out.Policy = s.policy.name()
	if v, ok := s.signed.one(cms.OIDSigningTime); ok {
		var t time.Time
		if rest, err := asn1.Unmarshal(v.FullBytes, &t); err == nil && len(rest) == 0 {
			out.Time = claimed(t)
		}
	}
}

// claimed is a time that a report can hold: JSON knows years of four digits, and a time zone can lead out of them.
func claimed(t time.Time) *time.Time {
	t = t.UTC()
	if t.Year() < 1 || t.Year() > 9999 {
		return nil
	}
	return &t
}

// holderNumber is the CPF or CNPJ at the end of the common names of the older certificates. It stands after a colon; with
// a space or with punctuation it is not as it should be, and left out all the same.
var holderNumber = regexp.MustCompile(`([\s:]+[0-9][0-9./-]{10,17}|:\s*[0-9A-Z]{12}[0-9]{2})\s*$`)

// signerName is the common name without the holder's number.
func signerName(cert *x509.Certificate) string {
	return clip(holderNumber.ReplaceAllString(cert.Subject.CommonName, ""))
}

func (s *subject) keyUsage() finding {
	const forSignatures = x509.KeyUsageDigitalSignature | x509.KeyUsageContentCommitment
	switch {
	case s.cert.KeyUsage == 0:
		return pass("the certificate does not restrict its use")
	case s.cert.KeyUsage&forSignatures == 0:
		return fail("the certificate is not for signatures")
	}
	return pass("")
}

func (s *subject) validity() finding {
	at := s.options.At
	switch {
	case at.IsZero():
		return unknown("there is no time to judge it at")
	case at.Before(s.cert.NotBefore):
		return fail("the certificate is not valid before %s", s.cert.NotBefore.UTC().Format(time.RFC3339))
	case at.After(s.cert.NotAfter):
		return fail("the certificate expired at %s", s.cert.NotAfter.UTC().Format(time.RFC3339))
	}
	return pass("")
}

func (s *subject) revocation() finding {
	switch {
	case s.options.Revocation == nil:
		return skipped("nobody was asked")
	case s.path == nil:
		return skipped("there is no chain to ask about")
	}
	err := s.options.Revocation(s.path)
	switch {
	case err == nil:
		return pass("")
	case errors.Is(err, fault.CertificateRevoked):
		return fail("a certificate of the chain was revoked")
	case s.options.Tolerant && errors.Is(err, fault.RevocationUnavailable):
		return skipped("nobody could say whether a certificate of the chain was revoked")
	}
	return unknown("nobody could say whether a certificate of the chain was revoked")
}

// chain looks for a path to an anchor. Errors of x509 quote names, so the detail is in words of our own.
func (j *judge) chain(s *subject) finding {
	switch {
	case len(j.options.Anchors) == 0:
		return skipped("there is no trust anchor to check against")
	case j.options.At.IsZero():
		return unknown("there is no time to judge it at")
	case j.badChains >= maxBadChains:
		return unknown("too many chains of this file lead nowhere")
	}
	paths, err := s.cert.Verify(x509.VerifyOptions{
		Roots:         pool(j.options.Anchors),
		Intermediates: pool(s.message.certs),
		CurrentTime:   j.options.At,
		// The default is server authentication, which no signer's certificate is for.
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny},
	})
	if err == nil {
		s.path = slices.MinFunc(paths, func(a, b []*x509.Certificate) int { return len(a) - len(b) })
		return pass("")
	}
	j.badChains++
	if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok && e.Reason == x509.Expired {
		return fail("a certificate of the chain is expired or not yet valid")
	}
	if _, ok := errors.AsType[x509.UnhandledCriticalExtension](err); ok {
		return fail("a certificate has a critical extension that is not known here")
	}
	return fail("the certificate leads to none of the trust anchors")
}

func pool(certs []*x509.Certificate) *x509.CertPool {
	p := x509.NewCertPool()
	for _, c := range certs {
		p.AddCert(c)
	}
	return p
}

// underADRB reports whether the rules of AD-RB apply: the signature claims them, or they are demanded.
func (s *subject) underADRB() bool {
	return s.options.Policy || s.policy.known && s.policy.policy.Form == s.form
}
