package workflow

import (
	"context"
	"crypto"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"strings"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/verify"
)

// prepared is a Local job up to the point where only the key is missing.
type prepared struct {
	profile profile.Profile
	key     profile.Key
	doc     *document
	draft   draft
	output  string // key
	beside  string // key of the original, where the output does not contain it

	besideThere bool // already, from an earlier run
}

// carry takes a claimed Local job to its end: everything that can refuse, the mark, the key, and the tail.
func (w *Workflow) carry(ctx context.Context, r run, j job.Job) error {
	p, err := w.prepare(ctx, j)
	if err != nil {
		return w.stop(ctx, r, j, err)
	}
	defer p.doc.release(ctx)
	j, out, err := w.sign(ctx, r, j, p)
	if err != nil {
		return w.stop(ctx, r, j, err)
	}
	return w.finish(ctx, r, j, p, out)
}

// prepare does all that can be done, and all that can be refused, before the key is asked.
func (w *Workflow) prepare(ctx context.Context, j job.Job) (*prepared, error) {
	p, key, err := w.open(ctx, j)
	if err != nil {
		return nil, err
	}
	if j.Object.Size > MaxDocument {
		return nil, fault.New(fault.JobInputTooLarge, "the document has %d bytes, more than %d", j.Object.Size, MaxDocument)
	}
	if j.Source == job.Upload && w.MaxUpload > 0 && j.Object.Size > w.MaxUpload {
		return nil, fault.New(fault.UploadTooLarge, "the upload has %d bytes, more than %d", j.Object.Size, w.MaxUpload)
	}
	out := &prepared{profile: p, key: key}
	if _, err := w.Inputs.Current(ctx, j.Object.Key); err != nil {
		return nil, fmt.Errorf("look at the input: %w", err) // hidden: somebody withdrew it; another version: this one is still to be signed
	}
	if out.doc, err = w.fetch(ctx, j.Object, digest(p)); err != nil {
		return nil, err
	}
	if out.draft, err = w.layOut(ctx, out.doc, j.Format, p, key); err == nil {
		err = w.nameOutput(ctx, j, out)
	}
	if err != nil {
		out.doc.release(ctx)
		return nil, err
	}
	return out, nil
}

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

