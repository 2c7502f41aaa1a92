package workflow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// publishAll writes what a job publishes. An original that the output does not contain goes first: an output with this
// job's id is the proof that all is there.
func (w *Workflow) publishAll(ctx context.Context, r run, j job.Job, p target, out signed) (job.Job, error) {
	pub := job.Publication{Job: j.ID, Key: p.output, ContentType: out.contentType, Content: out.content, Begins: out.begins, Original: j.Object}
	if p.doc != nil { // of a document that is fetched back, only where it is needed
		pub.SHA256 = p.doc.sum
	}
	if out.beside && !p.besideThere {
		original := pub
		original.Key, original.ContentType, original.Begins = p.beside, "application/octet-stream", true
		original.Content = io.NewSectionReader(p.doc, 0, p.doc.size)
		var err error
		if j.Terms.Encrypt {
			if original.Content, err = w.envelope(ctx, original.Content); err != nil {
				return j, err
			}
			original.Begins = false
		}
		if j, err = w.publish(ctx, r, j, original); err != nil {
			return j, err
		}
	}
	return w.publish(ctx, r, j, pub)
}

// publish writes the output under its name, if the name is free. It repeats what may pass, since the signature is in hand
// and will not be made again: after every failure the bucket is asked what is there.
func (w *Workflow) publish(ctx context.Context, r run, j job.Job, p job.Publication) (job.Job, error) {
	for n := 0; ; n++ {
		k, err := w.put(ctx, r, j, p)
		if err == nil || errors.Is(err, fault.JobRaceLost) {
			return k, err
		}
		j = k
		owner, found := w.Outputs.Owner(ctx, p.Key)
		switch {
		case found == nil && owner == j.ID:
			return j, nil
		case found == nil:
			return j, fault.Wrap(fault.JobOutputExists, err, "an output of this name came first; it was not touched")
		case errors.Is(err, fault.JobOutputRefused), errors.Is(found, fault.JobOutputRefused):
			return j, fault.Wrap(fault.JobOutputRefused, errors.Join(err, found), "the bucket refuses the output; a signature was made and is lost")
		case !errors.Is(found, fault.JobOutputUnavailable):
			err = errors.Join(err, found)
		}
		slog.WarnContext(ctx, "output not published yet", logged(string(j.ID)), "try", n+1, "err", err)
		if !pause(ctx, n) {
			return j, err
		}
	}
}

// put publishes once. The id of a multipart upload is on the job before its first byte, so that whoever ends a dead run can
// abort it and nothing lands later.
func (w *Workflow) put(ctx context.Context, r run, j job.Job, p job.Publication) (job.Job, error) {
	if p.Content.Size() <= w.InMemory || p.Begins && p.Original.Size < w.InMemory {
		return j, w.Outputs.Put(ctx, p)
	}
	if j.Output.UploadID != "" {
		if err := w.Outputs.Abort(ctx, j.Output.UploadKey, j.Output.UploadID); err != nil {
			return j, fmt.Errorf("abort the earlier upload: %w", err)
		}
	}
	upload, err := w.Outputs.Begin(ctx, p)
	if err != nil {
		return j, fmt.Errorf("begin the upload: %w", err)
	}
	stages := j.Stages
	noted, err := w.write(ctx, j, func(j job.Job) (job.Job, error) { return j.Uploading(r.owner, p.Key, upload, w.Now()) })
	if err != nil {
		return j, errors.Join(err, w.Outputs.Abort(ctx, p.Key, upload))
	}
	noted.Stages = stages
	return noted, w.Outputs.Finish(ctx, p, upload)
}

// settle deals with the input of a published job: it goes if it is still what was signed. It may be repeated.
func (w *Workflow) settle(ctx context.Context, j job.Job) (fault.Code, string, error) {
	for n := 0; ; n++ {
		err := w.Inputs.Delete(ctx, j.Object)
		switch {
		case err == nil, errors.Is(err, fault.JobInputMissing):
			return "", "", nil
		case errors.Is(err, fault.JobInputDiverged):
			return fault.JobInputDiverged, "Another version of the input came meanwhile; it stays.", nil
		case errors.Is(err, fault.JobInputHeld):
			return fault.JobInputHeld, "The input may not be deleted; it stays.", nil
		}
		if !pause(ctx, n) {
			return "", "", err
		}
	}
}

// interrupt ends what a dead run left, by what is known. Its upload is aborted before the output is looked at, so that
// nothing can land after the look.
func (w *Workflow) interrupt(ctx context.Context, asked *words, j job.Job) (job.Job, error) {
	var e job.Ending
	switch {
	case j.Method == profile.SignerFolder && !j.Marked.IsZero():
		e = w.reported(ctx, asked, j)
	case j.Status == job.Verifying:
		var err error
		if e, err = w.evidence(ctx, j); err != nil {
			return j, fmt.Errorf("look for the output of job %s: %w", j.ID, err)
		}
	}
	looked := j.Claim
	k, err := w.write(ctx, j, func(j job.Job) (job.Job, error) {
		if j.Claim != looked { // what was looked at says nothing about another run
			return job.Job{}, fault.New(fault.JobRaceLost, "job %s was taken up by another run meanwhile", j.ID)
		}
		return j.Interrupt(e, w.Now())
	})
	if err != nil {
		return j, err
	}
	if k.Method == profile.SignerFolder && k.Status.Final() {
		w.attempted(ctx, k, k.Status, k.Code)
	}
	slog.WarnContext(ctx, "interrupted run ended", logged(string(k.ID)), "status", k.Status, "code", k.Code)
	return k, nil
}

// evidence looks for the output of a job that died in Verifying, and deals with the input if it is there.
func (w *Workflow) evidence(ctx context.Context, j job.Job) (job.Ending, error) {
	if j.Output.UploadID != "" {
		if err := w.Outputs.Abort(ctx, j.Output.UploadKey, j.Output.UploadID); err != nil {
			return job.Ending{}, err
		}
	}
	owner, err := w.Outputs.Owner(ctx, j.Output.Key)
	if errors.Is(err, fault.JobOutputUnavailable) || errors.Is(err, fault.JobOutputRefused) || err == nil && owner != j.ID {
		return job.Ending{}, nil
	}
	if err != nil {
		return job.Ending{}, err
	}
	code, message, err := w.settle(ctx, j)
	if err != nil {
		return job.Ending{}, err
	}
	return job.Ending{Published: true, Code: code, Message: message}, nil
}

// pause waits before the next try, longer each time. It reports false if there is no time for one.
func pause(ctx context.Context, n int) bool {
	t := time.NewTimer(min(200*time.Millisecond<<min(n, 10), 10*time.Second))
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
