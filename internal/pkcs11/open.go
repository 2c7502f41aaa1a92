//go:build pkcs11

package pkcs11

import (
	"context"
	"crypto"
	"crypto/x509"
	"fmt"
	"runtime"

	"bulksigner/internal/fault"
)

// process is what a process has of tokens. PKCS#11 initializes a module and logs in to a token once per process, so this
// is shared by all keys.
type process struct {
	load func(path string) (cryptoki, error)
	turn chan struct{} // keys are opened one at a time: whoever holds it reads and writes the rest

	modules map[string]cryptoki
	tokens  map[place]*token
}

// place is where a token is.
type place struct {
	module string
	slot   uint
}

func newProcess(load func(string) (cryptoki, error)) *process {
	return &process{load: load, turn: make(chan struct{}, 1), modules: map[string]cryptoki{}, tokens: map[place]*token{}}
}

// own is this process.
var own = newProcess(load)

func open(ctx context.Context, o Options, certificate *x509.Certificate) (*Key, error) {
	return own.open(ctx, o, certificate)
}

// opened is a key, or why there is none.
type opened struct {
	pool        *pool
	certificate *x509.Certificate
	chain       []*x509.Certificate
	err         error
}

// open leaves a module that hangs behind when ctx ends, and the turn with it: whoever comes next would hang as well.
func (p *process) open(ctx context.Context, o Options, given *x509.Certificate) (*Key, error) {
	o, err := o.checked(given)
	if err != nil {
		return nil, err
	}
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the %s: %w", o, ctx.Err())
	}
	done := make(chan opened)
	go func() {
		defer func() { <-p.turn }()
		k := p.key(o, given)
		select {
		case done <- k:
		case <-ctx.Done():
			k.abandon()
		}
	}()
	select {
	case k := <-done:
		return k.key(o)
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the %s to answer: %w", o, ctx.Err())
	}
}

// abandon gives back what nobody waits for any more. There is nobody either who could be told of an error.
func (k opened) abandon() {
	if k.pool != nil {
		_ = k.pool.close()
	}
}

// key makes a Key that closes itself when it is forgotten: keys are kept for a while and then opened again, and whoever
// keeps them need not know who still signs with an old one.
func (k opened) key(o Options) (*Key, error) {
	if k.err != nil {
		return nil, fmt.Errorf("open the key on the %s: %w", o, unopened(k.err))
	}
	key := &Key{
		Certificate: k.certificate, Chain: k.chain, close: k.pool.close,
		signer: func(key *Key, ctx context.Context) crypto.Signer { return signer{key, k.pool, ctx} },
	}
	runtime.AddCleanup(key, func(p *pool) { go opened{pool: p}.abandon() }, k.pool)
	return key, nil
}

func (p *process) key(o Options, given *x509.Certificate) opened {
	t, err := p.token(o)
	if err != nil {
		return opened{err: err}
	}
	s, err := t.start(o.PIN)
	if err != nil {
		return opened{err: err}
	}
	k := t.key(s, o, given)
	t.leave()
	if k.err != nil {
		t.discard(s.handle)
	}
	return k
}

// token finds the token that the options name, and loads its module when it is first asked for.
func (p *process) token(o Options) (*token, error) {
	m, ok := p.modules[o.Module]
	if !ok {
		var err error
		if m, err = p.load(o.Module); err != nil {
			return nil, fault.Wrap(fault.KeyUnavailable, err, "the PKCS#11 module cannot be loaded")
		}
		p.modules[o.Module] = m
	}
	slot, err := choose(m, o)
	if err != nil {
		return nil, err
	}
	at := place{o.Module, slot}
	if p.tokens[at] == nil {
		p.tokens[at] = newToken(m, slot)
	}
	return p.tokens[at], nil
}

// key finds a key in a session, which becomes the first of the key's own.
func (t *token) key(s session, o Options, given *x509.Certificate) opened {
	all, err := certificates(t.module, s.handle, o.Thumbprint)
	if err != nil {
		return opened{err: err}
	}
	c, err := pick(all, given, o.Thumbprint)
	if err != nil {
		return opened{err: err}
	}
	pool, err := newPool(t, o, c)
	if err != nil {
		return opened{err: err}
	}
	if s, err = pool.find(s); err != nil {
		return opened{err: err}
	}
	pool.idle = []session{s}
	return opened{pool: pool, certificate: c.Certificate, chain: chain(c.Certificate, all)}
}
