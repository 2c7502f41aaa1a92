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
	return w.release(ctx, r, j, fmt.Sprintf("the document is %s at Lacuna Signer.", brief(string(doc.Status))))
}

// rejected is how a document ends that nobody will sign.
func rejected(doc job.SignerDocument) error {
	reason := doc.Reason
	if reason == "" {
		reason = "no reason was given"
	}
	return fault.New(fault.SignerDocumentRejected, "%s at Lacuna Signer: %s", doc.Status, reason)
}

// fetchSigned downloads the signed document and finishes the job.
func (w *Workflow) fetchSigned(ctx context.Context, r run, j job.Job) error {
	began := w.Now()
	limit, err := w.signedLimit(ctx, j)
	if err != nil {
		return w.stand(ctx, r, j, err)
	}
	signedDoc, err := w.download(ctx, j.Remote.DocumentID, limit)
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
	p.target.done, p.target.differs = "Published what was signed at Lacuna Signer."+p.note, p.note != ""
	err = w.finish(ctx, r, fetched, p.target, out, judge)
	if err != nil && !errors.Is(err, fault.JobRaceLost) {
		return w.stand(ctx, r, fetched, err) // what was fetched can be fetched again
	}
	return err
}

// signedLimit bounds what is fetched. An output that is to be encrypted waits until it can be: a person has signed it.
func (w *Workflow) signedLimit(ctx context.Context, j job.Job) (int64, error) {
	switch {
	case !j.Terms.Encrypt:
		return MaxDocument, nil
	case w.Cipher == nil:
		return 0, errors.New("the output is to be encrypted, and Encryption:Enabled is false")
	}
	if err := w.Cipher.Ready(ctx); err != nil {
		return 0, fmt.Errorf("make the key of encrypted outputs: %v", err) // its code is no verdict on the document
	}
	return min(MaxDocument, w.MaxEncrypt), nil
}

// download brings the signed bytes into memory, or into a temporary file.
func (w *Workflow) download(ctx context.Context, id string, limit int64) (*document, error) {
	s := w.spool(limit)
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
	if !ok || ctx.Err() != nil && op != job.OpDownload { // our own trouble, or no time left
		return w.stand(ctx, r, j, cause)
	}
	ctx, cancel := grace(ctx) // a transfer that does not end within a run has failed
	defer cancel()
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

// stand ends a run that cannot fetch the document, or cannot make use of it. What may pass lets the job rest where it
// stands, until a day of it is enough; the rest fails it. The message is done with: recovery rings.
func (w *Workflow) stand(ctx context.Context, r run, j job.Job, cause error) error {
	if errors.Is(cause, fault.JobRaceLost) {
		return cause
	}
	ctx, cancel := grace(ctx) // the run's own time may be over
	defer cancel()
	code := fault.CodeOf(cause)
	_, signers := errors.AsType[*job.SignerError](cause)
	if !signers && code != fault.Internal && code != fault.Throttled {
		return w.fail(ctx, r, j, cause)
	}
	if since := j.Remote.Troubled; !since.IsZero() && w.Now().Sub(since) > patience {
		return w.fail(ctx, r, j, fault.Wrap(fault.JobGivenUp, cause,
			"the document was signed, and for a day it could not be fetched, verified and published; it is kept at Lacuna Signer"))
	}
	slog.ErrorContext(ctx, "job postponed", logged(string(j.ID)), "code", code, "err", cause)
	_, err := w.write(ctx, j, func(j job.Job) (job.Job, error) {
		return j.Postpone(r.owner, "a service did not answer as expected; the document is fetched again.", w.Now())
	})
	return err
}

func (w *Workflow) release(ctx context.Context, r run, j job.Job, reason string) error {
	_, err := w.write(ctx, j, func(j job.Job) (job.Job, error) { return j.Release(r.owner, reason, w.Now()) })
	return err
}
