package revocation_test

import (
	"context"
	"crypto/x509"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bulksigner/internal/revocation"
)

// slow is a transport that takes its time. It counts, and can be broken.
type slow struct {
	mu     sync.Mutex
	pages  canned
	delay  time.Duration
	broken bool
	calls  int
}

// RoundTrip answers after the delay.
func (s *slow) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.calls++
	delay, broken := s.delay, s.broken
	s.mu.Unlock()
	select {
	case <-time.After(delay):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	if broken {
		return nil, errors.New("connection refused")
	}
	return s.pages.RoundTrip(r)
}

func (s *slow) set(delay time.Duration, broken bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.delay, s.broken = delay, broken
}

func (s *slow) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

// clocked makes a Checker with the bubble's clock.
func clocked(s *slow, o revocation.Options) *revocation.Checker {
	o.AllowPrivate = true
	return revocation.New(&http.Client{Transport: s}, time.Now, o)
}

// current makes a list that holds from now until later.
func (a *authority) current(t *testing.T, length time.Duration, revoked ...x509.RevocationListEntry) []byte {
	return a.list(t, func(l *x509.RevocationList) { l.ThisUpdate, l.NextUpdate = time.Now(), time.Now().Add(length) }, revoked...)
}

// lasting makes an authority whose certificates hold in a bubble, which begins in the year 2000.
func lasting(t *testing.T) *authority {
	c := template(1, "Autoridade Certificadora Raiz de Teste")
	c.NotBefore = time.Date(1999, time.January, 1, 0, 0, 0, 0, time.UTC)
	return newAuthority(t, nil, c)
}

// try checks a certificate now and compares what came out and how often the transport was asked by then.
func try(t *testing.T, c *revocation.Checker, s *slow, certificate, issuer *x509.Certificate, want revocation.State, calls int) {
	t.Helper()
	got, err := c.Check(t.Context(), certificate, issuer, time.Now())
	checkState(t, got, err, want, "")
	if n := s.count(); n != calls {
		t.Errorf("%d requests, want %d", n, calls)
	}
}

func TestListIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ca := lasting(t)
		s := &slow{pages: canned{listURL: ca.current(t, 90*time.Minute, revoked(43, time.Now(), 1))}}
		c := clocked(s, revocation.Options{})
		one, two := ca.leaf(t, 42, nil, []string{listURL}), ca.leaf(t, 43, nil, []string{listURL})
		try(t, c, s, one, ca.cert, revocation.Good, 1)
		try(t, c, s, two, ca.cert, revocation.Revoked, 1) // one list for all of its issuer's certificates
		time.Sleep(time.Hour - time.Second)
		try(t, c, s, one, ca.cert, revocation.Good, 1)
		time.Sleep(time.Second)
		try(t, c, s, one, ca.cert, revocation.Good, 2) // after an hour
		time.Sleep(30*time.Minute - time.Second)
		try(t, c, s, one, ca.cert, revocation.Good, 2)
		time.Sleep(time.Second)
		try(t, c, s, one, ca.cert, revocation.Good, 3) // at its end, though clocks may differ
		time.Sleep(revocation.Skew + time.Second)
		try(t, c, s, one, ca.cert, revocation.Unknown, 4) // nobody made a new one
	})
}

func TestAnswerIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ca := lasting(t)
		r := good(42)
		r.ThisUpdate, r.NextUpdate = time.Now(), time.Now().Add(24*time.Hour)
		s := &slow{pages: canned{responderURL: ca.answer(t, r, nil)}}
		c := clocked(s, revocation.Options{})
		leaf, other := ca.leaf(t, 42, []string{responderURL}, nil), ca.leaf(t, 43, []string{responderURL}, nil)
		try(t, c, s, leaf, ca.cert, revocation.Good, 1)
		try(t, c, s, leaf, ca.cert, revocation.Good, 1)
		try(t, c, s, other, ca.cert, revocation.Unknown, 2) // an answer is about one certificate
		time.Sleep(time.Hour)
		s.set(0, true)
		try(t, c, s, leaf, ca.cert, revocation.Unknown, 3) // and is not stretched
	})
}

func TestOutageIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ca := lasting(t)
		s := &slow{pages: canned{listURL: ca.current(t, 24*time.Hour)}, broken: true}
		c := clocked(s, revocation.Options{})
		leaf := ca.leaf(t, 42, nil, []string{listURL})
		try(t, c, s, leaf, ca.cert, revocation.Unknown, 1)
		time.Sleep(revocation.Outage - time.Second)
		try(t, c, s, leaf, ca.cert, revocation.Unknown, 1)
		s.set(0, false)
		time.Sleep(time.Second)
		try(t, c, s, leaf, ca.cert, revocation.Good, 2)
	})
}

