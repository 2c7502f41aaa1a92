package api_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

func (s *service) Total(context.Context, job.Query) (int64, bool, error) {
	return max(s.total, 0), s.total >= 0, s.called("Total")
}

// Reserve can fail after it wrote, as the real one can.
func (s *service) Reserve(_ context.Context, r job.Reservation, key job.IdempotencyKey) error {
	err := s.called("Reserve")
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && key != "" && s.answered[key] != "" {
		return fault.New(fault.JobRaceLost, "the request was answered already")
	}
	s.reserved = append(s.reserved, r)
	if key != "" {
		s.answered[key] = r.Job
	}
	return err
}

func (s *service) Reservation(_ context.Context, key string) (job.Reservation, error) {
	if err := s.called("Reservation"); err != nil {
		return job.Reservation{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.reserved, func(r job.Reservation) bool { return r.Key == key })
	if i < 0 {
		return job.Reservation{}, fault.New(fault.JobNotFound, "nothing is reserved")
	}
	return s.reserved[i], nil
}

func (s *service) Answered(_ context.Context, key job.IdempotencyKey) (job.ID, error) {
	err := s.called("Answered")
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.answered[key], err
}

func (s *service) NameHolder(_ context.Context, folder, name string) (job.ID, error) {
	return s.holders[folder+"/"+name], s.called("NameHolder")
}

func (s *service) Events(_ context.Context, q job.EventQuery) (job.EventPage, error) {
	s.journal = q
	return s.events, s.called("Events")
}

func (s *service) Timings(_ context.Context, from, to time.Time) iter.Seq2[job.Timing, error] {
	s.span = [2]time.Time{from, to}
	err := s.called("Timings")
	return func(yield func(job.Timing, error) bool) {
		for _, t := range s.timings {
			if !yield(t, nil) {
				return
			}
		}
		if err != nil {
			yield(job.Timing{}, err)
		}
	}
}

func (s *service) Allow(_ context.Context, policy, client string, permits int, window time.Duration, at time.Time) (time.Duration, error) {
	s.allowed = append(s.allowed, fmt.Sprintf("%s|%s|%d|%v|%v", policy, client, permits, window, at.Equal(now)))
	return s.wait, s.called("Allow")
}

// SaveProfile judges and keeps versions like the real one.
func (s *service) SaveProfile(_ context.Context, p profile.Profile, from int64) (profile.Profile, error) {
	if err := s.called("SaveProfile"); err != nil {
		return profile.Profile{}, err
	}
	s.saved = append(s.saved, p)
	old, there := s.profiles[p.Name]
	switch {
	case from == 0 && there:
		return profile.Profile{}, fault.New(fault.ProfileExists, "there is a profile %s already", p.Name)
	case from != 0 && !there:
		return profile.Profile{}, fault.New(fault.ProfileNotFound, "there is no profile %s", p.Name)
	case from != old.Version:
		return profile.Profile{}, fault.New(fault.ProfileChanged, "profile %s was saved by somebody else meanwhile", p.Name)
	}
	if p.Certificate == nil && p.Method != profile.LacunaSigner {
		p.Certificate = old.Certificate
	}
	if p.Signer == nil && p.Method == profile.LacunaSigner {
		p.Signer = old.Signer
	}
	if refusals := s.settings.Check(p); len(refusals) > 0 {
		return profile.Profile{}, &profile.Refused{Refusals: refusals}
	}
	p.Version = from + 1
	s.profiles[p.Name] = p
	return p, nil
}

func (s *service) DeleteProfile(_ context.Context, name string, from int64) error {
	if err := s.said("DeleteProfile", name, fmt.Sprint(from)); err != nil {
		return err
	}
	p, there := s.profiles[name]
	switch {
	case !there:
		return fault.New(fault.ProfileNotFound, "there is no profile %s", name)
	case p.Version != from:
		return fault.New(fault.ProfileChanged, "profile %s was saved by somebody else meanwhile", name)
	case name == profile.Default:
		return fault.New(fault.ProfileInUse, "the profile %q takes what names no other", name)
	}
	delete(s.profiles, name)
	return nil
}

func (s *service) SignerFolders(_ context.Context, query string) ([]job.SignerFolder, error) {
	return s.folders, s.said("SignerFolders", query)
}
