package api_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/api"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/settings"
)

const formType = "multipart/form-data; boundary=b0undary"

// form is a multipart body with one file.
func form(disposition, contentType string, content []byte) string {
	head := "--b0undary\r\nContent-Disposition: " + disposition + "\r\n"
	if contentType != "" {
		head += "Content-Type: " + contentType + "\r\n"
	}
	return head + "\r\n" + string(content) + "\r\n--b0undary--\r\n"
}

func fileForm(name string, content []byte) string {
	return form(`form-data; name="file"; filename="`+name+`"`, "application/pdf", content)
}

// accepted is the answer to a file as a client reads it.
type accepted struct {
	JobID, FileName, OriginalPath, Format, Status string
	Upload                                        *struct {
		Method, URL string
		Headers     map[string]string
		ExpiresAt   time.Time
	}
}

func acceptedIn(t testing.TB, status int, body io.Reader) accepted {
	t.Helper()
	b, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	var a accepted
	if err := json.Unmarshal(b, &a); err != nil || status != 202 {
		t.Fatalf("answer = %d %s, want 202", status, b)
	}
	return a
}

func TestFormUpload(t *testing.T) {
	t.Parallel()
	content := append(everyByte(70_000), "\r\n--b0undar\r\n"...) // almost a boundary
	tests := []struct {
		name, query string
		reserved    job.Reservation
		format      string
	}{
		{"by the default profile", "", job.Reservation{Profile: "default", FileName: "ação nº 1.pdf"}, "Pades"},
		{"by a profile", "?profile=contracts", job.Reservation{Profile: "contracts", FileName: "ação nº 1.pdf"}, "Pades"},
		{"in a format", "?format=Cades&profile=contracts", job.Reservation{Profile: "contracts", Format: profile.Cades, FileName: "ação nº 1.pdf"}, "Cades"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			r := s.send(t, "POST", "/api/files"+tt.query, fileForm("ação nº 1.pdf", content), "Content-Type", formType)
			a := acceptedIn(t, r.StatusCode, r.Body)
			want := tt.reserved
			want.Job, want.Key, want.Expires = job.ID(a.JobID), "uploads/"+a.JobID+"/ação nº 1.pdf", now.Add(30*24*time.Hour)
			if d := cmp.Diff([]job.Reservation{want}, s.reserved); d != "" {
				t.Errorf("reservations (-want +got):\n%s", d)
			}
			if _, err := job.ParseID(a.JobID); err != nil {
				t.Errorf("job id: %v", err)
			}
			if d := cmp.Diff(accepted{a.JobID, "ação nº 1.pdf", want.Key, tt.format, "Queued", nil}, a); d != "" {
				t.Errorf("answer (-want +got):\n%s", d)
			}
			if !bytes.Equal(s.put[want.Key], content) || s.types[want.Key] != "application/pdf" {
				t.Errorf("stored %d bytes of %q, want %d", len(s.put[want.Key]), s.types[want.Key], len(content))
			}
			if d := cmp.Diff([]string{"Key", "Profile", "Reserve", "PutUpload"}, s.calls); d != "" {
				t.Errorf("calls (-want +got):\n%s", d)
			}
		})
	}
}

func TestFormShape(t *testing.T) {
	t.Parallel()
	s := newService(t)
	r := s.send(t, "POST", "/api/files", fileForm("a.xml", []byte("<a/>")), "Content-Type", formType)
	id := string(s.reserved[0].Job)
	wantJSON(t, r, 202, `{"jobId":"`+id+`","fileName":"a.xml","originalPath":"uploads/`+id+`/a.xml","format":"Xades","status":"Queued"}`)
}

