package revocation

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"golang.org/x/crypto/ocsp"
)

// answer is what a responder said about one certificate.
type answer struct {
	serial []byte
	status Status
}

// about is the answer itself: it is kept under the certificate's own key.
func (a answer) about(certificate *x509.Certificate) (Status, error) {
	if !bytes.Equal(a.serial, certificate.SerialNumber.Bytes()) {
		return Status{}, errors.New("the answer is about another certificate")
	}
	return a.status, nil
}

// askResponder asks an OCSP responder about one certificate.
func (c *Checker) askResponder(ctx context.Context, address string, p pair) (Status, error) {
	key := p.key("ocsp", address) + " " + p.certificate.SerialNumber.Text(16)
	a, err := c.cache.get(ctx, key, func(ctx context.Context) (held, error) { return c.loadAnswer(ctx, address, p) })
	if err != nil {
		return Status{}, err
	}
	return a.about(p.certificate)
}

func (c *Checker) loadAnswer(ctx context.Context, address string, p pair) (held, error) {
	nonce := make([]byte, nonceSize)
	rand.Read(nonce) // never fails
	request, err := newRequest(p, nonce)
	if err != nil {
		return held{}, err
	}
	body, err := c.fetch(ctx, exchange{http.MethodPost, address, request, maxAnswer})
	if err != nil {
		return held{}, err
	}
	r, err := readAnswer(body, p, nonce)
	if err != nil {
		return held{}, err
	}
	until, err := c.validAnswer(ctx, r, p)
	if err != nil {
		return held{}, err
	}
	// An answer is about this moment: unlike a list, it is not stretched over an outage of its responder.
	return held{proof: newAnswer(r, address), size: 1 << 10, refresh: until, until: until}, nil
}

// readAnswer parses an answer and makes sure that it is the answer to this question. What it says counts only once it is
// valid, too.
func readAnswer(body []byte, p pair, nonce []byte) (*ocsp.Response, error) {
	// Without an issuer, the parser checks the signature if the signer's certificate is there, and leaves it to us who that
	// is. With one it would take an issuer's certificate that came along for a responder's.
	r, err := ocsp.ParseResponseForCert(body, p.certificate, nil)
	if err != nil {
		return nil, fmt.Errorf("read the OCSP answer: %w", err)
	}
	if err := matches(r, p, nonce); err != nil {
		return nil, err
	}
	return r, nil
}

// validAnswer checks times and signer of an answer and returns until when it may be kept.
func (c *Checker) validAnswer(ctx context.Context, r *ocsp.Response, p pair) (time.Time, error) {
	if r.Status != ocsp.Good && r.Status != ocsp.Revoked {
		return time.Time{}, errors.New("the responder does not know the certificate")
	}
	now, until := c.now(), r.NextUpdate
	if until.IsZero() {
		until = r.ThisUpdate.Add(maxAge)
	}
	if err := inForce(r.ThisUpdate, until, now); err != nil {
		return time.Time{}, err
	}
	if err := c.signedFor(ctx, r, p.issuer); err != nil {
		return time.Time{}, err
	}
	return earlier(until, now.Add(maxAge)), nil
}

// signedFor accepts the signature of the issuer itself or of a responder that it has appointed.
func (c *Checker) signedFor(ctx context.Context, r *ocsp.Response, issuer *x509.Certificate) error {
	if err := trusted(r.SignatureAlgorithm); err != nil {
		return err
	}
	if r.Certificate != nil && !bytes.Equal(r.Certificate.RawSubjectPublicKeyInfo, issuer.RawSubjectPublicKeyInfo) {
		return c.appointed(ctx, r.Certificate, issuer)
	}
	if err := r.CheckSignatureFrom(issuer); err != nil {
		return fmt.Errorf("check the signature of the OCSP answer: %w", err)
	}
	return nil
}

// appointed checks the certificate of a responder that is not the issuer. An issuer that wants it trusted without further
// questions says so in the certificate; if it names lists instead, those are asked.
func (c *Checker) appointed(ctx context.Context, responder, issuer *x509.Certificate) error {
	p := pair{responder, issuer}
	if err := p.check(); err != nil {
		return fmt.Errorf("check the responder's certificate: %w", err)
	}
	if !slices.Contains(responder.ExtKeyUsage, x509.ExtKeyUsageOCSPSigning) || len(responder.UnhandledCriticalExtensions) > 0 {
		return errors.New("the responder's certificate is not one for OCSP answers")
	}
	now := c.now()
	if now.Add(skew).Before(responder.NotBefore) || now.Add(-skew).After(responder.NotAfter) {
		return errors.New("the responder's certificate is not valid now")
	}
	lists := c.lists(responder)
	if hasNoCheck(responder) || len(lists) == 0 {
		return nil
	}
	s, err := p.first(ctx, lists)
	if err != nil {
		return fmt.Errorf("check the revocation of the responder: %w", err)
	}
	if s.State != Good {
		return errors.New("the responder's certificate is revoked")
	}
	return nil
}

func newAnswer(r *ocsp.Response, address string) answer {
	s := Status{State: Good, Source: address, ThisUpdate: r.ThisUpdate, NextUpdate: r.NextUpdate}
	if r.Status == ocsp.Revoked {
		s.State, s.Reason, s.RevokedAt = Revoked, Reason(r.RevocationReason), r.RevokedAt
	}
	return answer{r.SerialNumber.Bytes(), s}
}
