package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"bulksigner/internal/app"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/lacuna/lacunatest"
	"bulksigner/internal/local/emulator"
	"bulksigner/internal/profile"
)

const (
	restKey = "a key of thirty-two characters.."
	bearer  = "a bearer of more than thirty-two characters"
)

// service is what the functions find around them: a table, two queues, two secrets, and Lacuna Signer.
type service struct {
	signer  *lacunatest.Server
	queues  *sqs.Client
	secrets *secretsmanager.Client

	work, checks, key string // URLs of queues, and the ARN of the key for Lacuna Signer
	folder            string
}

// newService makes all that in emulators, named after the test, and the environment of the functions. The key for Lacuna Signer is an old one.
func newService(t *testing.T, holder issued) *service {
	t.Helper()
	e, err := emulator.Start(t.Context(), emulator.Options{Services: emulator.None})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	s := &service{signer: lacunatest.NewServer(t), queues: sqs.NewFromConfig(e.Config()), secrets: secretsmanager.NewFromConfig(e.Config())}
	if err := emulator.CreateTable(t.Context(), dynamodb.NewFromConfig(e.Config()), t.Name()); err != nil {
		t.Fatal(err)
	}
	s.work, s.checks = s.queue(t, t.Name()+"-work"), s.queue(t, t.Name()+"-checks")
	s.key = s.secret(t, t.Name()+"/key", "application|of-yesterday")
	s.folder = s.signer.AddFolder("Contracts", "")
	for _, pair := range append(e.Env(), "TABLE_NAME="+t.Name(), "INPUT_BUCKET=app-input", "OUTPUT_BUCKET=app-output", "WORK_QUEUE_URL="+s.work,
		"CHECKS_QUEUE_URL="+s.checks, "METRICS_NAMESPACE=BulkSigner/app", "SETTINGS_FILE="+s.settings(t, holder)) {
		name, value, _ := strings.Cut(pair, "=")
		t.Setenv(name, value)
	}
	return s
}

func (s *service) queue(t *testing.T, name string) string {
	t.Helper()
	out, err := s.queues.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: &name})
	if err != nil {
		t.Fatal(err)
	}
	return aws.ToString(out.QueueUrl)
}

func (s *service) secret(t *testing.T, name, value string) string {
	t.Helper()
	out, err := s.secrets.CreateSecret(t.Context(), &secretsmanager.CreateSecretInput{Name: &name, SecretString: &value})
	if err != nil {
		t.Fatal(err)
	}
	return aws.ToString(out.ARN)
}

