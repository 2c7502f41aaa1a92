package console_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

func TestCancelAsksFirst(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		fields map[string]any
		want   string
		asks   bool
	}{
		{"of a file that waits", map[string]any{"status": "Queued", "actions": []string{"cancel"}}, "the file stays where it is", true},
		{"of a document in a folder", map[string]any{"status": "Queued", "documentName": "Ata", "actions": []string{"cancel"}}, "which is not told", true},
		{"of a document that a person has", map[string]any{"status": "AwaitingSigner", "actions": []string{"cancel"}}, "not certain", true},
		{"of what is at work", map[string]any{"status": "Processing", "actions": []string{"delete"}}, "can no longer be canceled", false},
		{"of what has ended", map[string]any{"status": "Completed"}, "can no longer be canceled", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := oneJob(t, tt.fields)
			w := s.get("/jobs/" + jobID + "/cancel")
			title := "contrato.pdf"
			if name, ok := tt.fields["documentName"].(string); ok {
				title = name
			}
			s.shows(w, http.StatusOK, tt.want, "<strong>"+title+"</strong>")
			if got := strings.Contains(w.Body.String(), `class="danger"`); got != tt.asks {
				t.Errorf("it can be done: %t", got)
			}
			if calls := s.api.calls("POST"); len(calls) > 0 {
				t.Errorf("asked %v", calls)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	queued := map[string]any{"status": "Queued", "actions": []string{"cancel"}}
	for _, reason := range []string{"", `sent "by mistake"`} {
		s := oneJob(t, queued)
		s.api.on("POST /api/jobs/"+jobID+"/cancel", http.StatusOK, map[string]any{})
		w := s.post("/jobs/"+jobID+"/cancel", url.Values{"reason": {reason}, "status": {"Queued"}})
		if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/jobs/"+jobID {
			t.Errorf("answers %d, leads to %s", w.Code, w.Header().Get("Location"))
		}
		want := map[string]string{"": `{}`, `sent "by mistake"`: `{"reason":"sent \"by mistake\""}`}[reason]
		if calls := s.api.calls("POST"); len(calls) != 1 || calls[0].Body != want {
			t.Errorf("asked %v, want %s", calls, want)
		}
		s.shows(s.get("/jobs/"+jobID), http.StatusOK, "The job is canceled.")
	}
}

func TestCancelAsksAgainIfTheJobWentOn(t *testing.T) {
	t.Parallel()
	s := oneJob(t, map[string]any{"status": "AwaitingSigner", "actions": []string{"cancel"}})
	w := s.post("/jobs/"+jobID+"/cancel", url.Values{"reason": {"because"}, "status": {"Queued"}})
	s.shows(w, http.StatusConflict, "status changed while you were asked", "not certain", `value="because"`, `name="status" value="AwaitingSigner"`)
	accessible(t, w.Body.String())
	if calls := s.api.calls("POST"); len(calls) > 0 {
		t.Errorf("asked %v", calls)
	}
}

func TestARefusedCancelIsShownWhereItBelongs(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, code string
		status     int
		want       []string
	}{
		{"a reason that is too long", "validation.reason-too-long", http.StatusBadRequest, []string{`aria-invalid="true" aria-describedby="reason-problem"`, "Shorten the reason", `value="because"`}},
		{"a reason that is no text", "request.invalid", http.StatusBadRequest, []string{`aria-invalid="true"`}},
		{"a job that went on", "job.not-queued", http.StatusConflict, []string{`<h1 class="name">contrato.pdf</h1>`, `role="alert"`, "at work or has ended", "the detail"}},
		{"too many actions", "rate-limited", http.StatusTooManyRequests, []string{`<h1 class="name">contrato.pdf</h1>`, "rate-limited"}},
		{"something that failed", "throttled", http.StatusServiceUnavailable, []string{"<h1>That did not work</h1>"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := oneJob(t, map[string]any{"status": "Queued", "actions": []string{"cancel"}})
			s.api.refuse("POST /api/jobs/"+jobID+"/cancel", tt.status, tt.code, "the detail")
			w := s.post("/jobs/"+jobID+"/cancel", url.Values{"reason": {"because"}, "status": {"Queued"}})
			s.shows(w, tt.status, tt.want...)
			accessible(t, w.Body.String())
		})
	}
}

// once finds the key of a form, which no browser may fill in from an earlier page.
var once = regexp.MustCompile(`autocomplete="off"><input type="hidden" name="once" value="([^"]+)"`)

func TestTwoClicksAreOneRetryAndTwoPagesAreTwo(t *testing.T) {
	t.Parallel()
	s := oneJob(t, map[string]any{"status": "Failed", "actions": []string{"retry"}})
	s.api.on("POST /api/jobs/"+jobID+"/retry", http.StatusAccepted, map[string]any{"newJobId": otherID})
	for range 2 {
		m := once.FindStringSubmatch(s.get("/jobs/" + jobID).Body.String())
		if m == nil {
			t.Fatal("the form has no key")
		}
		for range 2 {
			w := s.post("/jobs/"+jobID+"/retry", url.Values{"once": {m[1]}})
			if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/jobs/"+otherID {
				t.Errorf("answers %d, leads to %s", w.Code, w.Header().Get("Location"))
			}
		}
	}
	keys := []string{}
	for _, c := range s.api.calls("POST") {
		keys = append(keys, c.Header.Get("Idempotency-Key"))
	}
	if len(keys) != 4 || keys[0] == "" || keys[0] != keys[1] || keys[2] != keys[3] || keys[1] == keys[2] {
		t.Errorf("keys %v", keys)
	}
}

