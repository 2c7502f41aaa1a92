package workflow

import (
	"context"
	"crypto/sha1" // a thumbprint is a name, and no proof of anything
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

const (
	// holdingTime bounds the reading of one certificate, and holdingsTime that of all: a secret or a bucket that does not
	// answer must not keep the others from being shown.
	holdingTime  = 5 * time.Second
	holdingsTime = 15 * time.Second
	holdingsOnce = 8
)

// Holdings tells of the certificate of each profile that has one, by the profiles' names. One that cannot be read has a
// code in its place.
func (w *Workflow) Holdings(ctx context.Context) ([]job.Holding, error) {
	all, err := w.Profiles.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the profiles: %w", err)
	}
	var held []profile.Profile
	for _, p := range all {
		if certified(p) {
			held = append(held, p)
		}
	}
	holdings := make([]job.Holding, len(held))
	ctx, cancel := context.WithTimeout(ctx, holdingsTime)
	defer cancel()
	inParallel(holdingsOnce, indexes(len(held)), func(i int) { holdings[i] = w.holding(ctx, held[i]) })
	return holdings, nil
}

func (w *Workflow) holding(ctx context.Context, p profile.Profile) job.Holding {
	h := job.Holding{
		Profile: p.Name, Enabled: p.Enabled, Method: p.Method, Source: p.Certificate.Source,
		Degraded: p.Degraded.Code != "", Code: fault.Code(p.Degraded.Code),
	}
	ctx, cancel := context.WithTimeout(ctx, holdingTime)
	defer cancel()
	if err := w.look(ctx, p, &h); err != nil {
		h.Degraded, h.Code = true, unreadable(err)
		slog.WarnContext(ctx, "certificate cannot be used", "profile", p.Name, "code", h.Code, "err", err)
	}
	return h
}

// look reads a profile's certificate, and returns what keeps it from being used.
func (w *Workflow) look(ctx context.Context, p profile.Profile, h *job.Holding) error {
	if p.Certificate.Source == profile.CloudHsm {
		return w.lookBeside(ctx, p, h)
	}
	cert, err := w.certificate(ctx, p)
	if err != nil {
		return err
	}
	describe(h, cert)
	return profile.Key{Certificate: cert}.ValidAt(w.Now())
}

// lookBeside tells what is known of a certificate on a token, which only functions with the token's library can read: what
// the settings call it, and when it ends, if one of these has noted it.
func (w *Workflow) lookBeside(ctx context.Context, p profile.Profile, h *job.Holding) (err error) {
	if k := p.Certificate.CloudHsm; k != nil {
		h.Print = strings.ToLower(k.Thumbprint)
	}
	h.To, err = w.endOf(ctx, p)
	if err == nil && !h.To.IsZero() && w.Now().After(h.To) {
		err = fault.New(fault.CertificateExpired, "the certificate expired on %s", at(h.To))
	}
	return err
}

// unreadable is the code of a certificate that cannot be used. What may pass has that of a key that cannot be used now.
func unreadable(err error) fault.Code {
	if c := fault.CodeOf(err); degrading[c] {
		return c
	}
	return fault.KeyUnavailable
}

func describe(h *job.Holding, c *x509.Certificate) {
	sum := sha1.Sum(c.Raw)
	h.Subject, h.Issuer, h.Serial = unnumbered(c.Subject.CommonName), c.Issuer.CommonName, fmt.Sprintf("%x", c.SerialNumber)
	h.Print, h.From, h.To = hex.EncodeToString(sum[:]), c.NotBefore, c.NotAfter
}

// identifier is a CPF or a CNPJ, with its punctuation or without; a CNPJ may have letters since 2026.
var identifier = regexp.MustCompile(`[:\s-]*\b([0-9]{3}\.?[0-9]{3}\.?[0-9]{3}-?[0-9]{2}|[0-9A-Z]{2}\.?[0-9A-Z]{3}\.?[0-9A-Z]{3}/?[0-9A-Z]{4}-?[0-9]{2})\b`)

// unnumbered is a common name without a person's or a company's number: ICP-Brasil writes NAME:CPF.
func unnumbered(commonName string) string {
	return strings.TrimSpace(identifier.ReplaceAllString(commonName, ""))
}
