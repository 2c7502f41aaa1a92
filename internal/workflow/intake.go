package workflow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// takeIn makes the one job of an object version, whoever tells of it and however often. claim, if not nil, claims a new
// job in the same write. It returns a job without an id where the object makes none.
func (w *Workflow) takeIn(ctx context.Context, o job.Object, s job.Source, claim *run) (job.Job, error) {
	place := w.placeOf(o)
	if place.Ignored != "" {
		slog.InfoContext(ctx, "object makes no job", "reason", place.Ignored, "version", o.VersionID)
		return job.Job{}, nil
	}
	if o.VersionID == "" || o.VersionID == "null" {
		return job.Job{}, fault.New(fault.StorageUnfit, "bucket %s is not versioned; turn versioning on", o.Bucket)
	}
	if id, err := w.Arrivals.TakenIn(ctx, o); err != nil {
		return job.Job{}, fmt.Errorf("look for an earlier job: %w", err)
	} else if id != "" {
		return w.known(ctx, id)
	}
	origin, p, err := w.origin(ctx, o, place, s)
	if err != nil || origin.Profile == "" {
		return job.Job{}, err
	}
	for range writeTries {
		j, n, err := w.newborn(ctx, origin, p, claim)
		if err != nil {
			return job.Job{}, err
		}
		j, err = w.arrive(ctx, j, n)
		if !errors.Is(err, errNameMoved) {
			return j, err
		}
	}
	return job.Job{}, fmt.Errorf("take in: the file's name is taken and freed all the time")
}

// newborn makes the job of an object: claimed already if a run is to go on with it, or Failed if another job has the name.
func (w *Workflow) newborn(ctx context.Context, origin job.Origin, p profile.Profile, claim *run) (job.Job, job.NameClaim, error) {
	n, holder, err := w.claimName(ctx, origin)
	if err != nil {
		return job.Job{}, n, err
	}
	if holder != "" {
		return job.NewAlreadyProcessed(origin, holder, w.Now()), job.NameClaim{}, nil
	}
	j := job.New(origin, w.Now())
	if claim == nil || p.Name == "" || !job.CanStep(p.Method, job.Queued, job.Processing) { // a method of a newer release, whose job it is
		return j, n, nil
	}
	if j, err = j.Take(claim.claim(), terms(p, j), w.Now()); err != nil {
		return job.Job{}, n, err
	}
	j.Version = 1 // one write, two entries
	return j, n, nil
}

// known returns the job of an object that has had one. A job whose record was deleted asks for nothing: what was taken in
// once is not taken in again by itself.
func (w *Workflow) known(ctx context.Context, id job.ID) (job.Job, error) {
	j, err := w.Jobs.Get(ctx, id)
	if errors.Is(err, fault.JobNotFound) {
		slog.InfoContext(ctx, "object makes no job", "reason", "its job was deleted", "was", id)
		return job.Job{}, nil
	}
	return j, err
}

// claimName finds out whether a name is free: nobody had it, or who had it failed, was canceled or is gone. A name that
// another job holds comes back as that job.
func (w *Workflow) claimName(ctx context.Context, o job.Origin) (n job.NameClaim, holder job.ID, err error) {
	if !w.RejectKnownNames {
		return n, "", nil
	}
	n.Keep = true
	if n.Held, err = w.Arrivals.NameHolder(ctx, o.Folder, o.FileName); err != nil {
		return n, "", fmt.Errorf("look for the file's name: %w", err)
	}
	if n.Held == "" {
		return n, "", nil
	}
	j, err := w.Jobs.Get(ctx, n.Held)
	switch {
	case errors.Is(err, fault.JobNotFound), err == nil && (j.Status == job.Failed || j.Status == job.Canceled):
		return n, "", nil
	case err != nil:
		return n, "", fmt.Errorf("read the job that has the file's name: %w", err)
	}
	return n, n.Held, nil
}

// errNameMoved says that another file took the name between the look and the write.
var errNameMoved = errors.New("the file's name was taken meanwhile")

// arrive stores a new job. Of two runs that take the same version in, one wins and both go on with its job.
func (w *Workflow) arrive(ctx context.Context, j job.Job, n job.NameClaim) (job.Job, error) {
	err := w.Arrivals.TakeIn(ctx, j, n)
	if err == nil {
		w.arrived(ctx, j)
		return j, nil
	}
	id, rerr := w.Arrivals.TakenIn(ctx, j.Object)
	switch {
	case rerr != nil:
		return job.Job{}, errors.Join(err, rerr)
	case id != "":
		return w.known(ctx, id)
	case j.Source == job.Upload && errors.Is(err, fault.JobRaceLost) && w.exists(ctx, j.ID):
		return w.arriveAgain(ctx, j)
	case n.Keep && errors.Is(err, fault.JobRaceLost):
		return job.Job{}, errNameMoved
	}
	return job.Job{}, fmt.Errorf("take in: %w", err)
}

