package api_test

import (
	"encoding/json"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// queued is a job that can be canceled.
func queued() job.Job {
	return job.New(job.Origin{ID: id1, Source: job.Upload, Profile: "contracts", Method: profile.Local, Format: profile.Pades, FileName: "a.pdf"}, now)
}

func TestCancel(t *testing.T) {
	t.Parallel()
	const long = 512
	tests := []struct {
		name, body, kind string
		reason           string
	}{
		{"no body", "", "", ""},
		{"an empty one, as curl sends it", "", "application/x-www-form-urlencoded", ""},
		{"white space", " \r\n", "application/json", ""},
		{"an empty object", "{}", "application/json", ""},
		{"null", `{"reason":null}`, "application/json", ""},
		{"a blank reason", `{"reason":" \n"}`, "application/json", ""},
		{"a reason", `{"reason":"  wrong file: ação <1>\t\n"}`, "application/json; charset=utf-8", "wrong file: ação <1>"},
		{"without a type", `{"reason":"wrong file"}`, "", "wrong file"},
		{"as long as it may be", `{"reason":" ` + strings.Repeat("ç", long) + ` "}`, "application/json", strings.Repeat("ç", long)},
		{"and escaped", `{"reason":"` + strings.Repeat(`\ud83d\ude00`, long) + `"}`, "application/json", strings.Repeat("😀", long)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			s.jobs[id1] = queued()
			r := s.send(t, "POST", "/api/jobs/"+string(id1)+"/cancel", tt.body, "Content-Type", tt.kind)
			b, err := io.ReadAll(r.Body)
			if err != nil || r.StatusCode != 200 {
				t.Fatalf("answer = %d %s, %v", r.StatusCode, b, err)
			}
			if d := cmp.Diff([]string{"Cancel|" + string(id1) + "|" + tt.reason}, s.told); d != "" {
				t.Errorf("told (-want +got):\n%s", d)
			}
			var got struct {
				ID, Status string
				History    []struct{ Status, Message string }
			}
			if err := json.Unmarshal(b, &got); err != nil {
				t.Fatal(err)
			}
			if got.ID != string(id1) || got.Status != "Canceled" || len(got.History) != 2 || !strings.HasPrefix(got.History[1].Message, "Operator canceled") {
				t.Errorf("answer = %+v", got)
			}
			if log := strings.Join(s.lines.all(), ""); tt.reason != "" && strings.Contains(log, tt.reason) {
				t.Errorf("the log has the reason: %s", log)
			}
		})
	}
}

// curl -X POST sends neither a body nor a type for it.
func TestActionWithoutAnything(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/api/jobs/" + string(id1) + "/cancel", "/api/jobs/" + string(id1) + "/retry", "/api/pipeline/pause", "/api/pipeline/resume"} {
		s := newService(t)
		s.jobs[id1], s.child = queued(), id2
		q := httptest.NewRequestWithContext(s.ctx(t), "POST", path, nil)
		q.Header = map[string][]string{"X-Api-Key": {key}}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, q)
		if w.Code/100 != 2 || len(s.told) != 1 {
			t.Errorf("%s: %d %s, told %v", path, w.Code, w.Body, s.told)
		}
	}
}

func TestReasonsThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body, kind string
		status           int
		code             fault.Code
	}{
		{"too long", `{"reason":"` + strings.Repeat("ç", 513) + `"}`, "application/json", 400, fault.ValidationReasonTooLong},
		{"much too long", `{"reason":"` + strings.Repeat("a", 60_000) + `"}`, "application/json", 400, fault.ValidationReasonTooLong},
		{"larger than is read", `{"reason":"` + strings.Repeat("a", 70_000) + `"}`, "application/json", 413, fault.RequestTooLarge},
		{"a line end", `{"reason":"a\nb"}`, "application/json", 400, fault.RequestInvalid},
		{"a zero", `{"reason":"a\u0000"}`, "application/json", 400, fault.RequestInvalid},
		{"half a character", `{"reason":"\ud83d"}`, "application/json", 400, fault.RequestInvalid},
		{"no UTF-8", "{\"reason\":\"\xff\"}", "application/json", 400, fault.RequestInvalid},
		{"a number", `{"reason":1}`, "application/json", 400, fault.RequestInvalid},
		{"twice", `{"reason":"a","reason":"b"}`, "application/json", 400, fault.RequestInvalid},
		{"another field", `{"because":"a"}`, "application/json", 400, fault.RequestInvalid},
		{"another case", `{"Reason":"a"}`, "application/json", 400, fault.RequestInvalid},
		{"a text", `"a"`, "application/json", 400, fault.RequestInvalid},
		{"no JSON", `reason=a`, "application/json", 400, fault.RequestInvalid},
		{"a form", `reason=a`, "application/x-www-form-urlencoded", 400, fault.RequestInvalid},
		{"JSON that is said to be something else", `{"reason":"a"}`, "text/plain", 400, fault.RequestInvalid},
		{"a type that is none", `{"reason":"a"}`, ";", 400, fault.RequestInvalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, path := range []string{"/api/jobs/" + string(id1) + "/cancel", "/api/pipeline/pause", "/api/pipeline/resume"} {
				s := newService(t)
				wantProblem(t, s.send(t, "POST", path, tt.body, "Content-Type", tt.kind), tt.status, tt.code)
				if len(s.told) != 0 {
					t.Errorf("%s was done: %v", path, s.told)
				}
			}
		})
	}
}

func TestRetry(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", " ", "{}"} {
		s := newService(t)
		s.child = id2
		wantJSON(t, s.send(t, "POST", "/api/jobs/"+string(id1)+"/retry", body), 202,
			`{"newJobId":"`+string(id2)+`","parentJobId":"`+string(id1)+`","status":"Queued"}`)
		if d := cmp.Diff([]string{"Retry|" + string(id1)}, s.told); d != "" {
			t.Errorf("told (-want +got):\n%s", d)
		}
	}
	s := newService(t)
	wantProblem(t, s.send(t, "POST", "/api/jobs/"+string(id1)+"/retry", `{"profile":"other"}`), 400, fault.RequestInvalid)
	if len(s.told) != 0 {
		t.Errorf("a retry with a wish was done: %v", s.told)
	}
}

// Codes of the workflow show as they are, with the statuses that they have here.
func TestActionRefusals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		method, path string
		code         fault.Code
		status       int
	}{
		{"Cancel", "/cancel", fault.JobNotFound, 404},
		{"Cancel", "/cancel", fault.JobNotQueued, 409},
		{"Cancel", "/cancel", fault.JobRaceLost, 409},
		{"Cancel", "/cancel", fault.ValidationReasonTooLong, 400},
		{"Cancel", "/cancel", fault.Throttled, 503},
		{"Retry", "/retry", fault.JobNotFound, 404},
		{"Retry", "/retry", fault.JobNotFailed, 409},
		{"Retry", "/retry", fault.JobInputMissing, 409},
		{"Retry", "/retry", fault.JobAlreadyProcessing, 409},
		{"Retry", "/retry", fault.JobRaceLost, 409},
		{"Retry", "/retry", fault.ProfileNotFound, 404},
		{"Retry", "/retry", fault.ProfileDisabled, 409},
		{"Retry", "/retry", fault.ProfileTakesNoFiles, 409},
	}
	for _, tt := range tests {
		t.Run(tt.method+" "+string(tt.code), func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			s.fail[tt.method] = fault.New(tt.code, "so it is")
			p := wantProblem(t, s.send(t, "POST", "/api/jobs/"+string(id1)+tt.path, ""), tt.status, tt.code)
			if p.Detail != "so it is" {
				t.Errorf("detail = %q", p.Detail)
			}
			d, _ := documentOf(t, s)
			d.described(t, tt.path, d.Paths["/api/jobs/{id}"+tt.path]["post"], s.send(t, "POST", "/api/jobs/"+string(id1)+tt.path, ""))
		})
	}
}

func TestActionsOnNoJob(t *testing.T) {
	t.Parallel()
	for _, action := range []string{"/cancel", "/retry"} {
		for _, id := range []string{"1", strings.ToUpper(string(id1)), "%7B" + string(id1) + "%7D", "a%2Fb"} {
			s := newService(t)
			wantProblem(t, s.send(t, "POST", "/api/jobs/"+id+action, ""), 404, fault.JobNotFound)
			if len(s.told) != 0 {
				t.Errorf("%s of %s was done", action, id)
			}
		}
	}
}
