package lacunatest

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"time"
)

// AuthType says which header a webhook carries.
type AuthType string

// The types of authentication.
const (
	NoAuth AuthType = "NoAuth"
	Basic  AuthType = "Basic"
	Bearer AuthType = "Bearer"
	APIKey AuthType = "ApiKey"
)

// Webhook is where events go. The token is sent exactly as it stands here.
type Webhook struct {
	URL      string
	AuthType AuthType // NoAuth if empty
	Token    string
}

// Sending are the ways in which deliveries may differ from one in order and once.
type Sending struct {
	Repeat    int           // how many times more each event is delivered
	Reverse   bool          // what is due at the same time goes out newest first
	Unknown   bool          // each event is followed by one of a type that nobody knows
	Concluded time.Duration // how long DocumentConcluded is held back; the vendor's default is 60 s
}

// Delivery is an event that was sent.
type Delivery struct {
	Webhook string // its name
	Type    string
	Attempt int // 1 is the first
	Status  int // what the receiver answered; 0 if nobody did
	Body    []byte
}

// patience is how long the vendor waits for an answer to an event.
const patience = 100 * time.Second

// messenger completes the client that sends webhooks.
func messenger(given *http.Client) *http.Client {
	var c http.Client
	if given != nil {
		c = *given
	}
	c.Timeout = cmp.Or(c.Timeout, patience)
	if c.CheckRedirect == nil {
		c.CheckRedirect = noDowngrade
	}
	return &c
}

// noDowngrade follows redirections as the vendor does: never from https to http.
func noDowngrade(r *http.Request, via []*http.Request) error {
	if via[0].URL.Scheme == "https" && r.URL.Scheme != "https" {
		return errors.New("a redirection from https to http is not followed")
	}
	if len(via) >= 10 {
		return errors.New("too many redirections")
	}
	return nil
}

// set puts the authentication of a webhook into a request.
func (w Webhook) set(h http.Header) {
	switch w.AuthType {
	case Basic, Bearer:
		h.Set("Authorization", string(w.AuthType)+" "+w.Token)
	case APIKey:
		h.Set(keyHeader, w.Token)
	}
}

// office holds the webhooks and what is to be sent to them.
type office struct {
	hooks map[string]Webhook
	queue []*letter
	sent  []Delivery
	wake  chan struct{} // has a token when there may be something new to do
}

// letter is an event on its way to one webhook.
type letter struct {
	event
	hook    string
	due     time.Time
	attempt int
}

func newOffice() office {
	return office{hooks: map[string]Webhook{}, wake: make(chan struct{}, 1)}
}

// SetWebhook registers a webhook, or changes the one of that name. What failed before is tried again with the new values.
func (s *Signer) SetWebhook(name string, w Webhook) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.post.hooks[name] = w
}

// RemoveWebhook forgets a webhook, and what was to be sent to it.
func (s *Signer) RemoveWebhook(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.post.hooks, name)
	s.post.queue = slices.DeleteFunc(s.post.queue, func(l *letter) bool { return l.hook == name })
}

// Deliveries lists what was sent, in order.
func (s *Signer) Deliveries() []Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.post.sent)
}

// announce queues an event for every webhook that there is.
func (s *Signer) announce(e event, at time.Time) {
	if e.kind == eventConcluded {
		at = at.Add(s.o.Sending.Concluded)
	}
	for name := range s.post.hooks {
		for range 1 + s.o.Sending.Repeat {
			s.post.queue = append(s.post.queue, &letter{event: e, hook: name, due: at})
		}
		if s.o.Sending.Unknown {
			s.post.queue = append(s.post.queue, &letter{event: event{kind: "SomethingNew"}, hook: name, due: at})
		}
	}
	s.post.ring()
}

func (o *office) ring() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}
