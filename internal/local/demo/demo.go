// Package demo tries the running service out: it drops sample documents where files arrive, follows their jobs through
// the REST API like any client, fetches what was signed, and says what became of each and whether that was expected.
package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Demo is one round of samples.
type Demo struct {
	Files   fs.FS // the samples' files
	Samples []Sample
	Client  *Client
	Put     func(ctx context.Context, key string, body io.ReadSeeker) error // drops a file into the input bucket
	Idle    func(ctx context.Context) (bool, error)                         // reports that nothing waits any more
	Judge   func(ctx context.Context, path string) string                   // an outside verdict on an output, or ""
	Output  string                                                          // folder where outputs are kept
	Out     io.Writer
	Every   time.Duration // between two looks
}

// Result counts how the samples ended.
type Result struct {
	Expected, Unexpected int
}

// Run drops the samples, follows them until all have ended or ctx ends, and prints a line for each.
func (d Demo) Run(ctx context.Context) (Result, error) {
	for _, s := range d.Samples {
		if err := d.drop(ctx, s); err != nil {
			return Result{}, err
		}
	}
	open := make(map[string]Sample, len(d.Samples))
	for _, s := range d.Samples {
		open[s.Key] = s
	}
	var r Result
	tick := time.NewTicker(d.Every)
	defer tick.Stop()
	for {
		done, err := d.look(ctx, open, &r)
		if err != nil || done {
			return r, err
		}
		select {
		case <-ctx.Done():
			return d.giveUp(open, r), nil
		case <-tick.C:
		}
	}
}

func (d Demo) drop(ctx context.Context, s Sample) error {
	var body []byte
	if s.File != none {
		var err error
		if body, err = fs.ReadFile(d.Files, s.File); err != nil {
			return fmt.Errorf("read sample %s: %w", s.File, err)
		}
	}
	if err := d.Put(ctx, s.Key, bytes.NewReader(body)); err != nil {
		return fmt.Errorf("drop %s: %w", s.Key, err)
	}
	return nil
}

// look prints what has ended since it last looked. It reports true when nothing is left to wait for: samples without a
// job are settled when the queue is empty and the others have ended.
func (d Demo) look(ctx context.Context, open map[string]Sample, r *Result) (bool, error) {
	idle, err := d.Idle(ctx) // before the list: what was in the queue by then is in the list now
	if err != nil {
		return false, ignoreEnd(ctx, err)
	}
	rows, err := d.Client.Jobs(ctx)
	if err != nil {
		return false, ignoreEnd(ctx, err)
	}
	for _, row := range rows {
		s, ok := open[row.OriginalPath]
		if !ok || !row.ended() {
			continue
		}
		if err := d.report(ctx, s, row, r); err != nil {
			return false, ignoreEnd(ctx, err)
		}
		delete(open, s.Key)
	}
	if !idle || waiting(open) {
		return false, nil
	}
	for _, s := range sorted(open) {
		d.line(r, true, s.Key, "left where it is: no job")
	}
	return true, nil
}

// ignoreEnd leaves it to Run to say that time is up.
func ignoreEnd(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// waiting reports whether a sample that is to have a job has none that ended.
func waiting(open map[string]Sample) bool {
	for _, s := range open {
		if s.Status != none {
			return true
		}
	}
	return false
}

// report prints a job that has ended and keeps its output.
func (d Demo) report(ctx context.Context, s Sample, row Row, r *Result) error {
	job, err := d.Client.Job(ctx, row.ID)
	if err != nil {
		return err
	}
	what := job.outcome()
	good := s.expects(job.Row)
	if !good {
		what += ", expected " + s.expectation()
	}
	what += job.Timings.String()
	if job.OutputKey != "" {
		path, err := d.keep(ctx, job)
		if err != nil {
			return err
		}
		what += " -> " + path
		if verdict := d.Judge(ctx, filepath.Join(d.Output, filepath.FromSlash(path))); verdict != "" {
			what += " (" + verdict + ")"
		}
	} else if job.ErrorMessage != "" {
		what += ": " + job.ErrorMessage
	}
	d.line(r, good, s.Key, what)
	return nil
}

// keep fetches an output into the data folder and returns its place there. A key that would lead out of the folder is
// replaced by the job's id.
func (d Demo) keep(ctx context.Context, j Job) (string, error) {
	name := filepath.FromSlash(j.OutputKey)
	if !filepath.IsLocal(name) {
		name = j.ID
	}
	path := filepath.Join(d.Output, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("keep the output of job %s: %w", j.ID, err)
	}
	f, err := os.Create(path)
	if err != nil {
		return "", fmt.Errorf("keep the output of job %s: %w", j.ID, err)
	}
	return filepath.ToSlash(name), errors.Join(d.Client.Output(ctx, j.ID, f), f.Close())
}

// giveUp prints what has not ended in time. A sample without a job is not known to be as expected then.
func (d Demo) giveUp(open map[string]Sample, r Result) Result {
	for _, s := range sorted(open) {
		d.line(&r, false, s.Key, "did not end in time, expected "+s.expectation())
	}
	return r
}

func (d Demo) line(r *Result, good bool, key, what string) {
	mark := "ok "
	if r.Expected++; !good {
		mark = "NOT"
		r.Expected, r.Unexpected = r.Expected-1, r.Unexpected+1
	}
	fmt.Fprintf(d.Out, "%s  %s  %s\n", mark, key, what)
}
