package api_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/api"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// wantAnswer checks the status of a delivery, and that nothing is said beside it.
func wantAnswer(t testing.TB, r *http.Response, status int) {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != status || len(b) != 0 {
		t.Fatalf("answer = %d %s, %v; want %d", r.StatusCode, b, err, status)
	}
}

func TestNotificationAnswers(t *testing.T) {
	t.Parallel()
	disabled := func(r *receiver, _ *api.NotificationParts) {
		p := r.bound[boundID]
		p.Enabled = false
		r.bound[boundID] = p
	}
	degraded := func(r *receiver, _ *api.NotificationParts) {
		p := r.bound[boundID]
		p.Degraded = profile.Degradation{Code: string(fault.SignerFolderGone), Since: now}
		r.bound[boundID] = p
	}
	moved := func(r *receiver, _ *api.NotificationParts) { r.bound[boundID] = profile.New("local") }
	ours := func(id string) func(*receiver, *api.NotificationParts) {
		return func(r *receiver, _ *api.NotificationParts) { r.dispatched[id] = id1 }
	}
	rung := func(r *receiver, _ *api.NotificationParts) { r.waiting[agreement118] = true }
	inFolder, bare := agreement118+" "+boundID, agreement118
	tests := []struct {
		name    string
		change  func(*receiver, *api.NotificationParts)
		body    string
		status  int
		outcome string
		checks  []string
		calls   []string
	}{
		{"DocumentsCreated, one of two in a bound folder", nil, "DocumentsCreated", 202, job.OutcomeQueued, []string{inFolder}, []string{"Secret", "Bound", "Ring", "Check", "Bell"}},
		{"DocumentSigned", nil, "DocumentSigned", 202, job.OutcomeQueued, []string{inFolder}, []string{"Secret", "Bound", "Ring", "Check", "Bell"}},
		{"DocumentApproved", nil, "DocumentApproved", 202, job.OutcomeQueued, []string{inFolder}, []string{"Secret", "Bound", "Ring", "Check", "Bell"}},
		{"a check waits", rung, "DocumentSigned", 202, job.OutcomeWaiting, nil, []string{"Secret", "Bound", "Ring", "Bell"}},
		{"disabled profile", disabled, "DocumentSigned", 204, job.OutcomeIgnored, nil, []string{"Secret", "Bound", "Bell"}},
		{"degraded profile", degraded, "DocumentSigned", 204, job.OutcomeIgnored, nil, []string{"Secret", "Bound", "Bell"}},
		{"the profile left the method", moved, "DocumentSigned", 204, job.OutcomeIgnored, nil, []string{"Secret", "Bound", "Bell"}},
		{"unbound folder", nil, created(agreement118 + " " + archiveID), 204, job.OutcomeIgnored, nil, []string{"Secret", "Bound", "Bell"}},
		{"no folder", nil, created(agreement118), 204, job.OutcomeIgnored, nil, []string{"Secret", "Bell"}},
		{"no documents", nil, created(), 204, job.OutcomeIgnored, nil, []string{"Secret", "Bell"}},

		{"DocumentConcluded, ours", ours(agreement118), "DocumentConcluded", 202, job.OutcomeQueued, []string{bare}, []string{"Secret", "DispatchedJobs", "Ring", "Check", "Bell"}},
		{"DocumentRefused, ours", ours(agreement119), "DocumentRefused", 202, job.OutcomeQueued, []string{agreement119}, []string{"Secret", "DispatchedJobs", "Ring", "Check", "Bell"}},
		{"DocumentCanceled, ours", ours(agreement119), "DocumentCanceled", 202, job.OutcomeQueued, []string{agreement119}, []string{"Secret", "DispatchedJobs", "Ring", "Check", "Bell"}},
		{"DocumentExpired, ours", ours(priceList), "DocumentExpired", 202, job.OutcomeQueued, []string{priceList}, []string{"Secret", "DispatchedJobs", "Ring", "Check", "Bell"}},
		{"DocumentConcluded in a bound folder, not ours", nil, "DocumentConcluded", 204, job.OutcomeIgnored, nil, []string{"Secret", "DispatchedJobs", "Bell"}},
		{"DocumentRefused, not ours", nil, "DocumentRefused", 204, job.OutcomeIgnored, nil, []string{"Secret", "DispatchedJobs", "Bell"}},

		{"DocumentDeleted", ours(priceList), "DocumentDeleted", 204, job.OutcomeIgnored, nil, []string{"Secret", "Bell"}},
		{"DocumentPaused", ours(agreement118), "DocumentPaused", 204, job.OutcomeIgnored, nil, []string{"Secret", "Bell"}},
		{"DocumentResumed", ours(agreement118), "DocumentResumed", 204, job.OutcomeIgnored, nil, []string{"Secret", "Bell"}},
		{"InvoiceClosed", nil, "InvoiceClosed", 204, job.OutcomeIgnored, nil, []string{"Secret", "Bell"}},
		{"an unknown type", nil, `{"type":"SomethingNew","data":{}}`, 204, job.OutcomeIgnored, nil, []string{"Secret", "Bell"}},
		{"no JSON", nil, `<html>`, 204, job.OutcomeIgnored, nil, []string{"Secret", "Bell"}},
		{"nothing", nil, ``, 204, job.OutcomeIgnored, nil, []string{"Secret", "Bell"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.change == nil {
				tt.change = func(*receiver, *api.NotificationParts) {}
			}
			r := newReceiver(t, tt.change)
			if tt.body != "" && !strings.ContainsAny(tt.body, "{<") {
				tt.body = notificationNamed(t, tt.body)
			}
			wantAnswer(t, r.post(t, tt.body), tt.status)
			if d := cmp.Diff(tt.checks, r.checked()); d != "" {
				t.Errorf("checks (-want +got):\n%s", d)
			}
			if d := cmp.Diff(tt.calls, r.calls); d != "" {
				t.Errorf("calls (-want +got):\n%s", d)
			}
			if d := cmp.Diff(map[string]int64{tt.outcome: 1}, r.outcome); d != "" {
				t.Errorf("counted (-want +got):\n%s", d)
			}
			for _, c := range r.checks {
				if !c.At.Equal(now) {
					t.Errorf("the check is of %s, want %s", c.At, now)
				}
			}
		})
	}
}

