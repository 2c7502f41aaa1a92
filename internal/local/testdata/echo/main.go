// Command echo is a function that writes down what wakes it and what it is told, and answers requests with it.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/aws/aws-lambda-go/lambda"
)

func main() {
	lambda.Start(func(_ context.Context, event json.RawMessage) (any, error) {
		fmt.Println("event", string(event))
		var request struct {
			RawPath string `json:"rawPath"`
		}
		if err := json.Unmarshal(event, &request); err != nil {
			return nil, err
		}
		if request.RawPath == "" {
			return map[string]any{"batchItemFailures": []any{}}, nil
		}
		return map[string]any{"statusCode": 200, "body": os.Getenv(request.RawPath[1:])}, nil
	})
}
