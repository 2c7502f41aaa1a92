package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"bulksigner/internal/job"
)

// TestWhatWakes: the clock begins a sweep, messages are checks, and neither is taken for the other.
func TestWhatWakes(t *testing.T) {
	t.Parallel()
	broken := errors.New("no table")
	tests := []struct {
		file          string
		ticks, checks int
		err           error // of a tick: Lambda must see it
	}{
		{"scheduler.json", 1, 0, broken},
		{"checks-sqs.json", 0, 3, nil},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			t.Parallel()
			var ticks, checks int
			h := handler{
				tick: func(context.Context) error { ticks++; return broken },
				checks: func(_ context.Context, e events.SQSEvent) (events.SQSEventResponse, error) {
					checks += len(e.Records)
					return events.SQSEventResponse{}, nil
				},
			}
			if _, err := h.handle(t.Context(), sample(t, tt.file)); !errors.Is(err, tt.err) {
				t.Errorf("the run ends with %v, want %v", err, tt.err)
			}
			if ticks != tt.ticks || checks != tt.checks {
				t.Errorf("%d ticks and %d checks, want %d and %d", ticks, checks, tt.ticks, tt.checks)
			}
		})
	}
}

// TestSampleChecks: the sample's messages are checks as notifications make them, but for the last.
func TestSampleChecks(t *testing.T) {
	t.Parallel()
	e := sample(t, "checks-sqs.json")
	for i, r := range e.Records {
		c, err := job.ParseCheck(r.Body)
		if last := i == len(e.Records)-1; last != (err != nil) {
			t.Errorf("message %d is %+v, %v", i, c, err)
		}
		if err == nil && c.Message() != r.Body {
			t.Errorf("message %d is %s, and we write %s", i, r.Body, c.Message())
		}
	}
}

func sample(t *testing.T, name string) (e events.SQSEvent) {
	t.Helper()
	b, err := os.ReadFile("../../events/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &e); err != nil {
		t.Fatal(err)
	}
	return e
}
