package workflow

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// target is what a job publishes and where.
type target struct {
	doc    *document // the input
	output string    // key
	beside string    // key of the original, where the output does not contain it

	besideThere bool // already, from an earlier run

	done    string // what the history says in the end
	differs bool   // the output is not of what was sent: the input stays
}

// nameOutput names the output, and the original beside it if the signature is detached, and finds out whether the names
// are free.
func (w *Workflow) nameOutput(ctx context.Context, j job.Job, p *target, name string, detached bool) error {
	p.output = outputKey(j, name)
	if err := w.free(ctx, j, p.output); err != nil || !detached {
		return err
	}
	p.beside = outputKey(j, naming(j, true).BesideName(j.FileName))
	err := w.free(ctx, j, p.beside)
	if !errors.Is(err, fault.JobOutputExists) {
		return err
	}
	// The same original may be there from a run that was lost before its signature was published.
	there, herr := w.Outputs.Holds(ctx, p.beside, p.doc.size, p.doc.sum)
	if herr != nil {
		return fmt.Errorf("look at the original beside the output: %w", herr)
	}
	if p.besideThere = there; there {
		return nil
	}
	return err
}

// free returns fault.JobOutputExists if another's output has the key, and fault.JobPathTooLong if S3 cannot have one
// under it. A job that has not been marked has published nothing: an output of its own says that the table was set back to a
// moment before it, and that the job is done.
func (w *Workflow) free(ctx context.Context, j job.Job, key string) error {
	if len(key) > job.MaxNameBytes {
		return fault.New(fault.JobPathTooLong, "the output's key would have %d bytes, more than S3's %d", len(key), job.MaxNameBytes)
	}
	owner, err := w.Outputs.Owner(ctx, key)
	own := err == nil && owner == j.ID
	if errors.Is(err, fault.JobOutputUnavailable) || own && j.Status != job.Processing {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at the output: %w", err)
	}
	if own {
		return fault.New(fault.JobOutputExists, "the output of this very job is there already, so that its record is older than its output; it was not touched")
	}
	return fault.New(fault.JobOutputExists, "there is an output with this name already; it was not touched")
}

// outputKey is where a job publishes. Uploads have a folder of their own each, since their names are their clients'.
func outputKey(j job.Job, name string) string {
	if strings.HasPrefix(j.Object.Key, job.UploadPrefix) {
		return path.Join(job.UploadPrefix, string(j.ID), name)
	}
	return j.Folder + "/" + name
}
