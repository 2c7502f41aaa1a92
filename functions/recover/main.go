// Command recover finds what was lost or interrupted, and rings for it. EventBridge Scheduler wakes it once a minute.
package main

import (
	"context"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"

	"bulksigner/internal/app"
)

func main() {
	r, err := app.NewRecover(context.Background())
	if err != nil {
		app.Exit(err)
	}
	lambda.Start(func(ctx context.Context) error {
		if c, ok := lambdacontext.FromContext(ctx); ok {
			ctx = app.Request(ctx, c.AwsRequestID)
		}
		return r(ctx)
	})
}