func (s *service) settings(t *testing.T, holder issued) string {
	t.Helper()
	content, err := json.Marshal(map[string]any{
		"Signing": map[string]any{"Profiles": []any{map[string]any{
			"Name": "found", "Method": "SignerFolder", "Verify": false, "ValidateCertificate": false, "SignerFolder": map[string]any{"Id": s.folder},
			"Certificate": map[string]any{"Source": "Kms", "Kms": map[string]any{"KeyId": "alias/found", "Certificate": string(encode(holder.person))}},
		}}},
		"Signer": map[string]any{"Endpoint": s.signer.URL, "ApiKey": s.key, "WebhookSecret": s.secret(t, t.Name()+"/bearer", bearer)},
		"Auth":   map[string]any{"ApiKey": restKey},
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// received takes all messages off a queue.
func (s *service) received(t *testing.T, url string) (all []app.Message) {
	t.Helper()
	out, err := s.queues.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{
		QueueUrl: &url, MaxNumberOfMessages: 10, VisibilityTimeout: 30,
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameApproximateReceiveCount},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range out.Messages {
		receives, err := strconv.Atoi(m.Attributes["ApproximateReceiveCount"])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, app.Message{ID: *m.MessageId, Receipt: *m.ReceiptHandle, Receives: receives, Body: *m.Body})
	}
	return all
}

// built returns what a constructor made.
func built[F any](t *testing.T, build func(context.Context) (F, error)) F {
	t.Helper()
	f, err := build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// invocation is the time of one, which leaves a few seconds for calls.
func invocation(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// TestFunctions has a document found by a notification: each function does its part, as it is built for deployment.
func TestFunctions(t *testing.T) {
	holder := issue(t)
	stayHidden := captured(t)
	s := newService(t, holder)
	notifications := httptest.NewServer(built(t, app.NewNotify))
	defer notifications.Close()
	s.signer.SetWebhook("app", lacunatest.Webhook{URL: notifications.URL + "/api/signer/notifications", AuthType: lacunatest.Bearer, Token: bearer})
	s.signer.SetWebhook("forged", lacunatest.Webhook{URL: notifications.URL + "/api/signer/notifications", AuthType: lacunatest.Bearer, Token: "guessed"})
	document := s.signer.AddDocument(lacunatest.Document{FolderID: s.folder, Name: "Contract", Actions: []lacunatest.Action{
		{Participant: profile.Participant{Name: "Ana Teste", Email: "ana@example.com", Identifier: "52998224725"}},
	}})
	if _, err := s.signer.Deliver(t.Context()); err != nil {
		t.Fatal(err)
	}

	sweep := built(t, app.NewSweep)
	checks := s.received(t, s.checks)
	if len(checks) != 1 || !strings.Contains(checks[0].Body, document) {
		t.Fatalf("%d checks were queued (%+v), want one of document %s", len(checks), checks, document)
	}
	if again := sweep.Checks(invocation(t), checks); len(again) != 1 {
		t.Errorf("by a key of yesterday %v come again, want the check", again)
	}
	if _, err := s.secrets.PutSecretValue(t.Context(), &secretsmanager.PutSecretValueInput{SecretId: &s.key, SecretString: aws.String(lacunatest.DefaultKey)}); err != nil {
		t.Fatal(err)
	}
	if again := sweep.Checks(invocation(t), checks); len(again) != 0 {
		t.Errorf("after the key was changed %v come again, want nothing", again)
	}
	for name, run := range map[string]func(context.Context) error{"sweep": sweep.Tick, "poll": built(t, app.NewPoll)} {
		if err := run(invocation(t)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	rings := s.received(t, s.work)
	if len(rings) != 1 {
		t.Fatalf("%d doorbells rang, want one", len(rings))
	}
	s.operate(t, rings[0])
	stayHidden(restKey) // which stands in the settings
}

// operate looks at the job that a doorbell rings for as an operator does, and cancels it.
func (s *service) operate(t *testing.T, ring app.Message) {
	t.Helper()
	m, err := job.ParseMessage(ring.Body)
	if err != nil {
		t.Fatal(err)
	}
	rest := httptest.NewServer(built(t, app.NewAPI))
	defer rest.Close()
	answers(t, rest, http.MethodGet, "/api/jobs/"+string(m.Job), `"status":"Queued"`, `"SignerFolder"`)
	answers(t, rest, http.MethodGet, "/api/ready", `"ready":true`)
	answers(t, rest, http.MethodPost, "/api/jobs/"+string(m.Job)+"/cancel", `"status":"Canceled"`)
	answers(t, rest, http.MethodGet, "/api/metrics",
		`bulksigner_signer_notifications_total{outcome="queued"} 1`, `bulksigner_signer_notifications_total{outcome="unauthorized"} 1`,
		`bulksigner_signer_folder_jobs_enqueued_total{profile="found"} 1`, "bulksigner_jobs_canceled_total 1",
		"bulksigner_signer_poll_duration_seconds_count 1", "bulksigner_pipeline_paused 0", "bulksigner_jobs_in_flight 0", "bulksigner_jobs_awaiting_signer 0")
	sign := built(t, app.NewSign)
	if again := sign(invocation(t), []app.Message{ring, {ID: "odd", Receipt: ring.Receipt, Body: "{}"}}); len(again) != 1 || again[0] != "odd" {
		t.Errorf("%v come again, want the message that nobody understands", again)
	}
}

func answers(t *testing.T, server *httptest.Server, method, path string, want ...string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-API-Key", restKey)
	resp, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range want {
		if !strings.Contains(string(body), w) || resp.StatusCode != http.StatusOK {
			t.Errorf("%s %s answers %d without %s:\n%s", method, path, resp.StatusCode, w, body)
		}
	}
}

// TestChecksQueue: those who work with checks must know their queue, and nobody else.
func TestChecksQueue(t *testing.T) {
	newService(t, issue(t))
	t.Setenv("CHECKS_QUEUE_URL", "")
	for name, build := range map[string]func() error{
		"sweep":  func() error { _, err := app.NewSweep(t.Context()); return err },
		"notify": func() error { _, err := app.NewNotify(t.Context()); return err },
	} {
		if err := build(); fault.CodeOf(err) != fault.SettingsInvalid || !strings.Contains(fmt.Sprint(err), "CHECKS_QUEUE_URL") {
			t.Errorf("%s without a checks queue: %v", name, err)
		}
	}
	built(t, app.NewPoll)
	built(t, app.NewRecover)
}
