package workflow

import (
	"context"
	"errors"
	"fmt"
	"path"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// nameOutput names the output, and the original beside it if the profile detaches, and finds out whether the names are
// free.
func (w *Workflow) nameOutput(ctx context.Context, j job.Job, p *prepared) error {
	p.output = outputKey(j, p.draft.name(j.FileName))
	if err := w.free(ctx, p.output); err != nil {
		return err
	}
	if c, ok := p.draft.(cms); !ok || !c.detached {
		return nil
	}
	p.beside = outputKey(j, j.FileName)
	err := w.free(ctx, p.beside)
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

// free returns fault.JobOutputExists if an output has the key, and fault.JobPathTooLong if S3 cannot have one under it.
func (w *Workflow) free(ctx context.Context, key string) error {
	if len(key) > job.MaxNameBytes {
		return fault.New(fault.JobPathTooLong, "the output's key would have %d bytes, more than S3's %d", len(key), job.MaxNameBytes)
	}
	_, err := w.Outputs.Owner(ctx, key)
	if errors.Is(err, fault.JobOutputUnavailable) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at the output: %w", err)
	}
	return fault.New(fault.JobOutputExists, "there is an output with this name already; it was not touched")
}

// outputKey is where a job publishes. Uploads have a folder of their own each, since their names are their clients'.
func outputKey(j job.Job, name string) string {
	if j.Source == job.Upload {
		return path.Join(job.UploadPrefix, string(j.ID), name)
	}
	return j.Folder + "/" + name
}
