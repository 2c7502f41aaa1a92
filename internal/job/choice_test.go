package job_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

func TestChoices(t *testing.T) {
	t.Parallel()
	const cancel, again, fetch, remove = job.ChooseCancel, job.ChooseRetry, job.ChooseDownload, job.ChooseDelete
	out := job.Output{Key: "contracts/a.signed.pdf"}
	tests := []struct {
		name string
		job  job.Job
		want []job.Choice
	}{
		{"queued", job.Job{Status: job.Queued}, []job.Choice{cancel, remove}},
		{"processing", job.Job{Status: job.Processing, Output: out}, []job.Choice{remove}},
		{"verifying", job.Job{Status: job.Verifying, Output: out}, []job.Choice{remove}},
		{"awaiting a person", job.Job{Status: job.AwaitingSigner, Method: profile.LacunaSigner}, []job.Choice{cancel, remove}},
		{"completed", job.Job{Status: job.Completed, Output: out}, []job.Choice{fetch, remove}},
		{"completed at Lacuna Signer", job.Job{Status: job.Completed, Method: profile.SignerFolder}, []job.Choice{remove}},
		{"failed", job.Job{Status: job.Failed, Output: out}, []job.Choice{again, remove}},
		{"failed for want of an action", job.Job{Status: job.Failed, Code: fault.SignerFolderNoHolderAction}, []job.Choice{remove}},
		{"canceled", job.Job{Status: job.Canceled, Method: profile.Local}, []job.Choice{remove}},
		{"moved on", job.Job{Status: job.Canceled, Method: profile.SignerFolder}, []job.Choice{again, remove}},
		{"unknown", job.Job{Status: "Unheard"}, []job.Choice{remove}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, tt.job.Choices()); diff != "" {
				t.Errorf("Choices (-want +got):\n%s", diff)
			}
		})
	}
}

// What is offered is what the step allows.
func TestCancelIsOfferedWhereItIsAllowed(t *testing.T) {
	t.Parallel()
	for _, m := range []profile.Method{profile.Local, profile.LacunaSigner, profile.SignerFolder} {
		for _, s := range job.Statuses {
			if m != profile.LacunaSigner && s == job.AwaitingSigner {
				continue // no job of these ever is
			}
			j := job.Job{Status: s, Method: m}
			_, err := j.Cancel("", time.Now())
			if offered := j.Choices()[0] == job.ChooseCancel; offered != (err == nil) {
				t.Errorf("%s %s: canceling is offered %v, and answers %v", m, s, offered, err)
			}
		}
	}
}

func TestHoursAddUp(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 7, 15, 12, 0, 0, 0, time.UTC)
	h := job.Hour{Start: start, Completed: 1, Failed: 2, Canceled: 3, Encrypted: 4}
	h.Add(job.Hour{Start: start.Add(time.Hour), Completed: 10, Failed: 20, Canceled: 30, Encrypted: 40})
	if want := (job.Hour{Start: start, Completed: 11, Failed: 22, Canceled: 33, Encrypted: 44}); h != want {
		t.Errorf("sum = %+v, want %+v", h, want)
	}
}
