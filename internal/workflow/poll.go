package workflow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

const (
	pollPass = "poll"
	// pollBatch is how many jobs are asked about before the pass notes how far it came.
	pollBatch = 100
	// mostDoubtful is how many jobs with failures a pass remembers by name; if there are more, it looks at all.
	mostDoubtful = 500
	// mostErrors is how many errors of single jobs a run returns; the log has all.
	mostErrors = 5
)

// polling is what a pass through the jobs at Lacuna Signer keeps for the next one.
type polling struct {
	At    time.Time // when the pass began that After belongs to
	After string    // position of a pass that ended early

	// Doubtful are jobs that may have counted failures; AllDoubtful says that any may. They are noted before anything is
	// counted, so that an answer that ends a row of failures is never missed, and jobs without failures are not read.
	Doubtful    []job.ID
	AllDoubtful bool

	Rows          int64     // jobs of the pass, whether it asked about them or not
	Waiting       int64     // jobs of the last whole pass
	Asked, Denied int64     // calls of the pass, and those whose API key was not accepted
	Failed        int64     // jobs of the pass that count a failure
	Open          []job.ID  // jobs of the pass whose failures still count, as far as is known: the doubtful ones of the next
	DeniedSince   time.Time // since when no pass had its key accepted; zero: the key is good
	SilentSince   time.Time // since when no call of a pass brought an answer
	Probe         string    // a document to ask about while there is no other
}

// poll is one invocation's work.
type poll struct {
	*Workflow
	run   run
	pass  job.Pass
	state polling
	bell  *bell // nil until there is something to ring for
	errs  []error
	probe sync.Once
}

// Poll asks Lacuna Signer about the jobs that wait there, as often as is due within the invocation. It rings for what was
// concluded and ends what will not be. Run twice, or beside itself, it changes nothing more. While the pipeline is paused
// it asks nothing.
func (w *Workflow) Poll(ctx context.Context) error {
	if w.Signer == nil {
		return nil
	}
	ctx, cancel, r := w.begin(ctx)
	defer cancel()
	p := &poll{Workflow: w, run: r}
	var ok bool
	var err error
	if p.pass, ok, err = w.lease(ctx, pollPass, r, &p.state); err != nil || !ok {
		return err
	}
	if p.pass.State == "" { // the first pass, or one whose state could not be read
		p.state.AllDoubtful = true
	}
	err = p.passes(ctx)
	return errors.Join(append(p.errs, err, w.keep(ctx, p.pass, p.state))...)
}

func (p *poll) passes(ctx context.Context) error {
	for p.waitFor(ctx, p.run, p.pass.NextAt) {
		paused, err := p.Pipeline.Paused(ctx)
		if err != nil {
			return fmt.Errorf("read the pipeline's state: %w", err)
		}
		if paused {
			return nil
		}
		if whole, err := p.once(ctx); err != nil || !whole {
			return err
		}
		if p.idle() {
			return nil
		}
		if err := p.savePass(ctx, &p.pass, p.state); err != nil {
			return fmt.Errorf("save the pass: %w", err)
		}
	}
	return nil
}

// lively is the interval below which somebody wants answers at once, whatever waiting for them costs.
const lively = 10 * time.Second

// idle reports whether nobody waits: then the next invocation is early enough for whoever comes.
func (p *poll) idle() bool {
	return p.state.Waiting == 0 && p.state.Probe == "" && p.Remote.PollEvery >= lively
}

// once goes on with a pass, oldest first, and reports whether it came to the end.
func (p *poll) once(ctx context.Context) (whole bool, err error) {
	s := &p.state
	if s.After == "" {
		s.At, s.Rows, s.Asked, s.Denied, s.Failed, s.Open = p.Now(), 0, 0, 0, 0, nil
	}
	p.bell = nil
	var rows []job.Row
	for row, err := range p.Index.Oldest(ctx, job.AwaitingSigner, s.After) {
		if err != nil {
			return false, fmt.Errorf("list AwaitingSigner jobs: %w", err)
		}
		if rows = append(rows, row); len(rows) < pollBatch {
			continue
		}
		if on, err := p.batch(ctx, rows); err != nil || !on {
			return false, err
		}
		rows = rows[:0]
	}
	if on, err := p.batch(ctx, rows); err != nil || !on {
		return false, err
	}
	p.concluded(ctx)
	return true, nil
}

// concluded ends a whole pass.
func (p *poll) concluded(ctx context.Context) {
	s := &p.state
	if s.Asked == 0 && s.Probe != "" { // nobody waits any more: is the key good again?
		_, err := p.Signer.Document(ctx, s.Probe)
		p.noteAsked(s.Probe, err)
	}
	switch {
	case s.Asked > 0 && s.Failed == s.Asked:
		if s.SilentSince.IsZero() {
			s.SilentSince = s.At
		}
	case s.Asked > 0:
		s.SilentSince = time.Time{}
	}
	switch {
	case s.Asked > 0 && s.Denied == s.Asked:
		p.Meter.Count(job.MetricSignerDenied, 1)
		slog.ErrorContext(ctx, "Lacuna Signer accepts the API key for nothing", "calls", s.Denied)
		if s.DeniedSince.IsZero() {
			s.DeniedSince = s.At
		}
	case s.Asked > 0:
		s.DeniedSince = time.Time{}
	}
	if s.DeniedSince.IsZero() && s.SilentSince.IsZero() {
		s.Probe = ""
	}
	p.settleDoubts()
	s.Waiting = s.Rows
	p.Meter.Observe(job.MetricPoll, p.Now().Sub(s.At).Seconds())
	slog.InfoContext(ctx, "pass ended", "pass", pollPass, "asked", s.Asked, "denied", s.Denied, "took", p.Now().Sub(s.At).String())
	s.After, p.pass.NextAt = "", s.At.Add(p.Remote.PollEvery)
}

