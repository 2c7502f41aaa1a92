package api_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

const (
	id1 = job.ID("01890a5d-ac96-774b-bcce-b302099a8057")
	id2 = job.ID("01890a5d-ac96-774b-bcce-b302099a8058")
)

// completed is a job with everything that a job can have.
func completed() job.Job {
	in := time.FixedZone("", -3*3600) // answers are UTC all the same
	return job.Job{
		ID: id1, ParentID: id2, Status: job.Completed, CreatedAt: now.In(in), UpdatedAt: now.Add(5 * time.Second).In(in),
		Profile: "contracts", Method: profile.Local, Format: profile.Pades, Source: job.Watcher, Folder: "contracts",
		FileName: "2026/ação <1>.pdf", Object: job.Object{Bucket: "in", Key: "contracts/2026/ação <1>.pdf"},
		Output: job.Output{Key: "contracts/2026/ação <1>.signed.pdf"}, Code: fault.JobInputDiverged,
		Stages: map[job.Stage]time.Duration{
			job.StageQueue: 1500 * time.Millisecond, job.StageSigning: 0, job.StageVerification: 20 * time.Millisecond, job.StageOutput: 7 * time.Millisecond,
		},
		History: []job.Entry{
			{ID: "A", Time: now.In(in), Status: job.Queued, Message: "Taken in from Watcher."},
			{ID: "B", Time: now.Add(5 * time.Second).In(in), Status: job.Completed, Code: fault.JobInputDiverged, Message: "It stays."},
		},
	}
}

// failed is a job with as little as a job can have; its format is still open.
func failed() job.Job {
	return job.Job{
		ID: id2, Status: job.Failed, CreatedAt: now, UpdatedAt: now, Profile: "default", Source: job.Upload, FileName: "a.xml",
		Object: job.Object{Key: "uploads/" + string(id2) + "/a.xml"}, Code: fault.JobKeyRefused, Error: "The key said no.",
		Output: job.Output{Key: "uploads/a.xml.signed.xml"}, // marked, but there is no output
	}
}

const completedRow = `
	"id": "01890a5d-ac96-774b-bcce-b302099a8057",
	"fileName": "2026/ação <1>.pdf",
	"originalPath": "contracts/2026/ação <1>.pdf",
	"format": "Pades",
	"source": "Watcher",
	"status": "Completed",
	"createdAt": "2026-03-04T05:06:07.089Z",
	"updatedAt": "2026-03-04T05:06:12.089Z",
	"parentJobId": "01890a5d-ac96-774b-bcce-b302099a8058",
	"errorMessage": null,
	"errorCode": "job.input-diverged",
	"profileName": "contracts"`

const failedRow = `
	"id": "01890a5d-ac96-774b-bcce-b302099a8058",
	"fileName": "a.xml",
	"originalPath": "uploads/01890a5d-ac96-774b-bcce-b302099a8058/a.xml",
	"format": "Xades",
	"source": "Upload",
	"status": "Failed",
	"createdAt": "2026-03-04T05:06:07.089Z",
	"updatedAt": "2026-03-04T05:06:07.089Z",
	"parentJobId": null,
	"errorMessage": "The key said no.",
	"errorCode": "job.key-refused",
	"profileName": "default"`

// wantJSON compares an answer to the letter, but for white space.
func wantJSON(t testing.TB, r *http.Response, status int, want string) {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	if r.StatusCode != status || r.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("answer = %d %s %s, want %d", r.StatusCode, r.Header.Get("Content-Type"), b, status)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(want)); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(compact.String(), strings.TrimSpace(string(b))); d != "" {
		t.Errorf("body (-want +got):\n%s", d)
	}
}

func TestListShape(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.page = job.Page{Jobs: []job.Job{completed(), failed()}, Cursor: "bmV4dA"}
	wantJSON(t, s.send(t, "GET", "/api/jobs?pageSize=2", ""), 200,
		`{"items":[{`+completedRow+`},{`+failedRow+`}],"pageSize":2,"cursor":"bmV4dA"}`)
	s.page = job.Page{}
	wantJSON(t, s.send(t, "GET", "/api/jobs", ""), 200, `{"items":[],"pageSize":50,"cursor":null}`)
}

