// Package event turns what Lambda hands to a function into what the service works with, and the other way round.
//
// It promises that the log lines of an invocation name its request, and that of a batch only those messages come again that
// must. What happens to a message, and when it comes again, is left to package app.
package event

import (
	"context"
	"strconv"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambdacontext"

	"bulksigner/internal/app"
)

// Tick makes a handler of what the clock wakes. What the event says does not matter.
func Tick(run func(ctx context.Context) error) func(ctx context.Context) error {
	return func(ctx context.Context) error { return run(request(ctx)) }
}

// Batch makes a handler of messages that were received together. It reports failed ones one by one, so that only they come
// again.
func Batch(work app.Batch) func(ctx context.Context, e events.SQSEvent) (events.SQSEventResponse, error) {
	return func(ctx context.Context, e events.SQSEvent) (events.SQSEventResponse, error) {
		resp := events.SQSEventResponse{BatchItemFailures: []events.SQSBatchItemFailure{}}
		for _, id := range work(request(ctx), messages(e)) {
			resp.BatchItemFailures = append(resp.BatchItemFailures, events.SQSBatchItemFailure{ItemIdentifier: id})
		}
		return resp, nil
	}
}

// HTTP makes a handler of API Gateway's requests. They are named as in the answers.
func HTTP(answer func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error)) func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	return func(ctx context.Context, e events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		return answer(app.Request(ctx, e.RequestContext.RequestID), e)
	}
}

func messages(e events.SQSEvent) []app.Message {
	all := make([]app.Message, len(e.Records))
	for i, r := range e.Records {
		receives, err := strconv.Atoi(r.Attributes["ApproximateReceiveCount"])
		if err != nil {
			receives = 1 // it comes again as soon as one that is new
		}
		all[i] = app.Message{ID: r.MessageId, Receipt: r.ReceiptHandle, Receives: receives, Body: r.Body}
	}
	return all
}

func request(ctx context.Context) context.Context {
	if c, ok := lambdacontext.FromContext(ctx); ok {
		return app.Request(ctx, c.AwsRequestID)
	}
	return ctx
}
