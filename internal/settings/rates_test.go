package settings_test

import (
	"strings"
	"testing"
	"time"

	"bulksigner/internal/settings"
)

func TestRateLimiting(t *testing.T) {
	t.Parallel()
	got, err := load(t, `{`+kms+`,`+apiKey+`,"RateLimiting":{"Upload":{"PermitsPerWindow":5,"WindowSeconds":10,"QueueLimit":0},"Actions":null}}`,
		"RateLimiting__SignerNotification__PermitsPerWindow=100", "RateLimiting__Enabled=false")
	want := settings.RateLimiting{
		Upload: settings.Policy{Permits: 5, Window: 10 * time.Second}, Actions: settings.Policy{Permits: 60, Window: time.Minute},
		SignerNotification: settings.Policy{Permits: 100, Window: time.Minute},
	}
	if err != nil || got.RateLimiting != want {
		t.Errorf("RateLimiting = %+v, %v, want %+v", got.RateLimiting, err, want)
	}
	_, err = load(t, `{`+kms+`,`+apiKey+`,"RateLimiting":{"Enabled":false,"Actions":{"QueueLimit":10}}}`)
	if got := faults(t, err); len(got) != 1 || got[0].Key != "RateLimiting:Actions:QueueLimit" || !strings.Contains(got[0].Message, "keeps no requests") {
		t.Errorf("faults = %v, want one that says why nothing waits", got)
	}
}

func TestSwitches(t *testing.T) {
	t.Parallel()
	read := func(s settings.Settings) [4]bool {
		return [4]bool{s.Metrics.RequireApiKey, s.Readiness.RequireApiKey, s.Statistics.Enabled, s.Pipeline.RejectAlreadyProcessedFileNames}
	}
	got, err := load(t, `{`+kms+`,`+apiKey+`,"Metrics":{},"Readiness":null}`)
	if want := [4]bool{true, false, true, true}; err != nil || read(got) != want {
		t.Errorf("defaults = %v, %v, want %v", read(got), err, want)
	}
	got, err = load(t, `{`+kms+`,`+apiKey+`,"Metrics":{"RequireApiKey":false},"Statistics":{"Enabled":false}}`,
		"Readiness__RequireApiKey=true", "Pipeline__RejectAlreadyProcessedFileNames=false")
	if want := [4]bool{false, true, false, false}; err != nil || read(got) != want {
		t.Errorf("set = %v, %v, want %v", read(got), err, want)
	}
}
