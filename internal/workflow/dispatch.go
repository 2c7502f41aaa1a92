package workflow

import (
	"context"
	"crypto"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// createTime is what a run must have left to have a document created: a call that is cut off may have made one.
const createTime = 35 * time.Second

// dispatched is a LacunaSigner job up to the point where the document is created.
type dispatched struct {
	doc         *document
	contentType string
	forceCades  bool
	output      string // key, as far as it can be told now
	uploadID    string
}

// dispatch sends the file of a claimed job to Lacuna Signer and parks the job there. By design nothing is tried twice: a
// participant must not get a second e-mail that nobody decided on.
func (w *Workflow) dispatch(ctx context.Context, r run, j job.Job) error {
	began := w.Now()
	d, err := w.send(ctx, j)
	if err == nil && r.end.Sub(w.Now()) < createTime {
		d.doc.release(ctx)
		err = fault.New(fault.Throttled, "the time that is left is too short to have a document created")
	}
	if err != nil {
		return w.stop(ctx, r, j, err)
	}
	defer d.doc.release(ctx)
	marked, id, err := w.create(ctx, r, j, d)
	if err != nil {
		return w.stop(ctx, r, marked, err)
	}
	spent := w.Now().Sub(began)
	return w.park(ctx, r, marked, id, func(j job.Job) job.Job { return j.Spent(job.StageSigning, spent) })
}

// send does all that can be repeated: it looks at the file, finds out whether its output would have a place, and uploads
// it.
func (w *Workflow) send(ctx context.Context, j job.Job) (d *dispatched, err error) {
	if w.Signer == nil {
		return nil, errNoSigner
	}
	if j.Terms.Participant == (profile.Participant{}) { // claimed without its profile, to be failed by name
		_, err := w.Profiles.Get(ctx, j.Profile)
		return nil, errors.Join(err, fault.New(fault.ProfileDegraded, "profile %s names no participant", j.Profile))
	}
	if err := w.admit(ctx, j); err != nil {
		return nil, err
	}
	d = &dispatched{}
	if d.doc, err = w.fetch(ctx, j.Object, crypto.SHA256); err != nil {
		return nil, err
	}
	if err = w.fits(ctx, j, d); err == nil {
		err = w.upload(ctx, j, d)
	}
	if err != nil {
		d.doc.release(ctx)
		return nil, err
	}
	return d, nil
}

// errNoSigner is what becomes of a profile whose service lost its settings.
var errNoSigner = fault.New(fault.SignerNotConfigured, "this service has no Signer:Endpoint and Signer:ApiKey; configure both, or move the profile off the method")

// mended takes back the note that a profile cannot work, now that it has. A note that stays is put right by the next job.
func (w *Workflow) mended(ctx context.Context, name string) {
	p, err := w.Profiles.Get(ctx, name)
	if err != nil {
		slog.WarnContext(ctx, "profile not looked at", "profile", name, "err", err)
		return
	}
	w.restore(ctx, p)
}

// fits refuses a file of which Lacuna Signer makes no signature in the job's format, and one whose output's name is taken.
// Signer goes by the kind of file: it can be told to make CAdES of everything, and nothing else.
func (w *Workflow) fits(ctx context.Context, j job.Job, d *dispatched) error {
	kind, err := kindOf(d.doc, d.doc.size)
	if err != nil {
		return err
	}
	switch {
	case j.Format == profile.Pades && kind != profile.Pades:
		return fault.New(fault.PDFNotAPDF, "the file does not begin like a PDF, and Lacuna Signer makes PAdES of PDFs only")
	case j.Format == profile.Xades && kind != profile.Xades:
		return fault.New(fault.JobFormatUnsupported, "the file does not begin like XML, and Lacuna Signer makes XAdES of XML only")
	}
	if kind == profile.Xades && j.Format != profile.Cades && d.doc.size > w.maxXML() {
		return fault.New(fault.XMLTooLarge, "the document has %d bytes, more than %d: what is signed could not be verified", d.doc.size, w.maxXML())
	}
	d.contentType, d.forceCades = contentTypes[kind], j.Format == profile.Cades && kind != profile.Cades
	d.output = outputKey(j, naming(j, false).OutputName(j.FileName, j.Format))
	return w.free(ctx, j, d.output)
}

var contentTypes = map[profile.Format]string{profile.Pades: "application/pdf", profile.Xades: "application/xml", profile.Cades: "application/octet-stream"}

// naming is the part of a profile that names outputs, as the claim fixed it.
func naming(j job.Job, detached bool) profile.Profile {
	return profile.Profile{Encrypt: j.Terms.Encrypt, PreserveFileExtension: j.Terms.PreserveFileExtension, SaveAsPem: j.Terms.SaveAsPem,
		Signature: profile.Signature{Detached: detached}}
}

func (w *Workflow) upload(ctx context.Context, j job.Job, d *dispatched) (err error) {
	d.uploadID, err = w.Signer.Upload(ctx, path.Base(j.FileName), d.contentType, io.NewSectionReader(d.doc, 0, d.doc.size))
	switch {
	case err == nil:
		return w.Signer.Ready(ctx)
	case ctx.Err() != nil:
		return fmt.Errorf("upload to Lacuna Signer: %w", ctx.Err()) // out of time before anything began: another run sends it
	}
	return unreachable(err, "the file was not taken, and no document was created")
}

// unreachable gives a failed call the code and the words under which it ends a job. What is no failure of Signer stays.
func unreachable(err error, so string) error {
	e, ok := errors.AsType[*job.SignerError](err)
	if !ok {
		return err
	}
	return fault.Wrap(fault.SignerUnreachable, err, "Lacuna Signer was asked to %s: %s; %s", e.Op, e.Said(), so)
}

// create marks the job and has the document created, once.
func (w *Workflow) create(ctx context.Context, r run, j job.Job, d *dispatched) (marked job.Job, id string, err error) {
	marked, err = w.write(ctx, j, func(j job.Job) (job.Job, error) {
		j.Remote.SHA256 = hex.EncodeToString(d.doc.sum[:])
		return j.Mark(r.owner, d.output, w.Now())
	})
	if err != nil {
		return j, "", err
	}
	name := path.Base(j.FileName)
	id, err = w.Signer.Create(ctx, job.Dispatch{UploadID: d.uploadID, Name: name, FileName: name, ContentType: d.contentType,
		Participant: j.Terms.Participant, ForceCades: d.forceCades, Job: j.ID})
	if err == nil {
		return marked, id, nil
	}
	if e, ok := errors.AsType[*job.SignerError](err); ok && e.Refusal() {
		return marked, "", unreachable(err, "no document was created")
	}
	return marked, "", unreachable(err, "the document may exist there, tagged with this job's id")
}

// park notes the document that was created, whatever that takes within the run's time: without the note nobody would know
// which job it belongs to.
func (w *Workflow) park(ctx context.Context, r run, j job.Job, id string, more func(job.Job) job.Job) error {
	ctx, cancel := grace(ctx)
	defer cancel()
	for n := 0; ; n++ {
		parked, err := w.writeBy(ctx, w.Jobs.SaveDispatched, j, func(j job.Job) (job.Job, error) { return more(j).Dispatched(r.owner, id, w.Now()) })
		if err == nil {
			w.Meter.Count(job.MetricDispatched, 1, job.LabelProfile, j.Profile)
			slog.InfoContext(ctx, "job waits at Lacuna Signer", logged(string(parked.ID)), "document", id)
			w.mended(ctx, j.Profile)
			return nil
		}
		if errors.Is(err, fault.JobRaceLost) || !pause(ctx, n) {
			slog.ErrorContext(ctx, "document created and not noted", logged(string(j.ID)), "document", id, "err", err)
			return err
		}
	}
}
