package console

import (
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"bulksigner/internal/job"
)

// overview is how the service stands, as the API tells it.
type overview struct {
	At       time.Time     `json:"at"`
	Pipeline pipelineState `json:"pipeline"`
	Profiles struct {
		Enabled      int64 `json:"enabled"`
		Degraded     int64 `json:"degraded"`
		LacunaSigner int64 `json:"lacunaSigner"`
	} `json:"profiles"`
	Now struct {
		Queued         standing `json:"queued"`
		Processing     standing `json:"processing"`
		Verifying      standing `json:"verifying"`
		AwaitingSigner standing `json:"awaitingSigner"`
	} `json:"now"`
	LongestRunning *struct {
		JobID  job.ID     `json:"jobId"`
		Status job.Status `json:"status"`
		Since  time.Time  `json:"since"`
	} `json:"longestRunning"`
	LastDay struct {
		From time.Time `json:"from"`
		endings
	} `json:"lastDay"`
	Hours       []endedHour `json:"hours"`
	Performance performance `json:"performance"`
}

// standing is how many jobs have one status, and maybe More.
type standing struct {
	Jobs        int64      `json:"jobs"`
	More        bool       `json:"more"`
	OldestSince *time.Time `json:"oldestSince"`
}

// endings are how many jobs ended, and how.
type endings struct {
	Completed int64 `json:"completed"`
	Failed    int64 `json:"failed"`
	Canceled  int64 `json:"canceled"`
	Encrypted int64 `json:"encrypted"`
}

type endedHour struct {
	Start time.Time `json:"start"`
	endings
}

// performance is how long the completed jobs of the day took.
type performance struct {
	Enabled      bool      `json:"enabled"`
	From         time.Time `json:"from"`
	Complete     bool      `json:"complete"`
	Completed    int64     `json:"completed"`
	Local        int64     `json:"local"`
	Remote       int64     `json:"remote"`
	PerMinute    float64   `json:"perMinute"`
	LastMinute   int64     `json:"lastMinute"`
	Total        *span     `json:"total"`
	Queue        *span     `json:"queue"`
	Signing      *span     `json:"signing"`
	Verification *span     `json:"verification"`
	Output       *span     `json:"output"`
	Slowest      *struct {
		JobID   job.ID `json:"jobId"`
		TotalMs *int64 `json:"totalMs"`
	} `json:"slowest"`
}

// span is how long a stage took.
type span struct {
	MeanMs float64 `json:"meanMs"`
	Min    *int64  `json:"minMs"`
	Max    *int64  `json:"maxMs"`
}

// Mean is the mean in whole milliseconds.
func (s span) Mean() *int64 { return new(int64(math.Round(s.MeanMs))) }

// overviewShown is the first page.
type overviewShown struct {
	overview
	Last []jobRow // the newest jobs
}

// lastJobs is how many jobs the first page lists.
const lastJobs = 10

func (s *server) addOverview(mux *http.ServeMux) {
	mux.HandleFunc("GET /{$}", s.page((*visit).overview))
}

func (v *visit) overview() error {
	var page overviewShown
	if err := v.api.get("/api/overview", &page.overview); err != nil {
		return err
	}
	var list jobList
	if err := v.api.get("/api/jobs?pageSize="+strconv.Itoa(lastJobs), &list); err != nil {
		return err
	}
	page.Last = list.Items
	return v.render(http.StatusOK, "overview", page)
}

// InFlight are the jobs that take a slot.
func (o overview) InFlight() standing {
	p, v := o.Now.Processing, o.Now.Verifying
	return standing{Jobs: p.Jobs + v.Jobs, More: p.More || v.More}
}

// For is how long something has lasted.
func (o overview) For(since time.Time) time.Duration { return max(0, o.At.Sub(since)) }

// Ended are the jobs behind a figure of the last day, as nearly as a list can be asked for them: by when they were made.
func (o overview) Ended(status job.Status) string {
	q := url.Values{"status": {string(status)}}
	if !o.LastDay.From.IsZero() {
		q.Set("from", o.LastDay.From.UTC().Format(time.RFC3339))
	}
	return "/jobs?" + q.Encode()
}

// Chart is the picture of the hours.
func (o overview) Chart() chart { return chartOf(o.Hours) }

// Rate writes how many there are in a minute.
func (l *locale) Rate(perMinute float64) string {
	digits := 1
	if perMinute < 1 {
		digits = 2
	}
	return strings.Replace(strconv.FormatFloat(perMinute, 'f', digits, 64), ".", l.T("format.decimal"), 1)
}
