// Package workflow holds the use cases: taking files in, carrying a job from its claim to its end, ending what a dead run
// left behind, and finding what was lost.
//
// It promises that a key is asked at most once per job, that an input goes only after its verified output is durable, that
// an output is never overwritten, and that every step can be repeated or interrupted: the table is the truth and a message
// is a doorbell. Where bytes, keys and records live is left to the adapters behind the interfaces in ports.go.
package workflow

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"log/slog"
	"time"

	"bulksigner/internal/profile"
)

// Limits of time. A claim outlives its invocation, and a run stops before it, so that no two runs ever work on one job.
const (
	// stopBefore is how long before the invocation's hard deadline a run stops calling.
	stopBefore = 20 * time.Second
	// claimAfter is how long after that deadline the claim still holds.
	claimAfter = 2 * time.Minute
	// leastTime is what a run must have left to claim another job.
	leastTime = 30 * time.Second
	// graceTime bounds the calls that give a claim back once the run's time is up.
	graceTime = 10 * time.Second
	// fallback is the deadline of an invocation that has none, which happens outside of Lambda only.
	fallback = 5 * time.Minute
)

// atOnce is the usual bound of calls that a pass has under way.
const atOnce = 16

// inMemory is the usual bound between documents kept in memory and documents in a temporary file.
const inMemory = 8 << 20

// maxEncrypt is the usual bound of documents whose output is encrypted.
const maxEncrypt = 100 << 20

// MaxDocument is the largest document that is signed, in bytes.
const MaxDocument = 1 << 30

// Parts are what a workflow works with.
type Parts struct {
	Jobs     Jobs
	Arrivals Arrivals
	Profiles Profiles
	Pipeline Pipeline
	Passes   Passes
	Index    Index
	Inputs   Inputs
	Outputs  Outputs
	Queue    Queue
	Keys     Keys
	Trust    Trust
	Assets   Assets

	Discoveries Discoveries
	Journal     Journal
	Bells       Bells
	Meter       Meter  // nil counts nothing
	Signer      Signer // nil: this service has no Lacuna Signer
	Remote      Remote

	Cipher Cipher // nil: outputs are not encrypted here
	// MaxEncrypt bounds documents whose output is encrypted, which takes them into memory; 0 is 100 MiB.
	MaxEncrypt int64

	Lines []Line // what operators see of the queues

	Keeper Keeper
	// Judge returns every reason to refuse a profile in a service with these settings.
	Judge func(profile.Profile) []profile.Refusal
	// Feeds tells which watched folder names a profile, if one does.
	Feeds func(profileName string) (folder string, ok bool)

	Place   func(key string) Place // which folder an object of the input bucket belongs to
	Folders []Folder               // all watched folders, for the reconciler
	Anchors []*x509.Certificate
	// ReconcileEvery is how often the input is searched for files whose event was lost.
	ReconcileEvery time.Duration
	// RejectKnownNames refuses a file whose name, in any case, belongs to a job of its folder that is at work or completed.
	RejectKnownNames bool
	// InMemory is up to which size, in bytes, a document is kept in memory and published in one request; 0 is 8 MiB. S3
	// demands at least 5 MiB.
	InMemory int64
	// MaxUpload bounds what comes through the API, which cannot see the size of what is put under its links; 0 is no bound.
	MaxUpload int64
	// MaxXML bounds XML documents, which are parsed in memory; 0 is the most that can be signed.
	MaxXML int64
	// Temporary is the folder for documents too large for memory; empty is the system's.
	Temporary string
	Now       func() time.Time
}

// Remote says how Lacuna Signer is worked with.
type Remote struct {
	PollEvery   time.Duration
	Timeout     time.Duration // how long a dispatched document may wait for its participant
	MaxFailures int           // failed calls about one document in a row that its job survives
	SweepEvery  time.Duration
	// SkipUnchanged leaves out the read-back of a document whose listed time of change is the one last read back.
	SkipUnchanged bool
	// AtOnce is how many calls a pass has under way at a time; 0 is 16.
	AtOnce int
}

// Workflow runs the use cases.
type Workflow struct {
	Parts
}

// New makes a workflow of its parts.
func New(p Parts) *Workflow {
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Meter == nil {
		p.Meter = uncounted{}
	}
	if p.Remote.AtOnce == 0 {
		p.Remote.AtOnce = atOnce
	}
	if p.MaxEncrypt == 0 {
		p.MaxEncrypt = maxEncrypt
	}
	if p.InMemory == 0 {
		p.InMemory = inMemory
	}
	return &Workflow{Parts: p}
}

// uncounted is a Meter for those who do not ask.
type uncounted struct{}

// Count, Observe and Gauge do nothing.
func (uncounted) Count(string, int64, ...string)     {}
func (uncounted) Observe(string, float64, ...string) {}
func (uncounted) Gauge(string, float64, ...string)   {}

// Place says where an input key belongs.
type Place struct {
	Folder  string // name of the watched folder
	Profile string
	Name    string // the key without the folder's prefix
	Upload  bool   // an upload of the API: a reservation says the rest
	Ignored string // why the key makes no job
}

// Folder is a watched part of the input bucket.
type Folder struct {
	Name   string
	Prefix string
}

// run is one invocation's right to work: its owner, its context's end and its claims' end.
type run struct {
	owner string
	end   time.Time // when the run stops
	until time.Time // when its claims end
}

// begin derives the run of an invocation and the context that bounds its calls.
func (w *Workflow) begin(ctx context.Context) (context.Context, context.CancelFunc, run) {
	hard, ok := ctx.Deadline()
	if !ok {
		hard = w.Now().Add(fallback)
	}
	r := run{owner: rand.Text(), end: hard.Add(-stopBefore), until: hard.Add(claimAfter)}
	ctx, cancel := context.WithDeadline(ctx, r.end)
	return ctx, cancel, r
}

// hasTime reports whether the run may claim another job.
func (w *Workflow) hasTime(r run) bool { return r.end.Sub(w.Now()) >= leastTime }

// grace is a context for the last words of a run whose own context has ended. The claim still holds.
func grace(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), graceTime)
}

// logged names a job in a log line. File names can name people; they stay out.
func logged(id string) slog.Attr { return slog.String("job", id) }
