package lacunatest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"time"

	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/sign/cms"
)

// started is a signature that somebody began. It is completed once.
type started struct {
	doc    *document
	action *action
	cert   *x509.Certificate
	begun
}

type startRequest struct {
	Ticket      string  `json:"ticket"`
	Certificate *[]byte `json:"certificate"`
}

// start is POST /api/documents/keys/{key}/signature/certificate.
func (s *Signer) start(c *call) answer {
	var in startRequest
	if err := c.decode(&in); err != nil {
		return malformed("The request cannot be read.")
	}
	if in.Ticket == "" || in.Certificate == nil {
		return malformed("The Ticket and Certificate fields are required.")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	st, code := s.admitStart(c.PathValue("key"), in, now)
	if code != "" {
		return refuse(code)
	}
	id, err := s.people.visitor(st.cert)
	if err != nil {
		return answer{status: 500}
	}
	if st.begun, err = st.doc.file.begin(id, now); err != nil {
		return success(startedModel{ValidationResults: findings(findingUnsuitable)})
	}
	token := newToken()
	s.tokens[token] = st
	return success(startedModel{
		Success: true, Token: text(token), ToSignHash: text(base64.StdEncoding.EncodeToString(st.hash)), DigestAlgorithm: text(oid(st.digest)),
	})
}

// admitStart checks everything that stands in a start's way, and answers the code if something does.
func (s *Signer) admitStart(key string, in startRequest, now time.Time) (*started, string) {
	d, ok := s.keys[key]
	if !ok {
		return nil, "DocumentInvalidKey"
	}
	t, ok := s.tickets[in.Ticket]
	if !ok || t.doc != d || now.After(t.until) {
		return nil, codeBadTicket
	}
	if t.action.kind != TypeSigner {
		return nil, "InvalidFlowAction"
	}
	if code := notPending(d, t.action); code != "" {
		return nil, code
	}
	cert, err := x509.ParseCertificate(*in.Certificate)
	if err != nil {
		return nil, "CertificateNotFound"
	}
	if cpf, ok := icpbrasil.HolderCPF(cert); !ok || cpf != t.action.user.Identifier {
		return nil, "CpfMismatch"
	}
	return &started{doc: d, action: t.action, cert: cert}, ""
}

// oid is how a start names its digest.
func oid(h crypto.Hash) string {
	switch h {
	case crypto.SHA1:
		return cms.OIDSHA1.String()
	case crypto.SHA384:
		return cms.OIDSHA384.String()
	case crypto.SHA512:
		return cms.OIDSHA512.String()
	}
	return cms.OIDSHA256.String()
}

type completeRequest struct {
	Token     string  `json:"token"`
	Signature *[]byte `json:"signature"`
}

// complete is POST /api/documents/keys/{key}/signature.
func (s *Signer) complete(c *call) answer {
	var in completeRequest
	if err := c.decode(&in); err != nil {
		return malformed("The request cannot be read.")
	}
	if in.Token == "" || in.Signature == nil {
		return malformed("The Token and Signature fields are required.")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	d, ok := s.keys[c.PathValue("key")]
	if !ok {
		return refuse("DocumentInvalidKey")
	}
	st, ok := s.tokens[in.Token]
	if !ok || st.doc != d {
		return refuse(codeBadToken)
	}
	delete(s.tokens, in.Token)
	return s.accept(st, *in.Signature, now)
}

// accept checks the signature and moves the flow on.
func (s *Signer) accept(st *started, value []byte, now time.Time) answer {
	if code := notPending(st.doc, st.action); code != "" {
		return refuse(code)
	}
	if !verifies(st.cert.PublicKey, st.digest, st.hash, value) {
		return success(completed{ValidationResults: findings(findingInvalid)})
	}
	if err := st.doc.file.end(st.begun, st.cert.PublicKey, value); err != nil {
		return success(completed{ValidationResults: findings(findingUnsuitable)})
	}
	s.finish(st.doc, st.action, now)
	return success(completed{Success: true, ValidationResults: findings()})
}

// verifies checks a signature of a hash: PKCS #1 v1.5 with its DigestInfo, or ECDSA in ASN.1.
func verifies(key crypto.PublicKey, digest crypto.Hash, hash, value []byte) bool {
	switch key := key.(type) {
	case *rsa.PublicKey:
		return rsa.VerifyPKCS1v15(key, digest, hash, value) == nil
	case *ecdsa.PublicKey:
		return ecdsa.VerifyASN1(key, hash, value)
	}
	return false
}
