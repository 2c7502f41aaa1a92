package lacunatest

import (
	"crypto"
	"errors"
	"io"
	"sync"
	"time"

	"bulksigner/internal/profile"
)

// content is a document's file as it gets signed. A person's signature is laid out at once, so that what cannot be signed
// is refused at once, and made when it is needed: a thousand people may sign in one moment.
type content struct {
	format   format
	digest   crypto.Hash
	detached bool
	people   *people

	mu       sync.Mutex
	file     []byte
	versions int // signatures in the file
	next     draft
	nextKey  crypto.Signer
}

func (s *Signer) newContent(d *document) *content {
	return &content{format: formatOf(d.mime, d.forceCades), digest: s.o.Digest, detached: s.o.Detached, people: &s.people, file: d.original.bytes}
}

// bytes is the file with all its signatures.
func (c *content) bytes() ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.file, c.flush()
}

// flush makes the signature that is laid out.
func (c *content) flush() error {
	if c.next == nil {
		return nil
	}
	file, err := c.next(c.nextKey)
	if err != nil {
		return err
	}
	c.file, c.next, c.versions = file, nil, c.versions+1
	return nil
}

// sign has a person sign.
func (c *content) sign(who profile.Participant, now time.Time) error {
	id, err := c.people.identity(who)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.flush(); err != nil {
		return err
	}
	c.next, err = c.layOut(id, now)
	c.nextKey = id.key
	return err
}

// begun is a signature of which the hash is known and the value is not.
type begun struct {
	hash    []byte
	digest  crypto.Hash
	version int
	draft   draft // nil: it cannot be built in
}

// begin lays a signature out and learns its hash.
func (c *content) begin(id identity, now time.Time) (begun, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.flush(); err != nil {
		return begun{}, err
	}
	if !embeddable(c.digest) {
		return begun{hash: looseHash(c.digest, c.file), digest: c.digest}, nil
	}
	d, err := c.layOut(id, now)
	if err != nil {
		return begun{}, err
	}
	k := &listener{public: id.cert.PublicKey}
	if _, err := d(k); !errors.Is(err, errListening) {
		return begun{}, err
	}
	return begun{k.digest, c.digest, c.versions, d}, nil
}

// end builds the value of a signature in. One that was begun before another one was built in stays outside.
func (c *content) end(b begun, public crypto.PublicKey, value []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b.draft == nil || b.version != c.versions || c.next != nil {
		return nil
	}
	file, err := b.draft(repeater{public, value})
	if err != nil {
		return err
	}
	c.file, c.versions = file, c.versions+1
	return nil
}

// listener is a key that learns what it is to sign, and does not.
type listener struct {
	public crypto.PublicKey
	digest []byte
}

var errListening = errors.New("nothing is signed yet")

func (l *listener) Public() crypto.PublicKey { return l.public }

func (l *listener) Sign(_ io.Reader, digest []byte, _ crypto.SignerOpts) ([]byte, error) {
	l.digest = append([]byte(nil), digest...)
	return nil, errListening
}

// repeater is a key that says what was signed elsewhere.
type repeater struct {
	public crypto.PublicKey
	value  []byte
}

func (r repeater) Public() crypto.PublicKey { return r.public }

func (r repeater) Sign(io.Reader, []byte, crypto.SignerOpts) ([]byte, error) { return r.value, nil }
