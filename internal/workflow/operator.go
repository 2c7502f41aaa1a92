package workflow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// cancelTime bounds the one call by which Lacuna Signer hears of a cancel: whoever canceled waits for it.
const cancelTime = 8 * time.Second

// usualReason is what Lacuna Signer shows where an operator gave no reason.
const usualReason = "Canceled by the operator."

// Cancel ends a job on an operator's word. It returns fault.JobNotQueued for a job that cannot be canceled, and
// fault.JobRaceLost if a run was faster. What waits at Lacuna Signer is canceled there too, as well as that goes: the job
// is canceled in any case, and its history says if Signer was not told.
func (w *Workflow) Cancel(ctx context.Context, id job.ID, reason string) (job.Job, error) {
	reason, err := checkReason(reason)
	if err != nil {
		return job.Job{}, err
	}
	j, err := w.Jobs.Get(ctx, id)
	if err != nil {
		return job.Job{}, err
	}
	waited := false
	first := true
	k, err := w.write(ctx, j, func(j job.Job) (job.Job, error) {
		k, err := j.Cancel(reason, w.Now())
		if errors.Is(err, fault.JobNotQueued) && !first {
			err = fault.New(fault.JobRaceLost, "the job went on meanwhile and is %s", j.Status)
		}
		waited, first = j.Status == job.AwaitingSigner, false
		return k, err
	})
	if err != nil {
		return job.Job{}, err
	}
	w.Meter.Count(job.MetricCanceled, 1)
	slog.InfoContext(ctx, "job canceled", logged(string(id)))
	if !waited {
		return k, nil
	}
	return w.tellSigner(ctx, k, reason), nil
}

// tellSigner cancels the document of a canceled job, once. The entry about a failure is worth one try.
func (w *Workflow) tellSigner(ctx context.Context, j job.Job, reason string) job.Job {
	var err error = errNoSigner
	if reason == "" {
		reason = usualReason
	}
	said := "this service has no Signer:Endpoint and Signer:ApiKey"
	if w.Signer != nil {
		bounded, cancel := context.WithTimeout(ctx, cancelTime)
		defer cancel()
		if err = w.Signer.Cancel(bounded, j.Remote.DocumentID, reason); err == nil {
			return j
		}
		said = "there was no time for the call"
		if e, ok := errors.AsType[*job.SignerError](err); ok {
			said = e.Said()
		}
	}
	slog.WarnContext(ctx, "document not canceled at Lacuna Signer", logged(string(j.ID)), "document", j.Remote.DocumentID, "err", err)
	noted, werr := w.write(ctx, j, func(j job.Job) (job.Job, error) {
		return j.Note("Warning: document "+j.Remote.DocumentID+" was not canceled at Lacuna Signer ("+said+"); its participant may still see it.", w.Now()), nil
	})
	if werr != nil {
		slog.ErrorContext(ctx, "warning not noted", logged(string(j.ID)), "err", werr)
		return j
	}
	return noted
}

// checkReason trims a reason and refuses one that is too long to keep.
func checkReason(reason string) (string, error) {
	reason = strings.TrimSpace(reason)
	if utf8.RuneCountInString(reason) > job.MaxReason {
		return "", fault.New(fault.ValidationReasonTooLong, "the reason has more than %d characters", job.MaxReason)
	}
	return reason, nil
}

// Retry makes a new job of one that has failed, for the same object or the same document and action. Of two retries at
// once one makes a job. The old job's history names the new one, and the new one's the old.
func (w *Workflow) Retry(ctx context.Context, id job.ID) (job.Job, error) {
	return w.tryAgain(ctx, id, "")
}

// RetryOnce is Retry for a request that its client may repeat: under the same key it makes one job.
func (w *Workflow) RetryOnce(ctx context.Context, id job.ID, key job.IdempotencyKey) (job.Job, error) {
	if key == "" {
		return w.Retry(ctx, id)
	}
	if child, err := w.answered(ctx, key); err != nil || child.ID != "" {
		return child, err
	}
	child, err := w.tryAgain(ctx, id, key)
	if !errors.Is(err, fault.JobRaceLost) && !errors.Is(err, fault.JobAlreadyProcessing) {
		return child, err
	}
	// The same request may have been faster.
	if first, aerr := w.answered(ctx, key); aerr != nil || first.ID != "" {
		return first, aerr
	}
	return job.Job{}, err
}

