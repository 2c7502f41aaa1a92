package lacuna

import (
	"context"
	"crypto"
	"encoding/base64"
	"net/url"
	"strings"

	"bulksigner/internal/job"
)

type startModel struct {
	Ticket      string `json:"ticket"`
	Certificate []byte `json:"certificate"` // base64
}

type completeModel struct {
	Token     string `json:"token"`
	Signature []byte `json:"signature"` // base64
}

type startedModel struct {
	Success           truth
	Token             text
	ToSignHash        text
	DigestAlgorithm   text
	ValidationResults findings
}

// Start begins a signature with a certificate in DER, once.
func (c *Client) Start(ctx context.Context, t job.Ticket, certificate []byte) (job.Started, error) {
	return ask(ctx, c, question{
		op:    "start the signature",
		path:  "/api/documents/keys/" + url.PathEscape(t.Key) + "/signature/certificate",
		limit: maxValidation,
		body:  asJSON(startModel{t.Ticket, certificate}),
	}, parseStarted)
}

// Complete hands the signature over, once. It does not wait at the rate: Ready did.
func (c *Client) Complete(ctx context.Context, t job.Ticket, token string, signature []byte) (job.Handed, error) {
	return ask(ctx, c, question{
		op:    "complete the signature",
		path:  "/api/documents/keys/" + url.PathEscape(t.Key) + "/signature",
		limit: maxValidation,
		paid:  true,
		body:  asJSON(completeModel{token, signature}),
	}, parseHanded)
}

// parseStarted reads what is to be signed. Without a verdict, or with a signature begun that nobody could complete, an
// answer is not Signer's. A digest that it should not have is for others to refuse.
func parseStarted(b []byte) (job.Started, error) {
	var m startedModel
	if err := decode(b, &m); err != nil {
		return job.Started{}, err
	}
	if !m.Success.given || m.Success.yes && m.Token == "" {
		return job.Started{}, errForm
	}
	s := job.Started{Accepted: m.Success.yes, Findings: m.ValidationResults.types()}
	if !s.Accepted {
		return s, nil
	}
	s.Token, s.DigestName = string(m.Token), printable(string(m.DigestAlgorithm))
	s.Digest = digests[strings.ToUpper(strings.TrimSpace(s.DigestName))]
	if hash, err := base64.StdEncoding.DecodeString(string(m.ToSignHash)); err == nil && len(hash) > 0 {
		s.Hash = hash // otherwise none: its width will not fit the digest
	}
	return s, nil
}

// digests are the algorithms that a signature is made with, by both of the spellings that Signer has for them.
var digests = map[string]crypto.Hash{
	"2.16.840.1.101.3.4.2.1": crypto.SHA256, "SHA-256": crypto.SHA256, "SHA256": crypto.SHA256,
	"2.16.840.1.101.3.4.2.2": crypto.SHA384, "SHA-384": crypto.SHA384, "SHA384": crypto.SHA384,
	"2.16.840.1.101.3.4.2.3": crypto.SHA512, "SHA-512": crypto.SHA512, "SHA512": crypto.SHA512,
}

// parseHanded reads whether a signature was accepted.
func parseHanded(b []byte) (job.Handed, error) {
	var m struct {
		Success           truth
		ValidationResults findings
	}
	if err := decode(b, &m); err != nil {
		return job.Handed{}, err
	}
	if !m.Success.given {
		return job.Handed{}, errForm
	}
	return job.Handed{Accepted: m.Success.yes, Findings: m.ValidationResults.types()}, nil
}
