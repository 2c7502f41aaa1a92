// Package revocation answers whether a certificate is revoked, from the OCSP responders and the revocation lists (CRLs)
// that the certificate itself names.
//
// The responder comes first, then the lists in turn; the first usable answer counts. An answer is usable if it is signed
// by the issuer, or by a responder that the issuer has appointed, with an algorithm that is still trusted, if it is about
// this very certificate, and if it is in force now. Lists that tell a part of the truth are not used: indirect ones, ones
// for some reasons alone, ones for another kind of certificate or another distribution point, and delta lists. A source
// without a usable answer is an outage, never a good answer.
//
// Addresses in certificates were written by others. Only those are asked that the issuer signed, with HTTP, at public
// network addresses, within limits of size, time and redirects. Usable answers are kept in memory for an hour at most,
// outages for half a minute; only a list that still holds is kept on while its site does not answer. Who asks for what is
// being fetched waits for it. No goroutine outlives a call.
//
// Whether the issuer is to be trusted, and what follows from an outage, is left to the caller.
package revocation

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"bulksigner/internal/fault"
)

// Limits of a question.
const (
	maxChain   = 10
	maxSources = 4 // of each kind; real certificates name one responder and two or three lists
)

// Options changes what a Checker does. The zero value is for production.
type Options struct {
	// AllowPrivate lets sources be at private, loopback and link-local addresses: for tests, and for a PKI inside of a
	// network. Whoever can have a certificate checked can then make this process ask addresses in that network.
	AllowPrivate bool

	Timeout      time.Duration // for one source; zero: 10 s
	CacheEntries int           // how many answers are kept; zero: 256
	CacheBytes   int           // how much memory they take; zero: 64 MiB
}

// Checker asks about certificates and remembers what it was told. It is safe for concurrent use.
type Checker struct {
	client  *http.Client
	now     func() time.Time
	timeout time.Duration
	cache   *cache
}

// New makes a Checker that asks through a copy of client, with rules of its own for addresses and redirects. Unless
// private addresses are allowed, a transport of net/http keeps its TLS settings alone: its proxy and its dialer would
// stand between the rule and the address. A transport of another make is used if they are allowed; otherwise every
// question ends in an outage, since nobody could hold it to the rule.
func New(client *http.Client, now func() time.Time, o Options) *Checker {
	o = o.withDefaults()
	if now == nil {
		now = time.Now
	}
	return &Checker{
		client:  guard(client, o.AllowPrivate),
		now:     now,
		timeout: o.Timeout,
		cache:   newCache(now, o.CacheEntries, o.CacheBytes),
	}
}

func (o Options) withDefaults() Options {
	if o.Timeout <= 0 {
		o.Timeout = 10 * time.Second
	}
	if o.CacheEntries <= 0 {
		o.CacheEntries = 256
	}
	if o.CacheBytes <= 0 {
		o.CacheBytes = 64 << 20
	}
	return o
}

// Check says how a certificate stood at a moment, which is now or lies in the past. A certificate that was revoked after
// that moment was good at it; one that was revoked at it was not.
//
// It returns fault.RevocationUnavailable if no source gave a usable answer, also because ctx ended or because the
// certificate names none, and fault.CertificateInvalid if issuer did not issue the certificate. An authority may drop an
// expired certificate from its list, so that nothing made after the expiry proves it good.
func (c *Checker) Check(ctx context.Context, certificate, issuer *x509.Certificate, at time.Time) (Status, error) {
	p := pair{certificate, issuer}
	if err := p.check(); err != nil {
		return Status{}, err
	}
	s, err := p.first(ctx, append(c.responders(certificate), c.lists(certificate)...))
	if err != nil {
		return Status{}, err
	}
	return s.at(at), nil
}

// Chain checks every certificate of a chain but the root: the leaf comes first, the root last. It returns
// fault.CertificateRevoked if one is revoked, whatever became of the others, so that a caller who lets outages pass never
// lets a revocation pass; otherwise it fails as Check does. A chain that does not end in a root is an outage, since
// nobody answers for its last certificate.
func (c *Checker) Chain(ctx context.Context, chain []*x509.Certificate, at time.Time) error {
	if err := complete(chain); err != nil {
		return err
	}
	failures := make([]error, len(chain)-1)
	var wg sync.WaitGroup
	for i := range failures {
		wg.Go(func() { failures[i] = c.link(ctx, chain, i, at) })
	}
	wg.Wait()
	return gravest(failures)
}

// link checks one certificate of a chain.
func (c *Checker) link(ctx context.Context, chain []*x509.Certificate, i int, at time.Time) error {
	whose := "the certificate"
	if i > 0 {
		whose = fmt.Sprintf("the certificate of authority %d in its chain", i)
	}
	s, err := c.Check(ctx, chain[i], chain[i+1], at)
	if err != nil {
		return fmt.Errorf("check the revocation of %s: %w", whose, err)
	}
	if s.State != Good {
		return fault.New(fault.CertificateRevoked, "%s was revoked on %s (%s)", whose, s.RevokedAt.UTC().Format(time.RFC3339), s.Reason)
	}
	return nil
}

func complete(chain []*x509.Certificate) error {
	if len(chain) > maxChain {
		return fault.New(fault.RevocationUnavailable, "the chain has more than %d certificates", maxChain)
	}
	if len(chain) == 0 || !selfIssued(chain[len(chain)-1]) {
		return fault.New(fault.RevocationUnavailable, "the chain does not end in a root")
	}
	return nil
}

// gravest is the failure that says most: a revocation, then whatever is wrong with the chain, then an outage.
func gravest(failures []error) error {
	var worst error
	for _, err := range failures {
		if gravity(err) > gravity(worst) {
			worst = err
		}
	}
	return worst
}

func gravity(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, fault.RevocationUnavailable):
		return 1
	case errors.Is(err, fault.CertificateRevoked):
		return 3
	}
	return 2
}
