package workflow

import (
	"context"
	"fmt"
	"log/slog"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// sign marks the job and asks its key, once.
func (w *Workflow) sign(ctx context.Context, r run, j job.Job, p *prepared) (job.Job, signed, error) {
	began := w.Now()
	if err := p.key.Ready(ctx); err != nil {
		return j, signed{}, err
	}
	marked, err := w.write(ctx, j, func(j job.Job) (job.Job, error) { return j.Mark(r.owner, p.output, w.Now()) })
	if err != nil {
		return j, signed{}, err
	}
	out, err := p.draft.sign(p.doc, p.key.Signer(ctx))
	if err != nil {
		return marked, signed{}, asked(err)
	}
	spent := w.Now().Sub(began)
	noted, err := w.write(ctx, marked, func(j job.Job) (job.Job, error) { return j.Spent(job.StageSigning, spent).Signed(r.owner, w.Now()) })
	if err != nil {
		return marked, signed{}, fmt.Errorf("note the signature: %w", unsaved{err})
	}
	w.restore(ctx, p.profile)
	return noted, out, nil
}

// restore takes back the note that a profile cannot sign, now that it has signed. A note that stays is put right by the
// next job.
func (w *Workflow) restore(ctx context.Context, p profile.Profile) {
	if p.Degraded.Code == "" {
		return
	}
	if err := w.Profiles.Restore(ctx, p.Name); err != nil {
		slog.ErrorContext(ctx, "profile still marked as degraded", "profile", p.Name, "err", err)
	}
}

// asked gives an error of the key a code. One without a code proves nothing, so that the key may have signed.
func asked(err error) error {
	if fault.CodeOf(err) != fault.Internal {
		return err
	}
	return fault.Wrap(fault.JobKeySilent, err, "the key did not answer; it may have been asked")
}

// unsaved marks an error after which the job must be left to recovery: a signature was made and could not be noted.
type unsaved struct{ error }

func (u unsaved) Unwrap() error { return u.error }
