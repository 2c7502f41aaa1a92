// Package host runs compiled functions as AWS Lambda does, and wakes them as AWS does: by queue, by schedule, by HTTP
// request and by what happens in a bucket.
//
// The binaries are the ones that get deployed. They speak the Lambda Runtime API, which kumo serves; between them and
// kumo stands a watch, which knows who works on what until when, so that a process is killed at its invocation's deadline
// and replaced at once, and an invocation whose process died fails at once. What is not like AWS: a process is not frozen
// between two invocations, memory is not limited, and nobody's permissions are checked.
package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// Lambda's own limit for a synchronous request or response.
const maxPayload = 6<<20 + 100

// kumoGrace is how much later than we kumo gives up on an invocation: the deadline is ours to keep.
const kumoGrace = 10 * time.Second

// Function is one function.
type Function struct {
	Name      string
	Bootstrap string // absolute path of the binary
	Timeout   time.Duration
	MemoryMB  int
	Processes int // how many invocations at a time
	Env       []string
	Log       io.Writer // what the processes write; Write is called by one goroutine a process
}

// Host runs functions.
type Host struct {
	api   *lambda.Client
	watch *watch

	stop context.CancelFunc
	ctx  context.Context // of the processes, which no call owns
	done sync.WaitGroup
}

// New makes a host on the emulator that cfg reaches.
func New(cfg aws.Config) (*Host, error) {
	w, err := newWatch(aws.ToString(cfg.BaseEndpoint))
	if err != nil {
		return nil, err
	}
	h := &Host{watch: w}
	// A repeated Invoke would be a second invocation.
	h.api = lambda.NewFromConfig(cfg, func(o *lambda.Options) { o.Retryer = aws.NopRetryer{} })
	h.ctx, h.stop = context.WithCancel(context.Background())
	return h, nil
}

// Start starts a function's processes and returns when each has asked for work.
func (h *Host) Start(ctx context.Context, f Function) error {
	if err := h.create(ctx, f); err != nil {
		return err
	}
	if err := h.watch.register(ctx, f.Name); err != nil {
		return err
	}
	var workers []*worker
	for range max(1, f.Processes) {
		w := newWorker(f, h.watch)
		workers = append(workers, w)
		h.done.Go(func() { w.supervise(h.ctx) })
	}
	for _, w := range workers {
		if err := w.awaitReady(ctx); err != nil {
			return err
		}
	}
	return nil
}

// create makes the function known to kumo, whose code is ours to run: it takes any bytes for it.
func (h *Host) create(ctx context.Context, f Function) error {
	seconds := math.Ceil((f.Timeout + kumoGrace).Seconds())
	_, err := h.api.CreateFunction(ctx, &lambda.CreateFunctionInput{
		FunctionName: &f.Name,
		Role:         aws.String("arn:aws:iam::000000000000:role/" + f.Name),
		Runtime:      types.RuntimeProvidedal2023,
		Handler:      aws.String("bootstrap"),
		Code:         &types.FunctionCode{ZipFile: []byte("run by the host")},
		Timeout:      aws.Int32(int32(seconds)),
		MemorySize:   aws.Int32(int32(f.MemoryMB)),
	})
	if err != nil {
		return fmt.Errorf("create function %s: %w", f.Name, err)
	}
	return nil
}

// ErrTooLarge means that a payload exceeds what Lambda takes.
var ErrTooLarge = errors.New("the payload exceeds 6 MB")

// FunctionError is what an invocation ended with when it ended badly: the function's own error, its death or its
// deadline.
type FunctionError struct {
	Function string
	Payload  []byte // as Lambda answers: errorType, errorMessage
}

// Error quotes the payload, which the product promises to keep free of secrets.
func (e *FunctionError) Error() string {
	return fmt.Sprintf("function %s: %s", e.Function, e.Payload)
}

// Invoke runs a function and waits for its answer. It returns a *FunctionError if the function failed.
func (h *Host) Invoke(ctx context.Context, name string, payload []byte) ([]byte, error) {
	if len(payload) > maxPayload {
		return nil, ErrTooLarge
	}
	out, err := h.api.Invoke(ctx, &lambda.InvokeInput{FunctionName: &name, Payload: payload})
	if err != nil {
		return nil, fmt.Errorf("invoke %s: %w", name, err)
	}
	if out.FunctionError != nil {
		return nil, &FunctionError{name, out.Payload}
	}
	return out.Payload, nil
}

// Close kills the processes, as an environment is when it is reclaimed, and waits until they are gone.
func (h *Host) Close() error {
	h.stop()
	h.done.Wait()
	return h.watch.Close()
}
