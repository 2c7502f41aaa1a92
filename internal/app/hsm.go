package app

import (
	"context"
	"fmt"
	"sync"

	"bulksigner/internal/aws/secrets"
	"bulksigner/internal/pkcs11"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow"
)

// sources opens the keys of all sources: those on a token here, the rest by the one that knows KMS and files.
type sources struct {
	workflow.Keys
	secrets *secrets.Store

	mu     sync.Mutex
	tokens map[string]token // by profile
}

func newSources(k workflow.Keys, s *secrets.Store) *sources {
	return &sources{Keys: k, secrets: s, tokens: map[string]token{}}
}

// token is a key on a token that was opened.
type token struct {
	version int64
	named   profile.HsmKey
	key     profile.Key
}

// Open implements workflow.Keys.
func (s *sources) Open(ctx context.Context, p profile.Profile) (profile.Key, error) {
	if p.Certificate == nil || p.Certificate.Source != profile.CloudHsm || p.Certificate.CloudHsm == nil {
		return s.Keys.Open(ctx, p)
	}
	named := *p.Certificate.CloudHsm
	if t, ok := s.opened(p.Name); ok && t.version == p.Version && t.named == named {
		return t.key, nil
	}
	pin, err := s.secrets.Get(ctx, named.Pin)
	if err != nil {
		return profile.Key{}, fmt.Errorf("read the PIN of profile %s: %w", p.Name, err)
	}
	slot := uint(named.Slot)
	k, err := pkcs11.Open(ctx, pkcs11.Options{Module: named.ModulePath, Slot: &slot, Thumbprint: named.Thumbprint, PIN: pin, Sessions: named.Sessions}, nil)
	if err != nil {
		return profile.Key{}, err
	}
	ready := func(ctx context.Context) error { return nil } // the token's sessions are its bound
	key := profile.Key{Certificate: k.Certificate, Chain: k.Chain, Ready: ready, Signer: k.Signer}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens[p.Name] = token{p.Version, named, key} // an earlier one closes its sessions when it is collected
	return key, nil
}

func (s *sources) opened(name string) (token, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.tokens[name]
	return t, ok
}
