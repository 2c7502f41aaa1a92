// Package queue sends doorbells to the work queue in SQS and asks how many messages it holds.
//
// A doorbell makes somebody look at a job; losing or repeating one changes when something happens, never what. Receiving
// is left to Lambda's event source. What a message says is the business of package job.
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

	"bulksigner/internal/job"
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
}

// Queue is the work queue.
type Queue struct {
	client api
	url    string
}

// New makes a Queue of the queue with a URL.
func New(client api, url string) *Queue { return &Queue{client, url} }

// Ring sends a doorbell for each job. An entry that SQS could not take is sent once more. The error tells how many jobs
// were not rung for; those before and after them were. A batch that fails as a whole ends it, since the next would too.
func (q *Queue) Ring(ctx context.Context, ids []job.ID) error {
	var errs []error
	missed := 0
	for chunk := range slices.Chunk(ids, batch) {
		failed, err := q.ring(ctx, chunk)
		missed += len(failed)
		if err != nil {
			return errors.Join(append(errs, fmt.Errorf("ring for %d jobs: %w", len(chunk), err))...)
		}
		for _, f := range failed {
			errs = append(errs, fmt.Errorf("%s: %s", aws.ToString(f.Code), aws.ToString(f.Message)))
		}
	}
	if missed > 0 {
		return fmt.Errorf("ring for %d of %d jobs: %w", missed, len(ids), errors.Join(errs...))
	}
	return nil
}

// ring sends one batch and returns the entries that were refused in the end.
func (q *Queue) ring(ctx context.Context, ids []job.ID) ([]types.BatchResultErrorEntry, error) {
	entries := make([]types.SendMessageBatchRequestEntry, len(ids))
	for i, id := range ids {
		entries[i] = types.SendMessageBatchRequestEntry{Id: aws.String(strconv.Itoa(i)), MessageBody: aws.String(job.Doorbell(id))}
	}
	var refused, failed []types.BatchResultErrorEntry
	for range tries {
		out, err := q.client.SendMessageBatch(ctx, &sqs.SendMessageBatchInput{QueueUrl: &q.url, Entries: entries})
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

// counts are the attributes whose sum is what the queue holds.
var counts = []types.QueueAttributeName{
	types.QueueAttributeNameApproximateNumberOfMessages,
	types.QueueAttributeNameApproximateNumberOfMessagesNotVisible,
	types.QueueAttributeNameApproximateNumberOfMessagesDelayed,
}

// Waiting is about how many messages the queue holds: waiting, at work or delayed.
func (q *Queue) Waiting(ctx context.Context) (int, error) {
	out, err := q.client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: &q.url, AttributeNames: counts})
	if err != nil {
		return 0, fmt.Errorf("count the queue's messages: %w", err)
	}
	sum := 0
	for _, name := range counts {
		n, err := strconv.Atoi(out.Attributes[string(name)])
		if err != nil {
			return 0, fmt.Errorf("count the queue's messages: %s: %w", name, err)
		}
		sum += n
	}
	return sum, nil
}

// Again makes a received message visible again after a while, in whole seconds, rounded up: back-off is visibility.
func (q *Queue) Again(ctx context.Context, receiptHandle string, after time.Duration) error {
	after = min(max(after, 0), most)
	_, err := q.client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{
		QueueUrl: &q.url, ReceiptHandle: &receiptHandle, VisibilityTimeout: int32((after + time.Second - 1) / time.Second),
	})
	if err != nil {
		return fmt.Errorf("let a message come again: %w", err)
	}
	return nil
}
