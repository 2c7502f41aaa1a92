package queue_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/aws/queue"
	"bulksigner/internal/job"
	"bulksigner/internal/local/emulator"
)

var local *emulator.Emulator

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if local, err = emulator.Start(context.Background(), emulator.Options{Services: emulator.None}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := local.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// serial tells apart what tests make when they run more than once.
var serial atomic.Int32

// newQueue is a queue in the emulator, with its client and URL.
func newQueue(t *testing.T, name string) (*queue.Queue, *sqs.Client, string) {
	t.Helper()
	c := sqs.NewFromConfig(local.Config())
	name = fmt.Sprintf("%s-%d", name, serial.Add(1))
	out, err := c.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: &name})
	if err != nil {
		t.Fatal(err)
	}
	return queue.New(c, *out.QueueUrl), c, *out.QueueUrl
}

func newIDs(n int) []job.ID {
	ids := make([]job.ID, n)
	for i := range ids {
		ids[i] = job.NewID()
	}
	return ids
}

// receive takes messages until none come, and hides them for a minute.
func receive(t *testing.T, c *sqs.Client, url string) (all []types.Message) {
	t.Helper()
	for {
		out, err := c.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: &url, MaxNumberOfMessages: 10, VisibilityTimeout: 60})
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Messages) == 0 {
			return all
		}
		all = append(all, out.Messages...)
	}
}

func TestRing(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 10, 23} {
		q, c, url := newQueue(t, "ring")
		ids := newIDs(n)
		if err := q.Ring(t.Context(), ids); err != nil {
			t.Fatal(err)
		}
		if got, err := q.Waiting(t.Context()); err != nil || got != n {
			t.Errorf("Waiting = %d, %v, want %d", got, err, n)
		}
		got := []job.ID{}
		for _, m := range receive(t, c, url) {
			parsed, err := job.ParseMessage(*m.Body)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, parsed.Job)
		}
		slices.Sort(got)
		slices.Sort(ids)
		if diff := cmp.Diff(ids, got); diff != "" {
			t.Errorf("doorbells (-want +got):\n%s", diff)
		}
	}
}

func TestWaitingCountsWhatIsAtWorkOrDelayed(t *testing.T) {
	t.Parallel()
	q, c, url := newQueue(t, "waiting")
	if err := q.Ring(t.Context(), newIDs(3)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: &url, VisibilityTimeout: 60}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: &url, MessageBody: aws.String("later"), DelaySeconds: 60}); err != nil {
		t.Fatal(err)
	}
	if got, err := q.Waiting(t.Context()); err != nil || got != 4 {
		t.Errorf("Waiting = %d, %v, want 4", got, err)
	}
}

func TestAgain(t *testing.T) {
	t.Parallel()
	q, c, url := newQueue(t, "again")
	if err := q.Ring(t.Context(), newIDs(1)); err != nil {
		t.Fatal(err)
	}
	first := receive(t, c, url)
	if err := q.Again(t.Context(), *first[0].ReceiptHandle, 0); err != nil {
		t.Fatal(err)
	}
	if got := receive(t, c, url); len(got) != 1 {
		t.Errorf("%d messages came again, want 1", len(got))
	}
	if err := q.Again(t.Context(), "nonsense", time.Second); err == nil {
		t.Error("Again of no message = nil, want an error")
	}
}

// fakeSQS fails as it is told, and keeps what it was sent.
type fakeSQS struct {
	refuse  func(call int, body string) *types.BatchResultErrorEntry
	err     func(call int) error
	sent    [][]string
	counts  map[string]string
	seconds []int32
}

func (f *fakeSQS) SendMessageBatch(_ context.Context, in *sqs.SendMessageBatchInput, _ ...func(*sqs.Options)) (*sqs.SendMessageBatchOutput, error) {
	call := len(f.sent)
	var bodies []string
	out := &sqs.SendMessageBatchOutput{}
	for _, e := range in.Entries {
		bodies = append(bodies, *e.MessageBody)
		if f.refuse == nil {
			continue
		}
		if r := f.refuse(call, *e.MessageBody); r != nil {
			r.Id = e.Id
			out.Failed = append(out.Failed, *r)
		}
	}
	f.sent = append(f.sent, bodies)
	if f.err != nil {
		return out, f.err(call)
	}
	return out, nil
}

func (f *fakeSQS) GetQueueAttributes(context.Context, *sqs.GetQueueAttributesInput, ...func(*sqs.Options)) (*sqs.GetQueueAttributesOutput, error) {
	if f.err != nil {
		return nil, f.err(0)
	}
	return &sqs.GetQueueAttributesOutput{Attributes: f.counts}, nil
}

func (f *fakeSQS) ChangeMessageVisibility(_ context.Context, in *sqs.ChangeMessageVisibilityInput, _ ...func(*sqs.Options)) (*sqs.ChangeMessageVisibilityOutput, error) {
	f.seconds = append(f.seconds, in.VisibilityTimeout)
	return nil, nil
}

func (f *fakeSQS) ReceiveMessage(context.Context, *sqs.ReceiveMessageInput, ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error) {
	return nil, errors.New("nobody receives here")
}

func (f *fakeSQS) DeleteMessageBatch(context.Context, *sqs.DeleteMessageBatchInput, ...func(*sqs.Options)) (*sqs.DeleteMessageBatchOutput, error) {
	return nil, errors.New("nobody deletes here")
}

