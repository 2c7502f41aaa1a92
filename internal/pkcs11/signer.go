//go:build pkcs11

package pkcs11

import (
	"context"
	"crypto"
	"io"
	"runtime"
	"sync/atomic"
	"time"

	"bulksigner/internal/fault"
)

const (
	// answerTime is how long a token is listened to. After it, it is silent.
	answerTime = 30 * time.Second
	// leastTime is what must be left of a run to ask at all: to ask and not to listen would lose a signature.
	leastTime = 2 * time.Second
)

// signer is a key for one signature. It keeps the call's context, since Sign takes none.
type signer struct {
	key  *Key // is not forgotten while there is a signer
	pool *pool
	ctx  context.Context
}

// Public implements crypto.Signer.
func (s signer) Public() crypto.PublicKey { return s.pool.public }

// Sign implements crypto.Signer.
func (s signer) Sign(_ io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	defer runtime.KeepAlive(s.key)
	q, err := newQuestion(s.pool.public, digest, opts)
	if err != nil {
		return nil, err
	}
	if err := s.pool.enter(s.ctx); err != nil {
		return nil, err
	}
	if !s.hasTime() {
		s.pool.leave()
		return nil, fault.Wrap(fault.Throttled, s.ctx.Err(), "there is no time left to wait for the token's answer; nothing was signed")
	}
	return s.ask(q)
}

// hasTime reports whether there is time to listen to the answer.
func (s signer) hasTime() bool {
	end, bounded := s.ctx.Deadline()
	return s.ctx.Err() == nil && (!bounded || time.Until(end) >= leastTime)
}

// ask puts the question in a goroutine, because a module cannot be interrupted. The place is kept until the module is
// done, so that a token that hangs is asked no more often than it has places.
func (s signer) ask(q question) ([]byte, error) {
	ctx, cancel := context.WithTimeout(s.ctx, answerTime)
	defer cancel()
	a := &asking{done: make(chan reply, 1)}
	go func() {
		defer s.pool.leave()
		signature, err := a.run(s.pool, q)
		a.done <- reply{signature, err}
	}()
	select {
	case r := <-a.done:
		return r.signature, r.err
	case <-ctx.Done():
		return a.abandon(ctx.Err())
	}
}

// asking is one question to a token. C_Sign is called by whoever takes the decision first, or never, if it is taken by
// the one whose time is up.
type asking struct {
	decided atomic.Bool
	done    chan reply
}

type reply struct {
	signature []byte
	err       error
}

func (a *asking) decide() bool { return a.decided.CompareAndSwap(false, true) }

func (a *asking) run(p *pool, q question) ([]byte, error) {
	s, err := p.begin()
	if err != nil {
		return nil, unbegun(err)
	}
	if !a.decide() {
		p.drop(s) // the operation in it has begun
		return nil, fault.New(fault.Throttled, "nobody waits for the signature any more; nothing was signed")
	}
	raw, err := p.token.module.Sign(s.handle, q.data)
	if err != nil {
		p.drop(s)
		return nil, verdict(err)
	}
	signature, err := q.signature(raw)
	if err != nil {
		p.drop(s)
		return nil, err
	}
	p.keep(s)
	return signature, nil
}

// abandon says what is known when the time is up.
func (a *asking) abandon(cause error) ([]byte, error) {
	if a.decide() {
		return nil, fault.Wrap(fault.Throttled, cause, "the time was up before the token was asked; nothing was signed")
	}
	select {
	case r := <-a.done: // in the last moment
		return r.signature, r.err
	default:
		return nil, fault.Wrap(fault.JobKeySilent, cause, "the token did not answer in time; a signature may have been made")
	}
}
