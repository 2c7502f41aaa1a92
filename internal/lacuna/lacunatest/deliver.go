package lacunatest

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"
)

// waits are the vendor's waits before each retry, shortest and longest.
var waits = [][2]time.Duration{
	{15 * time.Second, 45 * time.Second},
	{15 * time.Second, 75 * time.Second},
	{30 * time.Second, 2 * time.Minute},
	{95 * time.Second, 210 * time.Second},
	{270 * time.Second, 7 * time.Minute},
	{640 * time.Second, 810 * time.Second},
	{22 * time.Minute, 25 * time.Minute},
	{40 * time.Minute, 44 * time.Minute},
	{68 * time.Minute, 73 * time.Minute},
	{110 * time.Minute, 115 * time.Minute},
}

// round is how many documents one DocumentsCreated tells of at most.
const round = 100

// maxReply is how much of a receiver's answer is read.
const maxReply = 64 << 10

// Deliver sends every event that is due, once, and returns how many it sent. What fails is due again later.
func (s *Signer) Deliver(ctx context.Context) (int, error) {
	n := 0
	for _, l := range s.collect() {
		if ctx.Err() != nil {
			s.giveBack(l)
			continue
		}
		n += s.send(ctx, l)
	}
	return n, ctx.Err()
}

// Run delivers events as they become due, until ctx ends.
func (s *Signer) Run(ctx context.Context) error {
	for {
		if _, err := s.Deliver(ctx); err != nil {
			return err
		}
		timer := time.NewTimer(s.pause())
		select {
		case <-ctx.Done():
		case <-s.post.wake:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// pause is how long nothing is due.
func (s *Signer) pause() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	next := now.Add(time.Hour)
	if due, ok := s.agenda.next(); ok && due.Before(next) {
		next = due
	}
	for _, l := range s.post.queue {
		if l.due.Before(next) {
			next = l.due
		}
	}
	return next.Sub(now)
}

// collect takes out of the queue what is due.
func (s *Signer) collect() []*letter {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	var due, later []*letter
	for _, l := range s.post.queue {
		if l.due.After(now) {
			later = append(later, l)
			continue
		}
		due = append(due, l)
	}
	s.post.queue = later
	slices.SortStableFunc(due, func(a, b *letter) int { return a.due.Compare(b.due) })
	if due = bundle(due); s.o.Sending.Reverse {
		slices.Reverse(due)
	}
	return due
}

// bundle joins first attempts at DocumentsCreated that follow one another.
func bundle(due []*letter) []*letter {
	var out []*letter
	open := map[string]*letter{} // by webhook
	for _, l := range due {
		o := open[l.hook]
		switch {
		case l.kind != eventCreated || l.attempt > 0:
			delete(open, l.hook)
		case o != nil && len(o.docs)+len(l.docs) <= round && !slices.Contains(o.docs, l.docs[0]):
			o.docs = append(slices.Clip(o.docs), l.docs...)
			continue
		default:
			open[l.hook] = l
		}
		out = append(out, l)
	}
	return out
}

func (s *Signer) giveBack(l *letter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.post.queue = append(s.post.queue, l)
}

// send tries a letter once, and returns 1 if it went out: its document may have left the state that it tells of.
func (s *Signer) send(ctx context.Context, l *letter) int {
	s.mu.Lock()
	s.now()
	hook, registered := s.post.hooks[l.hook]
	body, current := l.body(s)
	s.mu.Unlock()
	if !registered || !current {
		return 0
	}
	status := s.knock(ctx, hook, body)
	s.mu.Lock()
	defer s.mu.Unlock()
	l.attempt++
	s.post.sent = remember(s.post.sent, Delivery{l.hook, l.kind, l.attempt, status, body})
	if status/100 != 2 && l.attempt <= len(waits) {
		w := waits[l.attempt-1]
		l.due = s.now().Add(w[0] + rand.N(w[1]-w[0]))
		s.post.queue = append(s.post.queue, l)
	}
	return 1
}

// knock posts a body and returns the status, or 0 if nobody answered.
func (s *Signer) knock(ctx context.Context, hook Webhook, body []byte) int {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, hook.URL, bytes.NewReader(body))
	if err != nil {
		return 0
	}
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	hook.set(r.Header)
	resp, err := s.o.HTTP.Do(r)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, io.LimitReader(resp.Body, maxReply)); err != nil {
		return 0
	}
	return resp.StatusCode
}
