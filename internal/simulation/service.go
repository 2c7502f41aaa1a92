package simulation

import (
	"bytes"
	"context"
	"crypto"
	"crypto/x509"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/verify"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// Material is what a simulated service signs with. It serves many simulations at a time.
type Material struct {
	Day     time.Time // when all takes place
	Key     profile.Key
	Private crypto.Signer
	Root    *x509.Certificate
	Holder  string // CPF in the certificate
	Person  func(content []byte, detached bool) []byte
	Seal    func(content []byte) []byte         // puts an output into its envelope
	Open    func(sealed []byte) ([]byte, error) // and takes it out

	mu         sync.Mutex
	signatures map[string][]byte
	verdicts   map[string]bool
}

// sign signs a digest, each one once: a key is slow, and courses are alike.
func (m *Material) sign(random io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.signatures == nil {
		m.signatures = map[string][]byte{}
	}
	if known, ok := m.signatures[string(digest)]; ok {
		return bytes.Clone(known), nil
	}
	signature, err := m.Private.Sign(random, digest, opts)
	if err == nil {
		m.signatures[string(digest)] = bytes.Clone(signature)
	}
	return signature, err
}

// sound reports whether an output is a good signature of an original, or the original itself.
func (m *Material) sound(original, output []byte) bool {
	if bytes.Equal(original, output) {
		return true
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.verdicts == nil {
		m.verdicts = map[string]bool{}
	}
	good, known := m.verdicts[string(output)]
	if !known {
		good = m.judge(original, output)
		m.verdicts[string(output)] = good
	}
	return good
}

func (m *Material) judge(original, output []byte) bool {
	o := verify.Options{Anchors: []*x509.Certificate{m.Root}, At: m.Day.Add(time.Hour)}
	whole, err := verify.File(bytes.NewReader(output), int64(len(output)), o)
	if err == nil && whole.Sound(true) == nil {
		return true
	}
	detached, err := verify.Detached(output, bytes.NewReader(original), o)
	return err == nil && detached.Sound(true) == nil
}

// good reports whether what was published may be: a good signature, or the original, in an envelope if there must be one.
func (s *simulation) good(output []byte) bool {
	if s.scenario.profile.Encrypt {
		var err error
		if output, err = s.material.Open(output); err != nil {
			return false
		}
	}
	return s.material.sound(s.scenario.content, output)
}

// pen is the key of one simulation. It slips when it is told to.
type pen struct {
	*Material
	slips bool
}

// Public implements crypto.Signer.
func (p *pen) Public() crypto.PublicKey { return p.Private.Public() }

// Sign implements crypto.Signer.
func (p *pen) Sign(random io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	signature, err := p.sign(random, digest, opts)
	if p.slips && err == nil {
		signature[len(signature)-1] ^= 1
		p.slips = false
	}
	return signature, err
}

// outputs is the output bucket. What is sent to it is read at once: a call that lands late has been sent before.
type outputs struct{ workflowtest.Outputs }

// Put publishes in one request.
func (o outputs) Put(ctx context.Context, p job.Publication) error {
	p, err := held(p)
	if err != nil {
		return err
	}
	return o.Outputs.Put(ctx, p)
}

// Finish completes a multipart upload.
func (o outputs) Finish(ctx context.Context, p job.Publication, id string) error {
	p, err := held(p)
	if err != nil {
		return err
	}
	return o.Outputs.Finish(ctx, p, id)
}

func held(p job.Publication) (job.Publication, error) {
	content := make([]byte, p.Content.Size())
	if _, err := p.Content.ReadAt(content, 0); err != nil && err != io.EOF {
		return p, fmt.Errorf("read what is published: %w", err)
	}
	p.Content = io.NewSectionReader(bytes.NewReader(content), 0, int64(len(content)))
	return p, nil
}

// granted gives every pass to whoever asks for it.
type granted struct{ workflow.Passes }

// Lease takes a pass from whoever has it.
func (g granted) Lease(ctx context.Context, name, owner string, _, until time.Time) (job.Pass, error) {
	return g.Passes.Lease(ctx, name, owner, until.Add(time.Hour), until)
}

// cipher encrypts outputs, under a password that has to be read.
type cipher struct{ s *simulation }

// Ready reads the password.
func (c cipher) Ready(ctx context.Context) error {
	return c.s.gate(ctx, "read the password", func() error { return nil })
}

// Seal returns the envelope of a document.
func (c cipher) Seal(ctx context.Context, document io.Reader, _ int64) ([]byte, error) {
	if err := c.Ready(ctx); err != nil {
		return nil, err
	}
	b, err := io.ReadAll(document)
	if err != nil {
		return nil, fmt.Errorf("read what is encrypted: %w", err)
	}
	return c.s.material.Seal(b), nil
}

// mutate puts a deliberate fault between the workflow and its world. The files mutant_*.go have one each, behind a build
// tag: what a simulation is worth shows in whether it finds them.
var mutate = func(*workflow.Parts, *workflowtest.World) {}

// newSimulation makes a world, and what the scenario begins with.
func newSimulation(sc Scenario, m *Material, d driver) *simulation {
	p := &pen{Material: m}
	world := workflowtest.New(&workflowtest.Keys{Key: m.Key, Inner: p})
	table := workflowtest.NewDiscoveries(world)
	s := &simulation{scenario: sc, material: m, driver: d, world: world, table: table, pen: p, began: time.Now(), moved: make(chan struct{}, 1),
		signer: newSigner(world), acted: map[string]int{}, kinds: map[string]int{}}
	s.parts = workflow.Parts{
		Jobs: world, Arrivals: world, Profiles: workflowtest.Profiles{World: world}, Pipeline: world, Passes: world, Index: world,
		Inputs: workflowtest.Inputs{World: world}, Outputs: outputs{workflowtest.Outputs{World: world}}, Queue: world, Keys: world.Keys,
		Discoveries: table, Journal: table, Bells: table, Signer: s.signer,
		Remote: workflow.Remote{PollEvery: 30 * time.Second, Timeout: 12 * time.Hour, MaxFailures: 5, SweepEvery: 5 * time.Minute, AtOnce: 1},
		Place:  place, Folders: []workflow.Folder{{Name: "p", Prefix: "in/"}}, Anchors: []*x509.Certificate{m.Root}, ReconcileEvery: time.Hour,
		InMemory: sc.inMemory, RejectKnownNames: sc.oneName, Cipher: cipher{s},
	}
	if sc.leaseless {
		s.parts.Passes = granted{world}
	}
	mutate(&s.parts, world)
	s.queues()
	s.watch = newWatcher(s)
	world.Gate = s.gate
	sc.arrange(s)
	return s
}

func place(key string) workflow.Place {
	name, ok := strings.CutPrefix(key, "in/")
	if !ok {
		return workflow.Place{Ignored: "no folder"}
	}
	return workflow.Place{Folder: "p", Profile: "p", Name: name}
}

// pausedNow reads the switch past the gate.
func (s *simulation) pausedNow() bool {
	p, err := s.world.State(context.Background())
	return err == nil && p.Paused
}

// pass reads a pass past the gate.
func (s *simulation) pass(name string) job.Pass {
	p, err := s.world.Pass(context.Background(), name)
	if err != nil {
		return job.Pass{}
	}
	return p
}

// stored reads a job past the gate.
func (s *simulation) stored(id job.ID) (job.Job, bool) {
	j, err := s.world.Get(context.Background(), id)
	return j, err == nil
}
