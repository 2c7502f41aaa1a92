package app_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"bulksigner/internal/app"
	"bulksigner/internal/bsenc"
)

// reply is what the API answered.
type reply struct {
	status int
	body   []byte
}

// text is what stands at a path of the reply's JSON.
func (r reply) text(t *testing.T, path ...string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(r.body, &v); err != nil {
		t.Fatalf("%v in the answer %d:\n%s", err, r.status, r.body)
	}
	for _, name := range path {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return fmt.Sprint(v)
}

// call sends one request with the API key, and fails the test unless it is answered with that status.
func (d *deployed) call(t *testing.T, want int, method, path string, body []byte, headers ...string) reply {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, d.rest.URL+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-API-Key", restKey)
	for pair := range slices.Chunk(headers, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	resp, err := d.rest.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if want != 0 && resp.StatusCode != want {
		t.Fatalf("%s %s answers %d, want %d:\n%s", method, path, resp.StatusCode, want, got)
	}
	return reply{resp.StatusCode, got}
}

// save makes a profile that encrypts, with a certificate.
func (d *deployed) save(t *testing.T, want int, name string, certificate map[string]any) reply {
	t.Helper()
	body, err := json.Marshal(map[string]any{"name": name, "format": "Cades", "encrypt": true, "validateCertificate": false, "certificate": certificate})
	if err != nil {
		t.Fatal(err)
	}
	return d.call(t, want, http.MethodPost, "/api/profiles", body, "Content-Type", "application/json")
}

// upload hands in a file under a key by which the request may be repeated.
func (d *deployed) upload(t *testing.T, want int, key string) reply {
	t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	part, err := form.CreateFormFile("file", "ledger.txt")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(part, "a ledger"); err != nil {
		t.Fatal(err)
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	return d.call(t, want, http.MethodPost, "/api/files?profile=sealed", b.Bytes(), "Content-Type", form.FormDataContentType(), "Idempotency-Key", key)
}

// doWork has the sign function do what messages ask for.
func (d *deployed) doWork(t *testing.T, messages []app.Message) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if again := d.sign(ctx, messages); len(messages) == 0 || len(again) > 0 {
		t.Fatalf("of %d messages %v come again", len(messages), again)
	}
}

// TestREST goes through what the API can do, with the functions as they are deployed.
func TestREST(t *testing.T) {
	stayHidden := captured(t)
	d := newDeployed(t)
	certificate := d.key(t, "alias/rest-sealed")
	wrong := d.key(t, "alias/rest-other")
	wrong["kms"].(map[string]any)["keyId"] = "alias/rest-sealed"
	if got := d.save(t, 0, "wrong", wrong).text(t, "code"); got != "certificate.key-mismatch" {
		t.Errorf("a profile with another key's certificate is refused by %s", got)
	}
	d.save(t, http.StatusCreated, "sealed", certificate)

	id := d.upload(t, http.StatusAccepted, "one").text(t, "jobId")
	if again := d.upload(t, http.StatusAccepted, "one").text(t, "jobId"); again != id {
		t.Errorf("the same request made job %s, and then %s", id, again)
	}
	d.doWork(t, d.arrivals(t))
	d.checkSealed(t, id)
	if again := d.upload(t, http.StatusAccepted, "one"); again.text(t, "jobId") != id || again.text(t, "status") != "Completed" {
		t.Errorf("the same request is answered with %s", again.body)
	}
	if got := d.upload(t, http.StatusConflict, "two").text(t, "code"); got != "file.already-processed" {
		t.Errorf("a second file of the name is refused by %s", got)
	}
	if got := d.call(t, http.StatusConflict, http.MethodDelete, "/api/profiles/fed", nil, "If-Match", `"1"`).text(t, "code"); got != "profile.in-use" {
		t.Errorf("a profile that a folder names is not deleted by %s", got)
	}
	d.checkFigures(t)
	d.checkOverview(t)
	d.checkCertificates(t)
	d.checkQueues(t)
	d.checkShown(t)

	d.call(t, http.StatusNoContent, http.MethodDelete, "/api/jobs/"+id, nil)
	d.call(t, http.StatusNotFound, http.MethodGet, "/api/jobs/"+id, nil)
	d.checkRescan(t)
	if got := d.call(t, http.StatusOK, http.MethodDelete, "/api/jobs", nil); got.text(t, "deleted") != "1" || got.text(t, "complete") != "true" {
		t.Errorf("clearing answers %s", got.body)
	}
	d.checkLimit(t)
	stayHidden(restKey) // which the API read from Secrets Manager
}

// checkSealed opens a job's output, which nobody signs without the profile that was saved.
func (d *deployed) checkSealed(t *testing.T, id string) {
	t.Helper()
	job := d.call(t, http.StatusOK, http.MethodGet, "/api/jobs/"+id, nil)
	if job.text(t, "status") != "Completed" || !strings.HasSuffix(job.text(t, "outputKey"), "ledger.txt.p7m.enc") || job.text(t, "profileName") != "sealed" || job.text(t, "outputEncrypted") != "true" {
		t.Fatalf("the job is %s", job.body)
	}
	key, err := bsenc.DeriveKey(encryptionPassword, encryptionSalt, bsenc.MinIterations)
	if err != nil {
		t.Fatal(err)
	}
	output, err := bsenc.Open(key, d.call(t, http.StatusOK, http.MethodGet, "/api/jobs/"+id+"/output", nil).body)
	if err != nil || !bytes.Contains(output, []byte("a ledger")) {
		t.Errorf("the output opens to %d bytes, %v, want a message that holds the file", len(output), err)
	}
}

func (d *deployed) checkFigures(t *testing.T) {
	t.Helper()
	if got := d.call(t, http.StatusOK, http.MethodGet, "/api/statistics", nil); got.text(t, "completed") != "1" || got.text(t, "local") != "1" {
		t.Errorf("the statistics are %s", got.body)
	}
	figures := string(d.call(t, http.StatusOK, http.MethodGet, "/api/metrics", nil).body)
	for _, want := range []string{"jobs_completed_total 1\n", "files_encrypted_total 1\n", "jobs_enqueued_total{folder=\"(upload)\"} 1\n", "jobs_in_flight 0\n", "profiles_degraded 0\n",
		`certificate_days_left{profile="sealed"} `} {
		if !strings.Contains(figures, "bulksigner_"+want) {
			t.Errorf("the figures lack %s:\n%s", want, figures)
		}
	}
}

// checkShown: settings and readiness are shown without what is secret.
func (d *deployed) checkShown(t *testing.T) {
	t.Helper()
	shown := d.call(t, http.StatusOK, http.MethodGet, "/api/settings", nil).body
	for _, want := range []string{`"key":"Encryption:Password","value":"***"`, `"key":"Auth:ApiKey","value":"***"`} {
		if !bytes.Contains(shown, []byte(want)) {
			t.Errorf("the settings lack %s:\n%s", want, shown)
		}
	}
	for _, secret := range []string{"arn:aws:secretsmanager", encryptionPassword, restKey, base64.StdEncoding.EncodeToString(encryptionSalt)} {
		if bytes.Contains(shown, []byte(secret)) {
			t.Errorf("the settings show %s", secret)
		}
	}
	ready := string(d.call(t, http.StatusOK, http.MethodGet, "/api/ready/details", nil).body)
	for _, want := range []string{`"name":"work-queue","ok":true`, `"name":"dead-letters","ok":true`, `"name":"clock","ok":true`} {
		if !strings.Contains(ready, want) {
			t.Errorf("readiness lacks %s:\n%s", want, ready)
		}
	}
}

// checkRescan finds a file whose event was lost, and has it signed by the doorbell that rings for it.
func (d *deployed) checkRescan(t *testing.T) {
	t.Helper()
	_, err := d.objects().PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: aws.String("rest-input"), Key: aws.String("in/lost.txt"), Body: strings.NewReader("a lost file"),
	})
	if err != nil {
		t.Fatal(err)
	}
	d.checkFolders(t, "in/", `"files":1,"moreFiles":false,"enqueued":0`)
	found := d.call(t, http.StatusOK, http.MethodPost, "/api/rescan", nil)
	if !bytes.Contains(found.body, []byte(`"enqueuedFiles":["lost.txt"]`)) || found.text(t, "totals", "enqueued") != "1" {
		t.Errorf("the search found %s", found.body)
	}
	d.doWork(t, d.received(t, d.work))
	d.checkFolders(t, "in/", `"files":0,"moreFiles":false,"enqueued":1`)
	jobs := d.call(t, http.StatusOK, http.MethodGet, "/api/jobs?status=Completed", nil)
	if !bytes.Contains(jobs.body, []byte(`"lost.txt"`)) || !bytes.Contains(jobs.body, []byte(`"Rescan"`)) {
		t.Errorf("the completed jobs are %s", jobs.body)
	}
}

// checkLimit: an hour may begin meanwhile, which allows as many again.
func (d *deployed) checkLimit(t *testing.T) {
	t.Helper()
	for range 2 * uploads {
		if got := d.upload(t, 0, "one"); got.status == http.StatusTooManyRequests {
			return
		}
	}
	t.Errorf("%d uploads of one address in an hour were let through, want %d", 2*uploads, uploads)
}
