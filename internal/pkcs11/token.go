//go:build pkcs11

package pkcs11

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"slices"
	"sync"

	"bulksigner/internal/fault"
)

// token is one slot of a module. A process is logged in to a token once, whatever sessions it has there; so the login is
// kept here and shared by all keys on the token.
type token struct {
	module cryptoki
	slot   uint
	secret []byte // makes what is remembered of PINs worthless elsewhere

	mu      sync.Mutex
	pin     string          // the one that is logged in with, hidden
	open    bool            // the token asks for none
	logins  int             // how often; numbers of private objects are good for one login
	busy    int             // sessions in use
	refused map[string]bool // PINs that the token said no to, hidden
}

func newToken(m cryptoki, slot uint) *token {
	t := &token{module: m, slot: slot, secret: make([]byte, sha256.Size), refused: map[string]bool{}}
	rand.Read(t.secret) // never fails
	return t
}

// hidden is what is kept of a PIN.
func (t *token) hidden(pin string) string {
	h := hmac.New(sha256.New, t.secret)
	h.Write([]byte(pin))
	return string(h.Sum(nil))
}

// session is a session on a token, with the private key as it is numbered there.
type session struct {
	handle uint
	login  int
	key    uint
	always bool // the key wants the PIN before every signature
}

// start opens a session that is logged in. It counts as in use until leave.
func (t *token) start(pin string) (session, error) {
	handle, err := t.module.OpenSession(t.slot)
	if err != nil {
		return session{}, err
	}
	login, err := t.login(handle, pin)
	if err != nil {
		t.discard(handle)
		return session{}, err
	}
	return session{handle: handle, login: login}, nil
}

// resume reports whether a session that was kept is what it was, and counts it as in use then. After another login it
// is not: the number of its key may be that of another object now.
func (t *token) resume(s session) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	in, err := t.loggedIn(s.handle)
	if err != nil || !in || s.login != t.logins {
		return false
	}
	t.busy++
	return true
}

// leave ends a session's use.
func (t *token) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.busy--
}

// discard closes a session that is of no use any more. It is often gone already, and what the module says of it changes
// nothing.
func (t *token) discard(handle uint) { _ = t.module.CloseSession(handle) }

// login logs in, unless that was done, with the same PIN. Another PIN is tried as soon as nobody uses the token: to let
// it pass unseen would open one profile's key with the PIN of another.
func (t *token) login(handle uint, pin string) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	in, err := t.loggedIn(handle)
	if err != nil {
		return 0, err
	}
	if same := hmac.Equal([]byte(t.pin), []byte(t.hidden(pin))); !in || !same && !t.open {
		if err := t.relogin(handle, pin, in); err != nil {
			return 0, err
		}
	}
	t.busy++
	return t.logins, nil
}

// loggedIn is asked with mu held. A session that is lost is an error on tokens without a login too.
func (t *token) loggedIn(handle uint) (bool, error) {
	in, err := t.module.LoggedIn(handle)
	return in || t.open, err
}

func (t *token) relogin(handle uint, pin string, in bool) error {
	if t.refused[t.hidden(pin)] {
		return errRefused
	}
	if in && t.busy > 0 {
		return fault.New(fault.Throttled, "the token is in use with another PIN")
	}
	if in {
		if err := t.module.Logout(handle); err != nil {
			return err
		}
	}
	t.pin = ""
	t.logins++
	if err := t.authenticate(handle, pin); err != nil {
		return err
	}
	t.pin = t.hidden(pin)
	return nil
}

// authenticate sends the PIN, unless a wrong one would be the last.
func (t *token) authenticate(handle uint, pin string) error {
	info, err := t.module.Token(t.slot)
	switch {
	case err != nil:
		return err
	case info.Flags&flagLoginRequired == 0:
		t.open = true
		return nil
	case pin == "":
		return fault.New(fault.KeyUnavailable, "the token asks for a PIN, and there is none")
	case info.Flags&flagPINLocked != 0:
		return fault.New(fault.KeyUnavailable, "the token is locked after too many wrong PINs")
	case info.Flags&flagPINFinalTry != 0:
		return fault.New(fault.KeyUnavailable, "one more wrong PIN would lock the token; log in with another tool first")
	}
	return t.send(handle, userNormal, pin)
}

// errRefused is for a PIN that would only bring the token nearer to locking itself.
var errRefused = fault.New(fault.KeyUnavailable, "the token refused this PIN before; this process tries no PIN twice")

// Answers to a PIN: that it is wrong, and that no PIN helps.
var (
	wrongPIN = []result{pinIncorrect, pinInvalid, pinLenRange}
	noPIN    = []result{pinExpired, pinLocked, pinNotInitialized}
)

// send is C_Login. A PIN that was wrong is remembered.
func (t *token) send(handle, user uint, pin string) error {
	err := t.module.Login(handle, user, pin)
	switch {
	case err == alreadyLoggedIn:
		return nil
	case isOneOf(err, wrongPIN):
		t.refused[t.hidden(pin)] = true
		return fault.Wrap(fault.KeyUnavailable, err, "the token refused the PIN (%s); this process does not try it again", err)
	case isOneOf(err, noPIN):
		return fault.Wrap(fault.KeyUnavailable, err, "the token lets nobody in (%s)", err)
	}
	return err
}

// confirm gives the PIN to a key that wants it before every signature.
func (t *token) confirm(s session, pin string) error {
	if !s.always {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.refused[t.hidden(pin)] {
		return errRefused
	}
	return t.send(s.handle, userContext, pin)
}

// choose finds the slot that the options name.
func choose(m cryptoki, o Options) (uint, error) {
	slots, err := m.Slots()
	if err != nil {
		return 0, err
	}
	if o.Slot != nil && !slices.Contains(slots, *o.Slot) {
		return 0, fault.New(fault.KeyNotFound, "slot %d has no token", *o.Slot)
	}
	var fits []uint
	for _, s := range slots {
		if o.Slot != nil && s != *o.Slot {
			continue
		}
		ok, err := labelled(m, s, o.TokenLabel)
		if err != nil {
			return 0, err
		}
		if ok {
			fits = append(fits, s)
		}
	}
	if len(fits) != 1 {
		return 0, fault.New(fault.KeyNotFound, "%d tokens have the label %q; one is needed", len(fits), o.TokenLabel)
	}
	return fits[0], nil
}

// labelled reports whether a token has a label. "" is any.
func labelled(m cryptoki, slot uint, label string) (bool, error) {
	if label == "" {
		return true, nil
	}
	info, err := m.Token(slot)
	return info.Label == label, err
}
