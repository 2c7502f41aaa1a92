//go:build pkcs11

package pkcs11_test

import (
	"context"
	"crypto"
	"crypto/rsa"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/pkcs11"
)

// warm makes keys and certificates outside of bubbles, whose clock begins long before they are valid.
func warm() {
	rsaKey()
	pki()
}

func TestSignaturesOfTheFakeVerify(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]crypto.Signer{"RSA": rsaKey(), "P-256": p256Key(), "P-384": p384Key(), "P-521": p521Key()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := issue(t, key)
			k := newFake().store("1", key, c).open(t, c, 1)
			for _, h := range []crypto.Hash{crypto.SHA256, crypto.SHA384, crypto.SHA512} {
				signature, err := k.Signer(t.Context()).Sign(nil, digest(h), h)
				if err != nil {
					t.Fatal(err)
				}
				verify(t, key.Public(), h, signature)
			}
		})
	}
}

func TestSignRefusesWhatIsNoDigest(t *testing.T) {
	t.Parallel()
	c := issue(t, p256Key())
	f := newFake().store("1", p256Key(), c)
	signer := f.open(t, c, 1).Signer(t.Context())
	for name, try := range map[string]func() ([]byte, error){
		"a message":      func() ([]byte, error) { return signer.Sign(nil, []byte("message"), crypto.SHA256) },
		"no algorithm":   func() ([]byte, error) { return signer.Sign(nil, []byte("message"), crypto.Hash(0)) },
		"SHA-1":          func() ([]byte, error) { return signer.Sign(nil, make([]byte, 20), crypto.SHA1) },
		"another digest": func() ([]byte, error) { return signer.Sign(nil, digest(crypto.SHA512), crypto.SHA256) },
		"RSA-PSS": func() ([]byte, error) {
			return signer.Sign(nil, digest(crypto.SHA256), &rsa.PSSOptions{Hash: crypto.SHA256})
		},
	} {
		_, err := try()
		has(t, "Sign of "+name, err, fault.JobKeyRefused)
	}
	if n := f.count("SignInit"); n != 0 {
		t.Errorf("the token was asked %d times, want never", n)
	}
}

func TestSignHasTime(t *testing.T) {
	t.Parallel()
	warm()
	synctest.Test(t, func(t *testing.T) {
		c := issue(t, rsaKey())
		f := newFake().store("1", rsaKey(), c)
		k := f.open(t, c, 1)
		ctx, cancel := context.WithTimeout(t.Context(), pkcs11.LeastTime-time.Millisecond)
		defer cancel()
		_, err := k.Signer(ctx).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
		has(t, "Sign without time", err, fault.Throttled)
		over, end := context.WithCancel(t.Context())
		end()
		_, err = k.Signer(over).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
		has(t, "Sign when all is over", err, fault.Throttled)
		if n := f.count("Sign") + f.count("SignInit"); n != 0 {
			t.Errorf("the token was asked %d times, want never", n)
		}
	})
}

// A module cannot be interrupted. Whoever waits for it is free again, and its place is taken until it answers.
func TestATokenThatHangsIsSilent(t *testing.T) {
	t.Parallel()
	warm()
	synctest.Test(t, func(t *testing.T) {
		c := issue(t, rsaKey())
		f := newFake().store("1", rsaKey(), c)
		k := f.open(t, c, 1)
		free := make(chan struct{})
		f.signing = func() { <-free }
		began := time.Now()
		_, err := k.Signer(t.Context()).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
		has(t, "Sign", err, fault.JobKeySilent)
		if d := time.Since(began); d != pkcs11.AnswerTime {
			t.Errorf("Sign ended after %s, want %s", d, pkcs11.AnswerTime)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err = k.Signer(ctx).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
		has(t, "Sign meanwhile", err, fault.Throttled)
		close(free)
		synctest.Wait()
		if _, err = k.Signer(t.Context()).Sign(nil, digest(crypto.SHA256), crypto.SHA256); err != nil {
			t.Errorf("Sign after that = %v", err)
		}
		if n := f.count("Sign"); n != 2 {
			t.Errorf("C_Sign was called %d times, want 2", n)
		}
	})
}

// hanging holds up one function of a fake until free is closed.
type hanging struct {
	*fake
	function string
	free     chan struct{}
	off      atomic.Bool
}

func (h *hanging) SignInit(s, m, k uint) error {
	if h.function == "SignInit" && !h.off.Load() {
		<-h.free
	}
	return h.fake.SignInit(s, m, k)
}

func (h *hanging) Find(s, c uint, a pkcs11.Attribute) ([]uint, error) {
	if h.function == "Find" && !h.off.Load() {
		<-h.free
	}
	return h.fake.Find(s, c, a)
}

// Who gave up before C_Sign knows that nothing is signed, and it stays so when the module wakes up.
func TestNobodySignsAfterTheTimeIsUp(t *testing.T) {
	t.Parallel()
	warm()
	synctest.Test(t, func(t *testing.T) {
		c := issue(t, rsaKey())
		h := &hanging{fake: newFake().store("1", rsaKey(), c), function: "SignInit", free: make(chan struct{})}
		k, err := pkcs11.NewProcess(func(string) (pkcs11.Cryptoki, error) { return h, nil }).Open(t.Context(), options(1), c)
		if err != nil {
			t.Fatal(err)
		}
		_, err = k.Signer(t.Context()).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
		has(t, "Sign", err, fault.Throttled)
		close(h.free)
		synctest.Wait()
		if n := h.count("Sign"); n != 0 {
			t.Errorf("C_Sign was called %d times after Sign had ended, want never", n)
		}
		if n := h.count("CloseSession"); n != 1 {
			t.Errorf("%d sessions were closed, want the one whose operation had begun", n)
		}
	})
}

func TestOpenDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	warm()
	synctest.Test(t, func(t *testing.T) {
		c := issue(t, rsaKey())
		h := &hanging{fake: newFake().store("1", rsaKey(), c), function: "Find", free: make(chan struct{})}
		p := pkcs11.NewProcess(func(string) (pkcs11.Cryptoki, error) { return h, nil })
		for range 2 { // the second waits for the first
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			_, err := p.Open(ctx, options(1), c)
			has(t, "Open", err, fault.Internal)
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Open = %v, want the end of its time in it", err)
			}
			cancel()
		}
		h.off.Store(true)
		close(h.free)
		synctest.Wait()
		if n := h.count("CloseSession"); n != 1 {
			t.Errorf("%d sessions were closed, want the one that nobody waited for", n)
		}
		if _, err := p.Open(t.Context(), options(1), c); err != nil {
			t.Errorf("Open after that = %v", err)
		}
	})
}
