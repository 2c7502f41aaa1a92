package console

import (
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// jobRow is a job in a list, as the API tells it.
type jobRow struct {
	ID              job.ID         `json:"id"`
	FileName        string         `json:"fileName"`
	Format          profile.Format `json:"format"`
	Source          job.Source     `json:"source"`
	Status          job.Status     `json:"status"`
	CreatedAt       time.Time      `json:"createdAt"`
	UpdatedAt       time.Time      `json:"updatedAt"`
	ParentJobID     job.ID         `json:"parentJobId"`
	ErrorMessage    string         `json:"errorMessage"`
	ErrorCode       fault.Code     `json:"errorCode"`
	ProfileName     string         `json:"profileName"`
	DocumentName    string         `json:"documentName"`
	MIMEType        string         `json:"mimeType"`
	OutputEncrypted bool           `json:"outputEncrypted"`
}

// jobList is a page of jobs.
type jobList struct {
	Items      []jobRow `json:"items"`
	TotalCount *int64   `json:"totalCount"`
	Cursor     string   `json:"cursor"`
}

// jobsShown is the list with its filters.
type jobsShown struct {
	jobList
	Filter   jobFilter
	Refused  *problem // why there is no list
	Next     string   // the address of the next page, or ""
	First    bool     // this is the first page
	Statuses []job.Status
	Formats  []profile.Format
	Sources  []job.Source
	Profiles []string
}

// jobFilter is what the form says.
type jobFilter struct {
	Statuses                                []string
	Profile, Format, Source, Name, From, To string
}

// Has reports whether jobs with a status are asked for.
func (f jobFilter) Has(s job.Status) bool { return slices.Contains(f.Statuses, string(s)) }

// sources are how a job may have begun.
var sources = []job.Source{job.Watcher, job.Upload, job.Rescan, job.Retry, job.FromSigner}

func (s *server) addJobs(mux *http.ServeMux) {
	mux.HandleFunc("GET /jobs", s.page((*visit).jobs))
	s.addJob(mux)
}

func (v *visit) jobs() error {
	asked := kept(v.r.URL.Query(), "status", "profile", "format", "source", "fileName", "from", "to", "cursor")
	page := jobsShown{
		Statuses: job.Statuses, Formats: profile.Formats, Sources: sources, First: asked.Get("cursor") == "",
		Filter: jobFilter{
			Statuses: asked["status"], Profile: asked.Get("profile"), Format: asked.Get("format"), Source: asked.Get("source"),
			Name: asked.Get("fileName"), From: asked.Get("from"), To: asked.Get("to"),
		},
	}
	if v.r.Header.Get("HX-Request") == "" {
		page.Profiles = v.profileNames(page.Filter.Profile)
	} else {
		asked.Set("count", "false") // what refreshes itself leaves filter and count as they were: both cost something each time
	}
	var err error
	if page.Refused, err = v.filtered("/api/jobs", asked, &page.jobList); err != nil {
		return err
	}
	page.Next = nextPage("/jobs", asked, page.Cursor)
	return v.show(page.Refused, "jobs", page)
}

// filtered asks a list for what passes a filter. A filter that is refused is shown beside its form.
func (v *visit) filtered(path string, asked url.Values, list any) (*problem, error) {
	sent := url.Values{}
	for name, values := range asked {
		sent[name] = values
	}
	if to := asked["to"]; len(to) == 1 { // several are refused
		sent.Set("to", afterDay(to[0]))
	}
	err := v.api.get(path+"?"+sent.Encode(), list)
	if refused, ok := refusalOf(err); ok && refused.is(fault.ValidationFilterInvalid) {
		return refused, nil
	}
	return nil, err
}

// afterDay is the end of a filter as the API takes it: what was before. People mean the whole of the day that they name.
func afterDay(day string) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day // the API says what it thinks of it
	}
	return t.AddDate(0, 0, 1).Format(time.DateOnly)
}

// nextPage is the address of the page that a cursor leads to, with the same filter.
func nextPage(path string, asked url.Values, cursor string) string {
	if cursor == "" {
		return ""
	}
	asked.Set("cursor", cursor)
	asked.Del("count")
	return path + "?" + asked.Encode()
}

// kept are the parameters of these names that say something: a form sends empty fields too, which the API refuses.
func kept(q url.Values, names ...string) url.Values {
	out := url.Values{}
	for _, name := range names {
		for _, value := range q[name] {
			if value = strings.TrimSpace(value); value != "" {
				out.Add(name, value)
			}
		}
	}
	return out
}

// profileNames are what a list can be filtered by, the chosen one among them even if it is gone: its jobs are not. They are
// a help and no more, so that jobs are listed without them too.
func (v *visit) profileNames(chosen string) (names []string) {
	var all struct {
		Profiles []struct {
			Name string `json:"name"`
		} `json:"profiles"`
	}
	if err := v.api.get("/api/profiles", &all); err != nil {
		slog.WarnContext(v.r.Context(), "profiles not offered as a filter", "code", fault.CodeOf(err), "err", err)
	}
	for _, p := range all.Profiles {
		names = append(names, p.Name)
	}
	if chosen != "" && !slices.Contains(names, chosen) {
		names = append(names, chosen)
	}
	return names
}
