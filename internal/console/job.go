package console

import (
	"cmp"
	"crypto/rand"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// arrivesWithin is for how long after its id was made a job may still come to be: a link for an upload lives an hour, and
// the file that it is used for takes its time.
const arrivesWithin = 2 * time.Hour

// jobDetail is one job, as the API tells it.
type jobDetail struct {
	jobRow
	History             []historyEntry `json:"history"`
	OutputKey           string         `json:"outputKey"`
	Timings             timings        `json:"timings"`
	RemoteDocumentID    string         `json:"remoteDocumentId"`
	FlowActionID        string         `json:"flowActionId"`
	AwaitingSignerSince *time.Time     `json:"awaitingSignerSince"`
	Actions             []string       `json:"actions"`
}

type historyEntry struct {
	Timestamp time.Time  `json:"timestamp"`
	Status    job.Status `json:"status"`
	Message   string     `json:"message"`
	Code      fault.Code `json:"code"`
}

// Pieces are the message with the jobs that it names.
func (e historyEntry) Pieces() []piece { return piecesOf(e.Message) }

type timings struct {
	QueueMs        *int64 `json:"queueMs"`
	SigningMs      *int64 `json:"signingMs"`
	VerificationMs *int64 `json:"verificationMs"`
	OutputMs       *int64 `json:"outputMs"`
	TotalMs        *int64 `json:"totalMs"`
}

// Ended reports whether nothing happens to the job any more, so that its page need not refresh.
func (j jobDetail) Ended() bool { return j.Status.Final() }

// May reports whether an action is offered.
func (j jobDetail) May(action string) bool { return slices.Contains(j.Actions, action) }

// InFolder reports whether the job signs a document in a folder at Lacuna Signer, which alone have a name of their own.
func (j jobDetail) InFolder() bool { return j.DocumentName != "" }

// Title is what the job is called.
func (j jobRow) Title() string { return cmp.Or(j.DocumentName, j.FileName) }

// Page is the job's page.
func (j jobRow) Page() string { return jobPage(j.ID) }

func jobPage(id job.ID) string { return "/jobs/" + url.PathEscape(string(id)) }

// jobShown is a job on its page.
type jobShown struct {
	jobDetail
	Refused *problem      // why what the visitor asked for was not done
	Waits   time.Duration // for how long a person has been awaited
	// Once names the retry that this page may ask for: two clicks make one job, and a later page may make another.
	Once string
}

func (s *server) addJob(mux *http.ServeMux) {
	mux.HandleFunc("GET /jobs/{id}", s.page((*visit).job))
	s.addJobActions(mux)
}

// jobPath is the API's path of the job that the visit is about.
func (v *visit) jobPath() string { return "/api/jobs/" + url.PathEscape(v.r.PathValue("id")) }

func (v *visit) readJob() (j jobDetail, err error) {
	err = v.api.get(v.jobPath(), &j)
	return j, err
}

func (v *visit) job() error {
	j, err := v.readJob()
	if refused, ok := refusalOf(err); ok && refused.is(fault.JobNotFound) && v.mayArrive() {
		return v.render(http.StatusOK, "job-new", job.ID(v.r.PathValue("id")))
	}
	if err != nil {
		return err
	}
	return v.showJob(j, nil)
}

func (v *visit) showJob(j jobDetail, refused *problem) error {
	shown := jobShown{jobDetail: j, Refused: refused, Once: rand.Text()}
	if j.AwaitingSignerSince != nil {
		shown.Waits = max(0, v.now().Sub(*j.AwaitingSignerSince))
	}
	return v.show(refused, "job", shown)
}

// mayArrive reports whether the job that the visit is about was handed in a moment ago, so that it may not be taken in
// yet. An upload says so, and the id knows when it was made.
func (v *visit) mayArrive() bool {
	id, err := uuid.Parse(v.r.PathValue("id"))
	if v.r.URL.Query().Get("new") == "" || err != nil || id.Version() != 7 {
		return false
	}
	made := time.Unix(id.Time().UnixTime())
	return v.now().Sub(made) < arrivesWithin
}
