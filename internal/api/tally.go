package api

import (
	"time"

	"bulksigner/internal/job"
)

// tally adds up the times of jobs, the newest first.
type tally struct {
	statistics
	oldest time.Time
	sums   map[job.Stage]*stageSum
}

// stageSum is what is known of one stage so far.
type stageSum struct {
	jobs          int
	sum, min, max time.Duration
}

// wholeJob stands among the stages for all of them together.
const wholeJob job.Stage = "total"

func (t *tally) add(x job.Timing) {
	t.Completed++
	t.oldest = x.At
	if x.Remote {
		t.Remote++
	} else {
		t.Local++
	}
	if t.To.Sub(x.At) <= time.Minute {
		t.LastMinute++
	}
	for stage, took := range x.Stages {
		t.spent(stage, took)
	}
	total := x.Total()
	t.spent(wholeJob, total)
	if t.Slowest == nil || total.Milliseconds() > t.Slowest.TotalMs {
		t.Slowest = &slowestJob{JobID: x.Job, TotalMs: total.Milliseconds(), CompletedAt: x.At.UTC()}
	}
}

func (t *tally) spent(stage job.Stage, took time.Duration) {
	if t.sums == nil {
		t.sums = map[job.Stage]*stageSum{}
	}
	s := t.sums[stage]
	if s == nil {
		s = &stageSum{min: took, max: took}
		t.sums[stage] = s
	}
	s.jobs++
	s.sum, s.min, s.max = s.sum+took, min(s.min, took), max(s.max, took)
}

// figures is the answer. Where not all jobs could be read, it is about those that were.
func (t *tally) figures() statistics {
	if !t.Complete {
		t.From = t.oldest.UTC()
	}
	if minutes := t.To.Sub(t.From).Minutes(); minutes > 0 {
		t.PerMinute = float64(t.Completed) / minutes
	}
	t.Total, t.Queue, t.Signing = t.span(wholeJob), t.span(job.StageQueue), t.span(job.StageSigning)
	t.Verification, t.Output = t.span(job.StageVerification), t.span(job.StageOutput)
	return t.statistics
}

func (t *tally) span(stage job.Stage) *span {
	s := t.sums[stage]
	if s == nil {
		return nil
	}
	mean := float64(s.sum) / float64(s.jobs) / float64(time.Millisecond)
	return &span{Jobs: s.jobs, MeanMs: mean, MinMs: s.min.Milliseconds(), MaxMs: s.max.Milliseconds()}
}
