package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/api"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

const announced = `{"fileName":"a.pdf","profile":"contracts"}`

// upload sends a file under a name for the request.
func (s *service) upload(t testing.TB, name, target, body string) (accepted, string) {
	t.Helper()
	kind := formType
	if strings.HasPrefix(body, "{") {
		kind = "application/json"
	}
	r := s.send(t, "POST", "/api/files"+target, body, "Content-Type", kind, "Idempotency-Key", name)
	var a accepted
	b := bodyOf(t, r)
	if err := json.Unmarshal([]byte(b), &a); err != nil || r.StatusCode != 202 {
		t.Fatalf("answer = %d %s", r.StatusCode, b)
	}
	return a, b
}

func TestRepeatedUpload(t *testing.T) {
	t.Parallel()
	s := newService(t)
	body := fileForm("a.pdf", []byte("x"))
	first, b1 := s.upload(t, "n1", "?profile=contracts", body)
	again, b2 := s.upload(t, "n1", "?profile=contracts", body)
	if b1 != b2 || len(s.reserved) != 1 {
		t.Errorf("answered %s, then %s, with %d reservations", b1, b2, len(s.reserved))
	}
	other, _ := s.upload(t, "n2", "?profile=contracts", body)
	none, _ := s.upload(t, "", "?profile=contracts", body)
	if ids := map[string]bool{first.JobID: true, again.JobID: true, other.JobID: true, none.JobID: true}; len(ids) != 3 {
		t.Errorf("%d jobs of three requests", len(ids))
	}
}

// Once the job is there nothing is brought again: its input may have been signed and deleted.
func TestRepeatedUploadOfAJob(t *testing.T) {
	t.Parallel()
	s := newService(t)
	body := fileForm("a.pdf", []byte("x"))
	first, _ := s.upload(t, "n", "", body)
	j := completed()
	j.ID, j.FileName = job.ID(first.JobID), "a.pdf"
	s.jobs[j.ID] = j
	delete(s.put, first.OriginalPath)
	again, _ := s.upload(t, "n", "", body)
	want := first
	want.Status = "Completed"
	if d := cmp.Diff(want, again); d != "" {
		t.Errorf("answer (-want +got):\n%s", d)
	}
	if len(s.put) != 0 {
		t.Error("the file was brought again")
	}
}

// A first try that broke off after the reservation is completed by the second.
func TestRepeatedUploadBringsWhatIsMissing(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.fail["PutUpload"] = errDown
	body := fileForm("a.pdf", []byte("x"))
	if r := s.send(t, "POST", "/api/files", body, "Content-Type", formType, "Idempotency-Key", "n"); r.StatusCode != 500 {
		t.Fatalf("status = %d, want 500", r.StatusCode)
	}
	delete(s.fail, "PutUpload")
	a, _ := s.upload(t, "n", "", body)
	if string(s.put[a.OriginalPath]) != "x" || len(s.reserved) != 1 {
		t.Errorf("put %q with %d reservations", s.put, len(s.reserved))
	}
	s.profiles["default"] = s.profiles["off"] // and what was accepted stays so
	if b, _ := s.upload(t, "n", "", body); b.JobID != a.JobID {
		t.Errorf("job %s, then %s", a.JobID, b.JobID)
	}
}

func TestRepeatedAnnouncement(t *testing.T) {
	t.Parallel()
	s := newService(t)
	first, _ := s.upload(t, "n", "", announced)
	again, _ := s.upload(t, "n", "", announced)
	if d := cmp.Diff(first, again); d != "" {
		t.Errorf("answers (-first +second):\n%s", d)
	}
	s.jobs[job.ID(first.JobID)] = job.Job{ID: job.ID(first.JobID), Status: job.Queued, FileName: "a.pdf"}
	if there, _ := s.upload(t, "n", "", announced); there.Upload != nil {
		t.Error("bytes are asked for that are there")
	}
}

// Of two requests at once, the slower one finds the job of the other.
func TestSimultaneousUploads(t *testing.T) {
	t.Parallel()
	s := newService(t)
	first, _ := s.upload(t, "n", "", announced)
	for key := range s.answered {
		raced := &raced{service: s, key: key, id: job.ID(first.JobID)}
		clear(s.answered)
		slow := newService(t, func(_ *service, p *api.Parts) { p.Reservations = raced })
		again, _ := slow.upload(t, "n", "", announced)
		if again.JobID != first.JobID {
			t.Errorf("job %s, want %s", again.JobID, first.JobID)
		}
		break
	}
	lost := newService(t)
	lost.fail["Reserve"] = fault.New(fault.JobRaceLost, "lost")
	wantProblem(t, lost.send(t, "POST", "/api/files", announced, "Content-Type", "application/json"), 409, fault.JobRaceLost)
}

// raced is a store in which another request is faster, between the look and the write.
type raced struct {
	*service
	key job.IdempotencyKey
	id  job.ID
}