func TestAnnouncementShape(t *testing.T) {
	t.Parallel()
	s := newService(t)
	r := s.send(t, "POST", "/api/files", `{"fileName":"a & b.pdf","profile":"contracts","format":null,"contentType":"application/pdf"}`, "Content-Type", "application/json; charset=utf-8")
	id := string(s.reserved[0].Job)
	key := "uploads/" + id + "/a & b.pdf"
	wantJSON(t, r, 202, `{"jobId":"`+id+`","fileName":"a & b.pdf","originalPath":"`+key+`","format":"Pades","status":"Queued","upload":{
		"method":"PUT","url":"https://in.example/`+key+`?X-Amz-Signature=0","headers":{"Content-Type":"application/pdf","If-None-Match":"*"},
		"expiresAt":"2026-03-04T05:36:07.089Z"}}`)
	want := []job.Reservation{{Key: key, Job: job.ID(id), Profile: "contracts", FileName: "a & b.pdf", Expires: now.Add(30 * 24 * time.Hour)}}
	if d := cmp.Diff(want, s.reserved); d != "" {
		t.Errorf("reservations (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"Key", "Profile", "Reserve", "PresignPut"}, s.calls); d != "" {
		t.Errorf("calls (-want +got):\n%s", d)
	}
}

// Until the bytes are there, nobody has heard of the job.
func TestAnnouncedJobIsNotAJobYet(t *testing.T) {
	t.Parallel()
	s := newService(t)
	r := s.send(t, "POST", "/api/files", `{"fileName":"a.pdf"}`, "Content-Type", "application/json")
	a := acceptedIn(t, r.StatusCode, r.Body)
	wantProblem(t, s.send(t, "GET", "/api/jobs/"+a.JobID, ""), 404, fault.JobNotFound)
	if a.Upload == nil || s.types[a.OriginalPath] != "application/octet-stream" || s.expires[0] != time.Hour {
		t.Errorf("upload %+v of %q for %v", a.Upload, s.types[a.OriginalPath], s.expires)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		ok   bool
	}{
		{"a", true}, {".env", true}, {" a b .pdf", true}, {"São Paulo – ação №1 😀.pdf", true}, {"...", true}, {"a..b", true}, {"C:a", true},
		{strings.Repeat("a", 255), true}, {strings.Repeat("ç", 127), true}, {"CON", true}, {"=?utf-8?B?YQ==?=", true},
		{"", false}, {"   ", false}, {"\u00a0\u2003", false}, {"a\x00b", false}, {"a\nb", false}, {"\x7f", false}, {"a\u0085b", false},
		{"a/b.pdf", false}, {`a\b.pdf`, false}, {"/", false}, {"../a", false}, {".", false}, {"..", false}, {"a/", false},
		{strings.Repeat("a", 256), false}, {strings.Repeat("ç", 128), false}, {"a\ufffdb", false},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%.20q", tt.name), func(t *testing.T) {
			t.Parallel()
			b, err := json.Marshal(map[string]string{"fileName": tt.name})
			if err != nil {
				t.Fatal(err)
			}
			s := newService(t)
			if r := s.send(t, "POST", "/api/files", string(b), "Content-Type", "application/json"); tt.ok {
				if a := acceptedIn(t, r.StatusCode, r.Body); a.FileName != tt.name {
					t.Errorf("announced %q became %q", tt.name, a.FileName)
				}
			} else {
				wantProblem(t, r, 400, fault.UploadInvalidName)
			}
			if strings.ContainsAny(tt.name, "\x00\n\x7f") {
				return // no header has these
			}
			quoted := strings.ReplaceAll(tt.name, `\`, `\\`)
			if r := s.send(t, "POST", "/api/files", fileForm(quoted, []byte("x")), "Content-Type", formType); tt.ok {
				if a := acceptedIn(t, r.StatusCode, r.Body); a.FileName != tt.name {
					t.Errorf("sent %q became %q", tt.name, a.FileName)
				}
			} else {
				wantProblem(t, r, 400, fault.UploadInvalidName)
			}
		})
	}
}

// The extended name is the one that can say everything, and clients send the other for those who cannot read it.
func TestExtendedName(t *testing.T) {
	t.Parallel()
	s := newService(t)
	body := form(`form-data; name=file; filename="=?utf-8?B?YcOnw6NvLnBkZg==?="; filename*=utf-8''a%C3%A7%C3%A3o.pdf`, "", []byte("x"))
	r := s.send(t, "POST", "/api/files", body, "Content-Type", formType)
	if a := acceptedIn(t, r.StatusCode, r.Body); a.FileName != "ação.pdf" {
		t.Errorf("fileName = %q, want ação.pdf", a.FileName)
	}
	if got := s.types[s.reserved[0].Key]; got != "application/octet-stream" {
		t.Errorf("a file without a type is stored as %q", got)
	}
}

func TestFileRefused(t *testing.T) {
	t.Parallel()
	pdf := fileForm("a.pdf", []byte("x"))
	off := func(_ *service, p *api.Parts) { p.Settings.Upload = settings.Upload{MaxBytes: 1 << 20} }
	small := func(_ *service, p *api.Parts) { p.Settings.Upload.MaxBytes = 1024 }
	part := `form-data; name="file"; filename="a.pdf"`
	tests := []struct {
		name, query, kind, body string
		change                  func(*service, *api.Parts)
		status                  int
		code                    fault.Code
	}{
		{"turned off", "", formType, pdf, off, 409, fault.UploadDisabled},
		{"turned off before anything is looked at", "?profile=nobody", formType, "", off, 400, fault.RequestInvalid},
		{"turned off before the profile is looked at", "?profile=nobody", formType, pdf, off, 409, fault.UploadDisabled},
		{"turned off for announcements", "", "application/json", `{"fileName":"a"}`, off, 409, fault.UploadDisabled},
		{"no profile of that name", "?profile=nobody", formType, pdf, nil, 400, fault.ProfileNotFound},
		{"a name that no profile has", "?profile=No%2Fbody", formType, pdf, nil, 400, fault.ProfileNotFound},
		{"disabled profile", "?profile=off", formType, pdf, nil, 409, fault.ProfileDisabled},
		{"profile of a folder", "?profile=folder", formType, pdf, nil, 409, fault.ProfileTakesNoFiles},
		{"the same, announced", "", "application/json", `{"fileName":"a","profile":"folder"}`, nil, 409, fault.ProfileTakesNoFiles},
		{"unknown format", "?format=pades", formType, pdf, nil, 400, fault.UploadFormatUnsupported},
		{"unknown format, announced", "", "application/json", `{"fileName":"a","format":"XmlNFe"}`, nil, 400, fault.UploadFormatUnsupported},
		{"empty format", "?format=", formType, pdf, nil, 400, fault.RequestInvalid},
		{"format twice", "?format=Pades&format=Cades", formType, pdf, nil, 400, fault.RequestInvalid},
		{"unknown parameter", "?proflie=contracts", formType, pdf, nil, 400, fault.RequestInvalid},
		{"empty file", "", formType, fileForm("a.pdf", nil), nil, 400, fault.UploadEmpty},
		{"empty file by an unknown profile", "?profile=nobody", formType, fileForm("a.pdf", nil), nil, 400, fault.UploadEmpty},
		{"at the limit of the settings", "", formType, fileForm("a.pdf", make([]byte, 1025)), small, 413, fault.UploadTooLarge},
		{"no name", "", formType, form(`form-data; name="file"`, "", []byte("x")), nil, 400, fault.UploadInvalidName},
		{"no file", "", formType, "--b0undary--\r\n", nil, 400, fault.RequestInvalid},
		{"nothing", "", formType, "", nil, 400, fault.RequestInvalid},
		{"another part", "", formType, form(`form-data; name="profile"`, "", []byte("x")), nil, 400, fault.RequestInvalid},
		{"two files", "", formType, strings.TrimSuffix(pdf, "--\r\n") + "\r\n" + strings.TrimPrefix(pdf, "--b0undary\r\n"), nil, 400, fault.RequestInvalid},
		{"no disposition", "", formType, "--b0undary\r\n\r\nx\r\n--b0undary--\r\n", nil, 400, fault.RequestInvalid},
		{"not form data", "", formType, form(`attachment; name="file"; filename="a"`, "", []byte("x")), nil, 400, fault.RequestInvalid},
		{"encoded", "", formType, form(part+"\r\nContent-Transfer-Encoding: base64", "", []byte("eA==")), nil, 400, fault.RequestInvalid},
		{"quoted-printable", "", formType, form(part+"\r\nContent-Transfer-Encoding: quoted-printable", "", []byte("=41")), nil, 400, fault.RequestInvalid},
		{"no last boundary", "", formType, strings.TrimSuffix(pdf, "\r\n--b0undary--\r\n"), nil, 400, fault.RequestInvalid},
		{"a last boundary cut short", "", formType, strings.TrimSuffix(pdf, "--\r\n"), nil, 400, fault.RequestInvalid},
		{"broken headers", "", formType, "--b0undary\r\nContent-Disposition\r\n\r\nx\r\n--b0undary--\r\n", nil, 400, fault.RequestInvalid},
		{"other boundary", "", "multipart/form-data; boundary=x", pdf, nil, 400, fault.RequestInvalid},
		{"no boundary", "", "multipart/form-data", pdf, nil, 400, fault.RequestInvalid},
		{"no type", "", "", pdf, nil, 400, fault.RequestInvalid},
		{"raw bytes", "", "application/pdf", "%PDF-1.7", nil, 400, fault.RequestInvalid},
		{"a type that is none", "", "application/json; charset", `{}`, nil, 400, fault.RequestInvalid},
		{"not JSON", "", "application/json", `{"fileName":`, nil, 400, fault.RequestInvalid},
		{"more than JSON", "", "application/json", `{"fileName":"a"}{}`, nil, 400, fault.RequestInvalid},
		{"not UTF-8", "", "application/json", "{\"fileName\":\"a\xff\"}", nil, 400, fault.RequestInvalid},
		{"a name that reads otherwise", "", "application/json", `{"fileName":"contrato\u202efdp.exe"}`, nil, 400, fault.UploadInvalidName},
		{"half a surrogate pair", "", "application/json", `{"fileName":"a\ud800"}`, nil, 400, fault.UploadInvalidName},
		{"no object", "", "application/json", `[]`, nil, 400, fault.RequestInvalid},
		{"null", "", "application/json", `null`, nil, 400, fault.RequestInvalid},
		{"no file name", "", "application/json", `{}`, nil, 400, fault.RequestInvalid},
		{"file name null", "", "application/json", `{"fileName":null}`, nil, 400, fault.RequestInvalid},
		{"wrong type", "", "application/json", `{"fileName":1}`, nil, 400, fault.RequestInvalid},
		{"field twice", "", "application/json", `{"fileName":"a","profile":{"fileName":1},"profile":"contracts"}`, nil, 400, fault.RequestInvalid},
		{"white space in the media type", "", "application/json", `{"fileName":"a","contentType":" a/b"}`, nil, 400, fault.RequestInvalid},
		{"unknown field", "", "application/json", `{"fileName":"a","size":1}`, nil, 400, fault.RequestInvalid},
		{"field in another case", "", "application/json", `{"filename":"a"}`, nil, 400, fault.RequestInvalid},
		{"not a media type", "", "application/json", `{"fileName":"a","contentType":"pdf"}`, nil, 400, fault.RequestInvalid},
		{"a header in the media type", "", "application/json", `{"fileName":"a","contentType":"a/b\r\nx: y"}`, nil, 400, fault.RequestInvalid},
		{"profile in the query of an announcement", "?profile=contracts", "application/json", `{"fileName":"a"}`, nil, 400, fault.RequestInvalid},
		{"deep", "", "application/json", strings.Repeat("[", 20_000), nil, 400, fault.RequestInvalid},
		{"long", "", "application/json", `{"fileName":"` + strings.Repeat("a", api.MaxAnnouncement) + `"}`, nil, 413, fault.RequestTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			change := tt.change
			if change == nil {
				change = func(*service, *api.Parts) {}
			}
			s := newService(t, change)
			wantProblem(t, s.send(t, "POST", "/api/files"+tt.query, tt.body, "Content-Type", tt.kind), tt.status, tt.code)
			if n := s.asked(); n["Reserve"]+n["PutUpload"]+n["PresignPut"] != 0 {
				t.Errorf("a refused file was written: %v", n)
			}
		})
	}
}

func TestFormLimit(t *testing.T) {
	t.Parallel()
	overhead := len(fileForm("a.bin", nil))
	s := newService(t)
	r := s.send(t, "POST", "/api/files", fileForm("a.bin", make([]byte, api.MaxForm-overhead)), "Content-Type", formType)
	acceptedIn(t, r.StatusCode, r.Body)
	for _, more := range []int{1, 1000} {
		p := wantProblem(t, s.send(t, "POST", "/api/files", fileForm("a.bin", make([]byte, api.MaxForm-overhead+more)), "Content-Type", formType), 413, fault.UploadTooLarge)
		if !strings.Contains(p.Detail, "announce") {
			t.Errorf("the way out is not told: %q", p.Detail)
		}
	}
}

func TestStorageFailures(t *testing.T) {
	t.Parallel()
	const name = "segredo-do-joão.pdf"
	for _, tt := range []struct{ method, kind, body string }{
		{"Profile", formType, fileForm(name, []byte("x"))},
		{"Reserve", formType, fileForm(name, []byte("x"))},
		{"PutUpload", formType, fileForm(name, []byte("x"))},
		{"PresignPut", "application/json", `{"fileName":"` + name + `"}`},
	} {
		t.Run(tt.method, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			s.fail[tt.method] = errors.New("connection refused")
			wantProblem(t, s.send(t, "POST", "/api/files", tt.body, "Content-Type", tt.kind), 500, fault.Internal)
			if log := strings.Join(s.lines.all(), ""); strings.Contains(log, "segredo") || !strings.Contains(log, "connection refused") {
				t.Errorf("log: %s", log)
			}
			s.fail[tt.method] = fault.New(fault.Throttled, "slow down")
			wantProblem(t, s.send(t, "POST", "/api/files", tt.body, "Content-Type", tt.kind), 503, fault.Throttled)
		})
	}
}

// The first try landed and its answer was lost: the upload is there.
func TestUploadThatWasWrittenAlready(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.fail["PutUpload"] = fault.New(fault.JobRaceLost, "there is an upload with this key already")
	r := s.send(t, "POST", "/api/files", fileForm("a.pdf", []byte("x")), "Content-Type", formType)
	acceptedIn(t, r.StatusCode, r.Body)
}

// FuzzFile holds that whatever is sent as a file is taken in or refused.
func FuzzFile(f *testing.F) {
	f.Add(formType, fileForm("a.pdf", []byte("x")))
	f.Add(formType, form(`form-data; name="file"; filename*=utf-8''a%ff`, "a/b", []byte("x")))
	f.Add("application/json", `{"fileName":"a","profile":null,"format":"Cades","contentType":"a/b"}`)
	f.Add("application/json", `{"fileName":1e999}`)
	s := newService(f)
	f.Fuzz(func(t *testing.T, kind, body string) {
		clear(s.put)
		s.reserved, s.calls, s.expires, s.lines.text = nil, nil, nil, nil
		r := s.send(t, "POST", "/api/files", body, "Content-Type", kind)
		if r.StatusCode == 202 {
			if a := acceptedIn(t, r.StatusCode, r.Body); a.FileName == "" || strings.ContainsAny(a.FileName, "/\\\x00") {
				t.Errorf("taken in as %q", a.FileName)
			}
		} else if p := problemIn(t, r); p.Status >= 500 {
			t.Errorf("answer = %d %s", p.Status, p.Code)
		}
	})
}
