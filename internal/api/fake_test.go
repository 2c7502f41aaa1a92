package api_test

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bulksigner/internal/api"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/settings"
	"bulksigner/internal/verify"
)

// key is the API key of every service under test.
const key = "correct horse battery staple"

var now = time.Date(2026, 3, 4, 5, 6, 7, 89_000_000, time.UTC)

// TestMain sends what is logged to the request that it is logged for, so that tests can run side by side.
func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(router{}))
	os.Exit(m.Run())
}

type logKey struct{}

// lines is what was logged for one service.
type lines struct {
	mu   sync.Mutex
	text []string
}

func (l *lines) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.text...)
}

type router struct{}

func (router) Enabled(context.Context, slog.Level) bool { return true }
func (r router) WithAttrs([]slog.Attr) slog.Handler     { return r }
func (r router) WithGroup(string) slog.Handler          { return r }
func (router) Handle(ctx context.Context, rec slog.Record) error {
	l, ok := ctx.Value(logKey{}).(*lines)
	if !ok {
		return nil
	}
	var b bytes.Buffer
	err := slog.NewTextHandler(&b, nil).Handle(ctx, rec)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, b.String())
	return err
}

// service is an API on fakes. The knobs are set before requests are sent.
type service struct {
	http.Handler
	lines lines

	mu   sync.Mutex
	fail map[string]error // by method: Get, List, Reserve, Profile, PutUpload, PresignPut, Open, PresignGet, Key, Verify,
	// List of profiles as Profiles, Cancel, Retry, Pause, Resume, Flight, WriteMetrics
	calls    []string // methods in the order in which they were called
	jobs     map[job.ID]job.Job
	page     job.Page
	profiles map[string]profile.Profile
	outputs  map[string]job.Download
	key      string
	demands  verify.Options // of the verifier, which is the real one
	report   *verify.Report // what it says instead
	child    job.ID         // of a retry
	pipeline job.Flight
	rows     []job.Ready
	figures  string

	told []string // what the operator said: job or name, and the reason

	total    int64 // of jobs; below 0 it is not known
	answered map[job.IdempotencyKey]job.ID
	holders  map[string]job.ID // by folder and name
	events   job.EventPage
	timings  []job.Timing
	wait     time.Duration // what Allow answers
	allowed  []string      // what it was asked
	cleared  job.Cleared
	rescan   job.RescanReport
	folders  []job.SignerFolder
	saved    []profile.Profile
	settings settings.Settings
	watch

	query    job.Query
	journal  job.EventQuery
	span     [2]time.Time // of timings
	reserved []job.Reservation
	put      map[string][]byte
	types    map[string]string
	expires  []time.Duration
}

func newService(t testing.TB, change ...func(*service, *api.Parts)) *service {
	t.Helper()
	s := &service{
		fail: map[string]error{}, jobs: map[job.ID]job.Job{}, outputs: map[string]job.Download{}, key: key,
		answered: map[job.IdempotencyKey]job.ID{}, holders: map[string]job.ID{}, total: -1,
		put: map[string][]byte{}, types: map[string]string{}, demands: verify.Options{At: now},
		profiles: map[string]profile.Profile{"default": profile.New("default"), "contracts": profile.New("contracts")},
	}
	contracts := s.profiles["contracts"]
	contracts.Format = profile.Pades
	s.profiles["contracts"] = contracts
	off, folder := profile.New("off"), profile.New("folder")
	off.Enabled, folder.Method = false, profile.SignerFolder
	s.profiles["off"], s.profiles["folder"] = off, folder
	s.profiles = versioned(s.profiles)
	p := api.Parts{
		Jobs: s, Reservations: s, Names: s, Profiles: profiles{s}, Uploads: s, Outputs: s, Journal: s, Timings: s, Figures: s, Limiter: s,
		Verifier: verifier{s}, Operator: s, Keeper: s, Metrics: s, Key: s.apiKey, Settings: someSettings(), Now: func() time.Time { return now },
	}
	for _, c := range change {
		c(s, &p)
	}
	s.settings = p.Settings
	s.Handler = api.New(p)
	return s
}

// someSettings are those of a service with everything turned on but for limits.
func someSettings() settings.Settings {
	return settings.Settings{
		Storage:    settings.Storage{Inputs: []settings.Input{{Name: "in", Profile: "contracts"}, {Name: "more", Profile: "contracts"}}},
		Signer:     settings.Signer{Endpoint: "https://signer.example", ApiKey: "app|0123456789abcdef"},
		Signing:    settings.Signing{TrustAnchors: []string{"icp-brasil.pem"}},
		Pipeline:   settings.Pipeline{MaxConcurrency: 25},
		Encryption: settings.Encryption{Enabled: true, Password: "hidden password", Salt: settings.Salt("hidden salt of 16 bytes")},
		Auth:       settings.Auth{ApiKey: key},
		Upload:     settings.Upload{Enabled: true, MaxBytes: 100 << 20},
		Metrics:    settings.Metrics{RequireApiKey: true},
		Statistics: settings.Statistics{Enabled: true},
	}
}

