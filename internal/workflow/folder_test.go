package workflow_test

import (
	"context"
	"testing"
	"time"

	"bulksigner/internal/icpbrasil/icpbrasiltest"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// Names of Signer's calls at the world's gate.
const (
	stepList     = "list folder"
	stepFolder   = "read folder"
	stepRead     = "read document"
	stepURL      = "ask for the action URL"
	stepStart    = "start the signature"
	stepHandOver = "hand the signature over"
)

// holder is the CPF in the certificate of the profile "p".
var holder = icpbrasiltest.Firm().Responsible.CPF

// folderScene is a scene whose profile "p" signs what waits in a folder at Lacuna Signer.
type folderScene struct {
	*scene
	signer *workflowtest.Signer
	table  *workflowtest.Discoveries
	meter  *workflowtest.Meter
	folder string
}

// newFolderScene must be called inside a bubble.
func newFolderScene(t *testing.T) *folderScene {
	t.Helper()
	s := &folderScene{scene: newScene(t), meter: &workflowtest.Meter{}}
	s.signer, s.table = workflowtest.NewSigner(s.World), workflowtest.NewDiscoveries(s.World)
	s.folder = s.signer.AddFolder("contracts")
	s.w.Signer, s.w.Remote = s.signer, remote
	s.w.Discoveries, s.w.Journal, s.w.Bells, s.w.Meter = s.table, s.table, s.table, s.meter
	s.bind("p", s.folder)
	return s
}

// bind makes a profile sign in a folder.
func (s *folderScene) bind(name, folder string) {
	s.SetProfile(profile.Profile{Name: name, Enabled: true, Method: profile.SignerFolder, Certificate: &profile.Certificate{Source: profile.Kms},
		SignerFolder: &profile.Binding{ID: folder}})
}

// turnOf is an action of a person whose turn it is.
func turnOf(cpf string) job.FlowAction {
	return job.FlowAction{Type: job.ActionSigner, Status: job.ActionPending, Step: 1, Identifier: cpf, Email: "ana@example.invalid"}
}

// later is an action of a person whose turn comes.
func later(cpf string) job.FlowAction {
	a := turnOf(cpf)
	a.Status, a.Step = job.ActionCreated, 2
	return a
}

// wait puts a document into the folder that waits for the holder.
func (s *folderScene) wait() *workflowtest.Document {
	return s.signer.AddWaiting(s.folder, "contrato.pdf", turnOf(holder))
}

// sweep is one invocation of the sweep function by its schedule.
func (s *folderScene) sweep() (died bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 75*time.Second)
	defer cancel()
	return s.Invoke(func() error { return s.w.Sweep(ctx) })
}

// swept lets the next pass come and go.
func (s *folderScene) swept(t *testing.T) {
	t.Helper()
	time.Sleep(remote.SweepEvery)
	if died, err := s.sweep(); died || err != nil {
		t.Fatalf("the sweep ends %t, %v", died, err)
	}
}

// bent is a Signer whose answers a test bends.
type bent struct {
	*workflowtest.Signer
	url     func(job.ActionQuery) error
	started func(job.Started) (job.Started, error)
	handed  func(job.Handed) job.Handed
	query   job.ActionQuery // the last
}

func (b *bent) ActionURL(ctx context.Context, q job.ActionQuery) (job.Ticket, error) {
	b.query = q
	if b.url != nil {
		if err := b.url(q); err != nil {
			return job.Ticket{}, err
		}
	}
	return b.Signer.ActionURL(ctx, q)
}

func (b *bent) Start(ctx context.Context, k job.Ticket, certificate []byte) (job.Started, error) {
	out, err := b.Signer.Start(ctx, k, certificate)
	if err != nil || b.started == nil {
		return out, err
	}
	return b.started(out)
}

func (b *bent) Complete(ctx context.Context, k job.Ticket, token string, signature []byte) (job.Handed, error) {
	out, err := b.Signer.Complete(ctx, k, token, signature)
	if err != nil || b.handed == nil {
		return out, err
	}
	return b.handed(out), nil
}

// bend puts answers of a test's own in place of Signer's.
func (s *folderScene) bend(b bent) *bent {
	b.Signer = s.signer
	s.w.Signer = &b
	return &b
}

// begin makes Signer begin signatures with a change.
func (s *folderScene) begin(change func(*job.Started)) {
	s.bend(bent{started: func(o job.Started) (job.Started, error) { change(&o); return o, nil }})
}

// refuse makes Signer answer every call of a step with an error.
func (s *folderScene) refuse(step string, e job.SignerError) {
	e.Op = step
	s.signer.Refuse[step] = &e
}

func coded(code string) job.SignerError { return job.SignerError{Status: 422, Code: code} }

var _ workflow.Signer = &bent{}
