package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestACertificateIsAPartOfItsOwn(t *testing.T) {
	t.Parallel()
	days := func(n int) map[string]any {
		return map[string]any{"profile": "contracts", "subject": "ANA TESTE", "issuer": "AC TESTE", "thumbprint": "a9993e36", "notAfter": "2026-03-24T00:00:00Z", "daysLeft": n}
	}
	tests := []struct {
		name    string
		present map[string]any
		want    []string
	}{
		{"one that lasts", days(30), []string{"ANA TESTE", "AC TESTE", "a9993e36", "Mar 24, 2026", `class="chip good"`, "30 days"}},
		{"one that ends soon", days(29), []string{`class="chip wait"`, "29 days"}},
		{"one that ends now", days(6), []string{`class="chip bad"`, "6 days"}},
		{"one that is over", days(-1), []string{`class="chip bad"`, "expired"}},
		{"one that cannot be read", map[string]any{"profile": "contracts", "code": "certificate.invalid"}, []string{"<code>certificate.invalid</code>", "<dd>—</dd>"}},
		{"another profile's", map[string]any{"profile": "others", "subject": "BIA"}, []string{"Nothing is known"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := profiled(t)
			s.api.on("GET /api/certificates", 200, map[string]any{"certificates": []any{tt.present}})
			w := s.get("/profiles/contracts/certificate")
			s.shows(w, 200, append(tt.want, `<div id="present"`, `href="/profiles/contracts"`)...)
			lacks(t, w, "BIA")
			accessible(t, w.Body.String())
		})
	}
}

func TestAProfileDoesNotWaitForCertificates(t *testing.T) {
	t.Parallel()
	s := profiled(t)
	s.shows(s.get("/profiles/contracts"), 200, `value="keep" checked`)
	w := s.post("/profiles/contracts", url.Values{"do": {"show"}, "method": {"SignerFolder"}, "shown": {"Local"}})
	s.shows(w, 200, `<p id="present" hx-preserve="true"`) // what was loaded before stays
	if calls := s.api.calls("GET /api/certificates"); len(calls) > 0 {
		t.Errorf("asked for certificates %d times", len(calls))
	}
	s.api.refuse("GET /api/certificates", 503, "throttled", "")
	s.shows(s.get("/profiles/contracts/certificate"), 200, "<code>throttled</code>", "Nothing is known")
	if w := s.get("/profiles/people"); strings.Contains(w.Body.String(), `id="present"`) {
		t.Error("a profile without a certificate has one to load")
	}
}

func TestCertificatesSayWhenTheyEnd(t *testing.T) {
	t.Parallel()
	s := signedIn(t)
	s.api.on("GET /api/certificates", http.StatusOK, map[string]any{"certificates": []any{
		map[string]any{"profile": "a", "enabled": true, "daysLeft": 200, "notAfter": "2026-09-20T00:00:00Z", "subject": "ANA"},
		map[string]any{"profile": "b", "enabled": true, "daysLeft": 29}, map[string]any{"profile": "c", "enabled": true, "daysLeft": 6},
		map[string]any{"profile": "d", "enabled": false, "daysLeft": -1}, map[string]any{"profile": "e", "enabled": true, "code": "certificate.invalid"},
	}})
	s.shows(s.get("/system/certificates"), http.StatusOK, chip("good", "good", "200 days"), chip("wait", "wait", "29 days"),
		chip("bad", "wait", "6 days"), chip("bad", "bad", "expired"),
		"<code>certificate.invalid</code>", "disabled")
}
