package host

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

const (
	// mostMessages is SQS's own bound of a batch.
	mostMessages = 10
	// longPoll is short, because kumo does not wake a waiting receiver when a message becomes visible again.
	longPoll = 1
	// troublePause is how long a poller rests when the queue or the function cannot be reached.
	troublePause = time.Second
)

// Invoker runs a function and waits for its answer.
type Invoker interface {
	Invoke(ctx context.Context, function string, payload []byte) ([]byte, error)
}

// Queue is what a poller needs from SQS.
type Queue interface {
	ReceiveMessage(context.Context, *sqs.ReceiveMessageInput, ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error)
	DeleteMessageBatch(context.Context, *sqs.DeleteMessageBatchInput, ...func(*sqs.Options)) (*sqs.DeleteMessageBatchOutput, error)
}

// Poller is an event source mapping: it carries a queue's messages to a function that reports failures one by one.
type Poller struct {
	Queue    Queue
	URL      string
	ARN      string
	Region   string
	Invoker  Invoker
	Function string
	Parallel int   // the mapping's maximum concurrency
	Batch    int32 // the most messages of an invocation; 0 is as many as SQS gives
}

// Run polls until ctx ends. A batch that is in hand then comes again, as after a crash.
func (p Poller) Run(ctx context.Context) {
	var wg sync.WaitGroup
	for range max(1, p.Parallel) {
		wg.Go(func() {
			for ctx.Err() == nil {
				if err := p.Once(ctx); err != nil && ctx.Err() == nil {
					slog.WarnContext(ctx, "batch not processed", "function", p.Function, "err", err)
					rest(ctx, troublePause)
				}
			}
		})
	}
	wg.Wait()
}

// Once receives one batch, if there is one, and deletes what the function has processed. If the function fails nothing is
// deleted: the messages come again when their visibility ends, as the queue says.
func (p Poller) Once(ctx context.Context) error {
	out, err := p.Queue.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl:                    &p.URL,
		MaxNumberOfMessages:         cmp.Or(p.Batch, mostMessages),
		WaitTimeSeconds:             longPoll,
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameAll},
		MessageAttributeNames:       []string{"All"},
	})
	if err != nil {
		return fmt.Errorf("receive messages: %w", err)
	}
	if len(out.Messages) == 0 {
		return nil
	}
	payload, err := json.Marshal(p.event(out.Messages))
	if err != nil {
		return fmt.Errorf("encode a batch: %w", err)
	}
	answer, err := p.Invoker.Invoke(ctx, p.Function, payload)
	if err != nil {
		return err
	}
	return p.delete(ctx, processed(out.Messages, answer))
}

// delete outlives the run: what was processed must not come again only because the run ends.
func (p Poller) delete(ctx context.Context, done []types.Message) error {
	if len(done) == 0 {
		return nil
	}
	entries := make([]types.DeleteMessageBatchRequestEntry, len(done))
	for i, m := range done {
		entries[i] = types.DeleteMessageBatchRequestEntry{Id: aws.String(fmt.Sprint(i)), ReceiptHandle: m.ReceiptHandle}
	}
	_, err := p.Queue.DeleteMessageBatch(context.WithoutCancel(ctx), &sqs.DeleteMessageBatchInput{QueueUrl: &p.URL, Entries: entries})
	if err != nil {
		return fmt.Errorf("delete messages: %w", err)
	}
	return nil
}

// rest waits, or returns at once when ctx ends.
func rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
