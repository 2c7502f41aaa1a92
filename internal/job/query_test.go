package job_test

import (
	"reflect"
	"testing"
	"time"

	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// A filter that is forgotten would give the number of all jobs for that of some.
func TestEveryFieldOfAQueryIsAFilterOrItsPage(t *testing.T) {
	t.Parallel()
	full := job.Query{
		Statuses: []job.Status{job.Failed}, Profile: "p", Format: profile.Pades, Source: job.Upload, Name: "a",
		From: now, To: now.Add(time.Hour), Size: 1, Cursor: "c", Page: 1,
	}
	paging := map[string]bool{"Size": true, "Cursor": true, "Page": true}
	of := reflect.ValueOf(full)
	for n := range of.NumField() {
		name := of.Type().Field(n).Name
		if of.Field(n).IsZero() {
			t.Errorf("%s is not filled here", name)
		}
		var q job.Query
		reflect.ValueOf(&q).Elem().Field(n).Set(of.Field(n))
		if got := q.Filtered(); got == paging[name] {
			t.Errorf("with %s alone, Filtered = %t", name, got)
		}
	}
}

func TestATimingIsTheSumOfItsStages(t *testing.T) {
	t.Parallel()
	for method, remote := range map[profile.Method]bool{profile.Local: false, profile.LacunaSigner: true, profile.SignerFolder: true} {
		j := job.New(job.Origin{Method: method}, now).Spent(job.StageQueue, time.Second).Spent(job.StageSigning, 2*time.Millisecond)
		got := job.TimingOf(j)
		if got.Total() != 1002*time.Millisecond || got.Remote != remote || got.Job != j.ID || !got.At.Equal(j.Since) {
			t.Errorf("%s: %+v of %s in all, want 1.002s and remote %t", method, got, got.Total(), remote)
		}
	}
}
