// Package demo tries the running service out: it drops sample documents where files arrive and has others created at Lacuna
// Signer, follows their jobs through the REST API like any client, does what operators do, fetches what was signed, and says
// what became of each and whether that was expected.
package demo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"time"
)

// Demo is one round of samples.
type Demo struct {
	Files   fs.FS // the samples' files
	Samples []Sample
	Client  *Client
	Signer  Signer                                                          // asked about samples that have a document there
	Put     func(ctx context.Context, key string, body io.ReadSeeker) error // drops a file into the input bucket
	Idle    func(ctx context.Context) (bool, error)                         // reports that nothing waits any more
	Judge   func(ctx context.Context, path string) string                   // an outside verdict on an output, or ""
	Output  string                                                          // folder where outputs are kept
	Out     io.Writer
	Every   time.Duration // between two looks
	Now     func() time.Time

	// MoveBack has a job that waits for a person wait since an earlier time.
	MoveBack func(ctx context.Context, id string, by time.Duration) error
}

// Result counts how the samples ended.
type Result struct {
	Expected, Unexpected int
}

// Run drops the samples, follows them until all have ended or ctx ends, and prints a line for each. Samples that no
// notification tells of are CreateSilent's to create.
func (d Demo) Run(ctx context.Context) (Result, error) {
	open := make(map[string]*attempt, len(d.Samples))
	for _, s := range d.Samples {
		open[s.Key] = &attempt{Sample: s, made: d.Now()}
		if err := d.begin(ctx, s); err != nil {
			return Result{}, err
		}
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

// begin brings a sample to where it belongs.
func (d Demo) begin(ctx context.Context, s Sample) error {
	if s.inFolder() {
		if s.silent() {
			return nil
		}
		return d.create(s)
	}
	body, err := s.content(d.Files)
	if err != nil {
		return err
	}
	if err := d.Put(ctx, s.Key, bytes.NewReader(body)); err != nil {
		return fmt.Errorf("drop %s: %w", s.Key, err)
	}
	return nil
}

// look does what operators do and prints what has ended since it last looked. It reports true when nothing is left to wait
// for: samples without a job are settled when the queue is empty and the others have ended.
func (d Demo) look(ctx context.Context, open map[string]*attempt, r *Result) (bool, error) {
	idle, err := d.Idle(ctx) // before the list: what was in the queue by then is in the list now
	if err != nil {
		return false, ignoreEnd(ctx, err)
	}
	rows, err := d.Client.Jobs(ctx)
	if err != nil {
		return false, ignoreEnd(ctx, err)
	}
	for _, row := range rows {
		a, ok := open[row.key()]
		if !ok || a.job != "" && a.job != row.ID {
			continue
		}
		ended, err := d.follow(ctx, a, row, r)
		if err != nil {
			return false, ignoreEnd(ctx, err)
		}
		if ended {
			delete(open, a.Key)
		}
	}
	if !idle || waiting(open) {
		return false, nil
	}
	for _, a := range sorted(open) {
		d.line(r, true, a.label(), "left where it is: no job")
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
func waiting(open map[string]*attempt) bool {
	for _, a := range open {
		if a.Status != none {
			return true
		}
	}
	return false
}

// follow goes on with a sample's job, and reports whether it has ended and was printed.
func (d Demo) follow(ctx context.Context, a *attempt, row Row, r *Result) (bool, error) {
	if acted, err := d.act(ctx, a, row); acted || err != nil || !row.ended() {
		return false, err
	}
	return d.report(ctx, a, row.ID, r)
}

// giveUp prints what has not ended in time. A sample without a job is not known to be as expected then.
func (d Demo) giveUp(open map[string]*attempt, r Result) Result {
	for _, a := range sorted(open) {
		d.line(&r, false, a.label(), "did not end in time, expected "+a.expectation())
	}
	return r
}

func (d Demo) line(r *Result, good bool, label, what string) {
	mark := "ok "
	if r.Expected++; !good {
		mark = "NOT"
		r.Expected, r.Unexpected = r.Expected-1, r.Unexpected+1
	}
	fmt.Fprintf(d.Out, "%s  %s  %s\n", mark, label, what)
}