// arriveAgain is for a second version under a link that is good for one upload: once the first is signed and hidden, the
// bucket takes another. The same bytes are the same upload, sent again after a lost answer, and have their job. Other
// bytes get a job of their own.
func (w *Workflow) arriveAgain(ctx context.Context, j job.Job) (job.Job, error) {
	first, err := w.Jobs.Get(ctx, j.ID)
	if err != nil {
		return job.Job{}, fmt.Errorf("read the job of an upload: %w", err)
	}
	if first.Object.ETag == j.Object.ETag && first.Object.Size == j.Object.Size {
		slog.WarnContext(ctx, "upload sent again", logged(string(first.ID)))
		return first, w.Arrivals.Repeat(ctx, j.Object, first.ID)
	}
	j.ID = job.NewID()
	return j, w.Arrivals.TakeIn(ctx, j, job.NameClaim{}) // the link, and not the name, makes the upload
}

func (w *Workflow) exists(ctx context.Context, id job.ID) bool {
	_, err := w.Jobs.Get(ctx, id)
	return err == nil
}

// placeOf says where an object belongs, or why it makes no job. An empty upload was announced, and its job says so.
func (w *Workflow) placeOf(o job.Object) Place {
	if strings.HasSuffix(o.Key, "/") {
		return Place{Ignored: "a folder marker"}
	}
	p := w.Place(o.Key)
	if o.Size == 0 && !p.Upload {
		return Place{Ignored: "an empty object"}
	}
	return p
}

// origin says what a job of the object begins with. No profile in it means that the object waits.
func (w *Workflow) origin(ctx context.Context, o job.Object, place Place, s job.Source) (job.Origin, profile.Profile, error) {
	g := job.Origin{Source: s, Profile: place.Profile, Method: profile.Local, Folder: place.Folder, FileName: place.Name, Object: o}
	if place.Upload {
		r, err := w.Arrivals.Reservation(ctx, o.Key)
		if errors.Is(err, fault.JobNotFound) {
			slog.WarnContext(ctx, "object makes no job", "reason", "an upload that was not announced", "version", o.VersionID)
			return job.Origin{}, profile.Profile{}, nil
		}
		if err != nil {
			return job.Origin{}, profile.Profile{}, fmt.Errorf("read the reservation: %w", err)
		}
		g.ID, g.Source, g.Profile, g.Format, g.FileName = r.Job, job.Upload, r.Profile, r.Format, r.FileName
	}
	p, err := w.Profiles.Get(ctx, g.Profile)
	if errors.Is(err, fault.ProfileNotFound) {
		return g, profile.Profile{}, nil // the claim fails the job by name
	}
	if err != nil {
		return job.Origin{}, profile.Profile{}, fmt.Errorf("read profile %s: %w", g.Profile, err)
	}
	if code := takesNoFiles(p); code != "" && !place.Upload {
		return job.Origin{}, profile.Profile{}, w.refuse(ctx, g, code)
	}
	if g.Method = p.Method; p.Method == profile.SignerFolder { // changed since the upload was announced: its claim fails it
		g.Method = profile.Local
	}
	if g.Format == profile.Auto {
		g.Format = p.Format
	}
	return g, p, nil
}

// takesNoFiles says why a profile takes no files, or "" if it does.
func takesNoFiles(p profile.Profile) fault.Code {
	switch {
	case p.Method == profile.SignerFolder:
		return fault.ProfileTakesNoFiles
	case !p.Enabled:
		return fault.ProfileDisabled
	}
	return ""
}

// refuse leaves an object where it is. Nobody waits for an answer, so that operators are told, once.
func (w *Workflow) refuse(ctx context.Context, g job.Origin, c fault.Code) error {
	first, err := w.Arrivals.Refuse(ctx, g.Object, c)
	if err != nil {
		return fmt.Errorf("note a file that is not taken in: %w", err)
	}
	if first {
		slog.WarnContext(ctx, "object waits", "code", c, "profile", g.Profile, "version", g.Object.VersionID)
		w.Meter.Count(job.MetricFilesRefused, 1, job.LabelProfile, g.Profile)
		w.journal(ctx, job.EventFileRefused, fmt.Sprintf("A file in folder %s is not taken in (%s): profile %s.", g.Folder, c, g.Profile))
	}
	return nil
}

// terms says what a claim fixes. A format that an upload asked for stands; what is still open follows the extension.
func terms(p profile.Profile, j job.Job) job.Took {
	f := j.Format
	if f == profile.Auto {
		f = p.Format
	}
	if f == profile.Auto {
		f = profile.FormatOf(j.FileName)
	}
	t := job.Took{Method: p.Method, Format: f, Terms: job.Terms{ProfileVersion: p.Version, Verify: p.Verify, RequirePolicy: p.RequirePolicy, Encrypt: p.Encrypt,
		PreserveFileExtension: p.PreserveFileExtension, SaveAsPem: p.SaveAsPem}}
	if p.Signer != nil {
		t.Terms.Participant = *p.Signer
	}
	if p.Method == profile.SignerFolder || j.Method == profile.SignerFolder {
		t.Method = j.Method // a file stays a file, and a document at Signer stays there: what cannot be done fails by name
	}
	return t
}

func (r run) claim() job.Claim { return job.Claim{Owner: r.owner, Until: r.until} }
