package revocation

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// list is a revocation list. Its entries stay as they came: to parse all of a list of 20 MiB allocates half a gigabyte, for
// the sake of one entry.
type list struct {
	address string
	head    *x509.RevocationList // all but the entries
	entries []byte
	scope   scope
}

// askList asks a revocation list about a certificate.
func (c *Checker) askList(ctx context.Context, address string, p pair) (Status, error) {
	l, err := c.cache.get(ctx, p.key("crl", address), func(ctx context.Context) (held, error) {
		return c.loadList(ctx, address, p.issuer)
	})
	if err != nil {
		return Status{}, err
	}
	return l.about(p.certificate)
}

func (c *Checker) loadList(ctx context.Context, address string, issuer *x509.Certificate) (held, error) {
	body, err := c.fetch(ctx, exchange{http.MethodGet, address, nil, maxList})
	if err != nil {
		return held{}, err
	}
	l, err := parseList(body)
	if err != nil {
		return held{}, err
	}
	l.address = address
	now := c.now()
	if err := l.valid(issuer, now); err != nil {
		return held{}, err
	}
	until := l.head.NextUpdate
	return held{proof: l, size: len(body), refresh: earlier(until, now.Add(maxAge)), until: until}, nil
}

// valid checks that a list is the issuer's, whole, and in force.
func (l *list) valid(issuer *x509.Certificate, now time.Time) error {
	if !bytes.Equal(l.head.RawIssuer, issuer.RawSubject) {
		return errors.New("the list is another authority's")
	}
	if l.head.NextUpdate.IsZero() {
		return errors.New("the list does not say until when it holds")
	}
	if err := inForce(l.head.ThisUpdate, l.head.NextUpdate, now); err != nil {
		return err
	}
	if err := trusted(l.head.SignatureAlgorithm); err != nil {
		return err
	}
	if err := l.head.CheckSignatureFrom(issuer); err != nil {
		return fmt.Errorf("check the signature of the list: %w", err)
	}
	return nil
}

// about looks a certificate up.
func (l *list) about(certificate *x509.Certificate) (Status, error) {
	if err := l.scope.covers(certificate); err != nil {
		return Status{}, err
	}
	s := Status{State: Good, Source: l.address, ThisUpdate: l.head.ThisUpdate, NextUpdate: l.head.NextUpdate}
	for e, err := range eachEntry(l.entries) {
		if err != nil {
			return Status{}, err
		}
		if e.serial.Cmp(certificate.SerialNumber) == 0 && e.reason != RemoveFromCRL {
			s.State, s.Reason, s.RevokedAt = Revoked, e.reason, e.at
			break
		}
	}
	return s, nil
}

// parseList reads a list in DER, or in PEM, which some authorities serve.
func parseList(data []byte) (*list, error) {
	der, err := binary(data)
	if err != nil {
		return nil, err
	}
	head, entries, err := split(der)
	if err != nil {
		return nil, err
	}
	l := &list{head: head, entries: entries}
	if l.scope, err = scopeOf(head.Extensions); err != nil {
		return nil, err
	}
	for _, err := range eachEntry(entries) {
		if err != nil {
			return nil, err
		}
	}
	return l, nil
}

func binary(data []byte) ([]byte, error) {
	text := bytes.TrimSpace(data)
	if !bytes.HasPrefix(text, []byte("-----BEGIN ")) {
		return data, nil
	}
	block, rest := pem.Decode(text)
	if block == nil || block.Type != "X509 CRL" || len(bytes.TrimSpace(rest)) > 0 {
		return nil, errors.New("the PEM is not one revocation list")
	}
	return block.Bytes, nil
}
