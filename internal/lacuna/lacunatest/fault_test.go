package lacunatest_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bulksigner/internal/lacuna/lacunatest"
)

// cancel asks for a cancellation, whose effect is easy to see.
func cancel(t *testing.T, s *lacunatest.Server, doc string) (reply, error) {
	t.Helper()
	return send(t, s, "POST", "/api/documents/"+doc+"/cancellation", object{"reason": "late"}, s.Key())
}

func TestFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		fault  lacunatest.Fault
		status int // 0: no answer
		body   string
		effect bool
	}{
		{"a status", lacunatest.Status(503), 503, "", false},
		{"a status after the effect", lacunatest.Status(503).AfterEffect(), 503, "", true},
		{"a code", lacunatest.ErrorCode("CpfMismatch"), 422, `"code":"CpfMismatch"`, false},
		{"a proxy's page", lacunatest.HTML(502), 502, "<html>", false},
		{"a page that looks like success", lacunatest.HTML(200).AfterEffect(), 200, "<html>", true},
		{"text", lacunatest.Text(400, "text/plain", "no"), 400, "no", false},
		{"other JSON", lacunatest.JSON(404, object{"message": "gone"}), 404, "gone", false},
		{"dropped before", lacunatest.Dropped(), 0, "", false},
		{"dropped after", lacunatest.Dropped().AfterEffect(), 0, "", true},
		{"late", lacunatest.Delayed(time.Millisecond), 200, "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			doc := s.AddDocument(waitingFor(maria, ""))
			s.Fail(lacunatest.Rule{Op: lacunatest.Cancel, Times: 1, Fault: tt.fault})
			got, err := cancel(t, s, doc)
			if (err != nil) != (tt.status == 0) || got.status != tt.status || !strings.Contains(string(got.body), tt.body) {
				t.Errorf("got %d %q, %v, want %d %q", got.status, got.body, err, tt.status, tt.body)
			}
			if canceled := s.State(doc).Status == lacunatest.Canceled; canceled != tt.effect {
				t.Errorf("canceled: %t, want %t", canceled, tt.effect)
			}
			call := s.Calls()[0]
			if len(s.Calls()) != 1 || call.Effect != tt.effect || call.Status != tt.status || call.Document != doc {
				t.Errorf("recorded %+v", s.Calls())
			}
			if got, err := send(t, s, "GET", "/api/documents/"+doc, nil, s.Key()); err != nil || got.status != 200 {
				t.Errorf("the next call: %d, %v", got.status, err)
			}
		})
	}
}

func TestAnswersAreAltered(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	doc := s.AddDocument(waitingFor(maria, ""))
	read := func(f lacunatest.Fault) reply {
		s.Fail(lacunatest.Rule{Op: lacunatest.Details, Document: strings.ToUpper(doc), Times: 1, Fault: f})
		return ask(t, s, "GET", "/api/documents/"+doc, nil)
	}
	if o := read(lacunatest.Set("status", "Paused")).object(t); o["status"] != "Paused" || o["id"] != doc {
		t.Errorf("status: %v", o)
	}
	if o := read(lacunatest.Set("flowActions.0.type", "Witness")).object(t); o["flowActions"].([]any)[0].(object)["type"] != "Witness" {
		t.Errorf("type: %v", o["flowActions"])
	}
	for name, v := range read(lacunatest.Nulls()).object(t) {
		if v != nil {
			t.Errorf("%s = %v, want null", name, v)
		}
	}
	if o := read(lacunatest.Extended()).object(t); o["addedWithoutNotice"] == nil || o["flowActions"].([]any)[0].(object)["addedWithoutNotice"] == nil || o["id"] != doc {
		t.Errorf("extended: %v", o)
	}
	if got := read(lacunatest.Truncated()); got.status != 200 || json.Valid(got.body) || len(got.body) == 0 {
		t.Errorf("truncated: %d %q", got.status, got.body)
	}
	if o := read(lacunatest.Fault{}).object(t); o["status"] != "Pending" {
		t.Errorf("afterwards: %v", o["status"])
	}
}

