//go:build pkcs11

package pkcs11

import (
	"context"
	"crypto"
	"crypto/rsa"
	"errors"
	"sync"

	"bulksigner/internal/fault"
)

// pool is an opened key with its sessions. A session makes one signature at a time.
type pool struct {
	token     *token
	pin       string
	identity  identity
	public    crypto.PublicKey
	mechanism uint
	places    chan struct{} // as many as signatures may be made at the same time

	mu     sync.Mutex
	idle   []session
	closed bool
}

// newPool makes a pool for the key of a certificate, if such a key can sign on the token.
func newPool(t *token, o Options, c stored) (*pool, error) {
	if err := errors.Join(strong(c.PublicKey), suitable(c.Certificate)); err != nil {
		return nil, err
	}
	i, err := identify(c)
	if err != nil {
		return nil, err
	}
	p := &pool{token: t, pin: o.PIN, identity: i, public: c.PublicKey, mechanism: mechanismECDSA, places: make(chan struct{}, o.Sessions)}
	if _, ok := c.PublicKey.(*rsa.PublicKey); ok {
		p.mechanism = mechanismRSA
	}
	can, err := t.module.CanSign(t.slot, p.mechanism)
	if err == nil && !can {
		err = fault.New(fault.KeyUnsupported, "the token does not sign with keys of this kind")
	}
	return p, err
}

// enter waits for a place. leave gives it back.
func (p *pool) enter(ctx context.Context) error {
	select {
	case p.places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fault.Wrap(fault.Throttled, ctx.Err(), "the token had no free session in the time that there was; nothing was signed")
	}
}

func (p *pool) leave() { <-p.places }

// begin returns a session in which the key is ready to sign. One that was kept may be lost, and is opened again, once.
func (p *pool) begin() (session, error) {
	s, ok := p.kept()
	if ok {
		err := p.ready(s)
		if err == nil || !isOneOf(err, lost) {
			return s, err
		}
	}
	s, err := p.start()
	if err != nil {
		return session{}, err
	}
	return s, p.ready(s)
}

// ready begins the operation. A session in which that fails is given up.
func (p *pool) ready(s session) error {
	err := p.token.module.SignInit(s.handle, p.mechanism, s.key)
	if err == nil {
		err = p.token.confirm(s, p.pin)
	}
	if err != nil {
		p.drop(s)
	}
	return err
}

// kept takes a session that is still what it was.
func (p *pool) kept() (session, bool) {
	for {
		s, ok := p.take()
		if !ok || p.token.resume(s) {
			return s, ok
		}
		p.token.discard(s.handle)
	}
}

func (p *pool) take() (session, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.idle) - 1
	if last < 0 {
		return session{}, false
	}
	s := p.idle[last]
	p.idle = p.idle[:last]
	return s, true
}

// start opens a session and finds the key in it.
func (p *pool) start() (session, error) {
	if p.isClosed() {
		return session{}, fault.New(fault.Throttled, "the key was closed; nothing was signed")
	}
	s, err := p.token.start(p.pin)
	if err != nil {
		return session{}, err
	}
	found, err := p.find(s)
	if err != nil {
		p.drop(s)
	}
	return found, err
}

// find looks the key up in a session, and what it demands.
func (p *pool) find(s session) (session, error) {
	m := p.token.module
	key, err := p.identity.find(m, s.handle)
	if err != nil {
		return s, err
	}
	signs, err := optional(m, s.handle, key, attributeSign)
	if err != nil {
		return s, err
	}
	if len(signs) == 1 && signs[0] == 0 {
		return s, fault.New(fault.KeyUnsupported, "the private key on the token is not one for signing")
	}
	always, err := optional(m, s.handle, key, attributeAlwaysAuthenticate)
	s.key, s.always = key, len(always) == 1 && always[0] != 0
	return s, err
}

// drop ends the use of a session that is of no more use.
func (p *pool) drop(s session) {
	p.token.leave()
	p.token.discard(s.handle)
}

// keep ends the use of a session that can sign again.
func (p *pool) keep(s session) {
	p.token.leave()
	if !p.put(s) {
		p.token.discard(s.handle)
	}
}

func (p *pool) put(s session) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.idle = append(p.idle, s)
	}
	return !p.closed
}

func (p *pool) isClosed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed
}

// close closes the sessions that are idle; the others are closed when they come back. The token logs the user out with
// the last session of the process.
func (p *pool) close() error {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	var errs []error
	for _, s := range idle {
		err := p.token.module.CloseSession(s.handle)
		if !isOneOf(err, lost) { // what is lost is closed
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
