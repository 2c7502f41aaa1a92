package workflow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// collect fetches the signed document of a job that was taken up at Lacuna Signer, and takes the job through the same tail
// as a local one, under the terms of its claim. Until the document is in hand everything can be repeated.
func (w *Workflow) collect(ctx context.Context, r run, j job.Job) error {
	if w.Signer == nil {
		return w.release(ctx, r, j, "this service has no Signer:Endpoint and Signer:ApiKey.")
	}
	doc, err := w.Signer.Document(ctx, j.Remote.DocumentID)
	if err != nil {
		return w.unanswered(ctx, r, j, job.OpPoll, err)
	}
	switch {
	case doc.Status == job.SignerConcluded:
		return w.fetchSigned(ctx, r, j)
	case doc.Status.Ended():
		return w.fail(ctx, r, j, rejected(doc))
	}
	return w.release(ctx, r, j, fmt.Sprintf("the document is %s at Lacuna Signer.", word(string(doc.Status))))
}

// rejected is how a document ends that nobody will sign.
func rejected(doc job.SignerDocument) error {
	reason := doc.Reason
	if reason == "" {
		reason = "no reason was given"
	}
	return fault.New(fault.SignerDocumentRejected, "%s at Lacuna Signer: %s", doc.Status, reason)
}

// maxWord bounds a word of Signer's that is repeated.
const maxWord = 40

func word(s string) string {
	if len(s) > maxWord {
		return "in a status that is not known"
	}
	return s
}

// fetchSigned downloads the signed document and finishes the job.
func (w *Workflow) fetchSigned(ctx context.Context, r run, j job.Job) error {
	began := w.Now()
	signedDoc, err := w.download(ctx, j.Remote.DocumentID)
	if err != nil {
		return w.unanswered(ctx, r, j, job.OpDownload, err)
	}
	defer signedDoc.release(ctx)
	p, out, judge, err := w.returned(ctx, j, signedDoc)
	if err != nil {
		return w.stand(ctx, r, j, err)
	}
	if p.doc != nil {
		defer p.doc.release(ctx)
	}
	spent := w.Now().Sub(began)
	fetched, err := w.write(ctx, j, func(j job.Job) (job.Job, error) {
		return j.Spent(job.StageSigning, spent).Fetched(r.owner, p.output, w.Now())
	})
	if err != nil {
		return err
	}
	done := "Published what was signed at Lacuna Signer."
	return w.finish(ctx, r, fetched, p.target, out, done+p.note, judge)
}

// download brings the signed bytes into memory, or into a temporary file.
func (w *Workflow) download(ctx context.Context, id string) (*document, error) {
	s := w.spool(MaxDocument)
	err := w.Signer.Download(ctx, id, s)
	if err == nil && s.document.size == 0 {
		err = &job.SignerError{Op: "download the signed document", Status: 200, Transient: true, Cause: io.ErrUnexpectedEOF}
	}
	if err != nil {
		return nil, closing(&s.document, err)
	}
	return s.done(), nil
}

// unanswered counts a call that failed for a while against the job's budget, and ends the job by one that will always
// fail.
func (w *Workflow) unanswered(ctx context.Context, r run, j job.Job, op string, cause error) error {
	e, ok := errors.AsType[*job.SignerError](cause)
	if !ok || ctx.Err() != nil { // our own trouble, or no time left
		return w.stand(ctx, r, j, cause)
	}
	w.Meter.Count(job.MetricSignerErrors, 1, job.LabelOp, op)
	if !e.Transient {
		return w.fail(ctx, r, j, unreachable(cause, "the document may have been signed there"))
	}
	slog.WarnContext(ctx, "Lacuna Signer failed", logged(string(j.ID)), "op", op, "err", e)
	_, err := w.write(ctx, j, func(j job.Job) (job.Job, error) {
		return j.UnansweredTo(r.owner, e.Said(), w.Remote.MaxFailures, w.Now())
	})
	return err // nil: the next poll rings again
}

// stand ends a run that cannot fetch the document, or cannot make use of it: what may pass gives the claim back, and the
// job stands where it is; the rest fails it.
func (w *Workflow) stand(ctx context.Context, r run, j job.Job, cause error) error {
	if errors.Is(cause, fault.JobRaceLost) {
		return cause
	}
	code := fault.CodeOf(cause)
	_, signers := errors.AsType[*job.SignerError](cause)
	if !signers && code != fault.Internal && code != fault.Throttled {
		return w.fail(ctx, r, j, cause)
	}
	ctx, cancel := grace(ctx)
	defer cancel()
	return errors.Join(cause, w.release(ctx, r, j, "a service did not answer as expected."))
}

func (w *Workflow) release(ctx context.Context, r run, j job.Job, reason string) error {
	_, err := w.write(ctx, j, func(j job.Job) (job.Job, error) { return j.Release(r.owner, reason, w.Now()) })
	return err
}
