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
		return w.Jobs.Get(ctx, id)
	}
	origin, p, err := w.origin(ctx, o, place, s)
	if err != nil || origin.Profile == "" {
		return job.Job{}, err
	}
	j := job.New(origin, w.Now())
	if claim != nil && p.Name != "" {
		if j, err = j.Take(claim.claim(), terms(p, j), w.Now()); err != nil {
			return job.Job{}, err
		}
		j.Version = 1 // one write, two entries
	}
	return w.arrive(ctx, j)
}

// arrive stores a new job. Of two runs that take the same version in, one wins and both go on with its job.
func (w *Workflow) arrive(ctx context.Context, j job.Job) (job.Job, error) {
	err := w.Arrivals.TakeIn(ctx, j)
	if err == nil {
		return j, nil
	}
	id, rerr := w.Arrivals.TakenIn(ctx, j.Object)
	switch {
	case rerr != nil:
		return job.Job{}, errors.Join(err, rerr)
	case id != "":
		return w.Jobs.Get(ctx, id)
	case j.Source == job.Upload && errors.Is(err, fault.JobRaceLost):
		return w.arriveAgain(ctx, j)
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
	return j, w.Arrivals.TakeIn(ctx, j)
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
	if !p.Enabled && !place.Upload {
		slog.InfoContext(ctx, "object waits", "reason", "its profile is disabled", "profile", p.Name)
		return job.Origin{}, profile.Profile{}, nil
	}
	g.Method = p.Method
	if g.Format == profile.Auto {
		g.Format = p.Format
	}
	return g, p, nil
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
	return job.Took{Method: p.Method, Format: f, Terms: job.Terms{ProfileVersion: p.Version, Verify: p.Verify, RequirePolicy: p.RequirePolicy}}
}

func (r run) claim() job.Claim { return job.Claim{Owner: r.owner, Until: r.until} }
