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

const rescanPass = "rescan"

// rescanning is a search that an operator asked for.
type rescanning struct {
	UnderWay bool
	Only     string // the folder that is searched; "" for all
	Prefix   string // of the folder at which the search is
	Key      string // the last that was looked at
	Report   job.RescanReport
}

// Rescan looks through a watched folder, or through all of them, for files that have no job, or whose job failed, was
// canceled or deleted, and makes one. What it has no time for is carried on by recovery. It returns fault.FolderNotFound,
// and fault.JobRaceLost while another search is under way.
func (w *Workflow) Rescan(ctx context.Context, folder string) (job.RescanReport, error) {
	if folder != "" && !slices.ContainsFunc(w.Folders, func(f Folder) bool { return f.Name == folder && f.Prefix != job.UploadPrefix }) {
		return job.RescanReport{}, fault.New(fault.FolderNotFound, "no watched folder has this name")
	}
	ctx, cancel, r := w.begin(ctx)
	defer cancel()
	var s rescanning
	pass, ok, err := w.lease(ctx, rescanPass, r, &s)
	if err != nil {
		return job.RescanReport{}, err
	}
	if !ok {
		return job.RescanReport{}, fault.New(fault.JobRaceLost, "a search is under way; ask again in a minute")
	}
	s = rescanning{UnderWay: true, Only: folder}
	err = errors.Join(w.rescanOn(ctx, r, &s), w.keep(ctx, pass, s))
	s.Report.Complete = !s.UnderWay
	return s.Report, err
}

// goOnRescanning carries on a search that a run had no time for.
func (w *Workflow) goOnRescanning(ctx context.Context, r run) error {
	var s rescanning
	if under, err := w.underWay(ctx, rescanPass, &s); err != nil || !under || !s.UnderWay {
		return err
	}
	pass, ok, err := w.lease(ctx, rescanPass, r, &s)
	if err != nil || !ok || !s.UnderWay {
		return err
	}
	return errors.Join(w.rescanOn(ctx, r, &s), w.keep(ctx, pass, s))
}

func (w *Workflow) rescanOn(ctx context.Context, r run, s *rescanning) error {
	for _, f := range w.folders() {
		if s.Only != "" && f.Name != s.Only || f.Prefix == job.UploadPrefix || f.Prefix < s.Prefix {
			continue
		}
		if f.Prefix > s.Prefix || len(s.Report.Folders) == 0 {
			s.Prefix, s.Key = f.Prefix, ""
			s.Report.Folders = append(s.Report.Folders, job.RescanFolder{Name: f.Name, Path: f.Prefix})
		}
		done, err := w.rescanFolder(ctx, r, f, s)
		if err != nil || !done {
			return err
		}
	}
	slog.InfoContext(ctx, "search ended", "pass", rescanPass, "folders", len(s.Report.Folders))
	s.UnderWay = false
	return nil
}

// rescanFolder reports whether it reached the folder's end in the run's time.
func (w *Workflow) rescanFolder(ctx context.Context, r run, f Folder, s *rescanning) (bool, error) {
	found := &s.Report.Folders[len(s.Report.Folders)-1]
	b := &bell{w: w, left: mostRings}
	for o, err := range w.Inputs.List(ctx, f.Prefix, s.Key) {
		if err != nil {
			return false, errors.Join(fmt.Errorf("list folder %s: %w", f.Name, err), b.flush(ctx))
		}
		if !w.goesOn(ctx, r) {
			return false, b.flush(ctx)
		}
		if err := w.rescanned(ctx, o, found, b); err != nil {
			if ctx.Err() != nil {
				return false, nil // the time, and not the object: it is the next run's first
			}
			slog.ErrorContext(ctx, "object not taken in", "folder", f.Name, "code", fault.CodeOf(err), "err", err)
			found.Errors++
		}
		found.Scanned++
		s.Key = o.Key
	}
	return w.goesOn(ctx, r), b.flush(ctx)
}

// rescanned makes a job of an object if none stands for it. Above the measure of doorbells recovery rings.
func (w *Workflow) rescanned(ctx context.Context, listed job.Object, found *job.RescanFolder, b *bell) error {
	if w.placeOf(listed).Ignored != "" {
		found.Ignored++
		return nil
	}
	o, err := w.Inputs.Current(ctx, listed.Key)
	if errors.Is(err, fault.JobInputMissing) {
		return nil // gone since it was listed
	}
	if err != nil {
		return fmt.Errorf("look at a listed object: %w", err)
	}
	latest, err := w.Arrivals.TakenIn(ctx, o)
	if err != nil {
		return fmt.Errorf("look for an earlier job: %w", err)
	}
	j, err := w.rescanJob(ctx, o, latest, found)
	if err != nil || j.ID == "" {
		return err
	}
	found.Enqueued++
	if len(found.EnqueuedFiles) < job.MaxRescanNames {
		found.EnqueuedFiles = append(found.EnqueuedFiles, j.FileName)
	}
	if b.left > 0 {
		return b.ring(ctx, j.ID)
	}
	return nil
}

// rescanJob makes the job, or counts why there is none to make.
func (w *Workflow) rescanJob(ctx context.Context, o job.Object, latest job.ID, found *job.RescanFolder) (job.Job, error) {
	if latest != "" {
		j, err := w.Jobs.Get(ctx, latest)
		switch {
		case errors.Is(err, fault.JobNotFound), err == nil && (j.Status == job.Failed || j.Status == job.Canceled):
			return w.retake(ctx, o, latest, found)
		case err != nil:
			return job.Job{}, err
		case j.Status == job.Completed:
			found.AlreadyProcessed++
		default:
			found.AlreadyActive++
		}
		return job.Job{}, nil
	}
	j, err := w.takeIn(ctx, o, job.Rescan, nil)
	switch {
	case err != nil:
	case j.ID == "":
		found.Ignored++
	case j.Code == fault.FileAlreadyProcessed:
		found.AlreadyProcessed++
		j = job.Job{}
	}
	return j, err
}

// retake makes a new job of an object version whose last one has ended without signing it.
func (w *Workflow) retake(ctx context.Context, o job.Object, latest job.ID, found *job.RescanFolder) (job.Job, error) {
	g, _, err := w.origin(ctx, o, w.placeOf(o), job.Rescan)
	if err != nil {
		return job.Job{}, err
	}
	if g.Profile == "" {
		found.Ignored++
		return job.Job{}, nil
	}
	n, holder, err := w.claimName(ctx, g)
	if err != nil {
		return job.Job{}, err
	}
	if holder != "" {
		found.AlreadyProcessed++
		return job.Job{}, nil
	}
	g.ID = "" // an upload's reservation named the job that it had
	j := job.New(g, w.Now())
	err = w.Arrivals.Retake(ctx, j, latest, n)
	if err != nil && w.standsFor(ctx, j) {
		err = nil // only the reply was lost
	}
	if errors.Is(err, fault.JobRaceLost) {
		found.AlreadyActive++
		return job.Job{}, nil
	}
	if err != nil {
		return job.Job{}, fmt.Errorf("take an object in again: %w", err)
	}
	w.arrived(ctx, j)
	return j, nil
}

// standsFor reports whether a job is its object's latest.
func (w *Workflow) standsFor(ctx context.Context, j job.Job) bool {
	id, err := w.Arrivals.TakenIn(ctx, j.Object)
	return err == nil && id == j.ID
}
