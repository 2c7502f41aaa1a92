package api

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

const (
	// usualWindow is how far the figures go back if nobody says so.
	usualWindow = 24 * time.Hour
	// maxTimings is how many jobs are looked at for the figures: so many are read within a second or two.
	maxTimings = 10_000
)

type statisticsInput struct {
	From string `query:"from" maxLength:"40" doc:"Jobs that were completed then or later: a day (2026-03-04), which begins at midnight UTC, or a time (2026-03-04T05:06:07Z). A day before to, if it is left out."`
	To   string `query:"to" maxLength:"40" doc:"Jobs that were completed before that; now, if it is left out."`
}

type statisticsOutput struct {
	Body statistics
}

// statistics are the figures of jobs that were completed.
type statistics struct {
	Enabled      bool        `json:"enabled" doc:"Whether the times of jobs are kept at all. If not, there are no figures."`
	From         time.Time   `json:"from" doc:"Where the figures begin."`
	To           time.Time   `json:"to"`
	Complete     bool        `json:"complete" doc:"Whether from is as it was asked for. It is later if there were more than 10,000 jobs: the newest count."`
	Completed    int         `json:"completed" doc:"How many jobs were completed."`
	Local        int         `json:"local" doc:"How many of them were signed here alone."`
	Remote       int         `json:"remote" doc:"How many of them Lacuna Signer had a part in."`
	PerMinute    float64     `json:"perMinute" doc:"Completed jobs, by the length of time from from to to."`
	LastMinute   int         `json:"lastMinute" doc:"Jobs that were completed in the last 60 seconds before to."`
	Total        *span       `json:"total,omitempty" doc:"All stages of a job together. The time in which a person is awaited is in none of them."`
	Queue        *span       `json:"queue,omitempty" doc:"Waiting for somebody to begin."`
	Signing      *span       `json:"signing,omitempty"`
	Verification *span       `json:"verification,omitempty"`
	Output       *span       `json:"output,omitempty" doc:"Publishing the output and dealing with the input."`
	Slowest      *slowestJob `json:"slowest,omitempty" doc:"The job whose stages took longest."`
	_            struct{}    `json:"-" additionalProperties:"true"`
}

// span tells how long a stage took, of the jobs that had it.
type span struct {
	Jobs   int      `json:"jobs" doc:"How many jobs had the stage."`
	MeanMs float64  `json:"meanMs"`
	MinMs  int64    `json:"minMs"`
	MaxMs  int64    `json:"maxMs"`
	_      struct{} `json:"-" additionalProperties:"true"`
}

// slowestJob is the job that took longest.
type slowestJob struct {
	JobID       job.ID    `json:"jobId" format:"uuid"`
	TotalMs     int64     `json:"totalMs"`
	CompletedAt time.Time `json:"completedAt"`
	_           struct{}  `json:"-" additionalProperties:"true"`
}

// addStatistics adds the route of the panel's figures.
func (s *server) addStatistics(a huma.API) {
	huma.Register(a, protected(huma.Operation{
		OperationID: "getStatistics", Method: http.MethodGet, Path: "/api/statistics", Tags: []string{"Service"},
		Summary: "How many jobs were completed, and how long they took",
		Description: "Only completed jobs count. Their times are kept for 90 days, and go when the job's record is deleted. A stage " +
			"that no job had is left out.",
		Metadata: map[string]any{refusalsKey: refusals{invalid: fault.ValidationFilterInvalid}},
	}), s.statistics)
}

func (s *server) statistics(ctx context.Context, in *statisticsInput) (*statisticsOutput, error) {
	window, err := s.window(in)
	if err != nil {
		return nil, err
	}
	out, err := s.timed(ctx, window, maxTimings)
	if err != nil {
		return nil, err
	}
	return &statisticsOutput{out}, nil
}

// timed are the figures of a window, of its newest jobs.
func (s *server) timed(ctx context.Context, window statistics, most int) (statistics, error) {
	if !window.Enabled {
		return window, nil
	}
	t := tally{statistics: window}
	for timing, err := range s.Timings.Timings(ctx, window.From, window.To) {
		if err != nil {
			return statistics{}, fmt.Errorf("read the times of jobs: %w", err)
		}
		if t.Completed == most {
			t.Complete = false
			break
		}
		t.add(timing)
	}
	return t.figures(), nil
}

// window is the span of time that the figures are about.
func (s *server) window(in *statisticsInput) (statistics, error) {
	from, to, err := parseRange(in.From, in.To)
	if err != nil {
		return statistics{}, err
	}
	if to.IsZero() {
		to = s.Now().UTC()
	}
	if from.IsZero() {
		from = to.Add(-usualWindow)
	}
	if !from.Before(to) {
		return statistics{}, fault.New(fault.ValidationFilterInvalid, "from is not in the past")
	}
	return statistics{Enabled: s.Settings.Statistics.Enabled, From: from, To: to, Complete: true}, nil
}
