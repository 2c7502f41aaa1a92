package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// systemPage is the service's state. What takes time to find out is loaded by parts of their own.
type systemPage struct {
	Pipeline pipelineState
	Reason   string   // as it was typed
	Problem  *problem // what is wrong with it
	Refused  *problem // why something else was not done
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
	mux.HandleFunc("GET /system", s.page(func(v *visit) error { return v.system(nil, "") }))
	mux.HandleFunc("GET /system/pause", s.leading("/system"))
	mux.HandleFunc("POST /system/pause", s.page((*visit).pause))
	mux.HandleFunc("GET /system/resume", s.leading("/system"))
	mux.HandleFunc("POST /system/resume", s.page((*visit).resume))
	mux.HandleFunc("GET /system/readiness", s.page((*visit).readiness))
	mux.HandleFunc("GET /system/certificates", s.page((*visit).certificates))
	mux.HandleFunc("GET /system/settings", s.page((*visit).settings))
	s.addQueues(mux)
	s.addClear(mux)
}

// system shows the state, with what was refused: beside the reason if that is to blame and can still be given.
func (v *visit) system(refused *problem, reason string) error {
	page := systemPage{Reason: reason}
	if err := v.api.get("/api/pipeline/state", &page.Pipeline); err != nil {
		return err
	}
	if refused != nil && reason != "" && refused.aboutReason() && !page.Pipeline.Paused {
		page.Problem = refused
	} else {
		page.Refused = refused
	}
	return v.show(refused, "system", page)
}

// notDone shows the state as it is now, with why the API did not do what was asked for.
func (v *visit) notDone(err error, reason string) error {
	refused, ok := refusalOf(err)
	if !ok || !refused.visitors() {
		return err
	}
	return v.system(refused, reason)
}

func (v *visit) pause() error {
	if err := v.readForm(); err != nil {
		return err
	}
	reason, body := strings.TrimSpace(v.r.PostForm.Get("reason")), map[string]string{}
	if reason != "" {
		body["reason"] = reason
	}
	if err := v.api.send(http.MethodPost, "/api/pipeline/pause", body, nil); err != nil {
		return v.notDone(err, reason)
	}
	return v.done("/system", "system.paused-now")
}

func (v *visit) resume() error {
	if err := v.api.send(http.MethodPost, "/api/pipeline/resume", nil, nil); err != nil {
		return v.notDone(err, "")
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
	w, err := v.api.ask(http.MethodGet, "/api/ready/details", nil, nil)
	if err != nil {
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

// settingsPage has the settings in force by section.
type settingsPage struct{ Sections []section }

type section struct {
	Name     string
	Settings []setting
}

type setting struct {
	Key      string          `json:"key"`
	Value    json.RawMessage `json:"value"`
	Source   string          `json:"source"`
	Variable string          `json:"variable"`
	Note     string          `json:"note"`
}

// Shown is the value as somebody would write it: numbers have all their digits, and lists commas.
func (s setting) Shown() string {
	var text string
	if json.Unmarshal(s.Value, &text) == nil {
		return text
	}
	var list []string
	if json.Unmarshal(s.Value, &list) == nil {
		return strings.Join(list, ", ")
	}
	return string(s.Value)
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
	mux.HandleFunc("GET /system/queues/{name}/redrive", s.leading("/system"))
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
		return v.notDone(err, "")
	}
	return v.done("/system", "queues.moved", v.loc.Number(answer.Moved), v.loc.Number(answer.Left))
}
