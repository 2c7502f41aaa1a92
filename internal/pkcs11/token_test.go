//go:build pkcs11

package pkcs11_test

import (
	"crypto"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"bulksigner/internal/fault"
	"bulksigner/internal/pkcs11"
)

// A token counts wrong PINs and locks itself, so a wrong one is sent once, however many jobs ask for the key.
func TestAWrongPINIsSentOnce(t *testing.T) {
	t.Parallel()
	c := issue(t, rsaKey())
	f := newFake().store("1", rsaKey(), c)
	p, wrong := f.process(), options(1)
	wrong.PIN = "0123456789-1234"
	for range 5 {
		_, err := p.Open(t.Context(), wrong, c)
		has(t, "Open", err, fault.KeyUnavailable)
	}
	if n := f.count("Login"); n != 1 {
		t.Errorf("the PIN was sent %d times, want once", n)
	}
	if _, err := p.Open(t.Context(), options(1), c); err != nil {
		t.Errorf("Open with the right PIN = %v", err)
	}
}

func TestWhatATokenSaysOfAPIN(t *testing.T) {
	t.Parallel()
	c := issue(t, rsaKey())
	tests := []struct {
		name  string
		set   func(*fake, *pkcs11.Options)
		want  fault.Code
		sent  int // PINs, in two tries
		again fault.Code
	}{
		{"incorrect", func(f *fake, _ *pkcs11.Options) { f.failNext("Login", pkcs11.Named("PIN_INCORRECT")) }, fault.KeyUnavailable, 1, fault.KeyUnavailable},
		{"too long", func(f *fake, _ *pkcs11.Options) { f.failNext("Login", pkcs11.Named("PIN_LEN_RANGE")) }, fault.KeyUnavailable, 1, fault.KeyUnavailable},
		{"locked, and then unlocked", func(f *fake, _ *pkcs11.Options) { f.failNext("Login", pkcs11.Named("PIN_LOCKED")) }, fault.KeyUnavailable, 2, ""},
		{"expired, and then renewed", func(f *fake, _ *pkcs11.Options) { f.failNext("Login", pkcs11.Named("PIN_EXPIRED")) }, fault.KeyUnavailable, 2, ""},
		{"nothing, for want of a device", func(f *fake, _ *pkcs11.Options) { f.failNext("Login", pkcs11.Named("DEVICE_ERROR")) }, fault.Internal, 2, ""},
		{"said to be locked", func(f *fake, _ *pkcs11.Options) { f.flags |= pkcs11.Locked }, fault.KeyUnavailable, 0, fault.KeyUnavailable},
		{"the last try", func(f *fake, _ *pkcs11.Options) { f.flags |= pkcs11.FinalTry }, fault.KeyUnavailable, 0, fault.KeyUnavailable},
		{"none there", func(_ *fake, o *pkcs11.Options) { o.PIN = "" }, fault.KeyUnavailable, 0, fault.KeyUnavailable},
		{"none asked for", func(f *fake, _ *pkcs11.Options) { f.flags = 0 }, "", 0, ""},
		{"let in by others", func(f *fake, _ *pkcs11.Options) { f.failNext("Login", pkcs11.AlreadyLoggedIn) }, "", 1, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, o := newFake().store("1", rsaKey(), c), options(1)
			tt.set(f, &o)
			p := f.process()
			first, err := p.Open(t.Context(), o, c)
			has(t, "Open", err, tt.want)
			_, err = p.Open(t.Context(), o, c)
			has(t, "Open again", err, tt.again)
			if first != nil && tt.sent == 0 {
				_, err = first.Signer(t.Context()).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
				has(t, "Sign", err, "")
			}
			if n := f.count("Login"); n > tt.sent && tt.name != "let in by others" {
				t.Errorf("%d PINs were sent, want %d", n, tt.sent)
			}
		})
	}
}

// The PIN can be changed while keys are open. What was logged in with goes on; what has to log in anew is refused once.
func TestAPINThatWasChanged(t *testing.T) {
	t.Parallel()
	c := issue(t, rsaKey())
	f := newFake().store("1", rsaKey(), c)
	k := f.open(t, c, 1)
	f.pin = "new one"
	signer := k.Signer(t.Context())
	_, err := signer.Sign(nil, digest(crypto.SHA256), crypto.SHA256)
	has(t, "Sign", err, "")
	for range 3 {
		f.lose()
		_, err = signer.Sign(nil, digest(crypto.SHA256), crypto.SHA256)
		has(t, "Sign after the token was lost", err, fault.KeyUnavailable)
	}
	if n := f.count("Login"); n != 2 {
		t.Errorf("%d PINs were sent, want one that was right and one that was wrong", n)
	}
	if n := f.count("Sign"); n != 1 {
		t.Errorf("C_Sign was called %d times, want once", n)
	}
}

