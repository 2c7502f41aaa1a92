package demo_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/local/demo"
)

var now = time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)

const apiKey = "a-key-of-the-test"

// fakeAPI has the jobs that it is given, one a page, and the outputs by job.
type fakeAPI struct {
	mu      sync.Mutex
	jobs    []map[string]any
	checks  []map[string]any // of readiness
	dropped []string
}

func (f *fakeAPI) put(_ context.Context, key string, _ io.ReadSeeker) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dropped = append(f.dropped, key)
	return nil
}

func (f *fakeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("X-API-Key") != apiKey {
		http.Error(w, "who are you", http.StatusUnauthorized)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	id, verb, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/api/jobs/"), "/")
	switch {
	case r.URL.Path == "/api/jobs":
		f.page(w, r.URL.Query().Get("cursor"))
	case r.URL.Path == "/api/ready/details":
		json.NewEncoder(w).Encode(map[string]any{"ready": true, "checks": f.checks})
	case r.Method == http.MethodPost:
		f.act(w, r, f.find(id), verb)
	case verb == "output":
		io.WriteString(w, "signed "+id)
	default:
		json.NewEncoder(w).Encode(f.find(id))
	}
}

func (f *fakeAPI) find(id string) map[string]any {
	return f.jobs[slices.IndexFunc(f.jobs, func(j map[string]any) bool { return j["id"] == id })]
}

// act cancels a job, or makes one that is completed at once of one that is retried.
func (f *fakeAPI) act(w http.ResponseWriter, r *http.Request, j map[string]any, verb string) {
	var body struct{ Reason string }
	json.NewDecoder(r.Body).Decode(&body) // a retry has none
	switch {
	case verb == "cancel" && body.Reason != "":
		j["status"] = "Canceled"
		json.NewEncoder(w).Encode(j)
	case verb == "retry":
		child := maps.Clone(j)
		maps.Copy(child, map[string]any{"id": "again", "status": "Completed", "errorCode": nil, "errorMessage": nil})
		f.jobs = append(f.jobs, child)
		w.WriteHeader(http.StatusAccepted)
		json.NewEncoder(w).Encode(map[string]any{"newJobId": "again", "status": "Queued"})
	default:
		http.Error(w, "not this", http.StatusConflict)
	}
}

func (f *fakeAPI) page(w http.ResponseWriter, cursor string) {
	page := map[string]any{"items": []any{}, "pageSize": 1, "cursor": nil}
	i := len(cursor)
	if i < len(f.jobs) {
		page["items"] = f.jobs[i : i+1]
	}
	if i+1 < len(f.jobs) {
		page["cursor"] = cursor + "x"
	}
	json.NewEncoder(w).Encode(page)
}

func job(id, key, status, code string) map[string]any {
	j := map[string]any{"id": id, "originalPath": key, "status": status, "errorCode": nil, "errorMessage": nil, "outputKey": nil,
		"timings": map[string]any{"queueMs": 12, "signingMs": nil, "verificationMs": nil, "outputMs": nil}}
	if code != "" {
		j["errorCode"], j["errorMessage"] = code, "because"
	}
	if status == "Completed" {
		j["outputKey"] = "out/" + key
	}
	return j
}

// file is a sample that arrives as a file and has nothing to do with Lacuna Signer.
func file(name, key, status, code string) demo.Sample {
	return demo.Sample{File: name, Key: key, Status: status, Code: code, Deed: "-", Flow: "-", There: "-"}
}

var files = fstest.MapFS{"a.pdf": {Data: []byte("%PDF")}}

func TestSamplesAreFollowedToTheirEnd(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		samples []demo.Sample
		jobs    []map[string]any
		idle    bool
		want    demo.Result
		lines   []string
	}{
		{"signed", []demo.Sample{file("a.pdf", "in/a.pdf", "Completed", "-")}, []map[string]any{job("1", "in/a.pdf", "Completed", "")}, true,
			demo.Result{Expected: 1}, []string{"ok   in/a.pdf  Completed [queue 12 ms] -> out/in/a.pdf (looks good)"}},
		{"refused as expected", []demo.Sample{file("a.pdf", "in/a.pdf", "Failed", "pdf.encrypted")}, []map[string]any{job("1", "in/a.pdf", "Failed", "pdf.encrypted")}, true,
			demo.Result{Expected: 1}, []string{"ok   in/a.pdf  Failed pdf.encrypted [queue 12 ms]: because"}},
		{"refused for another reason", []demo.Sample{file("a.pdf", "in/a.pdf", "Failed", "pdf.encrypted")}, []map[string]any{job("1", "in/a.pdf", "Failed", "pdf.malformed")}, true,
			demo.Result{Unexpected: 1}, []string{"NOT  in/a.pdf  Failed pdf.malformed, expected Failed pdf.encrypted [queue 12 ms]: because"}},
		{"left alone", []demo.Sample{file("-", "in/", "-", "-")}, nil, true,
			demo.Result{Expected: 1}, []string{"ok   in/  left where it is: no job"}},
		{"taken in though it should not be", []demo.Sample{file("a.pdf", "in/a.tmp", "-", "-")}, []map[string]any{job("1", "in/a.tmp", "Failed", "pdf.malformed")}, true,
			demo.Result{Unexpected: 1}, []string{"NOT  in/a.tmp  Failed pdf.malformed, expected no job [queue 12 ms]: because"}},
		{"never ended", []demo.Sample{file("a.pdf", "in/a.pdf", "Completed", "-")}, []map[string]any{job("1", "in/a.pdf", "Processing", "")}, true,
			demo.Result{Unexpected: 1}, []string{"NOT  in/a.pdf  did not end in time, expected Completed"}},
		{"a queue that never empties", []demo.Sample{file("-", "in/", "-", "-")}, nil, false,
			demo.Result{Unexpected: 1}, []string{"NOT  in/  did not end in time, expected no job"}},
		{"several pages", []demo.Sample{file("a.pdf", "1", "Completed", "-"), file("a.pdf", "2", "Completed", "-")},
			[]map[string]any{job("2", "2", "Completed", ""), job("x", "another's", "Failed", "internal"), job("1", "1", "Completed", "")}, true,
			demo.Result{Expected: 2}, []string{"ok   2  Completed [queue 12 ms] -> out/2 (looks good)", "ok   1  Completed [queue 12 ms] -> out/1 (looks good)"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			api := &fakeAPI{jobs: tt.jobs}
			d, out := newDemo(t, api, tt.samples, tt.idle)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			got, err := d.Run(ctx)
			if err != nil || got != tt.want {
				t.Errorf("Run = %+v, %v, want %+v", got, err, tt.want)
			}
			if diff := cmp.Diff(tt.lines, strings.Split(strings.TrimSpace(out.String()), "\n")); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
			if len(api.dropped) != len(tt.samples) {
				t.Errorf("dropped %v, want every sample", api.dropped)
			}
		})
	}
}

