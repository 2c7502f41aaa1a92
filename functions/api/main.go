// Command api serves the REST API behind API Gateway.
package main

import (
	"context"

	"github.com/aws/aws-lambda-go/lambda"

	"bulksigner/functions/internal/event"
	"bulksigner/internal/api"
	"bulksigner/internal/app"
)

func main() {
	h, err := app.NewAPI(context.Background())
	if err != nil {
		app.Exit(err)
	}
	lambda.Start(event.HTTP(api.Gateway(h)))
}
