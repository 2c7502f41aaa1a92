package app

import (
	"context"
	"crypto/x509"
	"io"
	"log/slog"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/redact"
	"bulksigner/internal/settings"
	"bulksigner/internal/workflow"
)

// What the tests of this package reach into.
var (
	NewBatch    = batch
	Remote      = remote
	NewReading  = reading
	ReadEnviron = environment
)

// The functions that call Lacuna Signer.
const (
	SignCalls  = signCalls
	PollCalls  = pollCalls
	SweepCalls = sweepCalls
	APICalls   = apiCalls
)

// Share is a function's share of Lacuna Signer's rate.
func Share(c caller, s settings.Settings) float64 { return share(c, s) }

// Certificate reads a profile's certificate as sweep does.
func Certificate(ctx context.Context, keys workflow.Keys, assets workflow.Assets, p profile.Profile) (*x509.Certificate, error) {
	return certificates{keys, assets}.Certificate(ctx, p)
}

// SecretOf is how a secret of the settings is read that stands there itself.
func SecretOf(s settings.Secret) func(ctx context.Context, again bool) (string, error) {
	return (&base{}).secret("Signer:ApiKey", s)
}

// NewCipher makes what encrypts outputs.
func NewCipher(e settings.Encryption, password func(context.Context) (string, error)) workflow.Cipher {
	return newCipher(e, password)
}

// HasCipher reports whether a service with these settings encrypts outputs.
func HasCipher(s settings.Settings) bool { return (&base{settings: s}).cipher() != nil }

// NewClock notes the time of answers; now is our own clock.
func NewClock(next aws.HTTPClient, now func() time.Time) *clock { return &clock{next: next, now: now} }

// Skew is how far our clock is from that of the answers; ok says that one had a date.
func (c *clock) Skew() (skew time.Duration, ok bool) {
	if s := c.skew.Load(); s != nil {
		return *s, true
	}
	return 0, false
}

// Readiness reports on a service of these parts. Dead letters are counted in queues by where they come from.
func Readiness(ctx context.Context, p workflow.Parts, work waiting, dead []Dead, c *clock, secret string) []job.Ready {
	o := operator{Workflow: workflow.New(p), work: work, clock: c, redactor: redact.New(secret), now: p.Now}
	for _, d := range dead {
		o.dead = append(o.dead, deadLetters(d))
	}
	return o.Readiness(ctx)
}

// Dead is a queue of dead letters.
type Dead deadLetters

// NewDead makes a Dead.
func NewDead(of string, queue waiting) Dead { return Dead{of, queue} }

// NewLogger is the log of all functions.
func NewLogger(w io.Writer, secret string) *slog.Logger { return logger(w, redact.New(secret)) }

// HasSigner reports whether a service with these settings has a Lacuna Signer to call.
func HasSigner(s settings.Settings) bool { return (&base{settings: s}).signer(pollCalls) != nil }

// NewNoted makes keys that note when the certificates end that they open.
func NewNoted(k workflow.Keys, passes workflow.Passes) workflow.Keys {
	return noted{k, newEnds(passes)}
}

// NewNotedCertificates makes those of a function that may read certificates alone.
func NewNotedCertificates(k workflow.Keys, a workflow.Assets, passes workflow.Passes) workflow.Keys {
	return notedCertificates{certificates{k, a}, newEnds(passes)}
}

// ThenOnce has something done once after work.
func ThenOnce(work Batch, do func(ctx context.Context) error) Batch { return thenOnce(work, do) }
