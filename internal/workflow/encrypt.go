package workflow

import (
	"context"
	"fmt"
	"io"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// canEncrypt makes sure, before anything is asked for that cannot be undone, that the output can be encrypted if it has to
// be.
func (w *Workflow) canEncrypt(ctx context.Context, j job.Job) error {
	switch {
	case !j.Terms.Encrypt:
		return nil
	case w.Cipher == nil:
		return fault.New(fault.EncryptionUnavailable, "the profile encrypts, and Encryption:Enabled is false")
	case j.Object.Size > w.MaxEncrypt:
		return fault.New(fault.JobInputTooLarge, "the document has %d bytes, more than the %d that can be encrypted", j.Object.Size, w.MaxEncrypt)
	}
	if err := w.Cipher.Ready(ctx); err != nil {
		return fmt.Errorf("make the key of encrypted outputs: %w", err)
	}
	return nil
}

// encrypt puts an output into its envelope, if the job's terms say so. What is published is the envelope alone.
func (w *Workflow) encrypt(ctx context.Context, j job.Job, out *signed) (err error) {
	if !j.Terms.Encrypt {
		return nil
	}
	if out.content, err = w.envelope(ctx, out.content); err != nil {
		return err
	}
	out.contentType, out.begins = "application/octet-stream", false
	return nil
}

func (w *Workflow) envelope(ctx context.Context, document *io.SectionReader) (*io.SectionReader, error) {
	if w.Cipher == nil {
		return nil, fault.New(fault.EncryptionUnavailable, "the job encrypts, and Encryption:Enabled is false")
	}
	b, err := w.Cipher.Seal(ctx, io.NewSectionReader(document, 0, document.Size()), document.Size())
	if err != nil {
		return nil, err
	}
	return whole(b), nil
}
