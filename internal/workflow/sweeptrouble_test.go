package workflow_test

import (
	"context"
	"fmt"
	"iter"
	"testing"
	"testing/synctest"

	"bulksigner/internal/job"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// TestOneBrokenDocumentHoldsUpNoOther breaks one document, and the list behind the first page.
func TestOneBrokenDocumentHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		signer func(s *folderScene, all []*workflowtest.Document) workflow.Signer
		want   int
	}{
		"a document that cannot be read": {func(s *folderScene, all []*workflowtest.Document) workflow.Signer {
			return unreadable{s.signer, all[3].ID}
		}, 249},
		"a page that cannot be read": {func(s *folderScene, _ []*workflowtest.Document) workflow.Signer { return cutOff{s.signer, 149} }, 149},
	}
	for name, tt := range tests {
		for _, skip := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%t", name, skip), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					s := newFolderScene(t)
					var all []*workflowtest.Document
					for range 250 {
						all = append(all, s.wait())
					}
					s.w.Remote.SkipUnchanged = skip
					s.w.Signer = tt.signer(s, all)
					s.swept(t)
					if len(s.Jobs()) != tt.want {
						t.Errorf("%d jobs, want %d", len(s.Jobs()), tt.want)
					}
					s.swept(t)
					if n := s.meter.Counted(job.MetricSweepErrors, job.LabelOp, job.OpRead) + s.meter.Counted(job.MetricSweepErrors, job.LabelOp, job.OpList); n != 2 {
						t.Errorf("%d failures were counted, want one a pass", n)
					}
				})
			})
		}
	}
}

// unreadable is a Signer with a document that cannot be read.
type unreadable struct {
	*workflowtest.Signer
	id string
}

func (u unreadable) Document(ctx context.Context, id string) (job.SignerDocument, error) {
	if id == u.id {
		return job.SignerDocument{}, &job.SignerError{Op: "read the document", Status: 500, Transient: true}
	}
	return u.Signer.Document(ctx, id)
}

// cutOff is a Signer whose lists break after some documents.
type cutOff struct {
	*workflowtest.Signer
	after int
}

func (c cutOff) Pending(ctx context.Context, folder string) iter.Seq2[job.ListedDocument, error] {
	return func(yield func(job.ListedDocument, error) bool) {
		n := 0
		for d, err := range c.Signer.Pending(ctx, folder) {
			if n++; n > c.after {
				yield(job.ListedDocument{}, &job.SignerError{Op: "list a folder", Status: 200, Transient: true})
				return
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

// TestAnOutageIsNotReadToItsEnd stops reading a folder whose documents all fail.
func TestAnOutageIsNotReadToItsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFolderScene(t)
		for range 500 {
			s.wait()
		}
		s.refuse(stepRead, job.SignerError{Status: 503, Transient: true})
		s.swept(t)
		if n := s.CountSteps(stepRead); n != 100 {
			t.Errorf("%d documents were read, want those of one step", n)
		}
		clear(s.signer.Refuse)
		s.swept(t)
		if len(s.Jobs()) != 500 {
			t.Errorf("%d jobs after the outage, want all", len(s.Jobs()))
		}
	})
}

// rationed is a Signer of which our own rate lets some reads go.
type rationed struct {
	*workflowtest.Signer
	reads int
}

func (r *rationed) Document(ctx context.Context, id string) (job.SignerDocument, error) {
	if r.reads--; r.reads < 0 {
		return job.SignerDocument{}, errThrottled
	}
	return r.Signer.Document(ctx, id)
}

// TestOurOwnRateIsNoFailure sweeps with less room than documents: the next run goes on.
func TestOurOwnRateIsNoFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFolderScene(t)
		for range 250 {
			s.wait()
		}
		for _, want := range []int{150, 250} {
			s.w.Signer = &rationed{s.signer, 150}
			s.swept(t)
			if len(s.Jobs()) != want {
				t.Errorf("%d jobs, want %d", len(s.Jobs()), want)
			}
		}
		if n := s.meter.Counted(job.MetricSweepErrors, job.LabelOp, job.OpRead); n != 0 {
			t.Errorf("%d failures were counted", n)
		}
	})
}

// TestADeletedDocumentIsNoFailure lists a document that is gone when it is read back.
func TestADeletedDocumentIsNoFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFolderScene(t)
		s.wait()
		s.refuse(stepRead, coded("DocumentNotFound"))
		s.swept(t)
		if n := s.meter.Counted(job.MetricSweepErrors, job.LabelOp, job.OpRead); n != 0 || len(s.Jobs()) != 0 {
			t.Errorf("%d failures were counted and %d jobs made", n, len(s.Jobs()))
		}
	})
}
