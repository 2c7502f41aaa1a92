package queue_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/aws/queue"
	"bulksigner/internal/job"
)

func TestCount(t *testing.T) {
	t.Parallel()
	q, c, url := newQueue(t, "count")
	if err := q.Ring(t.Context(), newIDs(3)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: &url, VisibilityTimeout: 60}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: &url, MessageBody: aws.String("later"), DelaySeconds: 60}); err != nil {
		t.Fatal(err)
	}
	if got, err := q.Count(t.Context()); err != nil || got != (job.QueueCount{Waiting: 2, InFlight: 1, Delayed: 1}) {
		t.Errorf("Count = %+v, %v, want 2 that wait, 1 in flight and 1 delayed", got, err)
	}
}

// newDead is a queue of dead letters with a source of its own, and how to look into both.
func newDead(t *testing.T, letters []string) (dead *queue.Dead, source, own func() []string) {
	t.Helper()
	_, c, from := newQueue(t, "source")
	_, _, url := newQueue(t, "dead")
	for _, body := range letters {
		if _, err := c.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: &url, MessageBody: &body}); err != nil {
			t.Fatal(err)
		}
	}
	look := func(url string) func() []string {
		return func() []string {
			bodies := []string{}
			for _, m := range receive(t, c, url) {
				bodies = append(bodies, *m.Body)
			}
			slices.Sort(bodies)
			return bodies
		}
	}
	return queue.NewDead(c, url, from), look(from), look(url)
}

func TestGiveBack(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ letters, most, moved int }{{0, 100, 0}, {1, 100, 1}, {23, 100, 23}, {23, 12, 12}, {5, 0, 0}} {
		t.Run(fmt.Sprintf("%d of %d", tt.most, tt.letters), func(t *testing.T) {
			t.Parallel()
			want := make([]string, tt.letters)
			for i := range want {
				want[i] = fmt.Sprintf("letter %02d", i)
			}
			dead, source, own := newDead(t, want)
			moved, err := dead.GiveBack(t.Context(), tt.most)
			if err != nil || moved != tt.moved {
				t.Errorf("GiveBack = %d, %v, want %d", moved, err, tt.moved)
			}
			if c, err := dead.Count(t.Context()); err != nil || c.Sum() != tt.letters-tt.moved {
				t.Errorf("Count = %+v, %v, want %d that are left", c, err, tt.letters-tt.moved)
			}
			there, left := source(), own()
			if len(there) != tt.moved {
				t.Errorf("the source has %d messages, want %d", len(there), tt.moved)
			}
			all := append(there, left...)
			slices.Sort(all)
			if diff := cmp.Diff(want, all); diff != "" {
				t.Errorf("all messages (-want +got):\n%s", diff)
			}
		})
	}
}

// deadSQS is a queue of dead letters that fails as it is told.
type deadSQS struct {
	fakeSQS
	letters []string
	receive error
	remove  error
	keep    string // the message whose deletion fails
	took    []string
	asked   []*sqs.ReceiveMessageInput
}

func (f *deadSQS) ReceiveMessage(_ context.Context, in *sqs.ReceiveMessageInput, _ ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error) {
	f.asked = append(f.asked, in)
	if f.receive != nil {
		return nil, f.receive
	}
	out := &sqs.ReceiveMessageOutput{}
	n := min(int(in.MaxNumberOfMessages), len(f.letters))
	for _, body := range f.letters[:n] {
		out.Messages = append(out.Messages, types.Message{Body: &body, ReceiptHandle: aws.String("receipt of " + body)})
	}
	f.letters = f.letters[n:]
	return out, nil
}

func (f *deadSQS) DeleteMessageBatch(_ context.Context, in *sqs.DeleteMessageBatchInput, _ ...func(*sqs.Options)) (*sqs.DeleteMessageBatchOutput, error) {
	if f.remove != nil {
		return nil, f.remove
	}
	if len(in.Entries) == 0 {
		return nil, &types.EmptyBatchRequest{}
	}
	out := &sqs.DeleteMessageBatchOutput{}
	for _, e := range in.Entries {
		body := strings.TrimPrefix(*e.ReceiptHandle, "receipt of ")
		if body == f.keep {
			out.Failed = append(out.Failed, types.BatchResultErrorEntry{Id: e.Id, Code: aws.String("InternalError")})
			continue
		}
		f.took = append(f.took, body)
	}
	return out, nil
}

