// Command notify takes notifications of Lacuna Signer behind API Gateway, and queues checks of the documents that they name.
package main

import (
	"context"

	"github.com/aws/aws-lambda-go/lambda"

	"bulksigner/functions/internal/event"
	"bulksigner/internal/api"
	"bulksigner/internal/app"
)

func main() {
	h, err := app.NewNotify(context.Background())
	if err != nil {
		app.Exit(err)
	}
	lambda.Start(event.HTTP(api.Gateway(h)))
}
