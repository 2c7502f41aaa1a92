package workflow

import (
	"context"
	"strings"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// tally counts what a write of a job has brought to an end.
func (w *Workflow) tally(before, after job.Job) {
	if before.Status.Final() || !after.Status.Final() {
		return
	}
	switch after.Status {
	case job.Completed:
		w.Meter.Count(job.MetricCompleted, 1)
		if after.Terms.Encrypt {
			w.Meter.Count(job.MetricEncrypted, 1)
		}
		var took time.Duration
		for _, s := range []job.Stage{job.StageSigning, job.StageVerification, job.StageOutput} {
			took += after.Stages[s]
		}
		w.Meter.Observe(job.MetricSigning, took.Seconds(), job.LabelFormat, string(after.Format))
		if after.Code == fault.JobInputDiverged {
			w.Meter.Count(job.MetricDiverged, 1, job.LabelProfile, after.Profile)
		}
	case job.Failed:
		w.Meter.Count(job.MetricFailed, 1, job.LabelCode, string(after.Code))
	}
}

// arrived counts a new job.
func (w *Workflow) arrived(ctx context.Context, j job.Job) {
	if j.Code == fault.FileAlreadyProcessed {
		w.Meter.Count(job.MetricFailed, 1, job.LabelCode, string(j.Code))
		w.journal(ctx, job.EventFileAlreadyProcessed, "Job "+string(j.ID)+" failed: a file of its name was taken in before.")
		return
	}
	folder := j.Folder
	if strings.HasPrefix(j.Object.Key, job.UploadPrefix) {
		folder = job.UploadFolder
	}
	w.Meter.Count(job.MetricEnqueued, 1, job.LabelFolder, folder)
}
