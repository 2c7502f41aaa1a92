package app_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"bulksigner/internal/app"
)

// recording is work that fails what it is told to, and a queue that remembers.
type recording struct {
	seen   []string
	fail   map[string]bool
	again  []string
	after  []time.Duration
	broken error // of beginning
	mute   error // of the queue
}

func (r *recording) begin(context.Context) (func(ctx context.Context, body string) error, error) {
	return func(_ context.Context, body string) error {
		r.seen = append(r.seen, body)
		if r.fail[body] {
			return errors.New("no")
		}
		return nil
	}, r.broken
}

func (r *recording) Again(_ context.Context, receipt string, after time.Duration) error {
	r.again, r.after = append(r.again, receipt), append(r.after, after)
	return r.mute
}

func messages(n int) (all []app.Message) {
	for i := range n {
		all = append(all, app.Message{ID: fmt.Sprint("m", i), Receipt: fmt.Sprint("r", i), Receives: 3, Body: fmt.Sprint("body ", i)})
	}
	return all
}

func TestBatch(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		queue recording
		seen  int
		again []string // ids; receipts are named alike
	}{
		{"all good", recording{}, 4, nil},
		{"only the failed one comes again", recording{fail: map[string]bool{"body 2": true}}, 4, []string{"2"}},
		{"a batch that cannot begin comes again whole", recording{broken: errors.New("no table")}, 0, []string{"0", "1", "2", "3"}},
		{"a queue that does not listen changes nothing", recording{fail: map[string]bool{"body 0": true}, mute: errors.New("no queue")}, 4, []string{"0"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := &tt.queue
			got := app.NewBatch(r.begin, r)(t.Context(), messages(4))
			var ids, receipts []string
			for _, n := range tt.again {
				ids, receipts = append(ids, "m"+n), append(receipts, "r"+n)
			}
			if !slices.Equal(got, ids) || !slices.Equal(r.again, receipts) {
				t.Errorf("%v come again, %v of them soon, want %v", got, r.again, ids)
			}
			if len(r.seen) != tt.seen {
				t.Errorf("%d messages were worked on, want %d", len(r.seen), tt.seen)
			}
		})
	}
}

// TestBackOff: each time twice as late, and never so late that the queue's own time would be sooner.
func TestBackOff(t *testing.T) {
	t.Parallel()
	tests := map[int]time.Duration{
		0: 10 * time.Second, 1: 10 * time.Second, 2: 20 * time.Second, 5: 160 * time.Second, 7: 640 * time.Second,
		8: 15 * time.Minute, 100: 15 * time.Minute, 1 << 40: 15 * time.Minute,
	}
	for receives, want := range tests {
		r := &recording{fail: map[string]bool{"": true}}
		app.NewBatch(r.begin, r)(t.Context(), []app.Message{{ID: "m", Receives: receives}})
		if !slices.Equal(r.after, []time.Duration{want}) {
			t.Errorf("after %d receives it comes again after %v, want %v", receives, r.after, want)
		}
	}
}
