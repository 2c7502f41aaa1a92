package console

import (
	"net/http"
	"net/url"

	"bulksigner/internal/profile"
)

// watchedFolder is a folder that files arrive in, as the API tells it.
type watchedFolder struct {
	Name              string         `json:"name"`
	Path              string         `json:"path"`
	Status            string         `json:"status"`
	ProfileName       string         `json:"profileName"`
	ProfileFormat     profile.Format `json:"profileFormat"`
	IgnoredExtensions []string       `json:"ignoredExtensions"`
	IgnoredPrefixes   []string       `json:"ignoredPrefixes"`
	Files             *int64         `json:"files"` // nil: they could not be counted
	MoreFiles         bool           `json:"moreFiles"`
	Enqueued          int64          `json:"enqueued"`
}

// Profile is the page of the folder's profile.
func (f watchedFolder) Profile() string { return "/profiles/" + url.PathEscape(f.ProfileName) }

// rescanned is what a search of the folders found.
type rescanned struct {
	Folders []struct {
		Name          string   `json:"name"`
		EnqueuedFiles []string `json:"enqueuedFiles"`
		Unassigned    bool     `json:"unassigned"`
		rescanCounts
	} `json:"folders"`
	Totals   rescanCounts `json:"totals"`
	Complete bool         `json:"complete"`
}

type rescanCounts struct {
	Scanned          int64 `json:"scanned"`
	Enqueued         int64 `json:"enqueued"`
	AlreadyActive    int64 `json:"alreadyActive"`
	AlreadyProcessed int64 `json:"alreadyProcessed"`
	Ignored          int64 `json:"ignored"`
	Errors           int64 `json:"errors"`
}

// inputShown is the page of the watched folders.
type inputShown struct {
	Folders []watchedFolder `json:"folders"`
	Found   *rescanned      `json:"-"` // what a search found that the visitor asked for just now
	Refused *problem        `json:"-"` // why there was none
}

func (s *server) addInput(mux *http.ServeMux) {
	mux.HandleFunc("GET /input", s.page(func(v *visit) error { return v.showInput(inputShown{}) }))
	mux.HandleFunc("POST /input", s.page((*visit).rescan))
}

func (v *visit) showInput(page inputShown) error {
	if err := v.api.get("/api/folders", &page); err != nil {
		return err
	}
	return v.show(page.Refused, "input", page)
}

// rescan searches one folder, or all, and says on the same page what was found: a search may be repeated without harm.
func (v *visit) rescan() error {
	if err := v.readForm(); err != nil {
		return err
	}
	path := "/api/rescan"
	if folder := v.r.PostForm.Get("folder"); folder != "" {
		path += "?" + url.Values{"folder": {folder}}.Encode()
	}
	var page inputShown
	var found rescanned
	err := v.api.send(http.MethodPost, path, nil, &found)
	refused, ok := refusalOf(err)
	switch {
	case err == nil:
		page.Found = &found
	case ok && refused.visitors():
		page.Refused = refused
	default:
		return err
	}
	return v.showInput(page)
}
