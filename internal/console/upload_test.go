package console_test

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// part is a field of a form, or a file if it has a name.
type part struct{ field, file, content string }

// form is a request with a multipart form, as a page of the console sends it.
func form(t *testing.T, path string, parts ...part) *http.Request {
	t.Helper()
	var body bytes.Buffer
	out := multipart.NewWriter(&body)
	for _, p := range parts {
		var err error
		if p.file == "" && p.field != "content" && p.field != "file" {
			err = out.WriteField(p.field, p.content)
		} else if w, e := out.CreateFormFile(p.field, p.file); e != nil {
			err = e
		} else {
			_, err = w.Write([]byte(p.content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, "https://console.example"+path, &body)
	r.Header.Set("Content-Type", out.FormDataContentType())
	r.Header.Set("Origin", "https://console.example")
	return r
}

// uploading is a visitor whose service has profiles of every kind.
func uploading(t *testing.T) *scene { return takingFiles(signedIn(t)) }

// takingFiles gives an API the profiles of uploading.
func takingFiles(s *scene) *scene {
	s.api.on("GET /api/profiles", http.StatusOK, map[string]any{"profiles": []map[string]any{
		{"name": "contracts", "enabled": true, "method": "Local"}, {"name": "people", "enabled": true, "method": "LacunaSigner"},
		{"name": "board", "enabled": true, "method": "SignerFolder"}, {"name": "old", "enabled": false, "method": "Local"},
	}})
	return s
}

func TestARefusalIsShownEvenIfNoProfileTakesFilesAnyMore(t *testing.T) {
	t.Parallel()
	s := listed(signedIn(t))
	s.api.refuse("POST /api/files", http.StatusConflict, "profile.disabled", "it is off")
	w := s.do(form(t, "/upload", part{field: "profile", content: "contracts"}, part{"file", "a.pdf", "x"}))
	s.shows(w, http.StatusConflict, "No enabled profile takes files.", "<code>profile.disabled</code>")
	accessible(t, w.Body.String())
}

func TestUploadOffersProfilesThatTakeFiles(t *testing.T) {
	t.Parallel()
	s := uploading(t)
	w := s.get("/upload?profile=people")
	s.shows(w, http.StatusOK, "<option>contracts</option>", "<option selected>people</option>")
	for _, not := range []string{">board<", ">old<"} {
		if strings.Contains(w.Body.String(), not) {
			t.Errorf("the page offers %s", not)
		}
	}
	if policy := w.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "connect-src 'self' https://uploads.example;") {
		t.Errorf("the policy %s does not let large files go where they belong", policy)
	}
}

func TestASmallFileIsHandedOn(t *testing.T) {
	t.Parallel()
	s := uploading(t)
	s.api.on("POST /api/files", http.StatusAccepted, map[string]any{"jobId": "0198-1"})
	r := form(t, "/upload", part{field: "profile", content: "contracts"}, part{field: "format", content: ""},
		part{"file", "contrato de aluguel.pdf", "%PDF-1.7"})
	r.Header.Set("Idempotency-Key", "once")
	w := s.do(r)
	if got, want := w.Header().Get("Location"), "/jobs/0198-1?new=1"; w.Code != http.StatusSeeOther || got != want {
		t.Errorf("answers %d and leads to %q, want %q", w.Code, got, want)
	}
	asked := s.api.calls("POST /api/files")
	if len(asked) != 1 || asked[0].Path != "/api/files?profile=contracts" || asked[0].Header.Get("Idempotency-Key") != "once" {
		t.Fatalf("asked %v", asked)
	}
	if body := asked[0].Body; !strings.Contains(body, `filename="contrato de aluguel.pdf"`) || strings.Contains(body, `"profile"`) || !strings.Contains(body, "%PDF-1.7") {
		t.Errorf("the API got %s", body)
	}
}

func TestARefusedFileStaysOnItsPage(t *testing.T) {
	t.Parallel()
	s := uploading(t)
	s.api.refuse("POST /api/files", http.StatusConflict, "file.already-processed", "known")
	w := s.do(form(t, "/upload", part{field: "profile", content: "people"}, part{"file", "a.pdf", "x"}))
	s.shows(w, http.StatusConflict, "<code>file.already-processed</code>", `aria-invalid="true"`, "<option selected>people</option>")
}

func TestAScriptReadsJSON(t *testing.T) {
	t.Parallel()
	s := uploading(t)
	s.header["Accept"] = "application/json"
	s.header["Accept-Language"] = "pt-BR"
	s.api.on("POST /api/files", http.StatusAccepted, map[string]any{
		"jobId": "0198-2", "upload": map[string]any{"method": "PUT", "url": "https://uploads.example/x", "headers": map[string]string{"If-None-Match": "*"}},
	})
	w := s.post("/upload/announce", url.Values{"fileName": {"a.pdf"}, "profile": {"contracts"}, "format": {""}, "contentType": {"application/pdf"}})
	s.shows(w, http.StatusAccepted, `"jobId":"0198-2"`, `"If-None-Match":"*"`)
	var sent map[string]string
	if err := json.Unmarshal([]byte(s.api.calls("POST /api/files")[0].Body), &sent); err != nil || len(sent) != 3 || sent["contentType"] != "application/pdf" {
		t.Errorf("the API got %v, %v", sent, err)
	}
	s.api.refuse("POST /api/files", http.StatusConflict, "profile.disabled", "off")
	w = s.post("/upload/announce", url.Values{"fileName": {"a.pdf"}})
	s.shows(w, http.StatusConflict, `"code":"profile.disabled"`, "perfil")
	s.cookies = map[string]string{}
	if w := s.post("/upload/announce", nil); w.Code != http.StatusUnauthorized {
		t.Errorf("without a session: %d", w.Code)
	}
}

func TestTooMuchIsRefused(t *testing.T) {
	t.Parallel()
	s := uploading(t)
	w := s.do(form(t, "/upload", part{"file", "a.pdf", strings.Repeat("x", 4_600_000)}))
	if !strings.Contains(w.Body.String(), "upload.too-large") || len(s.api.calls("POST /api/files")) > 0 {
		t.Errorf("answers %d, asked %d times", w.Code, len(s.api.calls("POST")))
	}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	s := signedIn(t)
	s.api.on("POST /api/verify", http.StatusOK, map[string]any{"valid": false, "format": "PAdES", "signatures": []any{map[string]any{
		"signerName": "<b>ANA</b>", "policy": "AD-RB", "coversWholeFile": true,
		"checks": []any{map[string]any{"name": "digest", "outcome": "failed", "demanded": true, "detail": "differs"}},
	}}})
	s.shows(s.get("/verify"), http.StatusOK, "Choose a file")
	w := s.do(form(t, "/verify", part{"file", "a.p7s", "cms"}, part{"content", "", ""}))
	s.shows(w, http.StatusOK, "Not valid", "Signature 1", "&lt;b&gt;ANA&lt;/b&gt;", chip("bad", "bad", "failed"), "The whole file")
	if body := s.api.calls("POST /api/verify")[0].Body; strings.Contains(body, `name="content"`) {
		t.Errorf("a part that nobody chose was sent: %s", body)
	}
	s.do(form(t, "/verify", part{"file", "a.p7s", "cms"}, part{"content", "a.txt", "text"}))
	if body := s.api.calls("POST /api/verify")[1].Body; !strings.Contains(body, `name="content"`) {
		t.Errorf("the content was not sent: %s", body)
	}
	s.api.refuse("POST /api/verify", http.StatusUnprocessableEntity, "pdf.encrypted", "is encrypted")
	s.shows(s.do(form(t, "/verify", part{"file", "a.pdf", "x"})), http.StatusUnprocessableEntity, "<code>pdf.encrypted</code>", `aria-invalid="true"`)
}

func TestASignatureIsGoodByWhatIsDemanded(t *testing.T) {
	t.Parallel()
	check := func(outcome string, demanded bool) map[string]any {
		return map[string]any{"name": "chain", "outcome": outcome, "demanded": demanded}
	}
	tests := []struct {
		name   string
		checks []any
		good   bool
	}{
		{"all passed", []any{check("passed", true), check("passed", false)}, true},
		{"what was not demanded failed", []any{check("passed", true), check("failed", false)}, true},
		{"what was demanded failed", []any{check("passed", true), check("failed", true)}, false},
		{"what was demanded was not looked at", []any{check("skipped", true)}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := signedIn(t)
			s.api.on("POST /api/verify", http.StatusOK, map[string]any{"valid": tt.good, "signatures": []any{map[string]any{"checks": tt.checks}}})
			w := s.do(form(t, "/verify", part{"file", "a.pdf", "x"}))
			_, signature, _ := strings.Cut(w.Body.String(), `<article class="signature">`)
			if tt.good != strings.Contains(signature, "</svg>good</span>") || tt.good == strings.Contains(signature, "</svg>not good</span>") {
				t.Errorf("the page says %s", signature)
			}
		})
	}
}

// Without a script, two clicks on Send are one job, and each page may make another.
func TestTwoClicksAreOneUpload(t *testing.T) {
	t.Parallel()
	s := uploading(t)
	s.api.on("POST /api/files", http.StatusAccepted, map[string]any{"jobId": "0198-1"})
	once := regexp.MustCompile(`name="once" value="([^"]+)"`)
	for range 2 {
		m := once.FindStringSubmatch(s.get("/upload").Body.String())
		if m == nil {
			t.Fatal("the form has no key")
		}
		for range 2 {
			s.do(form(t, "/upload", part{field: "once", content: m[1]}, part{"file", "a.pdf", "x"}))
		}
	}
	var keys []string
	for _, c := range s.api.calls("POST") {
		keys = append(keys, c.Header.Get("Idempotency-Key"))
	}
	if len(keys) != 4 || keys[0] == "" || keys[0] != keys[1] || keys[2] != keys[3] || keys[1] == keys[2] {
		t.Errorf("keys %v", keys)
	}
}
