package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"bulksigner/internal/job"
)

// gateway answers as one whose functions die, with the statuses in turn and the last one from then on.
func gateway(t *testing.T, answers ...string) (c *client, asked *[]*http.Request, bodies *[]string) {
	t.Helper()
	asked, bodies = &[]*http.Request{}, &[]string{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // a test's own
		*asked, *bodies = append(*asked, r), append(*bodies, string(body))
		switch a := answers[min(len(*asked), len(answers))-1]; a {
		case "died":
			http.Error(w, `{"message":"Internal Server Error"}`, http.StatusInternalServerError)
		case "broken off":
			panic(http.ErrAbortHandler)
		case "refused":
			http.Error(w, `{"code":"job.not-found"}`, http.StatusNotFound)
		case "failed":
			http.Error(w, `{"code":"internal"}`, http.StatusInternalServerError)
		default:
			w.WriteHeader(http.StatusAccepted)
			_, _ = io.WriteString(w, a)
		}
	}))
	t.Cleanup(srv.Close)
	return newClient(srv.URL, "key", newAnswers()), asked, bodies
}

// TestClientInsists: the same request again, under the same name, while no function has answered.
func TestClientInsists(t *testing.T) {
	t.Parallel()
	c, asked, bodies := gateway(t, "broken off", "died", `{"id":"7"}`)
	var got row
	err := c.ask(t.Context(), request{
		name: "POST", method: http.MethodPost, path: "/api/files", due: time.Now(), body: []byte("file"),
		header: http.Header{idempotencyKey: {"one"}}, want: []int{http.StatusAccepted},
	}, &got)
	if err != nil || got.ID != "7" {
		t.Fatalf("ask = %v, job %q", err, got.ID)
	}
	if len(*asked) != 3 || !slices.Equal(*bodies, []string{"file", "file", "file"}) {
		t.Errorf("%d requests with the bodies %q, want three alike", len(*asked), *bodies)
	}
	for _, r := range *asked {
		if r.Header.Get(idempotencyKey) != "one" || r.Header.Get("X-Api-Key") != "key" {
			t.Errorf("a try had the headers %v", r.Header)
		}
	}
	if s := c.answers.by["POST"]; s.repeated != 2 || len(s.took) != 1 || s.statuses[http.StatusAccepted] != 1 {
		t.Errorf("noted: %+v", s)
	}
	if broken := c.answers.broken(false); len(broken) != 0 {
		t.Errorf("broken: %q", broken)
	}
}

// TestClientTakesAnAnswer: what the service itself says is not asked for again.
func TestClientTakesAnAnswer(t *testing.T) {
	t.Parallel()
	for _, says := range []string{"refused", "failed"} {
		c, asked, _ := gateway(t, says)
		err := c.ask(t.Context(), request{name: "GET", path: "/api/jobs/1", due: time.Now()}, nil)
		if _, is := errors.AsType[*refused](err); !is || unanswered(err) != nil {
			t.Errorf("%s: ask = %v", says, err)
		}
		if len(*asked) != 1 || len(c.answers.broken(true)) != 1 {
			t.Errorf("%s: asked %d times, broken %q", says, len(*asked), c.answers.broken(true))
		}
	}
}

func TestClientGivesUpWithItsContext(t *testing.T) {
	t.Parallel()
	c, _, _ := gateway(t, "died")
	ctx, cancel := context.WithTimeout(t.Context(), 2*firstPause)
	defer cancel()
	if err := c.ask(ctx, request{path: "/api/jobs"}, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("ask = %v, want the deadline", err)
	}
}

// TestNoAnswerAtAllIsWrong: faults pass, and twelve tries outlast them.
func TestNoAnswerAtAllIsWrong(t *testing.T) {
	t.Parallel()
	a := newAnswers()
	a.insisted("GET", time.Second, answer{status: 500}, mostTries, http.StatusOK)
	if got := a.broken(true); len(got) != 1 || !strings.Contains(got[0], "not answered in 12 tries, last with 500") {
		t.Errorf("broken: %q", got)
	}
}

func TestUploadsAreKnownByTheirNames(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		job.UploadPrefix + "0198/Recibo 1.pdf": job.UploadPrefix + "Recibo 1.pdf",
		"contracts/a/b.pdf":                    "contracts/a/b.pdf",
		"":                                     "Ata",
	} {
		if got := (row{OriginalPath: path, DocumentName: "Ata"}).key(); got != want {
			t.Errorf("the key of %q is %q, want %q", path, got, want)
		}
	}
}

func TestAForm(t *testing.T) {
	t.Parallel()
	body, mediaType, err := form("Recibo 1.pdf", []byte("%PDF"))
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(string(body)))
	r.Header.Set("Content-Type", mediaType)
	f, h, err := r.FormFile("file")
	if err != nil {
		t.Fatal(err)
	}
	if content, err := io.ReadAll(f); err != nil || string(content) != "%PDF" || h.Filename != "Recibo 1.pdf" {
		t.Errorf("the form has %q as %q, %v", content, h.Filename, err)
	}
}

func TestNothingLeavesTheMachine(t *testing.T) {
	t.Parallel()
	if err := loopback("http://127.0.0.1:80", "http://[::1]:80/x"); err != nil {
		t.Error(err)
	}
	for _, url := range []string{"http://10.0.0.1:80", "http://example.com", "://"} {
		if loopback("http://127.0.0.1", url) == nil {
			t.Errorf("%s is taken for this machine", url)
		}
	}
}
