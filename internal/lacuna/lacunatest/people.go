package lacunatest

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"fmt"
	"sync"
	"time"

	"bulksigner/internal/icpbrasil/icpbrasiltest"
	"bulksigner/internal/profile"
)

// people have certificates of the test ICP-Brasil, all for one key: nobody can tell, and keys take long to make.
type people struct {
	mu    *sync.Mutex
	pki   *icpbrasiltest.PKI
	now   func() time.Time
	certs map[string]*x509.Certificate // by CPF
}

func newPeople(o Options) people {
	return people{mu: new(sync.Mutex), pki: o.PKI, now: o.Now, certs: map[string]*x509.Certificate{}}
}

// peopleKey is everybody's key.
var peopleKey = sync.OnceValues(func() (crypto.Signer, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// shared holds a PKI for each day of a clock, since its keys take long to make, too.
var shared = struct {
	sync.Mutex
	pkis map[string]*icpbrasiltest.PKI
}{pkis: map[string]*icpbrasiltest.PKI{}}

func sharedPKI(now time.Time) (*icpbrasiltest.PKI, error) {
	day := now.Format(time.DateOnly)
	shared.Lock()
	defer shared.Unlock()
	if p, ok := shared.pkis[day]; ok {
		return p, nil
	}
	p, err := icpbrasiltest.New(now)
	if err != nil {
		return nil, err
	}
	shared.pkis[day] = p
	return p, nil
}

func (p *people) authority() (*icpbrasiltest.PKI, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.authorityLocked()
}

func (p *people) authorityLocked() (pki *icpbrasiltest.PKI, err error) {
	if p.pki == nil {
		p.pki, err = sharedPKI(p.now())
	}
	return p.pki, err
}

// identity returns a person's certificate, its chain and the key.
func (p *people) identity(who profile.Participant) (identity, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	pki, err := p.authorityLocked()
	if err != nil {
		return identity{}, err
	}
	key, err := peopleKey()
	if err != nil {
		return identity{}, fmt.Errorf("make the key of people: %w", err)
	}
	cert, ok := p.certs[who.Identifier]
	if !ok {
		now := p.now()
		valid := icpbrasiltest.Validity(now.AddDate(0, 0, -1), now.AddDate(1, 0, 0))
		if cert, err = pki.IssueECPF(key.Public(), icpbrasiltest.Person{Name: who.Name, CPF: who.Identifier}, valid); err != nil {
			return identity{}, err
		}
		p.certs[who.Identifier] = cert
	}
	return identity{cert, pki.Chain, key}, nil
}

// identity is who signs. The key is nil where it is elsewhere.
type identity struct {
	cert  *x509.Certificate
	chain []*x509.Certificate
	key   crypto.Signer
}

// visitor is who signs with a certificate from outside. If the test ICP-Brasil issued it, its chain is known.
func (p *people) visitor(cert *x509.Certificate) (identity, error) {
	pki, err := p.authority()
	if err != nil {
		return identity{}, err
	}
	if cert.CheckSignatureFrom(pki.Chain[0]) != nil {
		return identity{cert: cert}, nil
	}
	return identity{cert: cert, chain: pki.Chain}, nil
}