func TestNotificationsRoute(t *testing.T) {
	t.Parallel()
	const path = "/api/signer/notifications"
	tests := []struct {
		method, path string
		status       int
		code         fault.Code
	}{
		{"POST", path, 202, ""},
		{"POST", path + "/", 202, ""},
		{"POST", path + "//", 202, ""},
		{"POST", "//api//signer/notifications", 202, ""},
		{"POST", path + "?x=1&x=2&%zz", 202, ""},
		{"POST", "/api/signer/%6eotifications", 202, ""},
		{"GET", path, 405, fault.MethodNotAllowed},
		{"GET", path + "/", 405, fault.MethodNotAllowed},
		{"HEAD", path, 405, fault.MethodNotAllowed},
		{"PUT", path, 405, fault.MethodNotAllowed},
		{"DELETE", path, 405, fault.MethodNotAllowed},
		{"OPTIONS", path, 405, fault.MethodNotAllowed},
		{"POST", "/", 404, fault.RouteNotFound},
		{"POST", "/api/signer", 404, fault.RouteNotFound},
		{"POST", path + "/x", 404, fault.RouteNotFound},
		{"POST", "/api/signer/../signer/notifications", 404, fault.RouteNotFound},
		{"POST", "/API/signer/notifications", 404, fault.RouteNotFound},
		{"GET", "/api/jobs", 404, fault.RouteNotFound},
		{"GET", "/api/health", 404, fault.RouteNotFound},
	}
	for _, tt := range tests {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			t.Parallel()
			r := newReceiver(t)
			got := r.send(t, tt.method, tt.path, notificationNamed(t, "DocumentSigned"))
			if got.Header.Get("X-Content-Type-Options") != "nosniff" || got.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("headers = %v", got.Header)
			}
			switch {
			case tt.code == "":
				wantAnswer(t, got, tt.status)
			default:
				wantProblem(t, got, tt.status, tt.code)
			}
			if allow := got.Header.Get("Allow"); (tt.status == 405) != (allow == "POST") {
				t.Errorf("Allow = %q", allow)
			}
			if tt.status == 404 && len(r.calls) > 0 {
				t.Errorf("calls = %v, want none", r.calls)
			}
		})
	}
}

