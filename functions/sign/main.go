// Command sign works through the work queue: it takes in what S3 announces, carries jobs as far as they go without a
// human, and ends interrupted runs when it is rung.
package main

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"

	"bulksigner/internal/app"
	"bulksigner/internal/fault"
)

func main() {
	s, err := app.NewSign(context.Background())
	if err != nil {
		app.Exit(err)
	}
	lambda.Start(handler{s.Begin, s.Again}.handle)
}

// work does what one message asks for.
type work = func(ctx context.Context, body string) error

type handler struct {
	begin func(ctx context.Context) (work, error)
	again func(ctx context.Context, receipt string, receives int) (time.Duration, error)
}

// handle reports failed records one by one, so that only they come again.
func (h handler) handle(ctx context.Context, e events.SQSEvent) (resp events.SQSEventResponse, _ error) {
	ctx = request(ctx)
	do, err := h.begin(ctx)
	if err != nil { // nothing was touched: all records come again, and sooner than after an invocation that failed
		do = func(context.Context, string) error { return err }
	}
	resp.BatchItemFailures = []events.SQSBatchItemFailure{}
	for _, r := range e.Records {
		if err := do(ctx, r.Body); err != nil {
			h.postpone(ctx, r, err)
			resp.BatchItemFailures = append(resp.BatchItemFailures, events.SQSBatchItemFailure{ItemIdentifier: r.MessageId})
		}
	}
	return resp, nil
}

// postpone shortens how long a failed record stays out of sight: the queue's own time is made for runs that died.
func (h handler) postpone(ctx context.Context, r events.SQSMessage, cause error) {
	receives, err := strconv.Atoi(r.Attributes["ApproximateReceiveCount"])
	if err != nil {
		receives = 1
	}
	after, err := h.again(ctx, r.ReceiptHandle, receives)
	if err != nil {
		slog.WarnContext(ctx, "record keeps the queue's time out of sight", "message", r.MessageId, "err", err)
	}
	slog.ErrorContext(ctx, "record failed", "message", r.MessageId, "code", fault.CodeOf(cause), "receives", receives, "again", after.String(), "err", cause)
}

func request(ctx context.Context) context.Context {
	if c, ok := lambdacontext.FromContext(ctx); ok {
		return app.Request(ctx, c.AwsRequestID)
	}
	return ctx
}
