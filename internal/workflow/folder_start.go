package workflow

import (
	"context"
	"errors"
	"fmt"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// attempt is a signature in a folder up to the point where only the key is missing.
type attempt struct {
	profile profile.Profile
	key     profile.Key
	cpf     string // of the certificate's holder
	ticket  job.Ticket
	started job.Started
}

// start does all that can be done, and all that can be refused, before the key is asked. It returns movedOn if there is
// nothing to sign any more.
func (w *Workflow) start(ctx context.Context, j job.Job) (*attempt, error) {
	a, err := w.entitled(ctx, j)
	if err != nil {
		return nil, err
	}
	q, err := w.approach(ctx, j, a)
	if err != nil {
		return nil, err
	}
	if a.ticket, err = w.Signer.ActionURL(ctx, q); err != nil {
		return nil, w.notBegun(ctx, j, a, err)
	}
	if a.started, err = w.Signer.Start(ctx, a.ticket, a.key.Certificate.Raw); err != nil {
		return nil, w.notBegun(ctx, j, a, err)
	}
	if err := signable(a.started, a.key.Certificate.PublicKey); err != nil {
		return nil, err
	}
	if err := a.key.Ready(ctx); err != nil {
		return nil, err
	}
	return a, w.Signer.Ready(ctx) // pays for handing the signature over
}

// entitled opens the profile of a claimed job as it is now: its key, and whom it signs for. A folder that vanished counts as
// the sweep left it; everything else is judged here and now.
func (w *Workflow) entitled(ctx context.Context, j job.Job) (*attempt, error) {
	p, err := w.Profiles.Get(ctx, j.Profile)
	if err != nil {
		return nil, fmt.Errorf("read profile %s: %w", j.Profile, err)
	}
	switch {
	case p.Method != profile.SignerFolder || p.SignerFolder == nil:
		return nil, fault.New(fault.SignerFolderProfileChanged, "Profile %s has left the method SignerFolder since the document was found. Nothing was signed.", p.Name)
	case w.Signer == nil:
		return nil, errNoSigner
	case vanished(p):
		return nil, degraded(p.Degraded)
	}
	a := &attempt{profile: p}
	if a.key, err = w.Keys.Open(ctx, p); err == nil {
		err = a.key.ValidAt(w.Now())
	}
	if err == nil {
		a.cpf, err = cpfOf(a.key.Certificate)
	}
	if err != nil {
		return nil, fmt.Errorf("open the key of profile %s: %w", p.Name, err)
	}
	return a, nil
}

// approach reads the document back and asks for the way to the holder's action, if it is the holder's turn.
func (w *Workflow) approach(ctx context.Context, j job.Job, a *attempt) (job.ActionQuery, error) {
	d, err := w.Signer.Document(ctx, j.Remote.DocumentID)
	if err != nil {
		return job.ActionQuery{}, w.unstarted(ctx, err)
	}
	action, err := current(d, j.Remote.ActionID, a.profile.SignerFolder.ID, a.cpf)
	if err != nil {
		return job.ActionQuery{}, err
	}
	q := job.ActionQuery{DocumentID: j.Remote.DocumentID, Identifier: a.cpf, Email: action.Email}
	if pendingOf(d, a.cpf) > 1 {
		q.ActionID = action.ID
	}
	return q, nil
}

// pendingOf counts what a document waits for from a person, approving too.
func pendingOf(d job.SignerDocument, cpf string) (n int) {
	for _, action := range d.Actions {
		if action.Identifier == cpf && action.Status == job.ActionPending {
			n++
		}
	}
	return n
}

// notPending are Signer's words for an action that waits for nobody, or not for whom it was asked.
var notPending = map[string]bool{"NoPendingActionFoundForEmailAndIdentifier": true, "SignatureNotPending": true, "FlowActionNotPending": true}

// notBegun says why Signer did not begin the signature. Where it says that the action is not pending, a second read
// decides: a document that moved on is no failure, and one that did not means that Signer does not know the holder.
func (w *Workflow) notBegun(ctx context.Context, j job.Job, a *attempt, cause error) error {
	e, ok := errors.AsType[*job.SignerError](cause)
	if !ok || !refusal(e) || !notPending[e.Code] {
		return w.unstarted(ctx, cause)
	}
	if _, err := w.approach(ctx, j, a); err != nil {
		return err
	}
	return fault.Wrap(fault.SignerFolderSignatureFailed, cause,
		"Lacuna Signer says %s, and the document shows the action as pending: its participant was not matched. Nothing was signed.", e.Code)
}

// unstarted gives a call that failed before anything was signed the code under which it ends the job. A call that failed
// because the run's time was up says nothing.
func (w *Workflow) unstarted(ctx context.Context, err error) error {
	e, ok := errors.AsType[*job.SignerError](err)
	switch {
	case !ok:
		return err
	case ctx.Err() != nil:
		return fmt.Errorf("ask Lacuna Signer to %s: %w", e.Op, ctx.Err())
	case refusal(e):
		return fault.Wrap(fault.SignerFolderSignatureFailed, err, "Lacuna Signer was asked to %s: %s. Nothing was signed.", e.Op, e.Said())
	}
	return fault.Wrap(fault.SignerUnreachable, err, "Lacuna Signer was asked to %s: %s. Nothing was signed.", e.Op, e.Said())
}

// refusal reports whether Signer itself said no: with a code of its own, for good, and not because it did not know us.
func refusal(e *job.SignerError) bool { return e.Code != "" && !e.Transient && !e.Denied() }
