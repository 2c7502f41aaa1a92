package lacunatest_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/lacuna/lacunatest"
)

// receiver takes webhooks.
type receiver struct {
	url string

	mu       sync.Mutex
	statuses []int // answered first; then 204
	requests []*http.Request
	bodies   [][]byte
}

func newReceiver(t *testing.T, statuses ...int) *receiver {
	t.Helper()
	r := &receiver{statuses: statuses}
	srv := httptest.NewServer(r)
	t.Cleanup(srv.Close)
	r.url = srv.URL
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	w.WriteHeader(r.take(req, body))
}

func (r *receiver) take(req *http.Request, body []byte) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests, r.bodies = append(r.requests, req), append(r.bodies, body)
	if len(r.statuses) == 0 {
		return http.StatusNoContent
	}
	status := r.statuses[0]
	r.statuses = r.statuses[1:]
	return status
}

// RoundTrip takes a webhook without a network.
func (r *receiver) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: r.take(req, body), Body: http.NoBody, Request: req}, nil
}

func (r *receiver) webhook() lacunatest.Webhook {
	return lacunatest.Webhook{URL: r.url, AuthType: lacunatest.Bearer, Token: "a secret  with blanks"}
}

type received struct {
	Type  string
	Data  object
	whole object
}

func (r *receiver) events(t *testing.T) (all []received) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range r.bodies {
		var e received
		if err := json.Unmarshal(b, &e); err != nil {
			t.Fatalf("%q: %v", b, err)
		}
		if err := json.Unmarshal(b, &e.whole); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

func (r *receiver) types(t *testing.T) (all []string) {
	t.Helper()
	for _, e := range r.events(t) {
		all = append(all, e.Type)
	}
	return all
}

func deliver(t *testing.T, s *lacunatest.Server) int {
	t.Helper()
	n, err := s.Deliver(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestAWebhookShowsItsToken(t *testing.T) {
	t.Parallel()
	tests := []struct {
		auth         lacunatest.AuthType
		header, want string
	}{
		{"", "Authorization", ""},
		{lacunatest.NoAuth, "X-Api-Key", ""},
		{lacunatest.Basic, "Authorization", "Basic tok en"},
		{lacunatest.Bearer, "Authorization", "Bearer tok en"},
		{lacunatest.APIKey, "X-Api-Key", "tok en"},
	}
	for _, tt := range tests {
		t.Run(string(tt.auth), func(t *testing.T) {
			t.Parallel()
			s, r := newServer(t), newReceiver(t)
			s.SetWebhook("a", lacunatest.Webhook{URL: r.url, AuthType: tt.auth, Token: "tok en"})
			s.AddDocument(waitingFor(maria, ""))
			deliver(t, s)
			if got := r.requests[0].Header.Get(tt.header); got != tt.want {
				t.Errorf("%s = %q, want %q", tt.header, got, tt.want)
			}
			if got := r.requests[0].Header.Get("Content-Type"); got != "application/json; charset=utf-8" {
				t.Errorf("Content-Type = %q", got)
			}
		})
	}
}

func TestSendingHasKnobs(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		sending lacunatest.Sending
		want    []string
	}{
		{"in order, once", lacunatest.Sending{}, []string{"DocumentsCreated", "DocumentSigned", "DocumentConcluded"}},
		{"repeated", lacunatest.Sending{Repeat: 1}, []string{"DocumentsCreated", "DocumentsCreated", "DocumentSigned", "DocumentSigned", "DocumentConcluded", "DocumentConcluded"}},
		{"in reverse", lacunatest.Sending{Reverse: true}, []string{"DocumentConcluded", "DocumentSigned", "DocumentsCreated"}},
		{"with unknown types", lacunatest.Sending{Unknown: true}, []string{"DocumentsCreated", "SomethingNew", "DocumentSigned", "SomethingNew", "DocumentConcluded", "SomethingNew"}},
		{"the conclusion later", lacunatest.Sending{Concluded: time.Minute}, []string{"DocumentsCreated", "DocumentSigned"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newClock()
			s := newServer(t, func(o *lacunatest.Options) { o.Sending, o.Now = tt.sending, c.Now })
			r := newReceiver(t)
			s.SetWebhook("a", r.webhook())
			s.Sign(s.AddDocument(waitingFor(maria, "")))
			deliver(t, s)
			if diff := cmp.Diff(tt.want, r.types(t)); diff != "" {
				t.Errorf("types (-want +got):\n%s", diff)
			}
			c.advance(time.Minute)
			if deliver(t, s); !slices.Contains(r.types(t), "DocumentConcluded") {
				t.Error("the conclusion was never told")
			}
		})
	}
}

func TestDocumentsAreToldInRoundsOfAHundred(t *testing.T) {
	t.Parallel()
	s, r := newServer(t), newReceiver(t)
	s.SetWebhook("a", r.webhook())
	for range 205 {
		s.AddDocument(waitingFor(maria, ""))
	}
	deliver(t, s)
	var sizes []int
	for _, e := range r.events(t) {
		sizes = append(sizes, len(e.Data["documents"].([]any)))
	}
	if !slices.Equal(sizes, []int{100, 100, 5}) {
		t.Errorf("rounds of %v, want 100, 100 and 5", sizes)
	}
}

func TestAnEventOfAStateThatIsOverIsDropped(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := newServer(t, func(o *lacunatest.Options) { o.Sending.Concluded, o.Now = time.Minute, c.Now })
	r := newReceiver(t)
	s.SetWebhook("a", r.webhook())
	doc := s.AddDocument(waitingFor(maria, ""))
	s.Sign(doc)
	deliver(t, s)
	s.SetStatus(doc, "Refused")
	c.advance(time.Minute)
	if deliver(t, s); slices.Contains(r.types(t), "DocumentConcluded") {
		t.Error("a conclusion was told of a document that is not concluded")
	}
	if err := s.Signer.Announce("DocumentPaused", doc); err != nil {
		t.Fatal(err)
	}
	if deliver(t, s); !slices.Contains(r.types(t), "DocumentPaused") {
		t.Error("a pause that was announced was not told")
	}
}

func TestAFailedDeliveryIsTriedTenTimesMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{url: "http://receiver.invalid", statuses: slices.Repeat([]int{500}, 12)}
		s := lacunatest.New(lacunatest.Options{HTTP: &http.Client{Transport: r}})
		s.SetWebhook("a", r.webhook())
		ctx, cancel := context.WithCancel(t.Context())
		var runs sync.WaitGroup
		runs.Go(func() { _ = s.Run(ctx) })
		if _, err := s.AddDocument(waitingFor(maria, "")); err != nil {
			t.Error(err)
		}
		time.Sleep(5 * time.Hour)
		cancel()
		runs.Wait()
		all := s.Deliveries()
		if len(all) != 11 || all[10].Attempt != 11 || all[0].Status != 500 {
			t.Fatalf("%d deliveries, the last %+v, want 11", len(all), all[len(all)-1])
		}
		if len(r.bodies) != 11 {
			t.Errorf("%d requests, want 11", len(r.bodies))
		}
	})
}