// versioned gives every profile the version that it has in tests.
func versioned(all map[string]profile.Profile) map[string]profile.Profile {
	for name, p := range all {
		p.Version = 3
		all[name] = p
	}
	return all
}

// called notes a call and returns the failure that was set for it.
func (s *service) called(method string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, method)
	return s.fail[method]
}

func (s *service) apiKey(context.Context) (string, error) { return s.key, s.called("Key") }

func (s *service) Get(_ context.Context, id job.ID) (job.Job, error) {
	if err := s.called("Get"); err != nil {
		return job.Job{}, err
	}
	j, ok := s.jobs[id]
	if !ok {
		return job.Job{}, fault.New(fault.JobNotFound, "there is no job %s", id)
	}
	return j, nil
}

func (s *service) List(_ context.Context, q job.Query) (job.Page, error) {
	err := s.called("List")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.query = q
	return s.page, err
}

type profiles struct{ s *service }

func (p profiles) Get(_ context.Context, name string) (profile.Profile, error) {
	if err := p.s.called("Profile"); err != nil {
		return profile.Profile{}, err
	}
	found, ok := p.s.profiles[name]
	if !ok {
		return profile.Profile{}, fault.New(fault.ProfileNotFound, "there is no profile %s", name)
	}
	return found, nil
}

func (p profiles) List(context.Context) ([]profile.Profile, error) {
	if err := p.s.called("Profiles"); err != nil {
		return nil, err
	}
	return slices.SortedFunc(maps.Values(p.s.profiles), func(a, b profile.Profile) int { return cmp.Compare(a.Name, b.Name) }), nil
}

// verifier is the real one, unless the service says otherwise.
type verifier struct{ s *service }

func (v verifier) Verify(_ context.Context, file io.ReaderAt, size int64) (verify.Report, error) {
	if err := v.s.called("Verify"); err != nil || v.s.report != nil {
		return *cmp.Or(v.s.report, &verify.Report{}), err
	}
	return verify.File(file, size, v.s.demands)
}

func (v verifier) VerifyDetached(_ context.Context, cms []byte, content io.Reader) (verify.Report, error) {
	if err := v.s.called("VerifyDetached"); err != nil {
		return verify.Report{}, err
	}
	return verify.Detached(cms, content, v.s.demands)
}

func (s *service) PutUpload(_ context.Context, key string, body io.ReadSeeker, contentType string) error {
	if err := s.called("PutUpload"); err != nil {
		return err
	}
	b, err := io.ReadAll(body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put[key], s.types[key] = b, contentType
	return err
}

func (s *service) PresignPut(_ context.Context, key, contentType string, expires time.Duration) (job.Link, error) {
	err := s.called("PresignPut")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.types[key], s.expires = contentType, append(s.expires, expires)
	return job.Link{
		Method: "PUT", URL: "https://in.example/" + key + "?X-Amz-Signature=0", Expires: now.Add(expires / 2),
		Header: map[string]string{"Content-Type": contentType, "If-None-Match": "*"},
	}, err
}

func (s *service) Open(_ context.Context, key string) (job.Download, error) {
	if err := s.called("Open"); err != nil {
		return job.Download{}, err
	}
	d, ok := s.outputs[key]
	if !ok {
		return job.Download{}, fault.New(fault.JobOutputGone, "there is no such object")
	}
	return d, nil
}

func (s *service) PresignGet(_ context.Context, key, fileName string, expires time.Duration) (job.Link, error) {
	err := s.called("PresignGet")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expires = append(s.expires, expires)
	return job.Link{Method: "GET", URL: "https://out.example/" + key + "?name=" + fileName}, err
}

// send sends a request with the API key, unless headers say otherwise ("" takes a header away).
func (s *service) send(t testing.TB, method, target, body string, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequestWithContext(s.ctx(t), method, target, strings.NewReader(body))
	r.Header.Set("X-API-Key", key)
	for i := 0; i+1 < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i+1] == "" {
			r.Header.Del(headers[i])
		}
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Result()
}

// ctx makes what is logged for a request come to the service.
func (s *service) ctx(t testing.TB) context.Context {
	return context.WithValue(t.Context(), logKey{}, &s.lines)
}

// asked counts the calls by method.
func (s *service) asked() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := map[string]int{}
	for _, c := range s.calls {
		n[c]++
	}
	return maps.Clone(n)
}
