package workflow_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow/workflowtest"
)

// journal keeps the types of what operators are told.
type journal []string

func (j *journal) Write(_ context.Context, e job.Event) error { *j = append(*j, e.Type); return nil }

// TestFilesThatNobodyTakes has files come to a profile that takes none. They wait, operators are told once, and once the
// profile has changed they are taken in.
func TestFilesThatNobodyTakes(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*profile.Profile){
		"a disabled profile":           func(p *profile.Profile) { p.Enabled = false },
		"a profile of a Signer folder": func(p *profile.Profile) { p.Method = profile.SignerFolder },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newScene(t)
				good := s.Profile("p")
				p := good
				change(&p)
				s.SetProfile(p)
				var told journal
				s.w.Journal = &told
				event := workflowtest.Event(s.Drop("in/a.pdf", samplePDF(), time.Now()))
				for range 3 {
					s.Send(event)
					s.deliver()
				}
				time.Sleep(2 * time.Hour)
				s.wake() // the reconciler looks too
				if len(s.Jobs()) != 0 || len(told) != 1 || told[0] != job.EventFileRefused {
					t.Fatalf("there are %d jobs, and operators were told %v; want none, and one time", len(s.Jobs()), told)
				}
				s.SetProfile(good)
				time.Sleep(2 * time.Hour)
				s.quiesce(time.Hour)
				if j := s.only(t); j.Status != job.Completed {
					t.Errorf("the job ends %s %s", j.Status, j.Code)
				}
			})
		})
	}
}
