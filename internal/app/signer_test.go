package app_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"bulksigner/internal/app"
	"bulksigner/internal/fault"
	"bulksigner/internal/settings"
	"bulksigner/internal/workflow"
)

func TestShare(t *testing.T) {
	t.Parallel()
	tests := []struct {
		rate, runs             int
		sign, poll, sweep, api float64
	}{
		{100, 10, 5, 25, 25.0 / 3, 10},
		{1000, 2, 250, 250, 250.0 / 3, 100},
		{1, 1000, 0.0005, 0.25, 0.25 / 3, 0.1},
		{300, 30, 5, 75, 25, 30},
	}
	for _, tt := range tests {
		s := settings.Settings{Signer: settings.Signer{RequestsPerSecond: tt.rate}, Pipeline: settings.Pipeline{MaxConcurrency: tt.runs}}
		got := []float64{app.Share(app.SignCalls, s), app.Share(app.PollCalls, s), app.Share(app.SweepCalls, s), app.Share(app.APICalls, s)}
		if want := []float64{tt.sign, tt.poll, tt.sweep, tt.api}; !slices.Equal(got, want) {
			t.Errorf("%d calls a second among %d runs are %v, want %v", tt.rate, tt.runs, got, want)
		}
		// A sweep by the clock and two for checks run beside one poll and all runs of sign.
		if all := float64(tt.runs)*got[0] + got[1] + 3*got[2]; all > float64(tt.rate)*1.0001 {
			t.Errorf("all together make %v calls a second, want at most %d", all, tt.rate)
		}
	}
}

func TestRemote(t *testing.T) {
	t.Parallel()
	got := app.Remote(settings.Signer{
		PollIntervalSeconds: 30, TimeoutHours: 168, MaxConsecutiveApiFailures: 5, FolderSweepIntervalSeconds: 300, SkipUnchangedDocuments: true,
	})
	want := workflow.Remote{PollEvery: 30 * time.Second, Timeout: 7 * 24 * time.Hour, MaxFailures: 5, SweepEvery: 5 * time.Minute, SkipUnchanged: true}
	if got != want {
		t.Errorf("Lacuna Signer is worked with as %+v, want %+v", got, want)
	}
	if got := app.Remote(settings.Signer{}); got != (workflow.Remote{}) {
		t.Errorf("without Lacuna Signer it is %+v, want nothing", got)
	}
}

// TestNoSigner: the workflow asks whether there is one by comparing with nil.
func TestNoSigner(t *testing.T) {
	t.Parallel()
	var s settings.Settings
	if app.HasSigner(s) {
		t.Error("a service without Signer:Endpoint has a Lacuna Signer")
	}
	s.Signer = settings.Signer{Endpoint: "https://signer.example.com", ApiKey: "application|secret-of-tests", RequestsPerSecond: 100}
	if !app.HasSigner(s) {
		t.Error("a service with Signer:Endpoint and Signer:ApiKey has no Lacuna Signer")
	}
}

func TestLiteralSecret(t *testing.T) {
	t.Parallel()
	secret := app.SecretOf("application|secret-of-tests")
	for _, again := range []bool{false, true} {
		if got, err := secret(t.Context(), again); got != "application|secret-of-tests" || err != nil {
			t.Errorf("the secret is %q, %v", got, err)
		}
	}
}

// store has a value that was kept, and one that is there since.
type store struct {
	kept, there string
	refreshes   int
	broken      error
}

func (s *store) Get(context.Context, string) (string, error) { return s.kept, s.broken }

func (s *store) Refresh(context.Context, string) error {
	s.refreshes++
	if s.broken == nil {
		s.kept = s.there
	}
	return s.broken
}

func TestStoredSecret(t *testing.T) {
	t.Parallel()
	broken := errors.New("access denied")
	tests := []struct {
		name      string
		store     store
		again     bool
		want      string
		refreshes int
		err       error
	}{
		{"kept", store{kept: "old", there: "new"}, false, "old", 0, nil},
		{"read anew after it was refused", store{kept: "old", there: "new"}, true, "new", 1, nil},
		{"out of reach", store{broken: broken}, false, "", 0, broken},
		{"out of reach anew", store{kept: "old", broken: broken}, true, "", 1, broken},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := app.NewReading(&tt.store, "Signer:ApiKey", "arn")(t.Context(), tt.again)
			if got != tt.want || !errors.Is(err, tt.err) || tt.store.refreshes != tt.refreshes {
				t.Errorf("the secret is %q after %d refreshes, %v, want %q after %d, %v", got, tt.store.refreshes, err, tt.want, tt.refreshes, tt.err)
			}
			if err != nil && !strings.Contains(err.Error(), "Signer:ApiKey") {
				t.Errorf("the error %q does not say which secret", err)
			}
		})
	}
}

func TestEnvironment(t *testing.T) {
	for _, name := range []string{"TABLE_NAME", "INPUT_BUCKET", "OUTPUT_BUCKET", "WORK_QUEUE_URL", "CHECKS_QUEUE_URL", "METRICS_NAMESPACE"} {
		t.Setenv(name, "")
	}
	_, err := app.ReadEnviron()
	if want := "INPUT_BUCKET, OUTPUT_BUCKET, TABLE_NAME, WORK_QUEUE_URL"; !errors.Is(err, fault.SettingsInvalid) || !strings.Contains(err.Error(), want) {
		t.Errorf("an empty environment is %v, want one that lacks %s", err, want)
	}
	for _, name := range []string{"TABLE_NAME", "INPUT_BUCKET", "OUTPUT_BUCKET", "WORK_QUEUE_URL"} {
		t.Setenv(name, "x")
	}
	if _, err := app.ReadEnviron(); err != nil {
		t.Errorf("an environment without checks is %v, want good", err)
	}
}
