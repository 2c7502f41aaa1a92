package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// recording is a workflow that fails what it is told to, and a queue that remembers.
type recording struct {
	seen     []string
	fail     func(body string) bool
	again    []string
	receives []int
	broken   error
}

func (r *recording) handler() handler {
	return handler{
		begin: func(context.Context) (work, error) {
			return func(_ context.Context, body string) error {
				r.seen = append(r.seen, body)
				if r.fail(body) {
					return errors.New("no")
				}
				return nil
			}, r.broken
		},
		again: func(_ context.Context, receipt string, receives int) (time.Duration, error) {
			r.again, r.receives = append(r.again, receipt), append(r.receives, receives)
			return time.Second, nil
		},
	}
}

func batch(n int) (e events.SQSEvent) {
	for i := range n {
		e.Records = append(e.Records, events.SQSMessage{
			MessageId: fmt.Sprint("m", i), ReceiptHandle: fmt.Sprint("r", i), Body: fmt.Sprint("body ", i),
			Attributes: map[string]string{"ApproximateReceiveCount": "3"},
		})
	}
	return e
}

func TestOnlyTheFailedRecordComesAgain(t *testing.T) {
	t.Parallel()
	r := &recording{fail: func(body string) bool { return body == "body 4" }}
	resp, err := r.handler().handle(t.Context(), batch(10))
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(resp)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"batchItemFailures":[{"itemIdentifier":"m4"}]}`; string(got) != want {
		t.Errorf("the answer is %s, want %s", got, want)
	}
	if len(r.seen) != 10 {
		t.Errorf("%d records were worked on, want all 10", len(r.seen))
	}
	if !slices.Equal(r.again, []string{"r4"}) || !slices.Equal(r.receives, []int{3}) {
		t.Errorf("postponed %v after %v receives, want r4 after 3", r.again, r.receives)
	}
}

func TestAGoodBatchFailsNothing(t *testing.T) {
	t.Parallel()
	r := &recording{fail: func(string) bool { return false }}
	resp, err := r.handler().handle(t.Context(), batch(2))
	got, _ := json.Marshal(resp)
	if want := `{"batchItemFailures":[]}`; err != nil || string(got) != want {
		t.Errorf("the answer is %s, %v, want %s", got, err, want)
	}
}

func TestABatchThatCannotBeginComesAgainWhole(t *testing.T) {
	t.Parallel()
	r := &recording{broken: errors.New("no table")}
	resp, err := r.handler().handle(t.Context(), batch(2))
	if err != nil || len(resp.BatchItemFailures) != 2 || len(r.again) != 2 || len(r.seen) != 0 {
		t.Errorf("%d records come again, %d of them soon, after %d were touched, %v; want 2, 2, none", len(resp.BatchItemFailures), len(r.again), len(r.seen), err)
	}
}

// TestSampleBatch reads the sample event as Lambda hands it over.
func TestSampleBatch(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir("../../events")
	if err != nil {
		t.Fatal(err)
	}
	var batches int
	for _, f := range files {
		if !strings.HasPrefix(f.Name(), "sqs-") {
			continue
		}
		b, err := os.ReadFile("../../events/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		var e events.SQSEvent
		if err := json.Unmarshal(b, &e); err != nil || len(e.Records) == 0 {
			t.Errorf("%s is no SQS event: %v", f.Name(), err)
			continue
		}
		batches++
		r := &recording{fail: func(string) bool { return false }}
		if _, err := r.handler().handle(t.Context(), e); err != nil || len(r.seen) != len(e.Records) {
			t.Errorf("%s: %d of %d records, %v", f.Name(), len(r.seen), len(e.Records), err)
		}
	}
	if batches == 0 {
		t.Error("there is no sample batch")
	}
}