func TestARefusedRetryIsShownOnTheJobsPage(t *testing.T) {
	t.Parallel()
	s := oneJob(t, map[string]any{"status": "Failed", "actions": []string{"retry"}})
	s.api.refuse("POST /api/jobs/"+jobID+"/retry", http.StatusConflict, "job.input-missing", "the input is gone")
	w := s.post("/jobs/"+jobID+"/retry", url.Values{"once": {"a"}})
	s.shows(w, http.StatusConflict, "job.input-missing", "the input is gone", `<h1 class="name">contrato.pdf</h1>`)
	accessible(t, w.Body.String())
	if w := s.get("/jobs/" + jobID + "/retry"); w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/jobs/"+jobID {
		t.Errorf("the form's address answers %d and leads to %s", w.Code, w.Header().Get("Location"))
	}
}

func TestDeletingARecordAsksFirst(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]string{
		"Completed": "The file and the output stay where they are", "Processing": "it stops at its next step", "AwaitingSigner": "cancel the job first",
	} {
		s := oneJob(t, map[string]any{"status": status})
		w := s.get("/jobs/" + jobID + "/delete")
		s.shows(w, http.StatusOK, want, "<strong>contrato.pdf</strong>")
		if warns := strings.Contains(w.Body.String(), `class="must"`); warns != (status != "Completed") {
			t.Errorf("%s warns: %t", status, warns)
		}
	}
}

func TestDeletingAsksAgainIfTheJobWentOn(t *testing.T) {
	t.Parallel()
	s := oneJob(t, map[string]any{"status": "AwaitingSigner", "actions": []string{"cancel", "delete"}})
	s.api.on("DELETE /api/jobs/"+jobID, http.StatusNoContent, "")
	for _, asked := range []url.Values{nil, {"status": {"Queued"}}} {
		w := s.post("/jobs/"+jobID+"/delete", asked)
		s.shows(w, http.StatusConflict, "status changed while you were asked", "cancel the job first", `name="status" value="AwaitingSigner"`)
		accessible(t, w.Body.String())
	}
	if calls := s.api.calls("DELETE"); len(calls) > 0 {
		t.Fatalf("asked %v", calls)
	}
	if w := s.post("/jobs/"+jobID+"/delete", url.Values{"status": {"AwaitingSigner"}}); w.Code != http.StatusSeeOther || len(s.api.calls("DELETE")) != 1 {
		t.Errorf("answers %d, asked %v", w.Code, s.api.calls("DELETE"))
	}
}

func TestDeletingARecord(t *testing.T) {
	t.Parallel()
	s := oneJob(t, nil)
	s.api.on("DELETE /api/jobs/"+jobID, http.StatusNoContent, "")
	w := s.post("/jobs/"+jobID+"/delete", nil)
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/jobs" || len(s.api.calls("DELETE")) != 1 {
		t.Errorf("answers %d, leads to %s, asked %v", w.Code, w.Header().Get("Location"), s.api.calls("DELETE"))
	}
	s.shows(s.get("/jobs"), http.StatusOK, "The job&#39;s record was deleted.")
	s.api.refuse("DELETE /api/jobs/"+jobID, http.StatusTooManyRequests, "rate-limited", "")
	s.shows(s.post("/jobs/"+jobID+"/delete", nil), http.StatusTooManyRequests, `<h1 class="name">contrato.pdf</h1>`, "rate-limited")
}

func TestAnOutputIsHandedOn(t *testing.T) {
	t.Parallel()
	s := oneJob(t, map[string]any{"actions": []string{"download"}})
	route := "GET /api/jobs/" + jobID + "/output"
	s.api.answers[route] = answer{http.StatusOK, "%PDF-1.7", http.Header{"Content-Disposition": {`attachment; filename="a.pdf"`}, "Content-Type": {"application/pdf"}}}
	w := s.get("/jobs/" + jobID + "/output")
	if h := w.Header(); w.Body.String() != "%PDF-1.7" || h.Get("Content-Type") != "application/pdf" || !strings.HasPrefix(h.Get("Content-Disposition"), "attachment") || h.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	s.api.answers[route] = answer{http.StatusSeeOther, "", http.Header{"Location": {"https://bucket.example/a"}}}
	if w := s.get("/jobs/" + jobID + "/output"); w.Code != http.StatusSeeOther || w.Header().Get("Location") != "https://bucket.example/a" {
		t.Errorf("a large one: %d %v", w.Code, w.Header())
	}
	s.api.refuse(route, http.StatusGone, "job.output-gone", "there is nothing under its name")
	w = s.get("/jobs/" + jobID + "/output")
	s.shows(w, http.StatusGone, "job.output-gone", "there is nothing under its name", `<h1 class="name">contrato.pdf</h1>`)
	if kind := w.Header().Get("Content-Type"); !strings.HasPrefix(kind, "text/html") {
		t.Errorf("a refusal is %s", kind)
	}
}