func TestARetryTellsOfThePresentAndUsesTheNewToken(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := newServer(t, func(o *lacunatest.Options) { o.Now = c.Now })
	r := newReceiver(t, http.StatusUnauthorized)
	s.SetWebhook("a", r.webhook())
	doc := s.AddDocument(waitingFor(maria, ""))
	deliver(t, s)
	folder := s.AddFolder("Contratos", "")
	s.Move(doc, folder)
	s.SetWebhook("a", lacunatest.Webhook{URL: r.url, AuthType: lacunatest.Bearer, Token: "new"})
	if n := deliver(t, s); n != 0 {
		t.Errorf("%d deliveries before the wait is over", n)
	}
	c.advance(45 * time.Second)
	deliver(t, s)
	last := r.events(t)[1].Data["documents"].([]any)[0].(object)
	if got := last["folder"].(object)["id"]; got != folder {
		t.Errorf("folder = %v, want %s", got, folder)
	}
	if got := r.requests[1].Header.Get("Authorization"); got != "Bearer new" {
		t.Errorf("Authorization = %q", got)
	}
}

func TestARedirectionLosesTheBody(t *testing.T) {
	t.Parallel()
	s, r := newServer(t), newReceiver(t)
	moved := httptest.NewServer(http.RedirectHandler(r.url, http.StatusMovedPermanently))
	t.Cleanup(moved.Close)
	s.SetWebhook("a", lacunatest.Webhook{URL: moved.URL})
	s.AddDocument(waitingFor(maria, ""))
	deliver(t, s)
	if r.requests[0].Method != "GET" || len(r.bodies[0]) != 0 {
		t.Errorf("%s with %d bytes, want GET and nothing", r.requests[0].Method, len(r.bodies[0]))
	}
}

func TestARedirectionFromHTTPSToHTTPIsNotFollowed(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	secure := httptest.NewTLSServer(http.RedirectHandler(r.url, http.StatusMovedPermanently))
	t.Cleanup(secure.Close)
	s := newServer(t, func(o *lacunatest.Options) { o.HTTP = secure.Client() })
	s.SetWebhook("a", lacunatest.Webhook{URL: secure.URL})
	s.AddDocument(waitingFor(maria, ""))
	deliver(t, s)
	if len(r.types(t)) != 0 || s.Deliveries()[0].Status != 0 {
		t.Errorf("it was followed: %+v", s.Deliveries())
	}
}

func TestNobodyAnswersAndThenSomebodyDoes(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := newServer(t, func(o *lacunatest.Options) { o.Now = c.Now })
	s.SetWebhook("a", lacunatest.Webhook{URL: "http://127.0.0.1:1"})
	s.SetWebhook("b", lacunatest.Webhook{URL: ":"})
	s.AddDocument(waitingFor(maria, ""))
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if n, err := s.Deliver(ctx); n != 0 || err == nil {
		t.Errorf("delivered %d, %v, though time was up", n, err)
	}
	if n := deliver(t, s); n != 2 {
		t.Errorf("%d deliveries, want 2", n)
	}
	for _, d := range s.Deliveries() {
		if d.Status != 0 || d.Attempt != 1 {
			t.Errorf("%+v", d)
		}
	}
	c.advance(time.Minute)
	r := newReceiver(t)
	s.SetWebhook("a", r.webhook())
	s.SetWebhook("b", r.webhook())
	if deliver(t, s); len(r.types(t)) != 2 {
		t.Errorf("told %v, want both", r.types(t))
	}
}

func TestOnlyWebhooksOfTheMomentAreTold(t *testing.T) {
	t.Parallel()
	s, r := newServer(t), newReceiver(t)
	s.AddDocument(waitingFor(maria, ""))
	s.SetWebhook("a", r.webhook())
	deliver(t, s)
	doc := s.AddDocument(waitingFor(maria, ""))
	s.RemoveWebhook("a")
	deliver(t, s)
	if got := r.types(t); len(got) != 0 {
		t.Errorf("told %v of document %s", got, doc)
	}
}
