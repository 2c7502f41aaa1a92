package workflowtest

import (
	"context"
	"crypto"
	"crypto/x509"
	"io"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

// Keys fits workflow.Keys with one key for all profiles.
type Keys struct {
	world *World
	Key   profile.Key // certificate and chain
	Inner crypto.Signer
	Fail  error // of the next Open
	Deny  error // of every Sign
	asked int
}

// Count is how often a signature was asked for.
func (k *Keys) Count() int {
	k.world.mu.Lock()
	defer k.world.mu.Unlock()
	return k.asked
}

// Open returns the key.
func (k *Keys) Open(ctx context.Context, p profile.Profile) (out profile.Key, err error) {
	err = k.world.pass(ctx, "open key", func() error { return k.Fail })
	if err != nil {
		return profile.Key{}, err
	}
	out = k.Key
	out.Ready = func(ctx context.Context) error { return ctx.Err() }
	out.Signer = func(ctx context.Context) crypto.Signer { return asking{k, ctx} }
	return out, nil
}

// asking is a key for one signature, and keeps its context since Sign takes none. It passes the gate.
type asking struct {
	keys *Keys
	ctx  context.Context
}

func (a asking) Public() crypto.PublicKey { return a.keys.Inner.Public() }

func (a asking) Sign(rand io.Reader, digest []byte, opts crypto.SignerOpts) (sig []byte, err error) {
	err = a.keys.world.pass(a.ctx, "ask the key", func() error {
		a.keys.asked++
		if a.keys.Deny != nil {
			return a.keys.Deny
		}
		sig, err = a.keys.Inner.Sign(rand, digest, opts)
		return err
	})
	return sig, err
}

// Trust fits workflow.Trust: it answers one thing for all certificates.
type Trust struct {
	*World
	Answer error
}

// Validate judges a certificate.
func (t *Trust) Validate(ctx context.Context, _ *x509.Certificate, _ []*x509.Certificate, _ time.Time) error {
	return t.pass(ctx, "validate certificate", func() error { return t.Answer })
}

// Assets fits workflow.Assets: what lies where.
type Assets struct {
	*World
	Content map[string][]byte
}

// Asset reads what lies at a location.
func (a Assets) Asset(ctx context.Context, location string) (b []byte, err error) {
	err = a.pass(ctx, "read asset", func() error {
		var ok bool
		if b, ok = a.Content[location]; !ok {
			return fault.New(fault.SealImageMissing, "there is nothing at %s", location)
		}
		return nil
	})
	return b, err
}
