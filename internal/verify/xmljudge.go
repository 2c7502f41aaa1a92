package verify

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/x509"
	"math/big"
	"slices"

	"bulksigner/internal/icpbrasil"
)

// XML judges all signatures of an XML document of at most 6 MiB: plain XML signatures and, with what they demand of
// themselves, those of XAdES. The error says that the document cannot be judged at all, and has a code: it is not
// well-formed, too large or too deep, has a DOCTYPE, has two elements under one identifier, or is in an encoding that is
// not read here. A document without signatures has an empty report.
//
// What was hashed is what the report names: each signed element with where it is in the file, and the root element if
// it is the whole document. Comments are never signed. A signature that signs elements and not the whole document has
// passed its coverage, since that is for its maker to choose, unless something unsigned can be taken for what it signs:
// another element of the same name, signed by nobody who is judged in full. Who reads a document that is not covered
// whole must read the elements that the report names.
func XML(document []byte, o Options) (Report, error) {
	t, err := parseXML(document)
	if err != nil {
		return Report{}, err
	}
	found, err := t.signatures()
	if err != nil {
		return Report{}, err
	}
	j := &judge{options: o}
	var all []judged
	c := &xmlCoverage{tree: t, signer: o.Signer}
	for _, at := range found {
		out, s := j.xml(t, at)
		all = append(all, out)
		c.add(out.cert, s)
	}
	for i := range all {
		c.judge(i, &all[i].Signature)
	}
	demandAnySigner(all, o.Signer)
	r := Report{Format: string(icpbrasil.XAdES), Signatures: []Signature{}}
	for _, s := range all {
		r.Signatures = append(r.Signatures, s.Signature)
	}
	return r, nil
}

// xmlSubject is one signature element with all that its checks look at.
type xmlSubject struct {
	subject
	tree       *xmlTree
	signature  *xmlSignature
	properties *xmlProperties
	references finding
	content    finding
	signed     []byte // the digest of SignedInfo
	signedErr  error  // why it is unknown
}

// xmlChecks are the checks of one signature element, in the order of the report.
var xmlChecks = []struct {
	name string
	make func(*xmlSubject) finding
}{
	{References, func(s *xmlSubject) finding { return s.references }},
	{MessageDigest, func(s *xmlSubject) finding { return s.content }},
	{SignatureValue, (*xmlSubject).signatureValue},
	{SignedProperties, (*xmlSubject).signedProperties},
	{SigningCertificate, (*xmlSubject).signingCertificate},
	{Policy, func(s *xmlSubject) finding { return s.policyCheck() }},
	{KeyUsage, func(s *xmlSubject) finding { return s.keyUsage() }},
	{Validity, func(s *xmlSubject) finding { return s.validity() }},
	{Chain, func(s *xmlSubject) finding { return s.chain() }},
	{Revocation, func(s *xmlSubject) finding { return s.revocation() }},
}

// xml judges one signature element, except for its coverage, which depends on the others.
func (j *judge) xml(t *xmlTree, at int32) (judged, *xmlSignature) {
	var out judged
	read, err := t.readSignature(at)
	if err != nil {
		out.add(XMLSignature, fail("%s", err))
		return out, &read
	}
	s := &xmlSubject{tree: t, signature: &read, properties: t.readProperties(&read)}
	s.form, s.options, s.hash = icpbrasil.XAdES, j.options, read.method.hash
	s.message.certs = read.certs
	s.subject.chain = func() finding { return j.chain(&s.subject) }
	s.references = t.follow(&read)
	s.content = t.compare(&read)
	s.hashInfo()
	if s.cert = s.pick(); s.cert == nil {
		out.add(XMLSignature, fail("the signer's certificate is not in the signature, or cannot be read"))
		return out, &read
	}
	out.add(XMLSignature, pass(""))
	s.describeTo(&out)
	for _, c := range xmlChecks {
		out.add(c.name, c.make(s))
	}
	return out, &read
}

// describeTo writes down who signed, when and under which policy.
func (s *xmlSubject) describeTo(out *judged) {
	out.cert, out.SignerName = s.cert, signerName(s.cert)
	if p := s.properties; p != nil {
		s.policy = p.policy
		out.Policy, out.Time = s.policy.name(), p.time
	}
}

// hashInfo hashes what the signature's value is about: the references with their digests, and the algorithms.
func (s *xmlSubject) hashInfo() {
	if s.hash == 0 {
		return
	}
	h := s.hash.New()
	s.signedErr = s.tree.canonical(s.signature.form, s.signature.info, nil, h)
	s.signed = h.Sum(nil)
}

// pick finds the signer's certificate: the one that the signature names, or else the one whose key made it. If there is
// none of these it is the first, so that there is something to report.
func (s *xmlSubject) pick() *x509.Certificate {
	certs := s.signature.certs
	if s.properties != nil {
		for _, id := range s.properties.certs {
			if i := slices.IndexFunc(certs, id.is); i >= 0 {
				return certs[i]
			}
		}
	}
	if i := slices.IndexFunc(certs, s.verifiedBy); i >= 0 {
		return certs[i]
	}
	if len(certs) > 0 {
		return certs[0]
	}
	return nil
}

// signatureValue checks the signature with the certificate's key.
func (s *xmlSubject) signatureValue() finding {
	weakDigest := slices.ContainsFunc(s.signature.references, func(r xmlReference) bool { return r.hash == crypto.SHA1 })
	switch {
	case s.hash == 0:
		return fail("the signature algorithm is not known here")
	case weakDigest || s.hash == crypto.SHA1:
		return fail("SHA-1 is too weak")
	case s.signedErr != nil:
		return unknown(s.signedErr.Error())
	}
	if detail := weak(s.cert.PublicKey); detail != "" {
		return fail("%s", detail)
	}
	return verdict(s.verifiedBy(s.cert))
}

// verifiedBy reports whether a certificate's key made the signature. In XML a signature of ECDSA is its two numbers, each
// as long as the curve's (RFC 4050, section 3.3).
func (s *xmlSubject) verifiedBy(cert *x509.Certificate) bool {
	if s.signedErr != nil || s.hash == 0 {
		return false
	}
	value := s.signature.value
	switch key := cert.PublicKey.(type) {
	case *rsa.PublicKey:
		return s.signature.method.scheme == pkcs1 && rsa.VerifyPKCS1v15(key, s.hash, s.signed, value) == nil
	case *ecdsa.PublicKey:
		n := (key.Curve.Params().N.BitLen() + 7) / 8
		if s.signature.method.scheme != ecdsaScheme || len(value) != 2*n {
			return false
		}
		return ecdsa.Verify(key, s.signed, new(big.Int).SetBytes(value[:n]), new(big.Int).SetBytes(value[n:]))
	}
	return false
}
