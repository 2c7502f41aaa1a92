package revocation

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"bulksigner/internal/fault"
)

const (
	// skew is how far the clocks of authorities may be off.
	skew = 5 * time.Minute
	// maxAge is how long an answer counts as new: it is not kept longer, and one that names no end of its own ends then.
	maxAge = time.Hour
	maxURL = 2048
)

// pair is a certificate and who issued it.
type pair struct{ certificate, issuer *x509.Certificate }

// check refuses a certificate that is not the issuer's: its absence from the issuer's list would mean nothing, and nobody
// stands for the addresses that it names.
func (p pair) check() error {
	const detail = "the certificate was not issued by the authority that it is checked with"
	if !bytes.Equal(p.certificate.RawIssuer, p.issuer.RawSubject) {
		return fault.New(fault.CertificateInvalid, detail)
	}
	if err := p.certificate.CheckSignatureFrom(p.issuer); err != nil {
		return fault.Wrap(fault.CertificateInvalid, err, detail)
	}
	return nil
}

// key tells what is kept for this issuer from what is kept for another that its certificates name the same address for.
func (p pair) key(kind, address string) string {
	issuer := sha256.Sum256(p.issuer.Raw)
	return kind + " " + address + " " + hex.EncodeToString(issuer[:])
}

// source is an address with the way to ask it.
type source struct {
	address string
	ask     func(ctx context.Context, address string, p pair) (Status, error)
}

// responders are the OCSP responders that a certificate names.
func (c *Checker) responders(certificate *x509.Certificate) []source {
	return sources(certificate.OCSPServer, c.askResponder)
}

// lists are the revocation lists that a certificate names.
func (c *Checker) lists(certificate *x509.Certificate) []source {
	return sources(certificate.CRLDistributionPoints, c.askList)
}

func sources(named []string, ask func(context.Context, string, pair) (Status, error)) []source {
	var found []source
	for _, address := range named {
		known := slices.ContainsFunc(found, func(s source) bool { return s.address == address })
		if !known && len(found) < maxSources && askable(address) {
			found = append(found, source{address, ask})
		}
	}
	return found
}

// askable leaves out what is not asked at all, such as the LDAP addresses of old authorities.
func askable(address string) bool {
	if len(address) > maxURL {
		return false
	}
	u, err := url.Parse(address)
	return err == nil && plain(u) == nil
}

// plain refuses an address that is not plainly one of the web.
func plain(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("the address is not one of HTTP")
	}
	if u.Host == "" || u.User != nil {
		return errors.New("the address has no host, or a user in it")
	}
	return nil
}

// first asks the sources in turn until one has a usable answer.
func (p pair) first(ctx context.Context, all []source) (Status, error) {
	if len(all) == 0 {
		return Status{}, fault.New(fault.RevocationUnavailable, "the certificate names no source of its revocation that can be asked")
	}
	var failures []error
	for _, s := range all {
		status, err := s.ask(ctx, s.address, p)
		if err == nil {
			err = p.provable(status)
		}
		if err == nil {
			return status, nil
		}
		failures = append(failures, fmt.Errorf("%s: %w", s.address, err))
		if ctx.Err() != nil {
			break
		}
	}
	return Status{}, fault.Wrap(fault.RevocationUnavailable, errors.Join(failures...),
		"no usable answer about the certificate's revocation from %d of %d sources", len(failures), len(all))
}

// provable refuses to conclude from silence that an expired certificate is good.
func (p pair) provable(s Status) error {
	if s.State == Good && s.ThisUpdate.After(p.certificate.NotAfter) {
		return errors.New("the certificate had expired before the answer was made")
	}
	return nil
}

// inForce judges the times of an answer by the clock of this machine.
func inForce(from, until, now time.Time) error {
	switch {
	case until.Before(from):
		return errors.New("the answer ends before it begins")
	case from.After(now.Add(skew)):
		return fmt.Errorf("the answer holds from %s, which is not yet", from.UTC().Format(time.RFC3339))
	case until.Before(now.Add(-skew)):
		return fmt.Errorf("the answer is out of date since %s", until.UTC().Format(time.RFC3339))
	}
	return nil
}

// outdated are algorithms that a forger can get the better of. crypto/x509 still lets some of them pass on lists.
var outdated = []x509.SignatureAlgorithm{
	x509.UnknownSignatureAlgorithm, x509.MD2WithRSA, x509.MD5WithRSA, x509.SHA1WithRSA, x509.ECDSAWithSHA1, x509.DSAWithSHA1,
}

func trusted(a x509.SignatureAlgorithm) error {
	if slices.Contains(outdated, a) {
		return fmt.Errorf("the signature algorithm %s is not trusted", a)
	}
	return nil
}

func selfIssued(c *x509.Certificate) bool { return bytes.Equal(c.RawIssuer, c.RawSubject) }

// earlier is the earlier of two moments.
func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
