// Command poll asks Lacuna Signer about the documents that wait for a person there, and rings for what was concluded.
// EventBridge Scheduler wakes it once a minute.
package main

import (
	"context"

	"github.com/aws/aws-lambda-go/lambda"

	"bulksigner/functions/internal/event"
	"bulksigner/internal/app"
)

func main() {
	run, err := app.NewPoll(context.Background())
	if err != nil {
		app.Exit(err)
	}
	lambda.Start(event.Tick(run))
}
