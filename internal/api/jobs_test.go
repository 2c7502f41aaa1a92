package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
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
	"profileName": "contracts", "outputEncrypted": false,
	"documentName": null,
	"mimeType": null`

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
	"profileName": "default", "outputEncrypted": false,
	"documentName": null,
	"mimeType": null`

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
		`{"items":[{`+completedRow+`},{`+failedRow+`}],"page":null,"pageSize":2,"totalCount":null,"cursor":"bmV4dA"}`)
	s.page = job.Page{}
	wantJSON(t, s.send(t, "GET", "/api/jobs", ""), 200, `{"items":[],"page":null,"pageSize":50,"totalCount":null,"cursor":null}`)
}

func TestAnEncryptedOutputSaysSo(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, status := range []job.Status{job.Completed, job.Failed} {
		j := completed()
		j.Status, j.Terms.Encrypt = status, true
		s.jobs[id1] = j
		want := fmt.Sprintf(`"outputEncrypted":%t`, status == job.Completed)
		if got := bodyOf(t, s.send(t, "GET", "/api/jobs/"+string(id1), "")); !strings.Contains(got, want) {
			t.Errorf("a %s job says %s, want %s in it", status, got, want)
		}
	}
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
		"outputKey": "contracts/2026/ação <1>.signed.pdf",
		"timings": {"queueMs": 1500, "signingMs": 0, "verificationMs": 20, "outputMs": 7, "totalMs": 1527}, "actions": ["download", "delete"],
		"remoteDocumentId": null, "flowActionId": null, "awaitingSignerSince": null}`)
	wantJSON(t, s.send(t, "GET", "/api/jobs/"+string(id2), ""), 200, `{`+failedRow+`,
		"history": [], "outputKey": null,
		"timings": {"queueMs": null, "signingMs": null, "verificationMs": null, "outputMs": null, "totalMs": null}, "actions": ["retry", "delete"],
		"remoteDocumentId": null, "flowActionId": null, "awaitingSignerSince": null}`)
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

// remote is a job whose document waits for a person at Lacuna Signer.
func remote() job.Job {
	j := failed()
	j.Status, j.Method, j.Code, j.Error, j.Source, j.Since = job.AwaitingSigner, profile.LacunaSigner, "", "", job.Watcher, now.Add(time.Minute)
	j.Remote = job.Remote{DocumentID: agreement118, SHA256: "00", Failures: 2}
	j.Terms.Participant = profile.Participant{Name: "Hidden Person", Email: "hidden@example.com", Identifier: "75502846369"}
	j.History = []job.Entry{{ID: "A", Time: now.Add(time.Minute), Status: job.AwaitingSigner, Message: "Awaited."}}
	return j
}

// found is a job that signs what waits in a folder at Lacuna Signer.
func found() job.Job {
	return job.NewFound(job.Found{Profile: "folder", Format: profile.Pades, Remote: job.Remote{
		DocumentID: agreement118, ActionID: agreement119, FolderID: boundID, DocumentName: "Supply agreement 118", MIMEType: "application/pdf",
	}}, now)
}

func TestRemoteJobs(t *testing.T) {
	t.Parallel()
	fetched := remote()
	fetched.Status, fetched.Since = job.Verifying, now.Add(time.Hour)
	forgotten := fetched
	forgotten.History = nil
	holderless := job.NewWithoutAction(job.Found{Profile: "folder", Remote: found().Remote}, now)
	type fields struct {
		RemoteDocumentID, FlowActionID, DocumentName, MIMEType *string
		AwaitingSignerSince                                    *time.Time
	}
	of := func(s string) *string { return &s }
	since := now.Add(time.Minute)
	tests := []struct {
		name string
		job  job.Job
		want fields
	}{
		{"waits for a person", remote(), fields{RemoteDocumentID: of(agreement118), AwaitingSignerSince: &since}},
		{"has waited for a person", fetched, fields{RemoteDocumentID: of(agreement118), AwaitingSignerSince: &since}},
		{"has waited, and its history was cut", forgotten, fields{RemoteDocumentID: of(agreement118)}},
		{"signs in a folder", found(), fields{of(agreement118), of(agreement119), of("Supply agreement 118"), of("application/pdf"), nil}},
		{"has nothing to sign", holderless, fields{of(agreement118), nil, of("Supply agreement 118"), of("application/pdf"), nil}},
		{"has nothing remote", completed(), fields{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			s.jobs[id1], s.page = tt.job, job.Page{Jobs: []job.Job{tt.job}}
			b := bodyOf(t, s.send(t, "GET", "/api/jobs/"+string(id1), ""))
			var got fields
			if err := json.Unmarshal([]byte(b), &got); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("job (-want +got):\n%s", d)
			}
			list := bodyOf(t, s.send(t, "GET", "/api/jobs", ""))
			var page struct{ Items []fields }
			if err := json.Unmarshal([]byte(list), &page); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff([]fields{{DocumentName: tt.want.DocumentName, MIMEType: tt.want.MIMEType}}, page.Items); d != "" {
				t.Errorf("row (-want +got):\n%s", d)
			}
			if all := b + list; strings.Contains(all, "idden") || strings.Contains(all, "75502846369") {
				t.Errorf("a participant is told: %s", all)
			}
		})
	}
}

// The document has every status and every source, so that no client meets a word that it was not told.
func TestDocumentHasAllWords(t *testing.T) {
	t.Parallel()
	d, _ := documentOf(t, newService(t))
	var statuses []any
	for _, s := range job.Statuses {
		statuses = append(statuses, string(s))
	}
	row := d.Components.Schemas["JobRow"].Properties
	for at, got := range map[string][]any{
		"JobRow": row["status"].Enum, "HistoryEntry": d.Components.Schemas["HistoryEntry"].Properties["status"].Enum,
		"JobDetail": d.Components.Schemas["JobDetail"].Properties["status"].Enum, "Retried": d.Components.Schemas["Retried"].Properties["status"].Enum,
	} {
		if diff := cmp.Diff(statuses, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", at, diff)
		}
	}
	sources := []any{string(job.Watcher), string(job.Upload), string(job.Rescan), string(job.Retry), string(job.FromSigner)}
	if diff := cmp.Diff(sources, row["source"].Enum); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
}
