package console

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"bulksigner/internal/fault/guide"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// smallFile is up to what size a script sends a file with its form: some room is left for the form itself.
const smallFile = 4_000_000

// uploadPage is the page on which files are handed in.
type uploadPage struct {
	Profiles []string
	Formats  []profile.Format
	Chosen   string // the profile that was chosen before
	Small    int
	Once     string // names the upload that this page may ask for: two clicks make one job
	Problem  *problem
}

// accepted is the API's answer to a file, which a script reads too.
type accepted struct {
	JobID  job.ID `json:"jobId"`
	Upload *struct {
		Method  string            `json:"method"`
		URL     string            `json:"url"`
		Headers map[string]string `json:"headers"`
	} `json:"upload,omitempty"`
}

func (s *server) addUpload(mux *http.ServeMux) {
	mux.HandleFunc("GET /upload", s.page(func(v *visit) error { return v.showUpload(v.r.URL.Query().Get("profile"), nil) }))
	mux.HandleFunc("POST /upload", s.taking(maxFiles, (*visit).upload))
	mux.HandleFunc("GET /upload/announce", s.leading(uploadPath))
	mux.HandleFunc("POST /upload/announce", s.page((*visit).announce))
}

func (v *visit) showUpload(chosen string, p *problem) error {
	page := uploadPage{Formats: profile.Formats, Chosen: chosen, Small: smallFile, Once: rand.Text(), Problem: p}
	var all profilesPage
	if err := v.api.get("/api/profiles", &all); err != nil {
		return err
	}
	for _, p := range all.Profiles {
		if p.Enabled && p.Method != profile.SignerFolder {
			page.Profiles = append(page.Profiles, p.Name)
		}
	}
	return v.show(p, "upload", page)
}

// upload hands a small file on.
func (v *visit) upload() error {
	form, err := v.readFiles("file")
	if err != nil {
		return v.uploaded(accepted{}, form.fields["profile"], err)
	}
	q := kept(url.Values{"profile": {form.fields["profile"]}, "format": {form.fields["format"]}}, "profile", "format")
	headers := v.once(form.fields["once"])
	headers["Content-Type"] = form.kind
	w, err := v.api.ask(http.MethodPost, "/api/files?"+q.Encode(), headers, form.body)
	if err != nil {
		return err
	}
	var a accepted
	if err := w.read(&a); err != nil {
		return v.uploaded(a, form.fields["profile"], err)
	}
	return v.uploaded(a, "", nil)
}

// announce asks where a large file may go, for the script that sends it.
func (v *visit) announce() error {
	if err := v.readForm(); err != nil {
		return v.uploaded(accepted{}, "", err)
	}
	body := map[string]string{}
	for _, field := range []string{"fileName", "profile", "format", "contentType"} {
		if value := v.r.PostForm.Get(field); value != "" {
			body[field] = value
		}
	}
	var a accepted
	_, err := v.api.exchange(http.MethodPost, "/api/files", v.once(""), body, &a)
	return v.uploaded(a, "", err)
}

// once hands on the name that makes one of a request and its repetition: the script's, or that of the page with the form.
func (v *visit) once(form string) map[string]string {
	headers := map[string]string{}
	if key := v.r.Header.Get("Idempotency-Key"); key != "" {
		headers["Idempotency-Key"] = key
	} else if form != "" {
		headers["Idempotency-Key"] = "console-" + form
	}
	return headers
}

// uploaded answers the script with what it has to know, and a form with a page.
func (v *visit) uploaded(a accepted, chosen string, err error) error {
	if err == nil && !v.forScript() {
		http.Redirect(v.w, v.r, "/jobs/"+url.PathEscape(string(a.JobID))+"?new=1", http.StatusSeeOther)
		return nil
	}
	if err == nil {
		return v.answer(http.StatusAccepted, a)
	}
	p, ok := refusalOf(err)
	if !ok || !p.visitors() && p.Code == "" {
		return err
	}
	if v.forScript() {
		v.mind(p)
		return v.answer(p.Status, map[string]string{"code": string(p.Code), "text": v.words(p)})
	}
	return v.showUpload(chosen, p)
}

// words says in the visitor's language what a problem means and what to do, or what the API said.
func (v *visit) words(p *problem) string {
	e, ok := guide.For(p.Code, v.loc.Tag)
	switch wait := p.Wait(); {
	case !ok:
		return p.Detail
	case wait > 0:
		return e.Meaning + " " + v.loc.N("error.wait", wait)
	}
	return e.Meaning + " " + e.Remedy
}

// forScript reports whether a script of the page asks, which reads JSON.
func (v *visit) forScript() bool {
	return strings.HasPrefix(v.r.Header.Get("Accept"), "application/json")
}

func (v *visit) answer(status int, body any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encode an answer: %w", err)
	}
	v.w.Header().Set("Content-Type", "application/json")
	v.w.WriteHeader(status)
	v.write(b)
	return nil
}
