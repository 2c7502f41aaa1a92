package api_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/api"
	"bulksigner/internal/fault"
	"bulksigner/internal/settings"
)

var limits = settings.RateLimiting{
	Enabled: true, Upload: settings.Policy{Permits: 30, Window: time.Minute}, Actions: settings.Policy{Permits: 60, Window: 2 * time.Minute},
	SignerNotification: settings.Policy{Permits: 9, Window: time.Second},
}

func limited(_ *service, p *api.Parts) { p.Settings.RateLimiting = limits }

func TestRequestsAreCounted(t *testing.T) {
	t.Parallel()
	tests := []struct {
		method, path string
		want         []string
	}{
		{"POST", "/api/files", []string{"Upload|203.0.113.7|30|1m0s|true"}},
		{"POST", "/api/rescan", []string{"Actions|203.0.113.7|60|2m0s|true"}},
		{"DELETE", "/api/jobs", []string{"Actions|203.0.113.7|60|2m0s|true"}},
		{"PUT", "/api/profiles/contracts", []string{"Actions|203.0.113.7|60|2m0s|true"}},
		{"GET", "/api/jobs", nil},
		{"POST", "/api/verify", nil},
	}
	for _, tt := range tests {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			t.Parallel()
			s := newService(t, limited)
			s.invoke(t, event(tt.method, tt.path))
			if d := cmp.Diff(tt.want, s.allowed); d != "" {
				t.Errorf("counted (-want +got):\n%s", d)
			}
			off := newService(t)
			off.invoke(t, event(tt.method, tt.path))
			if len(off.allowed) != 0 {
				t.Errorf("counted %v where limits are off", off.allowed)
			}
		})
	}
}

// Who is counted is who the gateway saw, whatever a header says.
func TestClients(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, address, want string }{
		{"IPv4", "198.51.100.23", "198.51.100.23"},
		{"IPv4 in IPv6", "::ffff:198.51.100.23", "198.51.100.23"},
		{"IPv6, by its network", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"},
		{"IPv6 of the same network", "2001:db8:1:2::1", "2001:db8:1:2::/64"},
		{"IPv6 with a zone", "fe80::1%eth0", "fe80::/64"},
		{"nothing", "", "unknown"},
		{"no address", "a#b", "unknown"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newService(t, limited)
			s.invoke(t, event("POST", "/api/rescan", func(e *events.APIGatewayV2HTTPRequest) {
				e.RequestContext.HTTP.SourceIP = tt.address
				for _, h := range []string{"x-forwarded-for", "x-real-ip", "forwarded", "cf-connecting-ip", "true-client-ip"} {
					e.Headers[h] = "192.0.2.99"
				}
			}))
			if len(s.allowed) != 1 || !strings.HasPrefix(s.allowed[0], "Actions|"+tt.want+"|") {
				t.Errorf("counted %v, want %s", s.allowed, tt.want)
			}
		})
	}
}

func TestTooManyRequests(t *testing.T) {
	t.Parallel()
	for wait, want := range map[time.Duration]string{time.Nanosecond: "1", time.Second: "1", 59001 * time.Millisecond: "60"} {
		s := newService(t, limited)
		s.wait = wait
		r := s.send(t, "POST", "/api/rescan", "")
		if got := r.Header.Get("Retry-After"); got != want {
			t.Errorf("Retry-After = %q after %v, want %q", got, wait, want)
		}
		wantProblem(t, r, 429, fault.RateLimited)
		if len(s.told) != 0 {
			t.Error("the operator was told all the same")
		}
	}
}

// Without the key nothing is written, and nobody's permits are used up.
func TestStrangersAreNotCounted(t *testing.T) {
	t.Parallel()
	s := newService(t, limited)
	wantProblem(t, s.send(t, "POST", "/api/rescan", "", "X-API-Key", ""), 401, fault.AuthInvalidCredentials)
	if len(s.allowed) != 0 {
		t.Errorf("counted %v", s.allowed)
	}
}

// A table that cannot count stops nobody, and the log says so without the address.
func TestUncountedRequestsGoOn(t *testing.T) {
	t.Parallel()
	s := newService(t, limited)
	s.fail["Allow"] = fault.Wrap(fault.Throttled, errDown, "the table is busy")
	r := s.invoke(t, event("POST", "/api/rescan"))
	log := strings.Join(s.lines.all(), "")
	if r.StatusCode != 200 || !strings.Contains(log, "request not counted") || !strings.Contains(log, "policy=Actions") || strings.Contains(log, "203.0.113.7") {
		t.Errorf("answer = %d, log %s", r.StatusCode, log)
	}
}

// Lacuna Signer is told when to send a notification again; strangers do not use its permits up.
func TestNotificationsAreCounted(t *testing.T) {
	t.Parallel()
	counter := newService(t)
	r := newReceiver(t, func(_ *receiver, p *api.NotificationParts) { p.Limiter, p.RateLimiting = counter, limits })
	body := notificationNamed(t, "DocumentSigned")
	wantAnswer(t, r.post(t, body), 202)
	counter.wait = 300 * time.Millisecond
	answer := r.post(t, body)
	if got := answer.Header.Get("Retry-After"); got != "1" {
		t.Errorf("Retry-After = %q, want 1", got)
	}
	wantProblem(t, answer, 429, fault.RateLimited)
	wantProblem(t, r.post(t, body, "Authorization", "Bearer wrong"), 401, fault.SignerNotificationUnauthorized)
	if want := []string{"SignerNotification|unknown|9|1s|true", "SignerNotification|unknown|9|1s|true"}; !cmp.Equal(want, counter.allowed) {
		t.Errorf("counted %v, want %v", counter.allowed, want)
	}
	if n := r.outcome["limited"]; n != 1 || len(r.checks) != 1 {
		t.Errorf("%d outcomes and %d checks, want one each", n, len(r.checks))
	}
	counter.fail["Allow"] = errDown
	wantAnswer(t, r.post(t, body), 202)
}
