// Command recover finds what was lost or interrupted, and rings for it. EventBridge Scheduler wakes it once a minute.
package main

import (
	"context"

	"github.com/aws/aws-lambda-go/lambda"

	"bulksigner/functions/internal/event"
	"bulksigner/internal/app"
)

func main() {
	run, err := app.NewRecover(context.Background())
	if err != nil {
		app.Exit(err)
	}
	lambda.Start(event.Tick(run))
}