// A list that still holds outlives an outage of the site that it came from.
func TestListOutlivesOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ca := lasting(t)
		s := &slow{pages: canned{listURL: ca.current(t, 2*time.Hour)}}
		c := clocked(s, revocation.Options{})
		leaf := ca.leaf(t, 42, nil, []string{listURL})
		try(t, c, s, leaf, ca.cert, revocation.Good, 1)
		s.set(0, true)
		time.Sleep(time.Hour)
		try(t, c, s, leaf, ca.cert, revocation.Good, 2)
		try(t, c, s, leaf, ca.cert, revocation.Good, 2) // the site is left in peace
		time.Sleep(revocation.Outage)
		try(t, c, s, leaf, ca.cert, revocation.Good, 3)
		time.Sleep(time.Hour)
		try(t, c, s, leaf, ca.cert, revocation.Unknown, 4)
	})
}

func TestManyShareOneQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ca := lasting(t)
		s := &slow{pages: canned{listURL: ca.current(t, time.Hour)}, delay: 3 * time.Second}
		c := clocked(s, revocation.Options{CacheBytes: 1}) // too little to keep anything: the flight itself carries the answer
		leaf, begin := ca.leaf(t, 42, nil, []string{listURL}), time.Now()
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() { try(t, c, s, leaf, ca.cert, revocation.Good, 1) })
		}
		wg.Wait()
		if took := time.Since(begin); took != 3*time.Second {
			t.Errorf("took %s", took)
		}
	})
}

// Who asks for all may run out of time before the source does: the others do not fail for that.
func TestLeaderGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ca := lasting(t)
		s := &slow{pages: canned{listURL: ca.current(t, time.Hour)}, delay: 3 * time.Second}
		c := clocked(s, revocation.Options{})
		leaf, begin := ca.leaf(t, 42, nil, []string{listURL}), time.Now()
		var wg sync.WaitGroup
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			got, err := c.Check(ctx, leaf, ca.cert, time.Now())
			checkState(t, got, err, revocation.Unknown, "deadline")
		})
		synctest.Wait()
		wg.Go(func() { try(t, c, s, leaf, ca.cert, revocation.Good, 2) })
		wg.Go(func() { // and one that waits ends with its own time
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			defer cancel()
			got, err := c.Check(ctx, leaf, ca.cert, time.Now())
			checkState(t, got, err, revocation.Unknown, "deadline")
			if took := time.Since(begin); took != 500*time.Millisecond {
				t.Errorf("waited for %s", took)
			}
		})
		wg.Wait()
		if took := time.Since(begin); took != 4*time.Second {
			t.Errorf("took %s, want one second lost and three for the answer", took)
		}
	})
}

func TestTimeForOneSource(t *testing.T) {
	t.Parallel()
	for limit, want := range map[time.Duration]time.Duration{0: 10 * time.Second, time.Second: time.Second} {
		synctest.Test(t, func(t *testing.T) {
			ca := lasting(t)
			s := &slow{delay: time.Hour}
			c, begin := clocked(s, revocation.Options{Timeout: limit}), time.Now()
			leaf := ca.leaf(t, 42, []string{responderURL}, []string{listURL, otherListURL})
			got, err := c.Check(t.Context(), leaf, ca.cert, time.Now())
			checkState(t, got, err, revocation.Unknown, "took too long")
			if took := time.Since(begin); took != 3*want {
				t.Errorf("three sources took %s, want %s each", took, want)
			}
			try(t, c, s, leaf, ca.cert, revocation.Unknown, 3) // at once
		})
	}
}

// The certificates of a chain are asked about side by side.
func TestChainTakesAsLongAsItsSlowest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		root := lasting(t)
		first := root.under(t, 7, listURL)
		leaf := first.leaf(t, 42, nil, []string{otherListURL})
		s := &slow{pages: canned{listURL: root.current(t, time.Hour), otherListURL: first.current(t, time.Hour)}, delay: time.Second}
		begin := time.Now()
		if err := clocked(s, revocation.Options{}).Chain(t.Context(), []*x509.Certificate{leaf, first.cert, root.cert}, time.Now()); err != nil {
			t.Error(err)
		}
		if took := time.Since(begin); took != time.Second {
			t.Errorf("took %s", took)
		}
	})
}

// Two authorities may name one address: what the one's list says is not what the other's says.
func TestOneAddressTwoAuthorities(t *testing.T) {
	t.Parallel()
	ca, namesake := newRoot(t), newRoot(t)
	c := canned{listURL: ca.list(t, nil)}.checker()
	got, err := c.Check(t.Context(), namesake.leaf(t, 42, nil, []string{listURL}), namesake.cert, now)
	checkState(t, got, err, revocation.Unknown, "signature")
	got, err = c.Check(t.Context(), ca.leaf(t, 42, nil, []string{listURL}), ca.cert, now)
	checkState(t, got, err, revocation.Good, "")
	got, err = c.Check(t.Context(), namesake.leaf(t, 42, nil, []string{listURL}), namesake.cert, now)
	checkState(t, got, err, revocation.Unknown, "signature")
}