func failure(sender bool) *types.BatchResultErrorEntry {
	return &types.BatchResultErrorEntry{Code: aws.String("Failed"), Message: aws.String("made by a test"), SenderFault: sender}
}

func TestRingRepeatsWhatSQSCouldNotTake(t *testing.T) {
	t.Parallel()
	ids := newIDs(12)
	bad := job.Doorbell(ids[3])
	tests := []struct {
		name    string
		refuse  func(int, string) *types.BatchResultErrorEntry
		batches []int
		want    string // in the error
	}{
		{"once", func(call int, body string) *types.BatchResultErrorEntry {
			if call == 0 && body == bad {
				return failure(false)
			}
			return nil
		}, []int{10, 1, 2}, ""},
		{"for ever", func(_ int, body string) *types.BatchResultErrorEntry {
			if body == bad {
				return failure(false)
			}
			return nil
		}, []int{10, 1, 2}, "ring for jobs: 1 of 12 messages were not sent"},
		{"because of us", func(_ int, body string) *types.BatchResultErrorEntry {
			if body == bad {
				return failure(true)
			}
			return nil
		}, []int{10, 2}, "ring for jobs: 1 of 12 messages were not sent"},
		{"all of it", func(int, string) *types.BatchResultErrorEntry { return failure(false) }, []int{10, 10, 2, 2}, "ring for jobs: 12 of 12 messages were not sent"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := &fakeSQS{refuse: tt.refuse}
			err := queue.New(f, "https://queue").Ring(t.Context(), ids)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("Ring = %v, want %q", err, tt.want)
			}
			var batches []int
			for _, b := range f.sent {
				batches = append(batches, len(b))
			}
			if diff := cmp.Diff(tt.batches, batches); diff != "" {
				t.Errorf("batches (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRingEndsWithABatchThatFails(t *testing.T) {
	t.Parallel()
	down := errors.New("connection reset")
	f := &fakeSQS{err: func(call int) error {
		if call == 1 {
			return down
		}
		return nil
	}}
	err := queue.New(f, "https://queue").Ring(t.Context(), newIDs(30))
	if want := "20 of 30 messages"; !errors.Is(err, down) || !strings.Contains(err.Error(), want) {
		t.Errorf("Ring = %v, want %v and %q", err, down, want)
	}
	if len(f.sent) != 2 {
		t.Errorf("%d batches were sent, want 2", len(f.sent))
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	_, c, url := newQueue(t, "checks")
	q := queue.NewChecks(c, url)
	want := make([]job.Check, 23)
	for i := range want {
		want[i] = job.Check{DocumentID: string(job.NewID()), At: time.Date(2026, time.July, 15, 12, 0, i, 0, time.UTC)}
		if i%2 == 0 {
			want[i].FolderID = string(job.NewID())
		}
	}
	if err := q.Check(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	var got []job.Check
	messages := receive(t, c, url)
	for _, m := range messages {
		parsed, err := job.ParseCheck(*m.Body)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, parsed)
	}
	slices.SortFunc(got, func(a, b job.Check) int { return a.At.Compare(b.At) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("checks (-want +got):\n%s", diff)
	}
	if err := q.Again(t.Context(), *messages[0].ReceiptHandle, 0); err != nil {
		t.Fatal(err)
	}
	if again := receive(t, c, url); len(again) != 1 {
		t.Errorf("%d messages came again, want 1", len(again))
	}
}

func TestCheckTellsWhatWasNotSent(t *testing.T) {
	t.Parallel()
	f := &fakeSQS{refuse: func(_ int, body string) *types.BatchResultErrorEntry {
		if strings.Contains(body, "bad") {
			return failure(false)
		}
		return nil
	}}
	checks := []job.Check{{DocumentID: "good"}, {DocumentID: "bad"}}
	err := queue.NewChecks(f, "https://queue").Check(t.Context(), checks)
	if want := "ask for checks: 1 of 2 messages were not sent"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Check = %v, want %q", err, want)
	}
	if len(f.sent) != 2 || len(f.sent[1]) != 1 {
		t.Errorf("sent %v, want both and then the refused one once more", f.sent)
	}
}

func TestWaitingFails(t *testing.T) {
	t.Parallel()
	down := errors.New("connection reset")
	q := queue.New(&fakeSQS{err: func(int) error { return down }}, "https://queue")
	if _, err := q.Waiting(t.Context()); !errors.Is(err, down) {
		t.Errorf("Waiting = %v, want %v", err, down)
	}
	q = queue.New(&fakeSQS{counts: map[string]string{"ApproximateNumberOfMessages": "1"}}, "https://queue")
	if _, err := q.Waiting(t.Context()); err == nil {
		t.Error("Waiting = nil without two of the counts, want an error")
	}
}

func TestAgainIsInWholeSeconds(t *testing.T) {
	t.Parallel()
	f := &fakeSQS{}
	for _, after := range []time.Duration{-time.Second, 0, time.Millisecond, time.Second, 90*time.Second + 1, 24 * time.Hour} {
		if err := queue.New(f, "https://queue").Again(t.Context(), "handle", after); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]int32{0, 0, 1, 1, 91, 43200}, f.seconds); diff != "" {
		t.Errorf("seconds (-want +got):\n%s", diff)
	}
}
