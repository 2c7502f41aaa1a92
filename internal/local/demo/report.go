package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// report prints a job that has ended and keeps what was signed. It reports false while the document at Lacuna Signer has not
// come to its end.
func (d Demo) report(ctx context.Context, a *attempt, id string, r *Result) (bool, error) {
	j, err := d.Client.Job(ctx, id)
	if err != nil {
		return false, err
	}
	there, goodThere, settled, err := d.there(a, j)
	if err != nil || !settled {
		return false, err
	}
	what, good := j.outcome(), a.expects(j.Row)
	if !good {
		what += ", expected " + a.expectation()
	}
	what += j.Timings.String()
	found, goodFound := a.found(j)
	for _, said := range []string{a.note, found, there} {
		if said != "" {
			what += "; " + said
		}
	}
	kept, err := d.kept(ctx, a, j)
	if err != nil {
		return false, err
	}
	d.line(r, good && goodThere && goodFound, a.label(), what+kept)
	return true, nil
}

// kept keeps what was signed, and says where it is and what an outsider thinks of it, or why nothing was.
func (d Demo) kept(ctx context.Context, a *attempt, j Job) (said string, err error) {
	var path string
	switch {
	case j.OutputKey != "":
		path, err = d.keep(j, j.OutputKey, func(w io.Writer) error { return d.Client.Output(ctx, j.ID, w) })
	case a.inFolder() && j.Status == "Completed":
		path, err = d.keepThere(j)
	case j.ErrorMessage != "":
		return ": " + j.ErrorMessage, nil
	}
	if path == "" || err != nil {
		return "", err
	}
	said = " -> " + path
	if verdict := d.Judge(ctx, filepath.Join(d.Output, filepath.FromSlash(path))); verdict != "" {
		said += " (" + verdict + ")"
	}
	return said, nil
}

// keep writes a file into the data folder and returns its place there. A name that would lead out of the folder is replaced
// by the job's id.
func (d Demo) keep(j Job, name string, write func(io.Writer) error) (string, error) {
	name = filepath.FromSlash(name)
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
	return filepath.ToSlash(name), errors.Join(write(f), f.Close())
}
