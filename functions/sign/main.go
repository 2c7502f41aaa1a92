// Command sign works through the work queue: it takes in what S3 announces, carries jobs as far as they go without a
// human, fetches what was signed at Lacuna Signer, and ends interrupted runs when it is rung.
package main

import (
	"context"

	"github.com/aws/aws-lambda-go/lambda"

	"bulksigner/functions/internal/event"
	"bulksigner/internal/app"
)

func main() {
	work, err := app.NewSign(context.Background())
	if err != nil {
		app.Exit(err)
	}
	lambda.Start(event.Batch(work))
}