// answered is the job that an earlier request with a key made, or none.
func (w *Workflow) answered(ctx context.Context, key job.IdempotencyKey) (job.Job, error) {
	id, err := w.Jobs.Answered(ctx, key)
	if err != nil || id == "" {
		return job.Job{}, err
	}
	return w.Jobs.Get(ctx, id)
}

func (w *Workflow) tryAgain(ctx context.Context, id job.ID, key job.IdempotencyKey) (job.Job, error) {
	parent, err := w.Jobs.Get(ctx, id)
	if err != nil {
		return job.Job{}, err
	}
	if err := parent.Retriable(); err != nil {
		return job.Job{}, err
	}
	method, err := w.retryMethod(ctx, parent)
	if err != nil {
		return job.Job{}, err
	}
	latest, err := w.latest(ctx, parent)
	if err != nil {
		return job.Job{}, err
	}
	child := parent.Again(method, w.Now())
	if err := w.retry(ctx, parent, child, latest, key); err != nil {
		return job.Job{}, err
	}
	w.retried(ctx, child)
	slog.InfoContext(ctx, "job retried", logged(string(id)), "by", child.ID)
	if err := w.Queue.Ring(ctx, []job.ID{child.ID}); err != nil { // recovery will
		slog.ErrorContext(ctx, "retry not rung for", logged(string(child.ID)), "err", err)
	}
	return child, nil
}

func (w *Workflow) retried(ctx context.Context, child job.Job) {
	if child.Method == profile.SignerFolder {
		w.Meter.Count(job.MetricFolderEnqueued, 1, job.LabelProfile, child.Profile)
		return
	}
	w.arrived(ctx, child)
}

// retryMethod refuses a retry that could not begin: the profile takes no more work or no files, or the input is gone.
func (w *Workflow) retryMethod(ctx context.Context, parent job.Job) (profile.Method, error) {
	p, err := w.Profiles.Get(ctx, parent.Profile)
	if err != nil {
		return "", fmt.Errorf("read profile %s: %w", parent.Profile, err)
	}
	switch {
	case !p.Enabled:
		return "", fault.New(fault.ProfileDisabled, "profile %s is disabled", p.Name)
	case parent.Method == profile.SignerFolder:
		return profile.SignerFolder, nil // a profile that has left the method fails the job at its claim
	case p.Method == profile.SignerFolder:
		return "", fault.New(fault.ProfileTakesNoFiles, "profile %s signs what waits at Lacuna Signer and takes no files", p.Name)
	}
	_, err = w.Inputs.Current(ctx, parent.Object.Key)
	return p.Method, err
}

// latest is the job that a retry takes over from: the last one about the same thing. It returns fault.JobAlreadyProcessing
// if that one is at work.
func (w *Workflow) latest(ctx context.Context, parent job.Job) (id job.ID, err error) {
	if parent.Method == profile.SignerFolder {
		id, err = w.Discoveries.Discovered(ctx, parent.Remote.DocumentID, parent.Remote.ActionID)
	} else {
		id, err = w.Arrivals.TakenIn(ctx, parent.Object)
	}
	if err != nil || id == parent.ID {
		return id, err
	}
	j, err := w.Jobs.Get(ctx, id)
	if errors.Is(err, fault.JobNotFound) {
		return id, nil
	}
	if err == nil && !j.Status.Final() {
		err = fault.New(fault.JobAlreadyProcessing, "job %s is at work on the same", id)
	}
	return id, err
}

// retry writes parent, child and record together. A lost reply is recognized by the child being there.
func (w *Workflow) retry(ctx context.Context, parent, child job.Job, latest job.ID, key job.IdempotencyKey) error {
	err := w.Jobs.Retry(ctx, parent.Retried(child.ID, w.Now()), child, latest, key)
	if err == nil {
		return nil
	}
	if _, gerr := w.Jobs.Get(ctx, child.ID); gerr == nil {
		return nil
	}
	if errors.Is(err, fault.JobRaceLost) {
		if _, lerr := w.latest(ctx, parent); errors.Is(lerr, fault.JobAlreadyProcessing) {
			return lerr
		}
	}
	return err
}