// open reads the profile and opens its key.
func (w *Workflow) open(ctx context.Context, j job.Job) (profile.Profile, profile.Key, error) {
	p, err := w.Profiles.Get(ctx, j.Profile)
	if err != nil {
		return profile.Profile{}, profile.Key{}, fmt.Errorf("read profile %s: %w", j.Profile, err)
	}
	key, err := w.Keys.Open(ctx, p)
	if err == nil {
		err = key.ValidAt(w.Now())
	}
	if err == nil && p.ValidateCertificate {
		err = w.Trust.Validate(ctx, key.Certificate, key.Chain, w.Now())
	}
	if err != nil {
		return p, profile.Key{}, fmt.Errorf("open the key of profile %s: %w", p.Name, err)
	}
	return p, key, nil
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
	w.restore(ctx, p.profile)
	spent := w.Now().Sub(began)
	noted, err := w.write(ctx, marked, func(j job.Job) (job.Job, error) { return j.Spent(job.StageSigning, spent).Signed(r.owner, w.Now()) })
	if err != nil {
		return marked, signed{}, fmt.Errorf("note the signature: %w", unsaved{err})
	}
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

// Patience with what may pass. A message comes again at growing intervals for a while; after that recovery rings for the
// job, and after a day somebody has to look.
const (
	messageComesAgain = 10 * time.Minute
	patience          = 24 * time.Hour
)

// stop ends a run that cannot go on before the signature is noted: what may pass gives the claim back, what will not
// fails the job, and a claim that is lost is let go.
func (w *Workflow) stop(ctx context.Context, r run, j job.Job, cause error) error {
	if _, left := errors.AsType[unsaved](cause); left || errors.Is(cause, fault.JobRaceLost) {
		return cause
	}
	timeUp := ctx.Err() != nil
	ctx, cancel := grace(ctx)
	defer cancel()
	switch code := fault.CodeOf(cause); {
	case code == fault.Throttled, timeUp && (code == fault.Internal || code == fault.RevocationUnavailable):
		return errors.Join(cause, w.giveBack(ctx, r, j, cause))
	case code != fault.Internal:
		return w.fail(ctx, r, j, cause)
	case w.Now().Sub(j.CreatedAt) > patience:
		return w.fail(ctx, r, j, fault.Wrap(fault.JobGivenUp, cause, "for a day a service did not answer as expected; nothing was signed"))
	case w.Now().Sub(j.CreatedAt) > messageComesAgain:
		slog.ErrorContext(ctx, "job given back", logged(string(j.ID)), "err", cause)
		return w.giveBack(ctx, r, j, cause)
	}
	return errors.Join(cause, w.giveBack(ctx, r, j, cause))
}

// giveBack returns the job to the queue. nil means that its message is done with: recovery will ring.
func (w *Workflow) giveBack(ctx context.Context, r run, j job.Job, cause error) error {
	_, err := w.write(ctx, j, func(j job.Job) (job.Job, error) { return j.GiveBack(r.owner, mayPass(cause), w.Now()) })
	return err
}

// mayPass says in the history why a claim was given back; causes can quote what must not be shown.
func mayPass(cause error) string {
	switch {
	case errors.Is(cause, fault.Throttled):
		return "a service asked to slow down, or the run's time was up; nothing was signed."
	case errors.Is(cause, context.DeadlineExceeded), errors.Is(cause, context.Canceled):
		return "the run's time was up; nothing was signed."
	}
	return "a service did not answer as expected; nothing was signed."
}

// fail ends a job. What speaks of the profile is noted on the profile too.
func (w *Workflow) fail(ctx context.Context, r run, j job.Job, cause error) error {
	code, detail := fault.CodeOf(cause), fault.DetailOf(cause)
	if degrading[code] {
		d := profile.Degradation{Code: string(code), Reason: detail, Since: w.Now()}
		if err := w.Profiles.Degrade(ctx, j.Profile, d); err != nil {
			slog.ErrorContext(ctx, "profile not marked as degraded", "profile", j.Profile, "code", code, "err", err)
		}
		code, detail = fault.ProfileDegraded, fmt.Sprintf("%s: %s", code, detail)
	}
	slog.WarnContext(ctx, "job fails", logged(string(j.ID)), "code", code, "cause", behind(cause)) // the detail can quote the document
	_, err := w.write(ctx, j, func(j job.Job) (job.Job, error) { return j.Fail(r.owner, code, detail, w.Now()) })
	return err
}

// behind is what an error with a code was caused by, if anything: a service's answer, say.
func behind(err error) error {
	if e, ok := errors.AsType[*fault.Error](err); ok {
		return e.Cause
	}
	return err
}

// finish verifies, publishes, deals with the input and completes, in this order. Whatever may pass is tried until the
// run's time is up; then recovery ends the job by what is there.
func (w *Workflow) finish(ctx context.Context, r run, j job.Job, p *prepared, out signed) error {
	began := w.Now()
	if err := w.verify(j, p.key, out); err != nil {
		return w.fail(ctx, r, j, err)
	}
	verified := w.Now()
	if j.Terms.Verify {
		j = j.Spent(job.StageVerification, verified.Sub(began))
	}
	j, err := w.publishAll(ctx, r, j, p, out)
	if errors.Is(err, fault.JobOutputExists) {
		return w.fail(ctx, r, j, err)
	}
	if err != nil {
		return fmt.Errorf("publish the output of job %s: %w", j.ID, err)
	}
	code, message, err := w.settle(ctx, j)
	if err != nil {
		return fmt.Errorf("deal with the input of job %s: %w", j.ID, err)
	}
	return w.complete(ctx, r, j, code, "Signed and published. "+message, verified)
}

func (w *Workflow) complete(ctx context.Context, r run, j job.Job, c fault.Code, message string, from time.Time) error {
	spent := w.Now().Sub(from)
	stages := j.Stages
	done, err := w.write(ctx, j, func(j job.Job) (job.Job, error) {
		j.Stages = stages // a job read again has not the times that were not written yet
		return j.Spent(job.StageOutput, spent).Complete(r.owner, c, strings.TrimSpace(message), w.Now())
	})
	if err != nil {
		return err
	}
	slog.InfoContext(ctx, "job completed", logged(string(done.ID)), "profile", done.Profile, "took", done.UpdatedAt.Sub(done.CreatedAt))
	return nil
}

// verify judges the output as an outsider would, from its bytes alone.
func (w *Workflow) verify(j job.Job, key profile.Key, out signed) error {
	if !j.Terms.Verify {
		return nil
	}
	report, err := out.judge(verify.Options{Anchors: w.Anchors, At: w.Now(), Policy: j.Terms.RequirePolicy, Signer: key.Certificate})
	if err == nil {
		err = report.Err()
	}
	if err != nil {
		return fault.Wrap(fault.JobVerifyFailed, err, "the signature does not verify, nothing was published: %s", fault.DetailOf(err))
	}
	return nil
}

// outputKey is where a job publishes. Uploads have a folder of their own each, since their names are their clients'.
func outputKey(j job.Job, name string) string {
	if j.Source == job.Upload {
		return path.Join(job.UploadPrefix, string(j.ID), name)
	}
	return j.Folder + "/" + name
}

func digest(p profile.Profile) crypto.Hash {
	if p.Signature.Digest == profile.SHA512 {
		return crypto.SHA512
	}
	return crypto.SHA256
}

// release closes the document. What cannot be closed is said and harms nothing: the file has no name.
func (d *document) release(ctx context.Context) {
	if err := d.close(); err != nil {
		slog.WarnContext(ctx, "document not closed", "err", err)
	}
}