func TestDetailShape(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.jobs[id1], s.jobs[id2] = completed(), failed()
	wantJSON(t, s.send(t, "GET", "/api/jobs/"+string(id1), ""), 200, `{`+completedRow+`,
		"history": [
			{"id": "A", "timestamp": "2026-03-04T05:06:07.089Z", "status": "Queued", "message": "Taken in from Watcher.", "code": null},
			{"id": "B", "timestamp": "2026-03-04T05:06:12.089Z", "status": "Completed", "message": "It stays.", "code": "job.input-diverged"}
		],
		"outputEncrypted": false,
		"outputKey": "contracts/2026/ação <1>.signed.pdf",
		"timings": {"queueMs": 1500, "signingMs": 0, "verificationMs": 20, "outputMs": 7}}`)
	wantJSON(t, s.send(t, "GET", "/api/jobs/"+string(id2), ""), 200, `{`+failedRow+`,
		"history": [], "outputEncrypted": false, "outputKey": null,
		"timings": {"queueMs": null, "signingMs": null, "verificationMs": null, "outputMs": null}}`)
}

func TestListFilters(t *testing.T) {
	t.Parallel()
	tests := []struct {
		query string
		want  job.Query
	}{
		{"", job.Query{Size: 50}},
		{"?status=Failed", job.Query{Status: job.Failed, Size: 50}},
		{"?profile=contracts&pageSize=200", job.Query{Profile: "contracts", Size: 200}},
		{"?profile=unknown", job.Query{Profile: "unknown", Size: 50}},
		{"?cursor=", job.Query{Size: 50}},
		{"?cursor=a%2Bb%26&pageSize=1&status=AwaitingSigner", job.Query{Cursor: "a+b&", Size: 1, Status: job.AwaitingSigner}},
	}
	for _, tt := range tests {
		t.Run(tt.query, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			if r := s.send(t, "GET", "/api/jobs"+tt.query, ""); r.StatusCode != 200 {
				t.Fatalf("status = %d, want 200", r.StatusCode)
			}
			if s.query != tt.want {
				t.Errorf("asked %+v, want %+v", s.query, tt.want)
			}
		})
	}
}

func TestListNeverWidens(t *testing.T) {
	t.Parallel()
	for _, query := range []string{
		"status=", "status", "status=failed", "status=Lost", "status=Failed&status=Queued", "status=Failed,Queued", "status=Failed%00",
		"profile=", "profile=Contracts", "profile=a/b", "profile=" + strings.Repeat("a", 41), "profile=a&profile=b",
		"pageSize=", "pageSize=0", "pageSize=-1", "pageSize=201", "pageSize=ten", "pageSize=1e2", "pageSize=99999999999999999999",
		"cursor=" + strings.Repeat("a", 8193), "cursor=a&cursor=b",
		"page=2", "Status=Failed", "state=Failed", "status=%zz", "status=Failed;profile=a", "status&profile=contracts", "=", "=x",
	} {
		t.Run(query[:min(len(query), 40)], func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			wantProblem(t, s.send(t, "GET", "/api/jobs?"+query, ""), 400, fault.ValidationFilterInvalid)
			if n := s.asked()["List"]; n != 0 {
				t.Error("the store was asked")
			}
		})
	}
}

func TestEveryStatusCanBeAskedFor(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, status := range job.Statuses {
		if r := s.send(t, "GET", "/api/jobs?status="+string(status), ""); r.StatusCode != 200 {
			t.Errorf("%s: %d, want 200", status, r.StatusCode)
		}
	}
}

func TestJobNotFound(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.jobs[id1] = completed()
	for _, id := range []string{
		string(id2), "1", "x", strings.ToUpper(string(id1)), "%7B" + string(id1) + "%7D", string(id1) + "%00", "%2e%2e", "a%2Fb",
		strings.Repeat("a", 4000), "urn:uuid:" + string(id1), "%F0%9F%98%80",
	} {
		for _, path := range []string{"/api/jobs/" + id, "/api/jobs/" + id + "/output"} {
			if r := s.send(t, "GET", path, ""); id != "%2e%2e" {
				wantProblem(t, r, 404, fault.JobNotFound)
			} else {
				wantProblem(t, r, 404, fault.RouteNotFound)
			}
		}
	}
	wantProblem(t, s.send(t, "GET", "/api/jobs/"+string(id1)+"?x=1", ""), 400, fault.RequestInvalid)
}