// Without a secret there is no such route, whatever is sent.
func TestNotificationsWithoutASecret(t *testing.T) {
	t.Parallel()
	for _, none := range []string{"", " \n"} {
		for _, method := range []string{"POST", "GET", "OPTIONS"} {
			r := newReceiver(t)
			r.secret = none
			wantProblem(t, r.send(t, method, "/api/signer/notifications", "{}", "Authorization", "Bearer "+none), 404, fault.RouteNotFound)
			if d := cmp.Diff([]string{"Secret"}, r.calls); d != "" || len(r.outcome) != 0 {
				t.Errorf("calls (-want +got):\n%s, counted %v", d, r.outcome)
			}
		}
	}
}

func TestNotificationsTooLarge(t *testing.T) {
	t.Parallel()
	sample := notificationNamed(t, "DocumentSigned")
	tests := []struct {
		size, status int
	}{{api.MaxNotification, 202}, {api.MaxNotification + 1, 204}, {5_000_000, 204}}
	for _, tt := range tests {
		r := newReceiver(t)
		wantAnswer(t, r.post(t, sample+strings.Repeat(" ", tt.size-len(sample))), tt.status)
		if got := len(r.checks) > 0; got != (tt.status == 202) {
			t.Errorf("%d bytes: checks = %v", tt.size, r.checks)
		}
	}
}

func TestNotificationsTruncated(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"DocumentsCreated", "DocumentSigned"} {
		sample, r := strings.TrimSpace(notificationNamed(t, kind)), newReceiver(t)
		for n := range len(sample) {
			wantAnswer(t, r.post(t, sample[:n]), 204)
		}
		if len(r.checks) != 0 {
			t.Errorf("checks = %v", r.checks)
		}
	}
}

// A body that breaks off would not come better next time, and nobody is there any more.
func TestNotificationsThatBreakOff(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	q, w := requestOf(t, r, ""), answerOf()
	q.Header.Set("Authorization", "Bearer "+secret)
	q.Body = io.NopCloser(io.MultiReader(strings.NewReader(notificationNamed(t, "DocumentSigned")), iotest.ErrReader(errDown)))
	r.ServeHTTP(w, q)
	wantAnswer(t, w.Result(), 204)
}

// The log says what came and what became of it, and nothing else of the body.
func TestNotificationsAreLogged(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, body, want string }{
		{"known", notificationNamed(t, "DocumentSigned"), "type=DocumentSigned named=1 documents=[" + agreement118 + "] outcome=queued request="},
		{"ignored", notificationNamed(t, "DocumentRefused"), "type=DocumentRefused named=1 documents=[" + agreement119 + "] outcome=ignored request="},
		{"unknown", `{"type":"Ana Souza","data":{"id":"ana.souza@example.com"}}`, "type=other named=0 documents=[] outcome=ignored request="},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newReceiver(t)
			r.post(t, tt.body)
			log := r.lines.all()
			if len(log) != 1 || !strings.Contains(log[0], tt.want) {
				t.Fatalf("log = %q, want %q", log, tt.want)
			}
			for _, secretive := range []string{"Bauer", "Souza", "75502846369", "@example", "agreement", "Integ", secret[:8]} {
				if strings.Contains(log[0], secretive) {
					t.Errorf("the log has %s: %s", secretive, log[0])
				}
			}
		})
	}
}

// When the last notification came is known to the minute, and is not worth a failure.
func TestNotificationsBell(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	r.fail["Bell"] = errDown
	for i := range 130 {
		r.now = now.Add(time.Duration(i) * time.Second)
		wantAnswer(t, r.post(t, `{}`), 204)
	}
	if d := cmp.Diff([]time.Time{now, now.Add(time.Minute), now.Add(2 * time.Minute)}, r.bells); d != "" {
		t.Errorf("bells (-want +got):\n%s", d)
	}
}

// A receiver works without a meter and a clock.
func TestNotificationsDefaults(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, func(_ *receiver, p *api.NotificationParts) { p.Meter, p.Now = nil, nil })
	wantAnswer(t, r.post(t, notificationNamed(t, "DocumentSigned")), 202)
	if len(r.checks) != 1 || time.Since(r.checks[0].At).Abs() > time.Minute {
		t.Errorf("checks = %v", r.checks)
	}
}
