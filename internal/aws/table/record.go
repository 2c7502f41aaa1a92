package table

import (
	"fmt"
	"strings"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// Where a job is.
const (
	jobPrefix = "JOB#"
	jobSK     = "JOB"
)

// Names of attributes that expressions use.
const (
	versionAttr = "version"
	historyAttr = "history"
	entryIDAttr = "id"
)

// jobRecord is a job as it is stored.
type jobRecord struct {
	PK       string `dynamodbav:"pk"`
	SK       string `dynamodbav:"sk"`
	StatusPK string `dynamodbav:"statusPk"`
	StatusSK string `dynamodbav:"statusSk"`
	DayPK    string `dynamodbav:"dayPk"`
	DaySK    string `dynamodbav:"daySk"`

	ParentID  string `dynamodbav:"parentId,omitempty"`
	Version   int64  `dynamodbav:"version"`
	Status    string `dynamodbav:"status"`
	Since     string `dynamodbav:"since,omitempty"`
	QueuedAt  string `dynamodbav:"queuedAt,omitempty"`
	CreatedAt string `dynamodbav:"createdAt,omitempty"`
	UpdatedAt string `dynamodbav:"updatedAt,omitempty"`

	Profile        string `dynamodbav:"profile,omitempty"`
	Method         string `dynamodbav:"method,omitempty"`
	Format         string `dynamodbav:"format,omitempty"`
	ProfileVersion int64  `dynamodbav:"profileVersion"`
	Verify         bool   `dynamodbav:"verify"`
	RequirePolicy  bool   `dynamodbav:"requirePolicy"`
	Encrypt        bool   `dynamodbav:"encrypt"`

	PreserveFileExtension bool   `dynamodbav:"preserveFileExtension"`
	SaveAsPem             bool   `dynamodbav:"saveAsPem"`
	ParticipantName       string `dynamodbav:"participantName,omitempty"`
	ParticipantEmail      string `dynamodbav:"participantEmail,omitempty"`
	ParticipantIdentifier string `dynamodbav:"participantIdentifier,omitempty"`

	Source    string `dynamodbav:"source,omitempty"`
	Folder    string `dynamodbav:"folder,omitempty"`
	FileName  string `dynamodbav:"fileName,omitempty"`
	Bucket    string `dynamodbav:"bucket,omitempty"`
	Key       string `dynamodbav:"key,omitempty"`
	VersionID string `dynamodbav:"versionId,omitempty"`
	ETag      string `dynamodbav:"etag,omitempty"`
	Size      int64  `dynamodbav:"size"`
	Modified  string `dynamodbav:"modified,omitempty"`
	OutputKey string `dynamodbav:"outputKey,omitempty"`
	UploadKey string `dynamodbav:"uploadKey,omitempty"`
	UploadID  string `dynamodbav:"uploadId,omitempty"`

	DocumentID     string `dynamodbav:"documentId,omitempty"`
	DocumentSHA256 string `dynamodbav:"documentSha256,omitempty"`
	SignerFailures int    `dynamodbav:"signerFailures"`
	Troubled       string `dynamodbav:"troubled,omitempty"`
	ActionID       string `dynamodbav:"actionId,omitempty"`
	FolderID       string `dynamodbav:"folderId,omitempty"`
	DocumentName   string `dynamodbav:"documentName,omitempty"`
	MIMEType       string `dynamodbav:"mimeType,omitempty"`

	ClaimOwner string `dynamodbav:"claimOwner,omitempty"`
	ClaimUntil string `dynamodbav:"claimUntil,omitempty"`
	Marked     string `dynamodbav:"marked,omitempty"`
	Deaths     int    `dynamodbav:"deaths"`

	Code    string           `dynamodbav:"code,omitempty"`
	Error   string           `dynamodbav:"error,omitempty"`
	Stages  map[string]int64 `dynamodbav:"stages,omitempty"` // milliseconds
	History []entryRecord    `dynamodbav:"history,omitempty"`
}

type entryRecord struct {
	ID      string `dynamodbav:"id"`
	Time    string `dynamodbav:"time,omitempty"`
	Status  string `dynamodbav:"status"`
	Code    string `dynamodbav:"code,omitempty"`
	Message string `dynamodbav:"message,omitempty"`
}

func toRecord(j job.Job) jobRecord {
	r := jobRecord{
		PK: jobPrefix + string(j.ID), SK: jobSK,
		StatusPK: shardOf(statusPartition(j.Status, j.Since), j.ID), StatusSK: sortKey(j.Since, j.ID),
		DayPK: shardOf(dayPartition(j.CreatedAt), j.ID), DaySK: sortKey(j.CreatedAt, j.ID),
		ParentID: string(j.ParentID), Version: j.Version, Status: string(j.Status),
		Since: moment(j.Since), QueuedAt: moment(j.QueuedAt), CreatedAt: moment(j.CreatedAt), UpdatedAt: moment(j.UpdatedAt),
		Profile: j.Profile, Method: string(j.Method), Format: string(j.Format),
		Source: string(j.Source), Folder: j.Folder, FileName: j.FileName,
		Bucket: j.Object.Bucket, Key: j.Object.Key, VersionID: j.Object.VersionID, ETag: j.Object.ETag, Size: j.Object.Size,
		Modified: moment(j.Object.Modified), OutputKey: j.Output.Key, UploadKey: j.Output.UploadKey, UploadID: j.Output.UploadID,
		ClaimOwner: j.Claim.Owner, ClaimUntil: moment(j.Claim.Until), Marked: moment(j.Marked), Deaths: j.Deaths,
		Code: string(j.Code), Error: j.Error, Stages: toStages(j.Stages), History: toEntries(j.History),
	}
	r.setTerms(j.Terms)
	r.setRemote(j.Remote)
	return r
}

func (r *jobRecord) setTerms(t job.Terms) {
	r.ProfileVersion, r.Verify, r.RequirePolicy, r.Encrypt = t.ProfileVersion, t.Verify, t.RequirePolicy, t.Encrypt
	r.PreserveFileExtension, r.SaveAsPem = t.PreserveFileExtension, t.SaveAsPem
	r.ParticipantName, r.ParticipantEmail, r.ParticipantIdentifier = t.Participant.Name, t.Participant.Email, t.Participant.Identifier
}

func (r *jobRecord) setRemote(m job.Remote) {
	r.DocumentID, r.DocumentSHA256, r.SignerFailures = m.DocumentID, m.SHA256, m.Failures
	r.Troubled = moment(m.Troubled)
	r.ActionID, r.FolderID, r.DocumentName, r.MIMEType = m.ActionID, m.FolderID, m.DocumentName, m.MIMEType
}

func toStages(stages map[job.Stage]time.Duration) map[string]int64 {
	r := make(map[string]int64, len(stages))
	for s, d := range stages {
		r[string(s)] = d.Milliseconds()
	}
	return r
}

// fromStages reads what toStages wrote. Where there is nothing, it is nil.
func fromStages(r map[string]int64) (stages map[job.Stage]time.Duration) {
	for s, ms := range r {
		if stages == nil {
			stages = make(map[job.Stage]time.Duration, len(r))
		}
		stages[job.Stage(s)] = time.Duration(ms) * time.Millisecond
	}
	return stages
}

func toEntries(history []job.Entry) []entryRecord {
	r := make([]entryRecord, 0, len(history))
	for _, e := range history {
		r = append(r, entryRecord{ID: e.ID, Time: moment(e.Time), Status: string(e.Status), Code: string(e.Code), Message: e.Message})
	}
	return r
}

func (r jobRecord) job() (job.Job, error) {
	var at moments
	j := job.Job{
		ID: job.ID(strings.TrimPrefix(r.PK, jobPrefix)), ParentID: job.ID(r.ParentID), Version: r.Version, Status: job.Status(r.Status),
		Since: at.read("since", r.Since), QueuedAt: at.read("queuedAt", r.QueuedAt),
		CreatedAt: at.read("createdAt", r.CreatedAt), UpdatedAt: at.read("updatedAt", r.UpdatedAt),
		Profile: r.Profile, Method: profile.Method(r.Method), Format: profile.Format(r.Format),
		Terms: r.terms(), Remote: r.remote(&at),
		Source: job.Source(r.Source), Folder: r.Folder, FileName: r.FileName,
		Object: job.Object{
			Bucket: r.Bucket, Key: r.Key, VersionID: r.VersionID, ETag: r.ETag, Size: r.Size, Modified: at.read("modified", r.Modified),
		},
		Output: job.Output{Key: r.OutputKey, UploadKey: r.UploadKey, UploadID: r.UploadID},
		Claim:  job.Claim{Owner: r.ClaimOwner, Until: at.read("claimUntil", r.ClaimUntil)},
		Marked: at.read("marked", r.Marked), Deaths: r.Deaths, Code: fault.Code(r.Code), Error: r.Error,
	}
	j.Stages = fromStages(r.Stages)
	for i, e := range r.History {
		j.History = append(j.History, job.Entry{
			ID: e.ID, Time: at.read(fmt.Sprintf("the time of history entry %d", i), e.Time),
			Status: job.Status(e.Status), Code: fault.Code(e.Code), Message: e.Message,
		})
	}
	return j, at.err
}

func (r jobRecord) terms() job.Terms {
	return job.Terms{
		ProfileVersion: r.ProfileVersion, Verify: r.Verify, RequirePolicy: r.RequirePolicy, Encrypt: r.Encrypt,
		PreserveFileExtension: r.PreserveFileExtension, SaveAsPem: r.SaveAsPem,
		Participant: profile.Participant{Name: r.ParticipantName, Email: r.ParticipantEmail, Identifier: r.ParticipantIdentifier},
	}
}

func (r jobRecord) remote(at *moments) job.Remote {
	return job.Remote{
		Troubled:   at.read("troubled", r.Troubled),
		DocumentID: r.DocumentID, SHA256: r.DocumentSHA256, Failures: r.SignerFailures,
		ActionID: r.ActionID, FolderID: r.FolderID, DocumentName: r.DocumentName, MIMEType: r.MIMEType,
	}
}