// A process is logged in once. Who comes with another PIN has to prove it, and disturbs nobody who signs.
func TestAnotherPINIsNotLetPass(t *testing.T) {
	t.Parallel()
	warm()
	synctest.Test(t, func(t *testing.T) {
		c := issue(t, rsaKey())
		f := newFake().store("1", rsaKey(), c)
		p, wrong, changed := f.process(), options(1), options(1)
		wrong.PIN, changed.PIN = "wrong", "changed"
		k, err := p.Open(t.Context(), options(1), c)
		if err != nil {
			t.Fatal(err)
		}
		free := make(chan struct{})
		f.signing = func() { <-free }
		var all sync.WaitGroup
		all.Go(func() {
			_, err := k.Signer(t.Context()).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
			has(t, "Sign", err, "")
		})
		synctest.Wait()
		_, err = p.Open(t.Context(), wrong, c)
		has(t, "Open with another PIN while the token signs", err, fault.Throttled)
		close(free)
		all.Wait()
		_, err = p.Open(t.Context(), wrong, c)
		has(t, "Open with a wrong PIN", err, fault.KeyUnavailable)
		_, err = k.Signer(t.Context()).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
		has(t, "Sign after that", err, "")
		f.pin = "changed"
		_, err = p.Open(t.Context(), changed, c)
		has(t, "Open with the PIN that it is now", err, "")
	})
}

// CloudHSM has many users, and a process is one of them at a time. After a login in between, a session that was kept is
// good for nothing, though it looks as it was: the number that the key had is that of another one.
func TestTwoUsersTakeTurns(t *testing.T) {
	t.Parallel()
	c := issue(t, rsaKey())
	f := newFake().store("1", rsaKey(), c).store("2", otherKey(), issue(t, otherKey()))
	f.also, f.reorder = "another user's", true
	p, others := f.process(), options(1)
	others.PIN = f.also
	var keys []*pkcs11.Key
	for _, o := range []pkcs11.Options{options(1), others, options(1)} {
		k, err := p.Open(t.Context(), o, c)
		has(t, "Open", err, "")
		keys = append(keys, k)
	}
	for _, k := range slices.Concat(keys, keys) {
		signature, err := k.Signer(t.Context()).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
		has(t, "Sign", err, "")
		verify(t, rsaKey().Public(), crypto.SHA256, signature)
	}
	if n := f.count("Sign"); n != 6 {
		t.Errorf("C_Sign was called %d times, want 6", n)
	}
}

func TestAKeyThatWantsThePINEveryTime(t *testing.T) {
	t.Parallel()
	c := issue(t, rsaKey())
	f := newFake().store("1", rsaKey(), c)
	for _, o := range f.objects {
		if o.class == pkcs11.PrivateKey {
			o.has[pkcs11.Always] = []byte{1}
		}
	}
	k := f.open(t, c, 1)
	for range 3 {
		_, err := k.Signer(t.Context()).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
		has(t, "Sign", err, "")
	}
	if n := f.count("Login"); n != 4 {
		t.Errorf("the PIN was sent %d times, want once to open and once for each signature", n)
	}
	f.pin = "changed"
	for range 3 {
		_, err := k.Signer(t.Context()).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
		has(t, "Sign with a PIN that was changed", err, fault.KeyUnavailable)
	}
	if n := f.count("Login"); n != 5 {
		t.Errorf("the PIN was sent %d times, want once more", n)
	}
}

// Some modules say of no session that it is logged in. They are asked to log in again, and say that it was done.
func TestAModuleThatDoesNotTellTheLogin(t *testing.T) {
	t.Parallel()
	c := issue(t, rsaKey())
	f := newFake().store("1", rsaKey(), c)
	f.mute = true
	k := f.open(t, c, 2)
	for range 3 {
		_, err := k.Signer(t.Context()).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
		has(t, "Sign", err, "")
	}
}
