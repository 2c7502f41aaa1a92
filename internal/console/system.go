package console

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"bulksigner/internal/fault"
)

// systemPage is the service's state. What takes time to find out is loaded by parts of their own.
type systemPage struct {
	Pipeline pipelineState
	Reason   string // as it was typed
	Problem  *problem
}

type pipelineState struct {
	Paused         bool       `json:"paused"`
	PausedAt       *time.Time `json:"pausedAtUtc"`
	PausedBy       string     `json:"pausedBy"`
	Reason         string     `json:"reason"`
	MaxConcurrency int64      `json:"maxConcurrency"`
	JobsInFlight   int64      `json:"jobsInFlight"`
}

func (s *server) addSystem(mux *http.ServeMux) {
	mux.HandleFunc("GET /system", s.page(func(v *visit) error { return v.system(http.StatusOK, systemPage{}) }))
	mux.HandleFunc("POST /system/pause", s.page((*visit).pause))
	mux.HandleFunc("POST /system/resume", s.page((*visit).resume))
	mux.HandleFunc("GET /system/readiness", s.page((*visit).readiness))
	mux.HandleFunc("GET /system/certificates", s.page((*visit).certificates))
	mux.HandleFunc("GET /system/settings", s.page((*visit).settings))
	s.addQueues(mux)
	s.addClear(mux)
}

func (v *visit) system(status int, page systemPage) error {
	if err := v.api.get("/api/pipeline/state", &page.Pipeline); err != nil {
		return err
	}
	return v.render(status, "system", page)
}

func (v *visit) pause() error {
	reason, body := strings.TrimSpace(v.r.PostFormValue("reason")), map[string]string{}
	if reason != "" {
		body["reason"] = reason
	}
	if err := v.api.send(http.MethodPost, "/api/pipeline/pause", body, nil); err != nil {
		if p := problemOf(err); refusedForm(p) {
			return v.system(p.Status, systemPage{Reason: reason, Problem: p})
		}
		return err
	}
	return v.done("/system", "system.paused-now")
}

func (v *visit) resume() error {
	if err := v.api.send(http.MethodPost, "/api/pipeline/resume", nil, nil); err != nil {
		return err
	}
	return v.done("/system", "system.resumed-now")
}

// readyPage says what the service depends on and how that is.
type readyPage struct {
	Ready  bool `json:"ready"`
	Checks []struct {
		Name   string `json:"name"`
		OK     bool   `json:"ok"`
		Detail string `json:"detail"`
	} `json:"checks"`
}

// readiness shows the rows. A service that is not ready answers 503 and its rows all the same.
func (v *visit) readiness() error {
	w := &recorder{header: http.Header{}, status: http.StatusOK}
	if err := v.api.pass(w, http.MethodGet, "/api/ready/details", nil, nil); err != nil {
		return err
	}
	if w.status == http.StatusServiceUnavailable {
		w.status = http.StatusOK
	}
	var page readyPage
	if err := w.read(&page); err != nil {
		return err
	}
	return v.render(http.StatusOK, "system-readiness", page)
}

// certificatesPage says of each profile's certificate how long it lasts.
type certificatesPage struct {
	Certificates []certificate `json:"certificates"`
}

type certificate struct {
	Profile  string     `json:"profile"`
	Enabled  bool       `json:"enabled"`
	Source   string     `json:"source"`
	Subject  string     `json:"subject"`
	Issuer   string     `json:"issuer"`
	NotAfter *time.Time `json:"notAfter"`
	DaysLeft *int64     `json:"daysLeft"`
	Degraded bool       `json:"degraded"`
	Code     fault.Code `json:"code"`
}

// The days from which on a certificate's end is near, and close; the alarms have the same.
const nearDays, closeDays = 30, 7

// Chip is how the certificate's end is marked.
func (c certificate) Chip() string {
	switch {
	case c.DaysLeft == nil:
		return ""
	case *c.DaysLeft < closeDays:
		return "bad"
	case *c.DaysLeft < nearDays:
		return "wait"
	default:
		return "good"
	}
}

// Over reports whether the certificate has ended.
func (c certificate) Over() bool { return c.DaysLeft != nil && *c.DaysLeft < 0 }

func (v *visit) certificates() error {
	var page certificatesPage
	if err := v.api.get("/api/certificates", &page); err != nil {
		return err
	}
	return v.render(http.StatusOK, "system-certificates", page)
}

// settingsPage has the settings in force by section.
type settingsPage struct{ Sections []section }

type section struct {
	Name     string
	Settings []setting
}

type setting struct {
	Key      string `json:"key"`
	Value    any    `json:"value"`
	Source   string `json:"source"`
	Variable string `json:"variable"`
	Note     string `json:"note"`
}

func (v *visit) settings() error {
	var all struct {
		Settings []setting `json:"settings"`
	}
	if err := v.api.get("/api/settings", &all); err != nil {
		return err
	}
	var page settingsPage
	for _, s := range all.Settings {
		name, _, _ := strings.Cut(s.Key, ":")
		at := slices.IndexFunc(page.Sections, func(x section) bool { return x.Name == name })
		if at < 0 {
			at, page.Sections = len(page.Sections), append(page.Sections, section{Name: name})
		}
		page.Sections[at].Settings = append(page.Sections[at].Settings, s)
	}
	return v.render(http.StatusOK, "system-settings", page)
}

// queuesPage has the queues and what in them nobody could handle.
type queuesPage struct {
	Queues []struct {
		Name string `json:"name"`
		count
		DeadLetters *count `json:"deadLetters"`
	} `json:"queues"`
}

type count struct {
	Waiting  int64 `json:"waiting"`
	InFlight int64 `json:"inFlight"`
	Delayed  int64 `json:"delayed"`
}

func (s *server) addQueues(mux *http.ServeMux) {
	mux.HandleFunc("GET /system/queues", s.page((*visit).queues))
	mux.HandleFunc("POST /system/queues/{name}/redrive", s.page((*visit).redrive))
}

func (v *visit) queues() error {
	var page queuesPage
	if err := v.api.get("/api/queues", &page); err != nil {
		return err
	}
	return v.render(http.StatusOK, "system-queues", page)
}

func (v *visit) redrive() error {
	var answer struct{ Moved, Left int64 }
	path := "/api/queues/" + url.PathEscape(v.r.PathValue("name")) + "/redrive"
	if err := v.api.send(http.MethodPost, path, nil, &answer); err != nil {
		return err
	}
	return v.done("/system", "queues.moved", v.loc.Number(answer.Moved), v.loc.Number(answer.Left))
}
