package workflow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

const (
	// sweptTogether is how many documents are read back before the sweep notes how far it came.
	sweptTogether = 100
	// unreadInARow is how many documents in a row must fail for the rest of the folder to be left to the next pass.
	unreadInARow = 10
)

// folderSweep is the sweep of one folder in one run.
type folderSweep struct {
	*sweep
	watch
	imprint string // of folder and certificate
	resumed bool   // past what the last run looked at last
	met     bool   // one of those was listed
	skipped []job.ListedDocument
	chunk   []job.ListedDocument
	listed  int
	looked  bool // as far as a chunk
}

// Errors that end a folder early.
var (
	errLate   = errors.New("the run has no time for more documents")
	errUnread = errors.New("the documents of the folder cannot be read")
)

// late reports whether an error says no more than that the run's time is up, or will be before our own rate lets a call go.
func late(ctx context.Context, err error) bool {
	return err != nil && (ctx.Err() != nil || errors.Is(err, errLate) || errors.Is(err, fault.Throttled))
}

// folder lists a folder and reads its documents back, some at a time. It reports false if the run's time ended before the
// folder did: the next run lists the folder again and goes on behind what was read. A folder in which much time leads
// nowhere is left to the next pass, so that it does not keep the others from their turn.
func (s *sweep) folder(ctx context.Context, a watch) bool {
	f := &folderSweep{sweep: s, watch: a, imprint: a.imprint()}
	if s.state.At != a.profile.Name {
		s.state.At, s.state.After, s.state.Spoilt = a.profile.Name, nil, false
	}
	f.resumed = len(s.state.After) == 0
	began := s.Now()
	err := f.list(ctx)
	if late(ctx, err) {
		if f.looked || s.Now().Sub(began) < leastTime {
			return false
		}
		s.failed(ctx, job.OpList, fmt.Errorf("list a folder: %w", context.DeadlineExceeded))
	}
	if err == nil && f.listed == 0 {
		f.ask(ctx)
	}
	if err == nil && !s.state.Spoilt {
		f.readToTheEnd()
	}
	return true
}

// list goes through the folder. Failures are noted here; the error says that the folder must end.
func (f *folderSweep) list(ctx context.Context) error {
	err := f.pages(ctx)
	if err != nil && !late(ctx, err) && !errors.Is(err, errUnread) {
		f.failed(ctx, job.OpList, err)
		return errors.Join(err, f.look(ctx, f.chunk)) // what was listed is looked at all the same
	}
	if err != nil {
		return err
	}
	// Where none was met, what was looked at last has left the folder: the rest is looked at from its beginning.
	for chunk := range slices.Chunk(append(f.skipped, f.chunk...), sweptTogether) {
		if err := f.look(ctx, chunk); err != nil {
			return err
		}
	}
	return nil
}

func (f *folderSweep) pages(ctx context.Context) error {
	for d, err := range f.Signer.Pending(ctx, f.id()) {
		if err != nil {
			return fmt.Errorf("list a folder: %w", err)
		}
		f.listed++
		if err := f.next(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// next takes a listed document up, unless an earlier run did. Lists are in the order of age: what stands before a
// document that was looked at was looked at too.
func (f *folderSweep) next(ctx context.Context, d job.ListedDocument) error {
	switch {
	case f.resumed:
	case slices.Contains(f.state.After, d.ID):
		f.met, f.skipped = true, nil
		return nil
	case !f.met:
		f.skipped = append(f.skipped, d)
		return nil
	}
	f.resumed = true
	if f.chunk = append(f.chunk, d); len(f.chunk) < sweptTogether {
		return nil
	}
	chunk := f.chunk
	f.chunk = nil
	return f.look(ctx, chunk)
}

// look is one document's turn.
type look struct {
	id    string
	found []job.ID
	op    string // the stage that failed
	err   error
}

// look reads some documents back, beside each other, makes their jobs and rings for them.
func (f *folderSweep) look(ctx context.Context, docs []job.ListedDocument) error {
	looks := f.changed(ctx, docs)
	inParallel(f.Remote.AtOnce, looks, func(l *look) {
		if l.err = errLate; f.goesOn(ctx, f.run) {
			l.found, l.op, l.err = f.read(ctx, l.id)
		}
	})
	f.ringFor(ctx, looks)
	failures := 0
	for _, l := range looks {
		switch {
		case l.err == nil:
		case late(ctx, l.err):
			return errLate // the next run looks at them again
		default:
			failures++
			f.state.Spoilt = true
			f.failed(ctx, l.op, l.err)
		}
	}
	if failures >= unreadInARow && failures == len(looks) {
		return errUnread // and so would the rest, each after its time-out
	}
	f.looked, f.state.After = true, nil
	for _, d := range docs {
		f.state.After = append(f.state.After, d.ID)
	}
	return nil
}

// read does what a document asks for, as Signer tells it now.
func (f *folderSweep) read(ctx context.Context, id string) (found []job.ID, op string, err error) {
	d, err := f.readBack(ctx, id)
	if err != nil || d.ID == "" {
		return nil, job.OpRead, err
	}
	if found, err = f.find(ctx, f.watch, d); err != nil {
		return found, job.OpEnqueue, err
	}
	if f.Remote.SkipUnchanged {
		if err := f.Discoveries.See(ctx, id, d.UpdatedAt); err != nil { // it is read once more
			slog.WarnContext(ctx, "read-back not noted", "document", id, "err", err)
		}
	}
	return found, "", nil
}

// readBack reads a document from Signer, or nothing if it does not exist any more.
func (w *Workflow) readBack(ctx context.Context, id string) (job.SignerDocument, error) {
	d, err := w.Signer.Document(ctx, id)
	if e, ok := errors.AsType[*job.SignerError](err); ok && e.Code == documentNotFound {
		return job.SignerDocument{}, nil
	}
	if err != nil {
		return job.SignerDocument{}, fmt.Errorf("read a document back: %w", err)
	}
	d.ID = id
	return d, nil
}

// documentNotFound is Signer's word for a document that was deleted.
const documentNotFound = "DocumentNotFound"

// ringFor rings for new jobs. A doorbell that is lost is recovery's.
func (f *folderSweep) ringFor(ctx context.Context, looks []*look) {
	var ids []job.ID
	for _, l := range looks {
		ids = append(ids, l.found...)
	}
	f.ringNew(ctx, ids)
}

// ringNew rings for new jobs. A doorbell that is lost is recovery's.
func (w *Workflow) ringNew(ctx context.Context, ids []job.ID) {
	if len(ids) == 0 {
		return
	}
	if err := w.Queue.Ring(ctx, ids); err != nil {
		slog.ErrorContext(ctx, "new jobs not rung for", "jobs", len(ids), "err", err)
	}
}

// ask finds out whether an empty folder exists: Signer lists one that vanished as an empty one.
func (f *folderSweep) ask(ctx context.Context) {
	there, err := f.there(ctx, f.id())
	switch {
	case err != nil && !late(ctx, err):
		f.failed(ctx, job.OpFolder, err)
	case err == nil && !there:
		p := f.profile
		p.Degraded = f.gone(ctx, p)
		f.leftAlone(ctx, p)
	}
}
