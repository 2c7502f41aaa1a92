package workflow

import (
	"context"
	"crypto"
	"fmt"
	"strings"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// prepared is a Local job up to the point where only the key is missing.
type prepared struct {
	target
	profile profile.Profile
	key     profile.Key
	draft   draft
}

// signLocal takes a claimed Local job to its end: everything that can refuse, the mark, the key, and the tail.
func (w *Workflow) signLocal(ctx context.Context, r run, j job.Job) error {
	p, err := w.prepare(ctx, j)
	if err != nil {
		return w.stop(ctx, r, j, err)
	}
	defer p.doc.release(ctx)
	j, out, err := w.sign(ctx, r, j, p)
	if err != nil {
		return w.stop(ctx, r, j, err)
	}
	p.done = "Signed and published."
	return w.finish(ctx, r, j, p.target, out, func() error { return w.verify(j, p.key, out) })
}

// prepare does all that can be done, and all that can be refused, before the key is asked.
func (w *Workflow) prepare(ctx context.Context, j job.Job) (*prepared, error) {
	p, key, err := w.open(ctx, j)
	if err != nil {
		return nil, err
	}
	if err := w.admit(ctx, j); err != nil {
		return nil, err
	}
	out := &prepared{profile: p, key: key}
	if out.doc, err = w.fetch(ctx, j.Object, digest(p)); err != nil {
		return nil, err
	}
	if out.draft, err = w.layOut(ctx, out.doc, j.Format, p, key); err == nil {
		c, isCMS := out.draft.(cms)
		err = w.nameOutput(ctx, j, &out.target, out.draft.name(j.FileName), isCMS && c.detached)
	}
	if err != nil {
		out.doc.release(ctx)
		return nil, err
	}
	return out, nil
}

// admit refuses a document by its size, or because it was withdrawn.
func (w *Workflow) admit(ctx context.Context, j job.Job) error {
	if j.Object.Size > MaxDocument {
		return fault.New(fault.JobInputTooLarge, "the document has %d bytes, more than %d", j.Object.Size, MaxDocument)
	}
	if j.Object.Size == 0 {
		return fault.New(fault.UploadEmpty, "the upload has no bytes")
	}
	if w.MaxUpload > 0 && j.Object.Size > w.MaxUpload && strings.HasPrefix(j.Object.Key, job.UploadPrefix) {
		return fault.New(fault.UploadTooLarge, "the upload has %d bytes, more than %d", j.Object.Size, w.MaxUpload)
	}
	if err := w.canEncrypt(ctx, j); err != nil {
		return err
	}
	if _, err := w.Inputs.Current(ctx, j.Object.Key); err != nil {
		return fmt.Errorf("look at the input: %w", err) // hidden: somebody withdrew it; another version: this one is still to be signed
	}
	return nil
}

// open reads the profile and opens its key.
func (w *Workflow) open(ctx context.Context, j job.Job) (profile.Profile, profile.Key, error) {
	p, err := w.Profiles.Get(ctx, j.Profile)
	if err != nil {
		return profile.Profile{}, profile.Key{}, fmt.Errorf("read profile %s: %w", j.Profile, err)
	}
	if p.Method == profile.SignerFolder {
		return p, profile.Key{}, fault.New(fault.ProfileTakesNoFiles, "profile %s signs what waits at Lacuna Signer and takes no files", p.Name)
	}
	if p.Method != profile.Local {
		return p, profile.Key{}, fmt.Errorf("profile %s has left the method since the claim", p.Name)
	}
	key, err := w.Keys.Open(ctx, p)
	if err == nil {
		err = key.ValidAt(w.Now())
	}
	if err == nil && p.ValidateCertificate {
		if err = w.Trust.Validate(ctx, key.Certificate, key.Chain, w.Now()); degrading[fault.CodeOf(err)] {
			w.Meter.Count(job.MetricCertificateFailed, 1, job.LabelProfile, p.Name)
		}
	}
	if err != nil {
		return p, profile.Key{}, fmt.Errorf("open the key of profile %s: %w", p.Name, err)
	}
	return p, key, nil
}

func digest(p profile.Profile) crypto.Hash {
	if p.Signature.Digest == profile.SHA512 {
		return crypto.SHA512
	}
	return crypto.SHA256
}