func (r *raced) Reserve(t context.Context, x job.Reservation, key job.IdempotencyKey) error {
	r.answered[r.key] = r.id
	return r.service.Reserve(t, x, key)
}

// A name for a request is not good for another one.
func TestNameOfAnotherRequest(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.upload(t, "n", "", announced)
	for _, body := range []string{`{"fileName":"b.pdf","profile":"contracts"}`, `{"fileName":"a.pdf"}`, `{"fileName":"a.pdf","profile":"contracts","format":"Cades"}`} {
		p := wantProblem(t, s.send(t, "POST", "/api/files", body, "Content-Type", "application/json", "Idempotency-Key", "n"), 400, fault.RequestInvalid)
		if !strings.Contains(p.Detail, "Idempotency-Key") {
			t.Errorf("detail = %q", p.Detail)
		}
	}
}

func TestUnusableNamesOfRequests(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, name := range []string{" ", "a b", "a,b", "ç", "a\x7f", strings.Repeat("a", 256)} {
		r := httptest.NewRequestWithContext(s.ctx(t), "POST", "/api/files", strings.NewReader(announced))
		r.Header = map[string][]string{"X-Api-Key": {key}, "Content-Type": {"application/json"}, "idempotency-key": {name}}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		wantProblem(t, w.Result(), 400, fault.RequestInvalid)
	}
	r := httptest.NewRequestWithContext(s.ctx(t), "POST", "/api/files", strings.NewReader(announced))
	r.Header = map[string][]string{"X-Api-Key": {key}, "Content-Type": {"application/json"}, "Idempotency-Key": {"a", "a"}}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	wantProblem(t, w.Result(), 400, fault.RequestInvalid)
	if len(s.reserved) != 0 {
		t.Error("something was reserved")
	}
	s.upload(t, strings.Repeat("~", 255), "", announced)
}

func TestRepeatedRetry(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.child = id2
	path := "/api/jobs/" + string(id1) + "/retry"
	s.send(t, "POST", path, "", "Idempotency-Key", "n")
	s.child = "another"
	const want = `{"newJobId":"` + string(id2) + `","parentJobId":"` + string(id1) + `","status":"Queued"}`
	wantJSON(t, s.send(t, "POST", path, "", "Idempotency-Key", "n"), 202, want)
	if len(s.answered) != 1 {
		t.Errorf("%d keys, want 1", len(s.answered))
	}
	s.send(t, "POST", "/api/jobs/"+string(id2)+"/retry", "", "Idempotency-Key", "n")
	if len(s.answered) != 2 {
		t.Errorf("%d keys, want another for another path", len(s.answered))
	}
}

func TestStoresFailRepeatedUploads(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"Answered", "Reservation", "Get"} {
		s := newService(t)
		s.upload(t, "n", "", announced)
		s.fail[method] = fault.New(fault.Throttled, "the table is busy")
		wantProblem(t, s.send(t, "POST", "/api/files", announced, "Content-Type", "application/json", "Idempotency-Key", "n"), 503, fault.Throttled)
	}
}

// Where names are good for one job, an upload whose name is taken is refused before anything is brought.
func TestNamesThatAreTaken(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		keep   bool
		holder job.ID
		status job.Status
		err    error
		want   int
		code   fault.Code
	}{
		{"by a completed job", true, id1, job.Completed, nil, 409, fault.FileAlreadyProcessed},
		{"by a job at work", true, id1, job.AwaitingSigner, nil, 409, fault.FileAlreadyProcessed},
		{"by a failed job", true, id1, job.Failed, nil, 202, ""},
		{"by a canceled job", true, id1, job.Canceled, nil, 202, ""},
		{"by a job that is gone", true, id2, "", nil, 202, ""},
		{"by nobody", true, "", "", nil, 202, ""},
		{"where that does not matter", false, id1, job.Completed, nil, 202, ""},
		{"in a table that is busy", true, id1, job.Completed, fault.New(fault.Throttled, "busy"), 503, fault.Throttled},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newService(t, func(_ *service, p *api.Parts) { p.Settings.Pipeline.RejectAlreadyProcessedFileNames = tt.keep })
			s.holders["uploads/a.pdf"], s.jobs[id1] = tt.holder, job.Job{ID: id1, Status: tt.status}
			s.fail["NameHolder"] = tt.err
			r := s.send(t, "POST", "/api/files", announced, "Content-Type", "application/json")
			if tt.want == 202 {
				acceptedIn(t, r.StatusCode, r.Body)
				return
			}
			wantProblem(t, r, tt.want, tt.code)
			if len(s.reserved) != 0 {
				t.Error("a job was reserved")
			}
		})
	}
	s := newService(t, func(_ *service, p *api.Parts) { p.Settings.Pipeline.RejectAlreadyProcessedFileNames = true })
	s.holders["uploads/a.pdf"], s.fail["Get"] = id1, errors.New("down")
	wantProblem(t, s.send(t, "POST", "/api/files", announced, "Content-Type", "application/json"), 500, fault.Internal)
}
