package queue

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

const (
	// hidden is for how many seconds a dead letter is in our hands: longer than a request to the API lasts. One that was
	// not given back can be received again after it.
	hidden = 60
	// listens is for how many seconds SQS looks for messages: with none it asks some of its servers alone, and a queue
	// with a few messages seems empty.
	listens = 1
	// batchBytes is what the bodies of one batch may have together. It was SQS's limit before it was raised to 1 MiB.
	batchBytes = 256 << 10
)

// Dead is a queue of messages that nobody could handle.
type Dead struct {
	line
	source line // the queue that they come from
}

// NewDead makes a Dead of the queue with a URL, whose messages come from the queue with another.
func NewDead(client api, url, source string) *Dead {
	return &Dead{line{client, url}, line{client, source}}
}

// GiveBack sends dead letters to the queue that they come from, at most so many, and returns how many were sent, also
// beside an error. A message is sent before it is deleted, so that none is lost; one whose deletion fails is sent again
// another time. Their bodies are all that they have.
func (d *Dead) GiveBack(ctx context.Context, most int) (moved int, err error) {
	for moved < most {
		letters, err := d.receive(ctx, min(most-moved, batch))
		if err != nil || len(letters) == 0 {
			return moved, err
		}
		for _, some := range portions(letters) {
			n, err := d.giveBack(ctx, some)
			moved += n
			if err != nil {
				return moved, err
			}
		}
	}
	return moved, nil
}

func (d *Dead) receive(ctx context.Context, n int) ([]types.Message, error) {
	out, err := d.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl: &d.url, MaxNumberOfMessages: int32(n), VisibilityTimeout: hidden, WaitTimeSeconds: listens,
	})
	if err != nil {
		return nil, fmt.Errorf("receive dead letters: %w", err)
	}
	return out.Messages, nil
}

// portions divides letters into batches that SQS takes.
func portions(letters []types.Message) (all [][]types.Message) {
	size := 0
	for n, m := range letters {
		bytes := len(aws.ToString(m.Body))
		if n == 0 || size+bytes > batchBytes {
			all, size = append(all, nil), 0
		}
		all[len(all)-1], size = append(all[len(all)-1], m), size+bytes
	}
	return all
}

// giveBack sends one batch and deletes what was sent of it.
func (d *Dead) giveBack(ctx context.Context, letters []types.Message) (sent int, _ error) {
	bodies := make([]string, len(letters))
	for i, m := range letters {
		bodies[i] = aws.ToString(m.Body)
	}
	refused, err := d.source.sendBatch(ctx, bodies)
	if err != nil {
		return 0, fmt.Errorf("give dead letters back: %w", err)
	}
	gone := make([]types.DeleteMessageBatchRequestEntry, 0, len(letters))
	for i, m := range letters {
		id := strconv.Itoa(i)
		if !among(refused, types.SendMessageBatchRequestEntry{Id: &id}) {
			gone = append(gone, types.DeleteMessageBatchRequestEntry{Id: &id, ReceiptHandle: m.ReceiptHandle})
		}
	}
	var errs []error
	for _, r := range refused {
		errs = append(errs, fmt.Errorf("give a dead letter back: %s: %s", aws.ToString(r.Code), aws.ToString(r.Message)))
	}
	return len(gone), errors.Join(append(errs, d.delete(ctx, gone))...)
}

func (d *Dead) delete(ctx context.Context, gone []types.DeleteMessageBatchRequestEntry) error {
	if len(gone) == 0 {
		return nil
	}
	out, err := d.client.DeleteMessageBatch(ctx, &sqs.DeleteMessageBatchInput{QueueUrl: &d.url, Entries: gone})
	if err != nil {
		return fmt.Errorf("delete dead letters that were given back: %w", err)
	}
	if len(out.Failed) > 0 {
		return fmt.Errorf("%d dead letters were given back and not deleted: %s", len(out.Failed), aws.ToString(out.Failed[0].Code))
	}
	return nil
}
