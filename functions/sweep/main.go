// Command sweep finds documents that wait in folders at Lacuna Signer: in all folders when EventBridge Scheduler wakes it
// once a minute, and one document for each message of the checks queue.
package main

import (
	"context"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"

	"bulksigner/functions/internal/event"
	"bulksigner/internal/app"
)

func main() {
	s, err := app.NewSweep(context.Background())
	if err != nil {
		app.Exit(err)
	}
	lambda.Start(handler{event.Tick(s.Tick), event.Batch(s.Checks)}.handle)
}

type handler struct {
	tick   func(ctx context.Context) error
	checks func(ctx context.Context, e events.SQSEvent) (events.SQSEventResponse, error)
}

// handle tells checks from a tick of the clock, whose event has no records.
func (h handler) handle(ctx context.Context, e events.SQSEvent) (events.SQSEventResponse, error) {
	if len(e.Records) > 0 {
		return h.checks(ctx, e)
	}
	return events.SQSEventResponse{}, h.tick(ctx)
}
