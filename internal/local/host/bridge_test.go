package host_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/local/emulator"
	"bulksigner/internal/local/host"
)

// samples are the events that the handlers are tested with, too.
const samples = "../../../events"

var at = time.Date(2026, time.November, 29, 15, 4, 5, 678_000_000, time.UTC)

func TestEventsAreWrittenAsTheSamplesSay(t *testing.T) {
	t.Parallel()
	pdf := emulator.Object{
		Event: emulator.Put, Bucket: "bulksigner-input", Key: "contracts/contrato-001.pdf",
		VersionID: "01KB8XQ4JZ8G3V5N2M7T6R9WYC", ETag: "9b2cf535f27731c974343645a3985328", Size: 48213,
	}
	with := func(event emulator.Event, key string) emulator.Object {
		o := pdf
		o.Event, o.Key = event, key
		return o
	}
	tests := []struct {
		file   string
		object emulator.Object
		form   host.Form
	}{
		{"sqs-s3-put.json", pdf, host.Notification},
		{"sqs-s3-copy.json", with(emulator.Copy, "contracts/contrato-001.pdf"), host.Notification},
		{"sqs-s3-multipart.json", with(emulator.Complete, "contracts/contrato-001.pdf"), host.Notification},
		{"sqs-s3-key-blank.json", with(emulator.Put, "contracts/Contrato de prestação 001.pdf"), host.Notification},
		{"sqs-s3-key-plus.json", with(emulator.Put, "contracts/contrato+anexo 50%.pdf"), host.Notification},
		{"sqs-s3-key-unicode.json", with(emulator.Put, "contracts/契約/наряд №7 ✍.pdf"), host.Notification},
		{"sqs-eventbridge-put.json", with(emulator.Put, "contracts/Contrato de prestação+001.pdf"), host.EventBridge},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			t.Parallel()
			got, err := host.Encode(tt.object, tt.form, at, 0x0055AED6DCD90281E5)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(decode(t, []byte(body(t, tt.file))), decode(t, got)); diff != "" {
				t.Errorf("event (-sample +written):\n%s", diff)
			}
		})
	}
}

// body is the body of a sample's first record.
func body(t *testing.T, file string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(samples, file))
	if err != nil {
		t.Fatal(err)
	}
	var e struct{ Records []struct{ Body string } }
	if err := json.Unmarshal(raw, &e); err != nil {
		t.Fatal(err)
	}
	return e.Records[0].Body
}

func decode(t *testing.T, raw []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

// TestSamplesAreJSON also holds for the shapes that nothing here writes.
func TestSamplesAreJSON(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(samples, "*.json"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d samples, %v", len(files), err)
	}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(raw) {
			t.Errorf("%s is no JSON", f)
		}
	}
}

// sender keeps what it is asked to send.
type sender struct {
	mu   sync.Mutex
	sent []string
}

func (s *sender) SendMessage(_ context.Context, in *sqs.SendMessageInput, _ ...func(*sqs.Options)) (*sqs.SendMessageOutput, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, *in.MessageBody)
	return &sqs.SendMessageOutput{}, nil
}

func TestABridgeSendsItsBucketAlone(t *testing.T) {
	t.Parallel()
	var b host.Bridge
	queue := &sender{}
	b.ObjectCreated(t.Context(), emulator.Object{Bucket: "input", Key: "before"})
	b.Connect("input", queue, "url", host.Notification)
	b.ObjectCreated(t.Context(), emulator.Object{Bucket: "output", Key: "other"})
	for range 2 {
		b.ObjectCreated(t.Context(), emulator.Object{Event: emulator.Put, Bucket: "input", Key: "same"})
	}
	if len(queue.sent) != 2 {
		t.Fatalf("%d messages, want the 2 of the input bucket", len(queue.sent))
	}
	if first, second := sequence(t, queue.sent[0]), sequence(t, queue.sent[1]); first >= second || len(first) != 18 {
		t.Errorf("sequencers %s and %s do not grow", first, second)
	}
}

func sequence(t *testing.T, message string) string {
	t.Helper()
	var e struct {
		Records []struct {
			S3 struct{ Object struct{ Sequencer string } }
		}
	}
	if err := json.Unmarshal([]byte(message), &e); err != nil || len(e.Records) != 1 {
		t.Fatalf("%s: %v", message, err)
	}
	return e.Records[0].S3.Object.Sequencer
}