func newDemo(t *testing.T, api *fakeAPI, samples []demo.Sample, idle bool) (demo.Demo, *bytes.Buffer) {
	t.Helper()
	srv := httptest.NewServer(api)
	t.Cleanup(srv.Close)
	out := new(bytes.Buffer)
	return demo.Demo{
		Files: files, Samples: samples, Client: demo.NewClient(srv.URL, apiKey), Put: api.put, Out: out, Output: t.TempDir(),
		Idle:  func(context.Context) (bool, error) { return idle, nil },
		Judge: func(context.Context, string) string { return "looks good" },
		Every: 10 * time.Millisecond,
		Now:   func() time.Time { return now },
	}, out
}

func TestOutputsAreKeptInsideTheirFolder(t *testing.T) {
	t.Parallel()
	escaping := job("7", "in/a.pdf", "Completed", "")
	escaping["outputKey"] = "../../stolen.pdf"
	d, _ := newDemo(t, &fakeAPI{jobs: []map[string]any{escaping}}, []demo.Sample{file("a.pdf", "in/a.pdf", "Completed", "-")}, true)
	if _, err := d.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(d.Output, "7"))
	if err != nil || string(got) != "signed 7" {
		t.Errorf("output = %q, %v, want it under the job's id", got, err)
	}
}

func TestARefusalIsQuoted(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(&fakeAPI{})
	defer srv.Close()
	_, err := demo.NewClient(srv.URL, "another key").Jobs(t.Context())
	if err == nil || !strings.Contains(err.Error(), "401 Unauthorized who are you") {
		t.Errorf("err = %v, want the answer in it", err)
	}
}

func TestALinkToTheOutputIsFollowedWithoutTheKey(t *testing.T) {
	t.Parallel()
	var withKey bool
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		withKey = r.Header.Get("X-API-Key") != ""
		io.WriteString(w, "large")
	}))
	defer elsewhere.Close()
	api := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusSeeOther))
	defer api.Close()
	var out bytes.Buffer
	if err := demo.NewClient(api.URL, apiKey).Output(t.Context(), "1", &out); err != nil || out.String() != "large" {
		t.Errorf("output = %q, %v, want what is behind the link", out.String(), err)
	}
	if withKey {
		t.Error("the key went to where the link leads")
	}
}
