package local_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"bulksigner/internal/local"
	"bulksigner/internal/local/ledger"
	"bulksigner/internal/settings"
)

// service runs for all tests of the package, and book has what it asks of AWS. Nobody was told of the document untold.
var (
	service *local.Service
	untold  string
	book    = ledger.New()
)

// reconcile is a setting that no run has by itself.
const reconcile = 77

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run starts the service once, with a function that echoes in place of each.
func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "local")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	service, err = local.Start(context.Background(), local.Options{
		Dir: filepath.Join(dir, "data"), Build: echo(dir), Every: 100 * time.Millisecond, Watch: book.Record,
		Settings: func(_ context.Context, _ *local.Service, settings map[string]any) error {
			settings["Storage"].(map[string]any)["ReconcileMinutes"] = reconcile
			return nil
		},
		Before: func(s *local.Service) (err error) {
			untold, err = s.Signer.Create("Ata", "Ata.pdf", "application/pdf", nil, local.Holder())
			return err
		},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := service.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// echo builds the echoing function once and copies it for each function.
func echo(dir string) local.Build {
	built := filepath.Join(dir, "echo")
	return func(ctx context.Context, _, path string) error {
		if _, err := os.Stat(built); err != nil {
			cmd := exec.CommandContext(ctx, "go", "build", "-tags", "lambda.norpc", "-o", built, "./testdata/echo")
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("%w: %s", err, out)
			}
		}
		data, err := os.ReadFile(built)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		return os.WriteFile(path, data, 0o700)
	}
}

// logged waits until a function has written what is wanted.
func logged(t *testing.T, function, want string) {
	t.Helper()
	var log []byte
	if !eventually(func() (done bool) {
		var err error
		if log, err = os.ReadFile(filepath.Join(service.Dir, "logs", function+".log")); err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(log), want)
	}) {
		t.Errorf("%s never wrote %q, but:\n%s", function, want, log)
	}
}

// eventually asks until it hears yes. What is waited for happens in other processes, where no fake clock runs.
func eventually(done func() bool) bool {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(20 * time.Second); !done(); {
		select {
		case <-late:
			return false
		case <-tick.C:
		}
	}
	return true
}

func TestAFileWakesSign(t *testing.T) {
	t.Parallel()
	key := "contracts/Relatório + anexo.pdf"
	if _, err := service.Objects().PutObject(t.Context(), &s3.PutObjectInput{Bucket: &service.Input, Key: &key, Body: strings.NewReader("%PDF")}); err != nil {
		t.Fatal(err)
	}
	logged(t, "sign", `contracts/Relat%C3%B3rio+%2B+anexo.pdf`)
	if !eventually(func() bool {
		idle, err := service.Idle(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return idle
	}) {
		t.Error("the message was never consumed")
	}
}

func TestSchedulesWakeFunctions(t *testing.T) {
	t.Parallel()
	for _, function := range []string{"poll", "sweep", "recover"} {
		logged(t, function, `"source":"aws.scheduler"`)
	}
}

func TestRequestsReachTheAPI(t *testing.T) {
	t.Parallel()
	for variable, want := range map[string]string{
		"TABLE_NAME": "bulksigner", "INPUT_BUCKET": service.Input, "OUTPUT_BUCKET": service.Output, "WORK_QUEUE_URL": service.Work,
		"AWS_ENDPOINT_URL": service.EmulatorURL(), "AWS_REGION": "sa-east-1",
		"SETTINGS_FILE": filepath.Join(service.Dir, "config", "settings.json"), "GOMEMLIMIT": "460MiB", "CHECKS_QUEUE_URL": service.Checks(),
		"AWS_ACCESS_KEY_ID": "local-api",
	} {
		resp, err := http.Get(service.URL + "/" + variable)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK || string(body) != want {
			t.Errorf("%s = %q (%d, %v), want %q", variable, body, resp.StatusCode, err, want)
		}
	}
}

func TestTheSettingsAreWhatTheServiceReads(t *testing.T) {
	t.Parallel()
	s, err := settings.Load(os.DirFS(filepath.Join(service.Dir, "config")), "settings.json", nil, settings.API)
	if err != nil {
		t.Fatal(err)
	}
	for prefix, profile := range map[string]string{"contracts": "contracts", "invoices": "invoices", "letters": "letters", "inbox": "default", "hr": "hr", "remote": "remote"} {
		in, name, ok := s.Folder(prefix + "/a.pdf")
		if !ok || name != "a.pdf" || in.Profile != profile {
			t.Errorf("a file in %s/ belongs to %q (%v), want profile %s", prefix, in.Profile, ok, profile)
		}
	}
	if s.Signer.Endpoint != service.Signer.URL || string(s.Signer.ApiKey) != service.Signer.Key() || s.Signer.WebhookSecret == "" {
		t.Error("Lacuna Signer is another one, or sends no notifications")
	}
	if len(s.Signing.Anchors) != 1 {
		t.Errorf("%d trust anchors, want the root", len(s.Signing.Anchors))
	}
	if s.Storage.ReconcileMinutes != reconcile {
		t.Errorf("a setting that was changed is %d, want %d", s.Storage.ReconcileMinutes, reconcile)
	}
	if string(s.Auth.ApiKey) != service.APIKey {
		t.Error("the API key is another one")
	}
}

// TestWhoAsksIsKnown: AWS itself asks under names of its own.
func TestWhoAsksIsKnown(t *testing.T) {
	t.Parallel()
	key := "contracts/lançado.pdf"
	if _, err := service.Objects().PutObject(t.Context(), &s3.PutObjectInput{Bucket: &service.Input, Key: &key, Body: strings.NewReader("%PDF")}); err != nil {
		t.Fatal(err)
	}
	const work = "arn:aws:sqs:sa-east-1:000000000000:bulksigner-work"
	for _, want := range []ledger.Right{
		{Who: "bucket-events", Action: "sqs:SendMessage", On: work}, {Who: "sign" + local.MappingOf, Action: "sqs:ReceiveMessage", On: work},
		{Who: "sign" + local.MappingOf, Action: "sqs:DeleteMessage", On: work},
	} {
		if !eventually(func() bool { return book.Rights()[want] > 0 }) {
			t.Errorf("nobody has %+v, but %v", want, book.Rights())
		}
	}
}
