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
	FileName     string         `json:"fileName" doc:"The file's name, relative to its watched folder; of a document at Lacuna Signer its name there."`
	OriginalPath string         `json:"originalPath" doc:"The key of the object in the input bucket; empty if there is no file."`
	Format       profile.Format `json:"format" enum:"Pades,Cades,Xades" doc:"The format of the signature."`
	Source       job.Source     `json:"source" enum:"Watcher,Upload,Rescan,Retry,SignerFolder" doc:"How the job began."`
	Status       job.Status     `json:"status" enum:"Queued,Processing,Verifying,AwaitingSigner,Completed,Failed,Canceled"`
	CreatedAt    time.Time      `json:"createdAt"`
	UpdatedAt    time.Time      `json:"updatedAt"`
	ParentJobID  *job.ID        `json:"parentJobId" doc:"The job that this one retries."`
	ErrorMessage *string        `json:"errorMessage" doc:"Why the job failed."`
	ErrorCode    *fault.Code    `json:"errorCode" doc:"The code of errorMessage; on a Completed job what became of an input that is still there."`
	ProfileName  string         `json:"profileName"`

	OutputEncrypted bool `json:"outputEncrypted" doc:"The output of a Completed job is a BSENC envelope."`

	DocumentName *string  `json:"documentName" doc:"The document that a SignerFolder job signs, as Lacuna Signer calls it."`
	MIMEType     *string  `json:"mimeType" doc:"What kind of document that is."`
	_            struct{} `json:"-" additionalProperties:"true"`
}

// jobPage is a part of a list.
type jobPage struct {
	Items      []JobRow `json:"items" nullable:"false"`
	Page       *int     `json:"page" doc:"The page's number, if it was asked for by one."`
	PageSize   int      `json:"pageSize" doc:"As it was asked for."`
	TotalCount *int64   `json:"totalCount" doc:"How many jobs there are on all pages; null where that was not counted."`
	Cursor     *string  `json:"cursor" doc:"Where the next page begins; null on the last one."`
	_          struct{} `json:"-" additionalProperties:"true"`
}

// jobDetail is a job with everything that is told about it.
type jobDetail struct {
	JobRow
	History   []historyEntry `json:"history" nullable:"false" doc:"Every step of the job, oldest first."`
	OutputKey *string        `json:"outputKey" doc:"The key of the output in the output bucket, once the job is Completed."`
	Timings   timings        `json:"timings"`
	Actions   []job.Choice   `json:"actions" nullable:"false" enum:"cancel,retry,download,delete" doc:"What may be asked for now, as far as the job tells. A retry can still be refused for what became of its profile or input."`

	RemoteDocumentID    *string    `json:"remoteDocumentId" doc:"The document at Lacuna Signer."`
	FlowActionID        *string    `json:"flowActionId" doc:"The document's flow action that a SignerFolder job signs."`
	AwaitingSignerSince *time.Time `json:"awaitingSignerSince" doc:"Since when a person is, or was, awaited at Lacuna Signer."`
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
	TotalMs        *int64   `json:"totalMs" doc:"The sum of the others. The time in which a person is awaited is in none of them."`
	_              struct{} `json:"-" additionalProperties:"true"`
}

func pageOf(p job.Page, size, number int) jobPage {
	out := jobPage{Items: make([]JobRow, 0, len(p.Jobs)), PageSize: size, Page: counted(number), Cursor: optional(p.Cursor)}
	for _, j := range p.Jobs {
		out.Items = append(out.Items, rowOf(j))
	}
	return out
}

func rowOf(j job.Job) JobRow {
	r := JobRow{
		ID: j.ID, FileName: j.FileName, OriginalPath: j.Object.Key, Format: formatOf(j.Format, j.FileName), Source: j.Source,
		Status: j.Status, CreatedAt: j.CreatedAt.UTC(), UpdatedAt: j.UpdatedAt.UTC(), ParentJobID: optional(j.ParentID),
		ErrorMessage: optional(j.Error), ErrorCode: optional(j.Code), ProfileName: j.Profile,
		OutputEncrypted: j.Status == job.Completed && j.Terms.Encrypt,
	}
	if j.Method == profile.SignerFolder {
		r.DocumentName, r.MIMEType = optional(j.Remote.DocumentName), optional(j.Remote.MIMEType)
	}
	return r
}

func detailOf(j job.Job) jobDetail {
	d := jobDetail{
		JobRow: rowOf(j), History: make([]historyEntry, 0, len(j.History)), Timings: timingsOf(j), Actions: j.Choices(),
		RemoteDocumentID: optional(j.Remote.DocumentID), AwaitingSignerSince: awaitingSince(j),
	}
	for _, e := range j.History {
		d.History = append(d.History, historyEntry{ID: e.ID, Timestamp: e.Time.UTC(), Status: e.Status, Message: e.Message, Code: optional(e.Code)})
	}
	// The key is on the job from the moment that the signature is asked for; before the end there may be nothing under it.
	if j.Status == job.Completed {
		d.OutputKey = optional(j.Output.Key)
	}
	if j.Method == profile.SignerFolder && j.Remote.ActionID != job.NoAction {
		d.FlowActionID = optional(j.Remote.ActionID)
	}
	return d
}

// awaitingSince is when the job began to wait for a person. The history knows it of a job that waits no more, unless that
// entry was cut.
func awaitingSince(j job.Job) *time.Time {
	if j.Status == job.AwaitingSigner {
		return new(j.Since.UTC())
	}
	for _, e := range j.History {
		if e.Status == job.AwaitingSigner {
			return new(e.Time.UTC())
		}
	}
	return nil
}

func timingsOf(j job.Job) timings {
	ms := func(s job.Stage) *int64 {
		d, ok := j.Stages[s]
		if !ok {
			return nil
		}
		return new(d.Milliseconds())
	}
	t := timings{
		QueueMs: ms(job.StageQueue), SigningMs: ms(job.StageSigning),
		VerificationMs: ms(job.StageVerification), OutputMs: ms(job.StageOutput),
	}
	if len(j.Stages) > 0 {
		t.TotalMs = new(job.TimingOf(j).Total().Milliseconds())
	}
	return t
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

// counted makes null of a number that was not given.
func counted(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}
