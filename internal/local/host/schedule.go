package host

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
)

// Schedule wakes a function at an interval, as EventBridge Scheduler does: asynchronously, so that a slow run does not
// hold back the next tick, and without retries.
type Schedule struct {
	Name     string
	Function string
	Every    time.Duration
	Invoker  Invoker
}

// Run ticks until ctx ends, which also ends the runs in hand. The first tick comes at once, as that of a new schedule does.
func (s Schedule) Run(ctx context.Context) {
	var runs sync.WaitGroup
	defer runs.Wait()
	wake := func(at time.Time) { runs.Go(func() { s.run(ctx, at) }) }
	tick := time.NewTicker(s.Every)
	defer tick.Stop()
	wake(time.Now())
	for {
		select {
		case <-ctx.Done():
			return
		case at := <-tick.C:
			wake(at)
		}
	}
}

func (s Schedule) run(ctx context.Context, at time.Time) {
	if err := s.Wake(ctx, at); err != nil && ctx.Err() == nil {
		slog.WarnContext(ctx, "scheduled run failed", "function", s.Function, "err", err)
	}
}

// Wake wakes the function once, beside the ticks of Run: a schedule delivers each at least once.
func (s Schedule) Wake(ctx context.Context, at time.Time) error {
	payload, err := s.event(at)
	if err != nil {
		return err
	}
	_, err = s.Invoker.Invoke(ctx, s.Function, payload)
	return err
}

// scheduledEvent is what Scheduler sends to a function when the schedule says nothing else.
type scheduledEvent struct {
	Version    string   `json:"version"`
	ID         string   `json:"id"`
	DetailType string   `json:"detail-type"`
	Source     string   `json:"source"`
	Account    string   `json:"account"`
	Time       string   `json:"time"`
	Region     string   `json:"region"`
	Resources  []string `json:"resources"`
	Detail     string   `json:"detail"`
}

func (s Schedule) event(at time.Time) ([]byte, error) {
	body, err := json.Marshal(scheduledEvent{
		Version: "0", ID: uuid.NewString(), DetailType: "Scheduled Event", Source: "aws.scheduler",
		Account: account, Time: at.UTC().Format(time.RFC3339), Region: region,
		Resources: []string{"arn:aws:scheduler:" + region + ":" + account + ":schedule/default/" + s.Name},
		Detail:    "{}",
	})
	if err != nil {
		return nil, fmt.Errorf("encode a scheduled event: %w", err)
	}
	return body, nil
}
