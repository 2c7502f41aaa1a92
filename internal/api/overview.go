package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

const (
	// chartHours is how many hours the chart has, the one that runs among them.
	chartHours = 24
	// overviewTimings is how many jobs the overview's means are about at most: so many cost one or two reads.
	overviewTimings = 1000
)

type overviewOutput struct {
	Body overview
}

// overview is how the service stands, for a page that is asked for every few seconds.
type overview struct {
	At             time.Time      `json:"at" doc:"When that was found."`
	Pipeline       overviewSwitch `json:"pipeline"`
	Profiles       profileCounts  `json:"profiles"`
	Now            standings      `json:"now" doc:"The jobs that have not ended."`
	LongestRunning *runningJob    `json:"longestRunning,omitempty" doc:"The job that is Processing or Verifying for longest; left out if none is."`
	LastDay        endings        `json:"lastDay" doc:"The sums of hours."`
	Hours          []endedHour    `json:"hours" nullable:"false" doc:"24 hours of UTC, the oldest first; the last is the one that runs."`
	Performance    statistics     `json:"performance" doc:"How long the jobs took that were completed in the last 24 hours: the newest 1,000 at most."`
	_              struct{}       `json:"-" additionalProperties:"true"`
}

// overviewSwitch is the pipeline's switch.
type overviewSwitch struct {
	Paused         bool       `json:"paused"`
	PausedAtUTC    *time.Time `json:"pausedAtUtc" doc:"When it was last paused."`
	PausedBy       *string    `json:"pausedBy"`
	Reason         *string    `json:"reason"`
	MaxConcurrency int        `json:"maxConcurrency" doc:"The most jobs that are in flight at the same time."`
	_              struct{}   `json:"-" additionalProperties:"true"`
}

// profileCounts are how many profiles there are.
type profileCounts struct {
	Total        int      `json:"total"`
	Enabled      int      `json:"enabled" doc:"Those that take new work."`
	Degraded     int      `json:"degraded" doc:"Those that cannot sign."`
	LacunaSigner int      `json:"lacunaSigner" doc:"Those that send documents to a person."`
	_            struct{} `json:"-" additionalProperties:"true"`
}

// standings are how many jobs have each status that is not final.
type standings struct {
	Queued         standing `json:"queued"`
	Processing     standing `json:"processing"`
	Verifying      standing `json:"verifying"`
	AwaitingSigner standing `json:"awaitingSigner"`
	_              struct{} `json:"-" additionalProperties:"true"`
}

// standing is how many jobs have one status.
type standing struct {
	Jobs        int        `json:"jobs"`
	More        bool       `json:"more" doc:"Whether there may be more: about 10,000 are counted."`
	OldestSince *time.Time `json:"oldestSince" doc:"Since when the oldest of them has the status."`
	_           struct{}   `json:"-" additionalProperties:"true"`
}

// runningJob is a job at work.
type runningJob struct {
	JobID  job.ID     `json:"jobId" format:"uuid"`
	Status job.Status `json:"status" enum:"Processing,Verifying"`
	Since  time.Time  `json:"since" doc:"Since when it has the status."`
	_      struct{}   `json:"-" additionalProperties:"true"`
}

// Endings are how many jobs ended, and how. It is exported for huma alone, which does not see the fields of an embedded
// type otherwise.
type Endings struct {
	Completed int64 `json:"completed"`
	Failed    int64 `json:"failed"`
	Canceled  int64 `json:"canceled" doc:"By operators, or because the document moved on at Lacuna Signer."`
	Encrypted int64 `json:"encrypted" doc:"Of those that were completed."`
}

// endings are those of all hours.
type endings struct {
	From time.Time `json:"from" doc:"Where the hours begin."`
	Endings
	_ struct{} `json:"-" additionalProperties:"true"`
}

// endedHour are those of one hour.
type endedHour struct {
	Start time.Time `json:"start"`
	Endings
	_ struct{} `json:"-" additionalProperties:"true"`
}

const overviewDoc = "It costs the same however many jobs there are: the index is asked for the jobs that have not ended, up to about 10,000 of " +
	"each status, and what ended is counted hour by hour as it ends. Those figures are approximate: a run that dies loses what it " +
	"had counted, and a job counts in the hour in which its run ended."

