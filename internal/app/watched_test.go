package app_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// checkOverview: one job was completed and nothing is at work.
func (d *deployed) checkOverview(t *testing.T) {
	t.Helper()
	got := d.call(t, http.StatusOK, http.MethodGet, "/api/overview", nil)
	if got.text(t, "lastDay", "completed") != "1" || got.text(t, "lastDay", "encrypted") != "1" || got.text(t, "performance", "completed") != "1" ||
		got.text(t, "now", "queued", "jobs") != "0" || got.text(t, "profiles", "total") != "3" || got.text(t, "pipeline", "paused") != "false" {
		t.Errorf("the overview is %s", got.body)
	}
	var shape struct{ Hours []struct{ Completed int } }
	if err := json.Unmarshal(got.body, &shape); err != nil {
		t.Fatal(err)
	}
	sum := 0
	for _, h := range shape.Hours {
		sum += h.Completed
	}
	if len(shape.Hours) != 24 || sum != 1 {
		t.Errorf("%d hours have %d jobs, want 24 and 1", len(shape.Hours), sum)
	}
}

// checkCertificates: those in KMS stand in their profiles, and nobody's number is told.
func (d *deployed) checkCertificates(t *testing.T) {
	t.Helper()
	got := d.call(t, http.StatusOK, http.MethodGet, "/api/certificates", nil).body
	var shape struct {
		Certificates []struct {
			Profile, Source, Subject, Thumbprint string
			DaysLeft                             int
			Degraded                             bool
		}
	}
	if err := json.Unmarshal(got, &shape); err != nil {
		t.Fatal(err)
	}
	if len(shape.Certificates) != 3 || bytes.Contains(got, []byte("11222333000181")) {
		t.Fatalf("the certificates are %s", got)
	}
	for _, c := range shape.Certificates {
		if c.Source != "Kms" || c.Subject != "EMPRESA DE TESTE LTDA" || len(c.Thumbprint) != 40 || c.DaysLeft < 1 || c.Degraded {
			t.Errorf("the certificate of %s is %+v", c.Profile, c)
		}
	}
}

// checkQueues has a message that nobody can handle given back to the work queue.
func (d *deployed) checkQueues(t *testing.T) {
	t.Helper()
	const nonsense = `{"nobody":"can handle this"}`
	dead := os.Getenv("DEAD_LETTER_QUEUE_URL")
	if _, err := d.queues.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: &dead, MessageBody: aws.String(nonsense)}); err != nil {
		t.Fatal(err)
	}
	before := string(d.call(t, http.StatusOK, http.MethodGet, "/api/queues", nil).body)
	if !strings.Contains(before, `"queues":[{"name":"work","waiting":0,"inFlight":0,"delayed":0,"deadLetters":{"waiting":1,"inFlight":0,"delayed":0}}]`) {
		t.Errorf("the queues are %s", before)
	}
	if got := d.call(t, http.StatusOK, http.MethodPost, "/api/queues/work/redrive", nil); got.text(t, "moved") != "1" || got.text(t, "left") != "0" {
		t.Errorf("giving back answers %s", got.body)
	}
	if came := d.received(t, d.work); len(came) != 1 || came[0].Body != nonsense {
		t.Errorf("the work queue has %v, want what was dead", came)
	}
	told := d.call(t, http.StatusOK, http.MethodGet, "/api/events?eventType=DeadLettersReturned", nil).body
	if !bytes.Contains(told, []byte("1 dead letters of the queue work were given back by api.")) {
		t.Errorf("the journal has %s", told)
	}
	if got := d.call(t, http.StatusNotFound, http.MethodPost, "/api/queues/checks/redrive", nil).text(t, "code"); got != "route.not-found" {
		t.Errorf("a queue that is not there is refused by %s", got)
	}
}

// checkFolders: a file that lies there is counted, in its folder.
func (d *deployed) checkFolders(t *testing.T, path string, want string) {
	t.Helper()
	got := string(d.call(t, http.StatusOK, http.MethodGet, "/api/folders", nil).body)
	_, after, _ := strings.Cut(got, `"path":"`+path+`"`)
	if after, _, _ = strings.Cut(after, "}"); !strings.Contains(after, want) {
		t.Errorf("the folder %s is %s, want %s", path, after, want)
	}
}
