package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bulksigner/internal/api"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// secret is the webhook secret of every receiver under test.
const secret = "change-me-0123456789-0123456789abcdef"

// Ids of the samples: documents in the bound folder, in none and in another one; and the folders.
const (
	agreement118 = "6f0d2c1e-8a34-4b7e-9a51-3c2f7d9e4b10"
	agreement119 = "70b8e4d9-15c2-4f36-8d7a-92e6b3f1c054"
	priceList    = "81c9f5ea-26d3-4047-9e8b-a3f7c4029165"
	boundID      = "a1d7c5b2-40f9-4e0c-8f26-5b9b1f3e7c88"
	archiveID    = "b2e8d6c3-51fa-4f1d-9037-6cac204f8d99"
)

// receiver is a receiver of notifications on fakes. The knobs are set before requests are sent.
type receiver struct {
	http.Handler
	lines lines

	mu         sync.Mutex
	fail       map[string]error // by method: Secret, Bound, DispatchedJobs, Ring, Unring, Bell, Check
	failOn     string           // the document for which Ring fails; "" is all
	secret     string
	now        time.Time
	bound      map[string]profile.Profile
	dispatched map[string]job.ID
	waiting    map[string]bool

	calls   []string // methods in the order in which they were called
	checks  []job.Check
	asked   [][]string // ids that Bound and DispatchedJobs were asked for
	bells   []time.Time
	unrung  []string
	outcome map[string]int64
}

func newReceiver(t testing.TB, change ...func(*receiver, *api.NotificationParts)) *receiver {
	t.Helper()
	signs := profile.New("folder")
	signs.Method, signs.SignerFolder = profile.SignerFolder, &profile.Binding{ID: boundID}
	r := &receiver{
		fail: map[string]error{}, secret: secret, now: now, bound: map[string]profile.Profile{boundID: signs},
		dispatched: map[string]job.ID{}, waiting: map[string]bool{}, outcome: map[string]int64{},
	}
	p := api.NotificationParts{
		Bindings: r, Dispatches: r, Bells: r, Checks: r, Meter: r,
		Secret: func(context.Context) (string, error) { return r.secret, r.called("Secret") },
		Now:    func() time.Time { return r.now },
	}
	for _, c := range change {
		c(r, &p)
	}
	r.Handler = api.NewNotifications(p)
	return r
}

func (r *receiver) called(method string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, method)
	return r.fail[method]
}

func (r *receiver) Bound(_ context.Context, folders []string) (map[string]profile.Profile, error) {
	err := r.called("Bound")
	r.asked = append(r.asked, folders)
	return r.bound, err
}

func (r *receiver) DispatchedJobs(_ context.Context, documents []string) (map[string]job.ID, error) {
	err := r.called("DispatchedJobs")
	r.asked = append(r.asked, documents)
	return r.dispatched, err
}

// Ring writes before it fails: the caller cannot know.
func (r *receiver) Ring(_ context.Context, document string, _ time.Time) (bool, error) {
	err := r.called("Ring")
	r.mu.Lock()
	defer r.mu.Unlock()
	fresh := !r.waiting[document]
	r.waiting[document] = true
	if r.failOn != "" && r.failOn != document {
		err = nil
	}
	return fresh && err == nil, err
}

func (r *receiver) Unring(ctx context.Context, document string) error {
	err := r.called("Unring")
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.waiting, document)
	r.unrung = append(r.unrung, document)
	return err
}

func (r *receiver) Bell(_ context.Context, at time.Time) error {
	err := r.called("Bell")
	r.bells = append(r.bells, at)
	return err
}

func (r *receiver) Check(_ context.Context, checks []job.Check) error {
	err := r.called("Check")
	r.checks = append(r.checks, checks...)
	return err
}

func (r *receiver) Count(name string, n int64, labels ...string) {
	if name != job.MetricNotifications || len(labels) != 2 || labels[0] != job.LabelOutcome {
		panic("counted " + name)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcome[labels[1]] += n
}

// post delivers a body with the secret, unless headers say otherwise ("" takes a header away).
func (r *receiver) post(t testing.TB, body string, headers ...string) *http.Response {
	t.Helper()
	return r.send(t, "POST", "/api/signer/notifications", body, headers...)
}

func (r *receiver) send(t testing.TB, method, target, body string, headers ...string) *http.Response {
	t.Helper()
	q := httptest.NewRequestWithContext(r.ctx(t), method, target, strings.NewReader(body))
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Authorization", "Bearer "+secret)
	for i := 0; i+1 < len(headers); i += 2 {
		if q.Header.Set(headers[i], headers[i+1]); headers[i+1] == "" {
			q.Header.Del(headers[i])
		}
	}
	w := httptest.NewRecorder()
	r.ServeHTTP(w, q)
	got := w.Result()
	if got.StatusCode/100 == 3 || got.Header.Get("Location") != "" {
		t.Errorf("%s %s redirects: %d", method, target, got.StatusCode)
	}
	return got
}

func (r *receiver) ctx(t testing.TB) context.Context {
	return context.WithValue(t.Context(), logKey{}, &r.lines)
}

// times counts the calls of a method.
func (r *receiver) times(method string) (n int) {
	for _, c := range r.calls {
		if c == method {
			n++
		}
	}
	return n
}

// checked lists the documents for which checks were sent, with the folders that the checks name.
func (r *receiver) checked() (list []string) {
	for _, c := range r.checks {
		list = append(list, strings.TrimSuffix(c.DocumentID+" "+c.FolderID, " "))
	}
	slices.Sort(list)
	return list
}

// notificationNamed reads one of the samples.
func notificationNamed(t testing.TB, kind string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "notifications", kind+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// created is a DocumentsCreated of documents, each with its folder behind a blank, or without.
func created(documents ...string) string {
	type folder struct {
		ID string `json:"id"`
	}
	type document struct {
		ID     string  `json:"id"`
		Folder *folder `json:"folder"`
	}
	list := make([]document, 0, len(documents))
	for _, d := range documents {
		id, in, ok := strings.Cut(d, " ")
		one := document{ID: id}
		if ok {
			one.Folder = &folder{in}
		}
		list = append(list, one)
	}
	b, err := json.Marshal(map[string]any{"type": "DocumentsCreated", "data": map[string]any{"documents": list}})
	if err != nil {
		panic(err)
	}
	return string(b)
}

var errDown = errors.New("dial tcp 10.0.0.7: the backend is down")

// requestOf is a delivery whose headers a test sets as they are.
func requestOf(t testing.TB, r *receiver, body string) *http.Request {
	t.Helper()
	return httptest.NewRequestWithContext(r.ctx(t), "POST", "/api/signer/notifications", strings.NewReader(body))
}

func answerOf() *httptest.ResponseRecorder { return httptest.NewRecorder() }
