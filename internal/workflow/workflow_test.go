package workflow_test

import (
	"context"
	"crypto/rsa"
	"crypto/x509"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"bulksigner/internal/icpbrasil/icpbrasiltest"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// day is when all tests take place. A bubble's clock begins in 2000, before any policy was in force.
var day = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// timeout is that of the sign function.
const timeout = 300 * time.Second

var (
	key    *rsa.PrivateKey
	opened profile.Key
	root   *x509.Certificate
)

func TestMain(m *testing.M) {
	if err := prepare(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	slog.SetDefault(slog.New(slog.DiscardHandler)) // thousands of runs die on purpose
	os.Exit(m.Run())
}

func prepare() error {
	pki, err := icpbrasiltest.New(day)
	if err != nil {
		return err
	}
	if key, err = rsa.GenerateKey(nil, 2048); err != nil {
		return err
	}
	leaf, err := pki.IssueECNPJ(key.Public(), icpbrasiltest.Firm())
	if err != nil {
		return err
	}
	opened, root = profile.Key{Certificate: leaf, Chain: pki.Chain}, pki.Root
	return nil
}

// scene is a workflow in its world, inside a bubble of time.
type scene struct {
	*workflowtest.World
	w     *workflow.Workflow
	trust *workflowtest.Trust
}

// newScene must be called inside a bubble.
func newScene(t *testing.T) *scene {
	t.Helper()
	time.Sleep(time.Until(day))
	world := workflowtest.New(&workflowtest.Keys{Key: opened, Inner: key})
	world.SetProfile(profile.Profile{Name: "p", Enabled: true, Method: profile.Local, Format: profile.Pades, Verify: true, RequirePolicy: true,
		Certificate: &profile.Certificate{Source: profile.Kms}, Signature: profile.Signature{Digest: profile.SHA256}})
	trust := &workflowtest.Trust{World: world}
	w := workflow.New(workflow.Parts{
		Trust: trust, Assets: workflowtest.Assets{World: world, Content: map[string][]byte{"s3://seals/broken.png": []byte("no image")}},
		Jobs: world, Arrivals: world, Profiles: workflowtest.Profiles{World: world}, Pipeline: world, Passes: world, Index: world,
		Inputs: workflowtest.Inputs{World: world}, Outputs: workflowtest.Outputs{World: world}, Queue: world, Keys: world.Keys,
		Place: place, Folders: []workflow.Folder{{Name: "p", Prefix: "in/"}}, Anchors: []*x509.Certificate{root}, ReconcileEvery: time.Hour,
		Temporary: t.TempDir(),
	})
	return &scene{World: world, w: w, trust: trust}
}

func place(objectKey string) workflow.Place {
	if strings.HasPrefix(objectKey, job.UploadPrefix) {
		return workflow.Place{Folder: "uploads", Name: objectKey, Upload: true}
	}
	name, ok := strings.CutPrefix(objectKey, "in/")
	switch {
	case !ok:
		return workflow.Place{Ignored: "no folder"}
	case strings.HasSuffix(name, ".tmp"):
		return workflow.Place{Ignored: "extension .tmp"}
	}
	return workflow.Place{Folder: "p", Profile: "p", Name: name}
}

// work is one invocation of the sign function for one message.
func (s *scene) work(body string) (died bool, err error) {
	return s.Invoke(func() error { return s.workFor(timeout, body) })
}

// workFor is an invocation that has the given time and does not die.
func (s *scene) workFor(d time.Duration, body string) error {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	b, err := s.w.Batch(ctx)
	if err != nil {
		return err
	}
	return b.Work(ctx, body)
}

// wake is one invocation of the recover function.
func (s *scene) wake() (died bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 55*time.Second)
	defer cancel()
	return s.Invoke(func() error { return s.w.Recover(ctx) })
}

// deliver hands every message over; one whose run failed or died comes again, as from SQS, until its receives are used up.
func (s *scene) deliver() {
	receives := map[string]int{}
	for {
		m, ok := s.Receive()
		if !ok {
			return
		}
		died, err := s.work(m)
		if receives[m]++; (died || err != nil) && receives[m] < 5 {
			s.Send(m)
		}
	}
}

// quiesce lets messages, schedules and time pass until every job has ended, for at most the given time.
func (s *scene) quiesce(limit time.Duration) {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(time.Minute) {
		s.deliver()
		if s.ended() {
			return
		}
		s.wake()
	}
}

func (s *scene) ended() bool {
	jobs := s.Jobs()
	for _, j := range jobs {
		if !j.Status.Final() {
			return false
		}
	}
	return len(jobs) > 0
}

// only returns the one job that there must be.
func (s *scene) only(t *testing.T) job.Job {
	t.Helper()
	jobs := s.Jobs()
	if len(jobs) != 1 {
		t.Fatalf("there are %d jobs, want 1", len(jobs))
	}
	return jobs[0]
}

// samplePDF is a small document of one page.
var samplePDF = workflowtest.PDF
