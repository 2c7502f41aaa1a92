package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

const (
	batch = 10             // SQS's limit of a batch
	tries = 2              // how often an entry is sent that SQS itself could not take
	most  = 12 * time.Hour // SQS's limit of a visibility time-out
)

// api is what is used of SQS.
type api interface {
	SendMessageBatch(context.Context, *sqs.SendMessageBatchInput, ...func(*sqs.Options)) (*sqs.SendMessageBatchOutput, error)
	GetQueueAttributes(context.Context, *sqs.GetQueueAttributesInput, ...func(*sqs.Options)) (*sqs.GetQueueAttributesOutput, error)
	ChangeMessageVisibility(context.Context, *sqs.ChangeMessageVisibilityInput, ...func(*sqs.Options)) (*sqs.ChangeMessageVisibilityOutput, error)
	ReceiveMessage(context.Context, *sqs.ReceiveMessageInput, ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error)
	DeleteMessageBatch(context.Context, *sqs.DeleteMessageBatchInput, ...func(*sqs.Options)) (*sqs.DeleteMessageBatchOutput, error)
}

// line is what both queues have in common.
type line struct {
	client api
	url    string
}

// send sends messages. An entry that SQS could not take is sent once more. The error tells how many were not sent; those
// before and after them were. A batch that fails as a whole ends it, since the next would too.
func (l line) send(ctx context.Context, bodies []string) error {
	var errs []error
	sent := 0
	for chunk := range slices.Chunk(bodies, batch) {
		failed, err := l.sendBatch(ctx, chunk)
		for _, f := range failed {
			errs = append(errs, fmt.Errorf("%s: %s", aws.ToString(f.Code), aws.ToString(f.Message)))
		}
		if err != nil {
			errs = append(errs, err)
			break
		}
		sent += len(chunk) - len(failed)
	}
	if len(errs) > 0 {
		return fmt.Errorf("%d of %d messages were not sent: %w", len(bodies)-sent, len(bodies), errors.Join(errs...))
	}
	return nil
}

// sendBatch sends one batch and returns the entries that were refused in the end.
func (l line) sendBatch(ctx context.Context, bodies []string) ([]types.BatchResultErrorEntry, error) {
	entries := make([]types.SendMessageBatchRequestEntry, len(bodies))
	for i, body := range bodies {
		entries[i] = types.SendMessageBatchRequestEntry{Id: aws.String(strconv.Itoa(i)), MessageBody: &body}
	}
	var refused, failed []types.BatchResultErrorEntry
	for range tries {
		out, err := l.client.SendMessageBatch(ctx, &sqs.SendMessageBatchInput{QueueUrl: &l.url, Entries: entries})
		if err != nil {
			return refused, err
		}
		failed = slices.DeleteFunc(out.Failed, func(f types.BatchResultErrorEntry) bool {
			if f.SenderFault {
				refused = append(refused, f) // a repetition would be refused too
			}
			return f.SenderFault
		})
		if len(failed) == 0 {
			return refused, nil
		}
		entries = slices.DeleteFunc(entries, func(e types.SendMessageBatchRequestEntry) bool { return !among(failed, e) })
	}
	return append(refused, failed...), nil
}

func among(failed []types.BatchResultErrorEntry, e types.SendMessageBatchRequestEntry) bool {
	return slices.ContainsFunc(failed, func(f types.BatchResultErrorEntry) bool { return aws.ToString(f.Id) == *e.Id })
}

// Again makes a received message visible again after a while, in whole seconds, rounded up: back-off is visibility.
func (l line) Again(ctx context.Context, receiptHandle string, after time.Duration) error {
	after = min(max(after, 0), most)
	_, err := l.client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{
		QueueUrl: &l.url, ReceiptHandle: &receiptHandle, VisibilityTimeout: int32((after + time.Second - 1) / time.Second),
	})
	if err != nil {
		return fmt.Errorf("let a message come again: %w", err)
	}
	return nil
}