// answer is what Lacuna Signer says about a job's document.
type answer struct {
	job.Row
	skip   bool // whoever holds the job, or recovery after it, knows more
	failed bool // the call did, in a way that counts
	doc    job.SignerDocument
	err    error // of the call, then of what followed
}

// batch asks about some jobs and does what the answers call for. It reports false when the run must end; then the pass goes
// on after the last job that it came to.
func (p *poll) batch(ctx context.Context, rows []job.Row) (on bool, err error) {
	answers := make([]*answer, len(rows))
	for i, row := range rows {
		answers[i] = &answer{Row: row, skip: !row.ClaimUntil.IsZero()}
	}
	inParallel(p.Remote.AtOnce, answers, func(a *answer) { p.ask(ctx, a) })
	if err := p.doubt(ctx, answers); err != nil {
		return false, err
	}
	inParallel(p.Remote.AtOnce, answers, func(a *answer) { a.err = p.follow(ctx, a) })
	if err := p.ring(ctx, answers); err != nil {
		return false, err
	}
	for _, a := range answers {
		if runOver(a.err) {
			return false, nil
		}
		p.setAside(ctx, a)
		p.reckon(a)
		p.state.Rows, p.state.After = p.state.Rows+1, a.Position
	}
	return p.goesOn(ctx, p.run), nil
}

func (p *poll) ask(ctx context.Context, a *answer) {
	if a.skip {
		return
	}
	if !p.goesOn(ctx, p.run) {
		a.err = context.DeadlineExceeded
		return
	}
	a.doc, a.err = p.Signer.Document(ctx, a.DocumentID)
	if ctx.Err() != nil && a.err != nil { // it was us who did not wait
		a.err = ctx.Err()
		return
	}
	p.noteAsked(a.DocumentID, a.err)
}

// runOver tells what only says that the run has no more time, or no more room at Signer's rate.
func runOver(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || errors.Is(err, fault.Throttled)
}

// setAside tells of a job with which something is wrong, so that it does not hold up the others. The next pass looks at it
// again.
func (p *poll) setAside(ctx context.Context, a *answer) {
	if a.err == nil {
		return
	}
	slog.ErrorContext(ctx, "job not looked after", logged(string(a.ID)), "err", a.err)
	if len(p.errs) < mostErrors {
		p.errs = append(p.errs, fmt.Errorf("job %s: %w", a.ID, a.err))
	}
}

// noteAsked counts a call that was made.
func (p *poll) noteAsked(document string, err error) {
	e, ok := errors.AsType[*job.SignerError](err)
	if err != nil && !ok {
		return // our own trouble: nobody was asked
	}
	atomic.AddInt64(&p.state.Asked, 1)
	if !ok {
		return
	}
	if e.Denied() {
		atomic.AddInt64(&p.state.Denied, 1)
	}
	if e.Transient {
		atomic.AddInt64(&p.state.Failed, 1)
	}
	if e.Denied() || e.Transient {
		p.probe.Do(func() { p.state.Probe = document })
	}
}

// reckon keeps a job in doubt whose row of failures no answer has ended in this pass.
func (p *poll) reckon(a *answer) {
	s := &p.state
	open := a.failed || p.doubts(a.ID) && (a.skip || a.err != nil)
	if open && len(s.Open) <= mostDoubtful { // one more than are remembered says that there are too many
		s.Open = append(s.Open, a.ID)
	}
}

// settleDoubts is what a whole pass knows: only what it left open is still in doubt.
func (p *poll) settleDoubts() {
	s := &p.state
	s.Doubtful, s.AllDoubtful, s.Open = s.Open, false, nil
	if len(s.Doubtful) > mostDoubtful {
		s.Doubtful, s.AllDoubtful = nil, true
	}
}

// doubt notes the jobs that are about to count a failure.
func (p *poll) doubt(ctx context.Context, answers []*answer) error {
	s := &p.state
	known := len(s.Doubtful)
	for _, a := range answers {
		e, ok := errors.AsType[*job.SignerError](a.err)
		if !ok || !e.Transient {
			continue
		}
		if a.failed = true; !p.doubts(a.ID) {
			s.Doubtful = append(s.Doubtful, a.ID)
		}
	}
	if len(s.Doubtful) == known {
		return nil
	}
	if len(s.Doubtful) > mostDoubtful {
		s.Doubtful, s.AllDoubtful = nil, true
	}
	if err := p.savePass(ctx, &p.pass, s); err != nil {
		return fmt.Errorf("note jobs with failures: %w", err)
	}
	return nil
}

// ring rings for the concluded ones, within the measure. What is not rung is so by a later pass.
func (p *poll) ring(ctx context.Context, answers []*answer) error {
	for _, a := range answers {
		if a.err != nil || a.doc.Status != job.SignerConcluded {
			continue
		}
		if p.bell == nil {
			p.bell = &bell{w: p.Workflow, left: mostRings}
			if err := p.bell.measure(ctx); err != nil {
				return err
			}
		}
		if p.bell.left <= 0 {
			break
		}
		if err := p.bell.ring(ctx, a.ID); err != nil {
			return err
		}
	}
	if p.bell == nil {
		return nil
	}
	return p.bell.flush(ctx)
}
