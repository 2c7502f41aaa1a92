package api

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// accept makes the job of a file, or finds the one that the same request made before.
func (s *server) accept(ctx context.Context, f incoming) (acceptedFile, error) {
	id, err := s.answered(ctx)
	if err != nil {
		return acceptedFile{}, err
	}
	if id != "" {
		return s.acceptAgain(ctx, id, f)
	}
	p, err := s.profile(ctx, f.profile)
	if err != nil {
		return acceptedFile{}, err
	}
	if err := s.checkHolder(ctx, f.name); err != nil {
		return acceptedFile{}, err
	}
	r := s.reservation(job.NewID(), f)
	if err := s.Reservations.Reserve(ctx, r, idempotencyOf(ctx)); err != nil {
		return s.unreserved(ctx, f, fmt.Errorf("reserve job %s: %w", r.Job, err))
	}
	return s.bring(ctx, r, f, p)
}

// unreserved answers where a reservation was not made: the same request may have been faster by itself.
func (s *server) unreserved(ctx context.Context, f incoming, met error) (acceptedFile, error) {
	if !errors.Is(met, fault.JobRaceLost) {
		return acceptedFile{}, met
	}
	id, err := s.answered(ctx)
	if err != nil {
		return acceptedFile{}, errors.Join(met, err)
	}
	if id == "" {
		return acceptedFile{}, met
	}
	return s.acceptAgain(ctx, id, f)
}

// answered is the job that the same request made before, or "".
func (s *server) answered(ctx context.Context) (job.ID, error) {
	key := idempotencyOf(ctx)
	if key == "" {
		return "", nil
	}
	id, err := s.Reservations.Answered(ctx, key)
	if err != nil {
		return "", fmt.Errorf("look for an earlier answer: %w", err)
	}
	return id, nil
}

// acceptAgain answers a request that was made before. The first may have been lost before the bytes were there: then they
// are brought now. Once they became a job they are not, since the input may have been signed and deleted.
func (s *server) acceptAgain(ctx context.Context, id job.ID, f incoming) (acceptedFile, error) {
	want := s.reservation(id, f)
	r, err := s.Reservations.Reservation(ctx, want.Key)
	if errors.Is(err, fault.JobNotFound) || err == nil && (r.Profile != want.Profile || r.Format != want.Format) {
		return acceptedFile{}, fault.New(fault.RequestInvalid, "this %s names an earlier request with another file, profile or format", idempotencyHeader)
	}
	if err != nil {
		return acceptedFile{}, fmt.Errorf("read the reservation of job %s: %w", id, err)
	}
	j, err := s.Jobs.Get(ctx, id)
	if err == nil {
		out := acceptedOf(r, formatOf(j.Format, j.FileName))
		out.Status = j.Status
		return out, nil
	}
	if !errors.Is(err, fault.JobNotFound) {
		return acceptedFile{}, fmt.Errorf("read job %s: %w", id, err)
	}
	p, err := s.namedProfile(ctx, r.Profile)
	if err != nil {
		return acceptedFile{}, err
	}
	return s.bring(ctx, r, f, p)
}

// reservation says which job a file will be. An open format stays open: the claim decides.
func (s *server) reservation(id job.ID, f incoming) job.Reservation {
	return job.Reservation{
		Key: job.UploadPrefix + string(id) + "/" + f.name, Job: id, Profile: cmp.Or(f.profile, profile.Default),
		Format: profile.Format(f.format), FileName: f.name, Expires: s.Now().Add(reservationLife),
	}
}

// bring brings the bytes of a reserved file, or says where to.
func (s *server) bring(ctx context.Context, r job.Reservation, f incoming, p profile.Profile) (acceptedFile, error) {
	format := r.Format
	if format == profile.Auto {
		format = formatOf(p.Format, r.FileName)
	}
	out := acceptedOf(r, format)
	var err error
	if f.announced {
		out.Upload, err = s.link(ctx, r.Key, f.contentType)
	} else {
		err = s.put(ctx, r, f)
	}
	return out, err
}

func acceptedOf(r job.Reservation, f profile.Format) acceptedFile {
	return acceptedFile{JobID: r.Job, FileName: r.FileName, OriginalPath: r.Key, Format: f, Status: job.Queued}
}

// uploadFolder is under what folder the names of uploads are kept.
var uploadFolder = strings.TrimSuffix(job.UploadPrefix, "/")

// checkHolder refuses a file whose name another job has, where names are good for one job. Taking in looks again: this
// spares the client an upload that comes to nothing.
func (s *server) checkHolder(ctx context.Context, name string) error {
	if !s.Settings.Pipeline.RejectAlreadyProcessedFileNames {
		return nil
	}
	id, err := s.Names.NameHolder(ctx, uploadFolder, name)
	if err != nil {
		return fmt.Errorf("look for the file's name: %w", err)
	}
	if id == "" {
		return nil
	}
	j, err := s.Jobs.Get(ctx, id)
	switch {
	case errors.Is(err, fault.JobNotFound), err == nil && (j.Status == job.Failed || j.Status == job.Canceled):
		return nil // and the name is free
	case err != nil:
		return fmt.Errorf("read job %s: %w", id, err)
	}
	return fault.New(fault.FileAlreadyProcessed, "a file of this name was taken in by job %s before", id)
}

// check looks at what the file says of itself.
func (s *server) check(f incoming) error {
	if err := checkName(f.name); err != nil {
		return err
	}
	switch size := int64(len(f.content)); {
	case size == 0 && !f.announced:
		return fault.New(fault.UploadEmpty, "the file has no bytes")
	case size > s.Settings.Upload.MaxBytes:
		return fault.New(fault.UploadTooLarge, "a file may have %d bytes", s.Settings.Upload.MaxBytes)
	case f.format != "" && !profile.Format(f.format).Known():
		return fault.New(fault.UploadFormatUnsupported, "the format is none of %v", profile.Formats)
	}
	return nil
}

// profile finds the profile that a file is for.
func (s *server) profile(ctx context.Context, name string) (profile.Profile, error) {
	if name == "" {
		name = profile.Default
	}
	p, err := s.namedProfile(ctx, name)
	switch {
	case err != nil:
		return profile.Profile{}, err
	case !p.Enabled:
		return profile.Profile{}, fault.New(fault.ProfileDisabled, "the profile %s is disabled", name)
	case p.Method == profile.SignerFolder:
		return profile.Profile{}, fault.New(fault.ProfileTakesNoFiles, "the profile %s signs what waits at Lacuna Signer", name)
	}
	return p, nil
}

// put brings the bytes into the bucket. The id in the key is new and nobody else's: an object that is there already came
// from a try of this very request whose answer was lost.
func (s *server) put(ctx context.Context, r job.Reservation, f incoming) error {
	err := s.Uploads.PutUpload(ctx, r.Key, bytes.NewReader(f.content), f.contentType)
	if err != nil && !errors.Is(err, fault.JobRaceLost) {
		return fmt.Errorf("put the upload of job %s: %w", r.Job, err)
	}
	return nil
}

// link makes the request that brings an announced file.
func (s *server) link(ctx context.Context, key, contentType string) (*uploadRequest, error) {
	l, err := s.Uploads.PresignPut(ctx, key, contentType, uploadLink)
	if err != nil {
		return nil, fmt.Errorf("make a link for the upload: %w", err)
	}
	u := &uploadRequest{Method: l.Method, URL: l.URL, Headers: l.Header, ExpiresAt: l.Expires.UTC()}
	if u.Headers == nil {
		u.Headers = map[string]string{}
	}
	return u, nil
}
