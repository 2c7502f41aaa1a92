package event_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"bulksigner/functions/internal/event"
	"bulksigner/internal/app"
)

// recording is work that remembers its messages, and hands back what it is told to.
type recording struct {
	seen  []app.Message
	again []string
}

func (r *recording) work(_ context.Context, messages []app.Message) []string {
	r.seen = append(r.seen, messages...)
	return r.again
}

func batch(n int) (e events.SQSEvent) {
	for i := range n {
		e.Records = append(e.Records, events.SQSMessage{
			MessageId: fmt.Sprint("m", i), ReceiptHandle: fmt.Sprint("r", i), Body: fmt.Sprint("body ", i),
			Attributes: map[string]string{"ApproximateReceiveCount": fmt.Sprint(i + 1)},
		})
	}
	return e
}

// TestAnswer holds what Lambda reads: in another writing it takes every message for done.
func TestAnswer(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		again []string
		want  string
	}{
		{"all is done", nil, `{"batchItemFailures":[]}`},
		{"one comes again", []string{"m4"}, `{"batchItemFailures":[{"itemIdentifier":"m4"}]}`},
		{"two come again", []string{"m0", "m9"}, `{"batchItemFailures":[{"itemIdentifier":"m0"},{"itemIdentifier":"m9"}]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := &recording{again: tt.again}
			resp, err := event.Batch(r.work)(t.Context(), batch(10))
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(resp)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("the answer is %s, want %s", got, tt.want)
			}
			if len(r.seen) != 10 {
				t.Errorf("%d messages were handed on, want all 10", len(r.seen))
			}
		})
	}
}

func TestMessages(t *testing.T) {
	t.Parallel()
	e := batch(2)
	e.Records = append(e.Records, events.SQSMessage{MessageId: "m2", Body: "never counted"})
	r := &recording{}
	if _, err := event.Batch(r.work)(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	want := []app.Message{
		{ID: "m0", Receipt: "r0", Receives: 1, Body: "body 0"},
		{ID: "m1", Receipt: "r1", Receives: 2, Body: "body 1"},
		{ID: "m2", Receives: 1, Body: "never counted"},
	}
	if !slices.Equal(r.seen, want) {
		t.Errorf("messages are %+v, want %+v", r.seen, want)
	}
}

// TestSampleBatches reads the sample events as Lambda hands them over.
func TestSampleBatches(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../events/*sqs*.json")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d sample batches, %v", len(files), err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var e events.SQSEvent
		if err := json.Unmarshal(b, &e); err != nil || len(e.Records) == 0 {
			t.Errorf("%s is no SQS event: %v", file, err)
			continue
		}
		r := &recording{}
		if _, err := event.Batch(r.work)(t.Context(), e); err != nil || len(r.seen) != len(e.Records) {
			t.Errorf("%s: %d of %d messages, %v", file, len(r.seen), len(e.Records), err)
		}
		for i, m := range r.seen {
			if m.ID == "" || m.Receipt == "" || m.Receives != 1 || m.Body == "" {
				t.Errorf("%s: message %d is %+v", file, i, m)
			}
		}
	}
}

func TestTick(t *testing.T) {
	t.Parallel()
	runs := 0
	no := errors.New("no")
	err := event.Tick(func(context.Context) error { runs++; return no })(t.Context())
	if runs != 1 || !errors.Is(err, no) {
		t.Errorf("%d runs, %v, want one and its error", runs, err)
	}
}