// addOverview adds the route of the first page that an operator sees.
func (s *server) addOverview(a huma.API) {
	huma.Register(a, protected(huma.Operation{
		OperationID: "getOverview", Method: http.MethodGet, Path: "/api/overview", Tags: []string{"Service"},
		Summary: "How the service stands, in one answer", Description: overviewDoc,
	}), s.overview)
}

// overview asks for everything at once, since somebody waits for all of it.
func (s *server) overview(ctx context.Context, _ *struct{}) (*overviewOutput, error) {
	now := s.Now().UTC()
	out := overview{At: now}
	parts := []func() error{
		func() (err error) { out.Pipeline, err = s.overviewSwitch(ctx); return err },
		func() (err error) { out.Profiles, err = s.profileCounts(ctx); return err },
		func() (err error) { out.Now, out.LongestRunning, err = s.standings(ctx); return err },
		func() (err error) { out.Hours, out.LastDay, err = s.ended(ctx, now); return err },
		func() (err error) { out.Performance, err = s.performance(ctx, now); return err },
	}
	errs := make([]error, len(parts))
	var running sync.WaitGroup
	for i, part := range parts {
		running.Go(func() { errs[i] = part() })
	}
	running.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return &overviewOutput{out}, nil
}

func (s *server) overviewSwitch(ctx context.Context) (overviewSwitch, error) {
	p, err := s.Figures.State(ctx)
	if err != nil {
		return overviewSwitch{}, fmt.Errorf("read the pipeline's state: %w", err)
	}
	return overviewSwitch{
		Paused: p.Paused, PausedAtUTC: moment(p.PausedAt), PausedBy: optional(p.PausedBy), Reason: optional(p.Reason),
		MaxConcurrency: s.Settings.Pipeline.MaxConcurrency,
	}, nil
}

func (s *server) profileCounts(ctx context.Context) (n profileCounts, _ error) {
	all, err := s.Profiles.List(ctx)
	if err != nil {
		return n, fmt.Errorf("list the profiles: %w", err)
	}
	n.Total = len(all)
	for _, p := range all {
		n.Enabled += one(p.Enabled)
		n.Degraded += one(degraded(p))
		n.LacunaSigner += one(p.Method == profile.LacunaSigner)
	}
	return n, nil
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// standings counts the jobs at work, and finds the one that a run has for longest.
func (s *server) standings(ctx context.Context) (standings, *runningJob, error) {
	all, err := s.Figures.Standing(ctx, job.Queued, job.Processing, job.Verifying, job.AwaitingSigner)
	if err != nil {
		return standings{}, nil, fmt.Errorf("count the jobs at work: %w", err)
	}
	out := standings{Queued: standingOf(all[0]), Processing: standingOf(all[1]), Verifying: standingOf(all[2]), AwaitingSigner: standingOf(all[3])}
	longest, status := all[1], job.Processing
	if v := all[2]; longest.Oldest == "" || v.Oldest != "" && v.Since.Before(longest.Since) {
		longest, status = v, job.Verifying
	}
	if longest.Oldest == "" {
		return out, nil, nil
	}
	return out, &runningJob{JobID: longest.Oldest, Status: status, Since: longest.Since.UTC()}, nil
}

func standingOf(st job.Standing) standing {
	return standing{Jobs: st.Jobs, More: st.More, OldestSince: moment(st.Since)}
}

// ended is how many jobs ended in each hour of the last day, and in all of them.
func (s *server) ended(ctx context.Context, now time.Time) (hours []endedHour, day endings, _ error) {
	first := now.Truncate(time.Hour).Add(-(chartHours - 1) * time.Hour)
	counted, err := s.Figures.Hours(ctx, first, now)
	if err != nil {
		return nil, day, fmt.Errorf("read the hours: %w", err)
	}
	var sum job.Hour
	for _, h := range counted {
		sum.Add(h)
		hours = append(hours, endedHour{Start: h.Start.UTC(), Endings: endingsOf(h)})
	}
	return hours, endings{From: first, Endings: endingsOf(sum)}, nil
}

func endingsOf(h job.Hour) Endings {
	return Endings{Completed: h.Completed, Failed: h.Failed, Canceled: h.Canceled, Encrypted: h.Encrypted}
}

// performance is what statistics tell of the last day, of fewer jobs.
func (s *server) performance(ctx context.Context, now time.Time) (statistics, error) {
	return s.timed(ctx, statistics{Enabled: s.Settings.Statistics.Enabled, From: now.Add(-usualWindow), To: now, Complete: true}, overviewTimings)
}
