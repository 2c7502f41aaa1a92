package api

import (
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// JobRow is a job in a list. It is exported for huma alone, which does not see the fields of an embedded type otherwise.
type JobRow struct {
	ID           job.ID         `json:"id" format:"uuid"`
	FileName     string         `json:"fileName" doc:"The file's name, relative to its watched folder."`
	OriginalPath string         `json:"originalPath" doc:"The key of the object in the input bucket."`
	Format       profile.Format `json:"format" enum:"Pades,Cades,Xades" doc:"The format of the signature."`
	Source       job.Source     `json:"source" enum:"Watcher,Upload,Rescan,Retry,SignerFolder" doc:"How the job began."`
	Status       job.Status     `json:"status" enum:"Queued,Processing,Verifying,AwaitingSigner,Completed,Failed,Canceled"`
	CreatedAt    time.Time      `json:"createdAt"`
	UpdatedAt    time.Time      `json:"updatedAt"`
	ParentJobID  *job.ID        `json:"parentJobId" doc:"The job that this one retries."`
	ErrorMessage *string        `json:"errorMessage" doc:"Why the job failed."`
	ErrorCode    *fault.Code    `json:"errorCode" doc:"The code of errorMessage; on a Completed job what became of an input that is still there."`
	ProfileName  string         `json:"profileName"`
	_            struct{}       `json:"-" additionalProperties:"true"`
}

// jobPage is a part of a list.
type jobPage struct {
	Items    []JobRow `json:"items" nullable:"false"`
	PageSize int      `json:"pageSize" doc:"As it was asked for."`
	Cursor   *string  `json:"cursor" doc:"Where the next page begins; null on the last one."`
	_        struct{} `json:"-" additionalProperties:"true"`
}

// jobDetail is a job with everything that is told about it.
type jobDetail struct {
	JobRow
	History         []historyEntry `json:"history" nullable:"false" doc:"Every step of the job, oldest first."`
	OutputEncrypted bool           `json:"outputEncrypted"`
	OutputKey       *string        `json:"outputKey" doc:"The key of the output in the output bucket, once the job is Completed."`
	Timings         timings        `json:"timings"`
}

// historyEntry is a step of a job.
type historyEntry struct {
	ID        string      `json:"id"`
	Timestamp time.Time   `json:"timestamp"`
	Status    job.Status  `json:"status" enum:"Queued,Processing,Verifying,AwaitingSigner,Completed,Failed,Canceled"`
	Message   string      `json:"message"`
	Code      *fault.Code `json:"code"`
	_         struct{}    `json:"-" additionalProperties:"true"`
}

// timings are how long the stages of a job took; null where there was none.
type timings struct {
	QueueMs        *int64   `json:"queueMs" doc:"Waiting for somebody to begin."`
	SigningMs      *int64   `json:"signingMs"`
	VerificationMs *int64   `json:"verificationMs"`
	OutputMs       *int64   `json:"outputMs" doc:"Publishing the output and dealing with the input."`
	_              struct{} `json:"-" additionalProperties:"true"`
}

func pageOf(p job.Page, size int) jobPage {
	out := jobPage{Items: make([]JobRow, 0, len(p.Jobs)), PageSize: size, Cursor: optional(p.Cursor)}
	for _, j := range p.Jobs {
		out.Items = append(out.Items, rowOf(j))
	}
	return out
}

func rowOf(j job.Job) JobRow {
	return JobRow{
		ID: j.ID, FileName: j.FileName, OriginalPath: j.Object.Key, Format: formatOf(j.Format, j.FileName), Source: j.Source,
		Status: j.Status, CreatedAt: j.CreatedAt.UTC(), UpdatedAt: j.UpdatedAt.UTC(), ParentJobID: optional(j.ParentID),
		ErrorMessage: optional(j.Error), ErrorCode: optional(j.Code), ProfileName: j.Profile,
	}
}

func detailOf(j job.Job) jobDetail {
	d := jobDetail{JobRow: rowOf(j), History: make([]historyEntry, 0, len(j.History)), Timings: timingsOf(j)}
	for _, e := range j.History {
		d.History = append(d.History, historyEntry{ID: e.ID, Timestamp: e.Time.UTC(), Status: e.Status, Message: e.Message, Code: optional(e.Code)})
	}
	// The key is on the job from the moment that the signature is asked for; before the end there may be nothing under it.
	if j.Status == job.Completed {
		d.OutputKey = optional(j.Output.Key)
	}
	return d
}

func timingsOf(j job.Job) timings {
	ms := func(s job.Stage) *int64 {
		d, ok := j.Stages[s]
		if !ok {
			return nil
		}
		return new(d.Milliseconds())
	}
	return timings{
		QueueMs: ms(job.StageQueue), SigningMs: ms(job.StageSigning),
		VerificationMs: ms(job.StageVerification), OutputMs: ms(job.StageOutput),
	}
}

// formatOf says what an open format comes to: the claim will decide the same.
func formatOf(f profile.Format, fileName string) profile.Format {
	if f == profile.Auto {
		return profile.FormatOf(fileName)
	}
	return f
}

// optional makes null of what is not there.
func optional[T ~string](v T) *T {
	if v == "" {
		return nil
	}
	return &v
}