func TestRulesCount(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	doc := s.AddDocument(waitingFor(maria, ""))
	s.Fail(lacunatest.Rule{Op: lacunatest.Details, Skip: 1, Times: 2, Fault: lacunatest.Status(500)})
	var got []int
	for range 4 {
		got = append(got, ask(t, s, "GET", "/api/documents/"+doc, nil).status)
	}
	s.FailNext(429, 408)
	for range 3 {
		got = append(got, ask(t, s, "GET", "/api/folders", nil).status)
	}
	s.Fail(lacunatest.Rule{Document: doc, Fault: lacunatest.Status(502)})
	for range 2 {
		got = append(got, ask(t, s, "GET", "/api/documents/"+doc, nil).status)
	}
	got = append(got, ask(t, s, "GET", "/api/folders", nil).status)
	s.Heal()
	got = append(got, ask(t, s, "GET", "/api/documents/"+doc, nil).status)
	want := []int{200, 500, 500, 200, 429, 408, 200, 502, 502, 200, 200}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("statuses %v, want %v", got, want)
		}
	}
}

func TestSuccessIsDenied(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	doc := s.AddDocument(waitingFor(maria, ""))
	s.Fail(lacunatest.Rule{Op: lacunatest.Start, Times: 1, Fault: lacunatest.Unsuccessful("CertificateRevoked")})
	_, started := begin(t, s, doc, holder(t, s, "RSA"))
	finding := started["validationResults"].(object)["errors"].([]any)[0].(object)["type"]
	if started["success"] != false || finding != "CertificateRevoked" {
		t.Errorf("started %v", started)
	}
}

func TestContentLeadsElsewhere(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	doc := s.AddDocument(lacunatest.Document{MIME: "text/plain", Content: []byte("text"), Actions: []lacunatest.Action{{Participant: maria}}})
	s.Conclude(doc)
	s.Fail(lacunatest.Rule{Op: lacunatest.Download, Times: 1, Fault: lacunatest.Redirected()})
	got := ask(t, s, "GET", "/api/documents/"+doc+"/content?type=Signatures", nil) // net/http carries the key along
	if n := judged(t, s, got.body, nil); n != 1 {
		t.Errorf("%d signatures", n)
	}
	calls := s.Calls()
	if away := calls[len(calls)-1]; away.Op != lacunatest.Away || !away.Key || away.Status != 200 || s.Count(lacunatest.Away) != 1 {
		t.Errorf("recorded %+v", away)
	}
}

func TestContentEndsEarly(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	doc := s.AddDocument(waitingFor(maria, ""))
	s.Conclude(doc)
	s.Fail(lacunatest.Rule{Op: lacunatest.Download, Times: 1, Fault: lacunatest.Truncated()})
	got, err := send(t, s, "GET", "/api/documents/"+doc+"/content?type=Signatures", nil, s.Key())
	if !errors.Is(err, io.ErrUnexpectedEOF) || got.status != 200 || len(got.body) == 0 {
		t.Errorf("got %d with %d bytes, %v, want an early end", got.status, len(got.body), err)
	}
}

func TestSlowAnswersWithoutANetwork(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		fault  lacunatest.Fault
		wait   time.Duration
		effect bool
		err    error
	}{
		{"patient", lacunatest.Delayed(time.Minute), time.Hour, true, nil},
		{"gone before the effect", lacunatest.Delayed(time.Minute), time.Second, false, context.DeadlineExceeded},
		{"gone after the effect", lacunatest.Delayed(time.Minute).AfterEffect(), time.Second, true, context.DeadlineExceeded},
		{"dropped", lacunatest.Dropped(), time.Second, false, errors.ErrUnsupported},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := lacunatest.New(lacunatest.Options{Latency: time.Millisecond})
				doc, err := s.AddDocument(waitingFor(maria, ""))
				if err != nil {
					t.Fatal(err)
				}
				s.Fail(lacunatest.Rule{Fault: tt.fault})
				ctx, stop := context.WithTimeout(t.Context(), tt.wait)
				defer stop()
				r, err := http.NewRequestWithContext(ctx, "POST", "http://signer.invalid/api/documents/"+doc+"/cancellation", strings.NewReader(`{"reason":"late"}`))
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Content-Type", "application/json-patch+json")
				r.Header.Set("X-Api-Key", s.Key())
				resp, err := (&http.Client{Transport: s}).Do(r)
				if (err == nil) != (tt.err == nil) || tt.err == context.DeadlineExceeded && !errors.Is(err, tt.err) {
					t.Errorf("err = %v, want %v", err, tt.err)
				}
				if err == nil {
					resp.Body.Close()
				}
				if st, _ := s.Get(doc); (st.Status == lacunatest.Canceled) != tt.effect {
					t.Errorf("status = %s, canceled wanted: %t", st.Status, tt.effect)
				}
			})
		})
	}
}
