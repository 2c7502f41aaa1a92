package workflow

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// handOverTime is what a run must have left to ask the key: a signature that is cut off on its way may have been accepted
// or not.
const handOverTime = 15 * time.Second

// signFolder takes a claimed SignerFolder job to its end: everything that can refuse, the mark, the key, and the signature's
// way to Lacuna Signer. Nothing is begun or handed over twice within a run, and the document is never canceled or refused
// there: it is not ours.
func (w *Workflow) signFolder(ctx context.Context, r run, j job.Job) error {
	began := w.Now()
	a, err := w.start(ctx, j)
	if err == nil && r.end.Sub(w.Now()) < handOverTime {
		err = fault.New(fault.Throttled, "the time that is left is too short to sign and to hand the signature over")
	}
	if err != nil {
		return w.endFolder(ctx, r, j, err)
	}
	marked, err := w.write(ctx, j, func(j job.Job) (job.Job, error) { return j.Mark(r.owner, "", w.Now()) })
	if err != nil {
		return w.endFolder(ctx, r, j, err)
	}
	signature, err := a.key.Signer(ctx).Sign(rand.Reader, a.started.Hash, a.started.Digest)
	if err != nil {
		return w.endFolder(ctx, r, marked, unsigned(err))
	}
	// Written before the signature leaves: a job past its key that is not in Verifying has handed nothing over.
	spent := w.Now().Sub(began)
	signed, err := w.write(ctx, marked, func(j job.Job) (job.Job, error) { return j.Spent(job.StageSigning, spent).Signed(r.owner, w.Now()) })
	if err != nil {
		return w.endFolder(ctx, r, marked, fmt.Errorf("note the signature: %w", unsaved{err}))
	}
	return w.handOver(ctx, r, signed, a, signature)
}

// unsigned says how a key came not to sign. Proof that it was not asked keeps its code, so that the claim is given back.
func unsigned(err error) error {
	const untouched = "Nothing was handed over; the document is untouched at Lacuna Signer."
	switch code := fault.CodeOf(err); code {
	case fault.Throttled:
		return err
	case fault.Internal, fault.JobKeySilent:
		return fault.Wrap(fault.SignerFolderKeyUnavailable, err, "The key did not answer; it may have signed. %s", untouched)
	default:
		return fault.Wrap(fault.SignerFolderKeyUnavailable, err, "The key would not sign (%s): %s. %s", code, fault.DetailOf(err), untouched)
	}
}

// handOver gives the signature to Lacuna Signer, once, and completes the job on its answer.
func (w *Workflow) handOver(ctx context.Context, r run, j job.Job, a *attempt, signature []byte) error {
	began := w.Now()
	handed, err := w.Signer.Complete(ctx, a.ticket, a.started.Token, signature)
	if err == nil && !handed.Accepted {
		err = fault.New(fault.SignerFolderSignatureRefused, "The signature was handed over, and Lacuna Signer refused it: %s.", findings(handed.Findings))
	} else if err != nil {
		err = unaccepted(err)
	}
	if err != nil {
		return w.endFolder(ctx, r, j, err)
	}
	ended := w.Now()
	last, cancel := grace(ctx) // the run's own time may be over, and what Signer has accepted must be told
	defer cancel()
	j = j.Spent(job.StageVerification, ended.Sub(began))
	if err := w.complete(last, r, j, "", "Lacuna Signer accepted the signature and keeps the document.", ended); err != nil {
		if errors.Is(err, fault.JobNotFound) { // its record was deleted meanwhile, and nobody else will tell
			w.attempted(last, j, job.Completed, "")
		}
		return fmt.Errorf("complete job %s: %w", j.ID, err)
	}
	w.attempted(last, j, job.Completed, "")
	w.restore(last, a.profile)
	return nil
}

// unaccepted says what is known of a signature whose handing over brought no answer that can be used.
func unaccepted(err error) error {
	e, ok := errors.AsType[*job.SignerError](err)
	switch {
	case errors.Is(err, fault.Throttled):
		return fault.Wrap(fault.SignerUnreachable, err, "There was no time left to hand the signature over; the document is untouched at Lacuna Signer.")
	case !ok:
		return fault.Wrap(fault.SignerUnreachable, err, "The signature could not be handed over, for a trouble of this service; the document is untouched at Lacuna Signer.")
	case e.Unsent:
		return fault.Wrap(fault.SignerUnreachable, err, "The signature was not handed over: Lacuna Signer could not be reached. The document is untouched there.")
	case refusal(e):
		return fault.Wrap(fault.SignerFolderSignatureFailed, err, "The signature was handed over, and %s. Lacuna Signer did not accept it.", e.Said())
	case e.Refusal():
		return fault.Wrap(fault.SignerUnreachable, err, "The signature was handed over, and %s. Lacuna Signer did not accept it.", e.Said())
	}
	return fault.Wrap(fault.SignerUnreachable, err, "The signature was handed over, and %s. Lacuna Signer may have accepted it.", e.Said())
}

// endFolder ends a run that does not sign, or whose signature was not accepted. What may pass gives the claim back as long
// as nothing was signed.
func (w *Workflow) endFolder(ctx context.Context, r run, j job.Job, cause error) error {
	if m, ok := errors.AsType[movedOn](cause); ok {
		return w.withdraw(ctx, r, j, m)
	}
	_, left := errors.AsType[unsaved](cause)
	code := fault.CodeOf(cause)
	if left || code == fault.JobRaceLost || code == fault.Throttled || code == fault.Internal {
		return w.stop(ctx, r, j, cause)
	}
	ctx, cancel := grace(ctx)
	defer cancel()
	if err := w.fail(ctx, r, j, cause); err != nil {
		return err
	}
	w.attempted(ctx, j, job.Failed, code)
	return nil
}

// withdraw ends a job whose document moved on before it was signed here. Nothing went wrong.
func (w *Workflow) withdraw(ctx context.Context, r run, j job.Job, m movedOn) error {
	ctx, cancel := grace(ctx)
	defer cancel()
	k, err := w.write(ctx, j, func(j job.Job) (job.Job, error) { return j.Withdraw(r.owner, m.message(), w.Now()) })
	if err != nil {
		return err
	}
	slog.InfoContext(ctx, "job withdrawn: its document moved on", logged(string(k.ID)), "document", k.Remote.DocumentID)
	w.attempted(ctx, k, k.Status, "")
	return nil
}

// attempted tells how a SignerFolder job ended that a run had begun, in that run or after it had died.
func (w *Workflow) attempted(ctx context.Context, j job.Job, s job.Status, c fault.Code) {
	outcome := job.OutcomeFailed
	about := fmt.Sprintf("document %s of profile %s, job %s", j.Remote.DocumentID, j.Profile, j.ID)
	switch {
	case s == job.Completed:
		outcome = job.OutcomeSigned
		w.journal(ctx, job.EventJobSignedAtSigner, "Lacuna Signer accepted the signature: "+about+".")
	case s == job.Canceled:
		outcome = job.OutcomeNoLongerPending
		w.journal(ctx, job.EventJobNoLongerPendingAtSigner, "The document moved on before it was signed here: "+about+".")
	case c == fault.SignerFolderSignatureRefused:
		outcome = job.OutcomeRefused
	}
	w.Meter.Count(job.MetricFolderSignatures, 1, job.LabelOutcome, outcome)
}
