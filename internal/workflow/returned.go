package workflow

import (
	"context"
	"crypto"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/sign/cades"
	"bulksigner/internal/verify"
)

// returning is a document that came back from Lacuna Signer.
type returning struct {
	target
	note string // for the history: how it differs from what was sent
}

// returned finds out what came back, by its bytes and not by what was expected: how it is called, how it is judged, and
// whether it still is what was sent.
func (w *Workflow) returned(ctx context.Context, j job.Job, d *document) (returning, signed, func() error, error) {
	var p returning
	format, err := kindOf(d, d.size)
	if err != nil {
		return p, signed{}, nil, err
	}
	content := io.NewSectionReader(d, 0, d.size)
	var out signed
	switch format {
	case profile.Pades:
		out = signed{content: content, contentType: contentTypes[format], judge: judgePDF(content)}
		p.note, err = differs(d, j.Object.Size, j.Remote.SHA256, "It does not begin with the %d bytes that were sent: Lacuna Signer rewrote them.")
	case profile.Xades:
		out = signed{content: content, contentType: contentTypes[format], judge: judgeFile(content)}
	default:
		out, err = w.returnedCMS(ctx, j, d, &p)
	}
	if err == nil {
		err = w.nameOutput(ctx, j, &p.target, naming(j, out.beside).OutputName(j.FileName, format), out.beside)
	}
	if err != nil && p.doc != nil {
		p.doc.release(ctx)
	}
	return p, out, func() error { return w.verifyReturned(j, out) }, err
}

func judgePDF(content *io.SectionReader) func(verify.Options) (verify.Report, error) {
	return func(o verify.Options) (verify.Report, error) { return verify.PDF(content, content.Size(), o) }
}

func judgeFile(content *io.SectionReader) func(verify.Options) (verify.Report, error) {
	return func(o verify.Options) (verify.Report, error) { return verify.File(content, content.Size(), o) }
}

// returnedCMS is a signed message, or something that is none: then it shows when it is judged. A message without its
// content is judged over the version of the input that was sent, which is published beside it.
func (w *Workflow) returnedCMS(ctx context.Context, j job.Job, d *document, p *returning) (signed, error) {
	message := io.NewSectionReader(d, 0, d.size)
	out := signed{content: message, contentType: "application/pkcs7-mime", judge: judgeFile(message)}
	inside, err := cades.Content(d, d.size)
	switch {
	case errors.Is(err, fault.CMSDetached):
		if p.doc, err = w.fetch(ctx, j.Object, crypto.SHA256); err != nil {
			return out, err
		}
		out.beside, out.contentType, out.judge = true, "application/pkcs7-signature", w.judgeDetached(message, p.doc)
	case fault.CodeOf(err) == fault.Internal:
		return out, err
	case err == nil:
		if p.note, err = differs(inside, inside.Size(), j.Remote.SHA256, "Its content of %d bytes is not what was sent."); err != nil {
			return out, err
		}
	}
	if j.Terms.SaveAsPem && !armored(d) {
		out.content, out.contentType = cades.PEM(message), "application/x-pem-file"
	}
	return out, nil
}

// maxDetached bounds a message without content, which is read into memory.
const maxDetached = 1 << 20

func (w *Workflow) judgeDetached(message *io.SectionReader, content *document) func(verify.Options) (verify.Report, error) {
	return func(o verify.Options) (verify.Report, error) {
		if message.Size() > maxDetached {
			return verify.Report{}, fault.New(fault.CMSMalformed, "the signature has %d bytes, more than %d", message.Size(), maxDetached)
		}
		b := make([]byte, message.Size())
		if _, err := message.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
			return verify.Report{}, err
		}
		return verify.Detached(b, io.NewSectionReader(content, 0, content.size), o)
	}
}

// armored reports whether a message is in PEM already.
func armored(d *document) bool {
	var first [1]byte
	n, err := d.ReadAt(first[:], 0)
	const sequence = 0x30
	return n == 1 && (err == nil || errors.Is(err, io.EOF)) && first[0] != sequence
}

// differs compares the first size bytes with the digest of what was sent, and says for the history what it finds. What
// was sent before digests were kept cannot be compared.
func differs(file io.ReaderAt, size int64, sent, says string) (string, error) {
	h := crypto.SHA256.New()
	n, err := io.Copy(h, io.NewSectionReader(file, 0, size))
	if err != nil {
		return "", fmt.Errorf("read the signed document: %w", err)
	}
	if n == size && hex.EncodeToString(h.Sum(nil)) == sent || sent == "" {
		return "", nil
	}
	return " " + fmt.Sprintf(says, size), nil
}

// verifyReturned judges what others have signed. Their certificates are theirs: each signature must be right, the last one
// must cover the document, and chains must lead to the anchors, if there are any. The policy is the organization's choice
// at Lacuna Signer, and demanded where the profile says so.
func (w *Workflow) verifyReturned(j job.Job, out signed) error {
	report, err := out.judge(verify.Options{Anchors: w.Anchors, At: w.Now(), Policy: j.Terms.RequirePolicy})
	if err == nil {
		err = report.Sound(len(w.Anchors) > 0)
	}
	if err == nil && j.Terms.RequirePolicy {
		err = report.Err()
	}
	if err != nil {
		return fault.Wrap(fault.JobVerifyFailed, err, "what was signed at Lacuna Signer does not verify, nothing was published: %s", fault.DetailOf(err))
	}
	return nil
}
