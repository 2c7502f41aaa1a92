package api_test

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/settings"
)

// said notes an action of the operator's.
func (s *service) said(method string, words ...string) error {
	err := s.called(method)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = append(s.told, strings.Join(append([]string{method}, words...), "|"))
	return err
}

func (s *service) Cancel(_ context.Context, id job.ID, reason string) (job.Job, error) {
	if err := s.said("Cancel", string(id), reason); err != nil {
		return job.Job{}, err
	}
	j, ok := s.jobs[id]
	if !ok {
		return job.Job{}, fault.New(fault.JobNotFound, "there is no job %s", id)
	}
	return j.Cancel(reason, now)
}

// RetryOnce makes the same job for the same key, like the real one.
func (s *service) RetryOnce(_ context.Context, id job.ID, key job.IdempotencyKey) (job.Job, error) {
	if err := s.said("Retry", string(id)); err != nil {
		return job.Job{}, err
	}
	child := cmp.Or(s.answered[key], s.child)
	if key != "" {
		s.answered[key] = child
	}
	return job.Job{ID: child, ParentID: id, Status: job.Queued}, nil
}

func (s *service) Delete(_ context.Context, id job.ID) error {
	if err := s.said("Delete", string(id)); err != nil {
		return err
	}
	if _, ok := s.jobs[id]; !ok {
		return fault.New(fault.JobNotFound, "there is no job %s", id)
	}
	return nil
}

func (s *service) Clear(_ context.Context, by string) (job.Cleared, error) {
	return s.cleared, s.said("Clear", by)
}

func (s *service) Rescan(_ context.Context, folder string) (job.RescanReport, error) {
	known := slices.ContainsFunc(s.settings.Storage.Inputs, func(in settings.Input) bool { return in.Name == folder })
	if err := s.said("Rescan", folder); err != nil {
		return job.RescanReport{}, err
	}
	if folder != "" && !known {
		return job.RescanReport{}, fault.New(fault.FolderNotFound, "no watched folder has this name")
	}
	return s.rescan, nil
}

func (s *service) Pause(_ context.Context, by, reason string) (job.Flight, error) {
	return s.pipeline, s.said("Pause", by, reason)
}

func (s *service) Resume(_ context.Context, by, reason string) (job.Flight, error) {
	return s.pipeline, s.said("Resume", by, reason)
}

func (s *service) Flight(context.Context) (job.Flight, error) { return s.pipeline, s.called("Flight") }

func (s *service) Readiness(context.Context) []job.Ready {
	_ = s.called("Readiness") // which never fails
	return s.rows
}

func (s *service) WriteMetrics(_ context.Context, w io.Writer) error {
	if err := s.called("WriteMetrics"); err != nil {
		return err
	}
	_, err := io.WriteString(w, s.figures)
	return err
}
