// Command fake is a function that does what its payload asks for, well or badly.
package main

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

type request struct {
	Do   string
	Name string
	Size int
}

func main() {
	if os.Getenv("FAKE_DIES_AT_START") != "" {
		os.Exit(3)
	}
	lambda.Start(handle)
}

func handle(ctx context.Context, r request) (map[string]string, error) {
	switch r.Do {
	case "fail":
		return nil, errors.New("as asked")
	case "panic":
		panic("as asked")
	case "exit":
		os.Exit(7)
	case "hang":
		select {}
	case "big":
		return map[string]string{"text": strings.Repeat("x", r.Size)}, nil
	}
	until, _ := ctx.Deadline()
	call, _ := lambdacontext.FromContext(ctx)
	return map[string]string{
		"pid":      strconv.Itoa(os.Getpid()),
		"value":    os.Getenv(r.Name),
		"arn":      call.InvokedFunctionArn,
		"deadline": strconv.FormatInt(until.UnixMilli(), 10),
	}, nil
}
