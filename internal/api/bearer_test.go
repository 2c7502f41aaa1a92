package api_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

func TestNotificationsBearer(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		headers []string
		status  int
	}{
		{"right", nil, 202},
		{"scheme in another case", []string{"Authorization", "bearer " + secret}, 202},
		{"two blanks", []string{"Authorization", "Bearer  " + secret}, 202},
		{"blanks around it, which are none of the value", []string{"Authorization", " Bearer " + secret + " \t"}, 202},
		{"an API key beside it", []string{"X-Api-Key", "whatever"}, 202},
		{"none", []string{"Authorization", ""}, 401},
		{"the secret as an API key", []string{"Authorization", "", "X-Api-Key", secret}, 401},
		{"the API key", []string{"Authorization", "", "X-Api-Key", key}, 401},
		{"the API key as a bearer", []string{"Authorization", "Bearer " + key}, 401},
		{"basic", []string{"Authorization", "Basic " + secret}, 401},
		{"no scheme", []string{"Authorization", secret}, 401},
		{"no token", []string{"Authorization", "Bearer"}, 401},
		{"an empty token", []string{"Authorization", "Bearer "}, 401},
		{"wrong", []string{"Authorization", "Bearer " + secret + "x"}, 401},
		{"a part of it", []string{"Authorization", "Bearer " + secret[:32]}, 401},
		{"another case", []string{"Authorization", "Bearer " + strings.ToUpper(secret)}, 401},
		{"a line end behind it", []string{"Authorization", "Bearer " + secret + "\n"}, 401},
		{"a tab before it", []string{"Authorization", "Bearer\t" + secret}, 401},
		{"a list", []string{"Authorization", "Bearer " + secret + ",Bearer " + secret}, 401},
		{"quoted", []string{"Authorization", `Bearer "` + secret + `"`}, 401},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newReceiver(t)
			got := r.post(t, notificationNamed(t, "DocumentSigned"), tt.headers...)
			if tt.status == 202 {
				wantAnswer(t, got, 202)
				return
			}
			wantProblem(t, got, 401, fault.SignerNotificationUnauthorized)
			if got.Header.Get("WWW-Authenticate") != "Bearer" {
				t.Errorf("WWW-Authenticate = %q", got.Header.Get("WWW-Authenticate"))
			}
			if d := cmp.Diff([]string{"Secret"}, r.calls); d != "" {
				t.Errorf("calls (-want +got):\n%s", d)
			}
			if d := cmp.Diff(map[string]int64{job.OutcomeUnauthorized: 1}, r.outcome); d != "" {
				t.Errorf("counted (-want +got):\n%s", d)
			}
			if log := strings.Join(r.lines.all(), ""); strings.Contains(log, secret[:8]) || strings.Contains(log, key[:8]) || strings.Contains(log, agreement118) {
				t.Errorf("the log has what nobody authenticated: %s", log)
			}
		})
	}
}

func TestNotificationsBearerTwice(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	q, w := requestOf(t, r, "{}"), answerOf()
	q.Header["Authorization"] = []string{"Bearer " + secret, "Bearer " + secret}
	r.ServeHTTP(w, q)
	wantProblem(t, w.Result(), 401, fault.SignerNotificationUnauthorized)

	r.secret = secret + ",two" // which a gateway may hand over as two values
	q, w = requestOf(t, r, "{}"), answerOf()
	q.Header["Authorization"] = []string{"Bearer " + secret, "two"}
	r.ServeHTTP(w, q)
	wantAnswer(t, w.Result(), 204)
}

// A secret that is stored is checked when it is read: a short one could be guessed, and one with a line break at its end
// would never be met.
func TestNotificationsOfAnUnfitSecret(t *testing.T) {
	t.Parallel()
	for _, unfit := range []string{secret + "\n", " " + secret, "short"} {
		r := newReceiver(t)
		r.secret = unfit
		q, w := requestOf(t, r, "{}"), answerOf()
		q.Header["Authorization"] = []string{"Bearer " + unfit}
		r.ServeHTTP(w, q)
		wantProblem(t, w.Result(), 503, fault.SignerNotificationUnavailable)
	}
}
