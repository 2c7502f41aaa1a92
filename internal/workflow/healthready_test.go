package workflow_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow/workflowtest"
)

// TestReadinessTellsOfAnEnd: a certificate that has ended is told of before a job meets it, and one that cannot be looked
// after says so.
func TestReadinessTellsOfAnEnd(t *testing.T) {
	t.Parallel()
	off := inFile("off")
	off.Enabled = false
	degraded := inFile("degraded")
	degraded.Degraded = profile.Degradation{Code: string(fault.KeyUnavailable), Reason: "denied"}
	tests := []struct {
		name    string
		profile profile.Profile
		noted   time.Duration // 0: nobody read the certificate
		want    string        // "": no row
	}{
		{"good", inFile("q"), time.Hour, ""},
		{"nobody has read it", inFile("q"), 0, ""},
		{"ended", inFile("q"), -time.Second, "Cannot sign since " + day.Add(-time.Second).Format(time.RFC3339) + ": certificate.expired: its certificate has ended"},
		{"what stands in the profile is none", inside("q", "none"), 0, "Cannot sign: certificate.invalid: "},
		{"disabled", off, -time.Second, ""},
		{"found by a job already", degraded, -time.Second, "Cannot sign: key.unavailable: denied"},
		{"nobody can say", inFile("unsaid"), 0, "When its certificate ends cannot be read."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newHealthScene(t)
				s.SetProfile(tt.profile)
				if tt.noted != 0 {
					s.note(t, tt.profile, tt.noted)
				}
				s.w.Remote.PollEvery = 0 // no Lacuna Signer
				if tt.profile.Name == "unsaid" {
					s.BreakNext("read pass", workflowtest.FailBefore)
				}
				got := ""
				for _, row := range s.w.Readiness(t.Context()) {
					if row.Name == "signing-profile:"+tt.profile.Name && !row.OK && !row.Gates {
						got = row.Detail
					}
				}
				if !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
					t.Errorf("the row says %q, want %q", got, tt.want)
				}
			})
		})
	}
}