// A letter is deleted once it was sent, and never before. What fails ends it, with what was moved until then.
func TestGiveBackFails(t *testing.T) {
	t.Parallel()
	down := errors.New("connection reset")
	refuse := func(sender bool) func(int, string) *types.BatchResultErrorEntry {
		return func(_ int, body string) *types.BatchResultErrorEntry {
			if body == "03" {
				return failure(sender)
			}
			return nil
		}
	}
	sends := func(n int) func(int) error {
		return func(call int) error {
			if call == n {
				return down
			}
			return nil
		}
	}
	tests := []struct {
		name  string
		sqs   deadSQS
		moved int
		gone  int
		want  string
	}{
		{"no answer", deadSQS{receive: down}, 0, 0, "receive dead letters: connection reset"},
		{"the first batch", deadSQS{fakeSQS: fakeSQS{err: sends(0)}}, 0, 0, "give dead letters back: connection reset"},
		{"the second batch", deadSQS{fakeSQS: fakeSQS{err: sends(1)}}, 10, 10, "give dead letters back: connection reset"},
		{"one for ever", deadSQS{fakeSQS: fakeSQS{refuse: refuse(false)}}, 9, 9, "give a dead letter back: Failed"},
		{"one because of us", deadSQS{fakeSQS: fakeSQS{refuse: refuse(true)}}, 9, 9, "give a dead letter back: Failed"},
		{"all of them", deadSQS{fakeSQS: fakeSQS{refuse: func(int, string) *types.BatchResultErrorEntry { return failure(true) }}}, 0, 0, "give a dead letter back: Failed"},
		{"no deletion", deadSQS{remove: down}, 10, 0, "delete dead letters that were given back: connection reset"},
		{"one deletion", deadSQS{keep: "03"}, 10, 9, "1 dead letters were given back and not deleted: InternalError"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := &tt.sqs
			for i := range 15 {
				f.letters = append(f.letters, fmt.Sprintf("%02d", i))
			}
			moved, err := queue.NewDead(f, "https://dead", "https://source").GiveBack(t.Context(), 100)
			if moved != tt.moved || err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("GiveBack = %d, %v, want %d and %q", moved, err, tt.moved, tt.want)
			}
			if _, empty := errors.AsType[*types.EmptyBatchRequest](err); empty {
				t.Errorf("GiveBack = %v, and nothing was to be deleted", err)
			}
			if len(f.took) != tt.gone || slices.Contains(f.took, "03") && tt.gone == 9 {
				t.Errorf("deleted %v, want %d", f.took, tt.gone)
			}
		})
	}
}

// Large letters travel in batches that SQS takes, and messages stay hidden for longer than a request lasts.
func TestGiveBackDividesLargeLetters(t *testing.T) {
	t.Parallel()
	f := &deadSQS{}
	for i := range 4 {
		f.letters = append(f.letters, strconv.Itoa(i)+strings.Repeat("x", 100<<10))
	}
	moved, err := queue.NewDead(f, "https://dead", "https://source").GiveBack(t.Context(), 7)
	if err != nil || moved != 4 || len(f.took) != 4 {
		t.Errorf("GiveBack = %d, %v, want 4; %d are deleted", moved, err, len(f.took))
	}
	var sizes []int
	for _, b := range f.sent {
		sizes = append(sizes, len(b))
	}
	if diff := cmp.Diff([]int{2, 2}, sizes); diff != "" {
		t.Errorf("batches (-want +got):\n%s", diff)
	}
	for n, in := range f.asked {
		if want := []int32{7, 3}[n]; in.MaxNumberOfMessages != want || in.VisibilityTimeout < 30 || in.WaitTimeSeconds == 0 || *in.QueueUrl != "https://dead" {
			t.Errorf("received with %+v, want at most %d, hidden and waited for", in, want)
		}
	}
}
