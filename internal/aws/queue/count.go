package queue

import (
	"context"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"bulksigner/internal/job"
)

// The attributes whose sum is what a queue holds.
const (
	visible  = types.QueueAttributeNameApproximateNumberOfMessages
	inFlight = types.QueueAttributeNameApproximateNumberOfMessagesNotVisible
	delayed  = types.QueueAttributeNameApproximateNumberOfMessagesDelayed
)

// Count is about how many messages the queue holds, by whether they can be received.
func (l line) Count(ctx context.Context) (c job.QueueCount, _ error) {
	out, err := l.client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl: &l.url, AttributeNames: []types.QueueAttributeName{visible, inFlight, delayed},
	})
	if err != nil {
		return c, fmt.Errorf("count the queue's messages: %w", err)
	}
	for name, n := range map[types.QueueAttributeName]*int{visible: &c.Waiting, inFlight: &c.InFlight, delayed: &c.Delayed} {
		if *n, err = strconv.Atoi(out.Attributes[string(name)]); err != nil {
			return job.QueueCount{}, fmt.Errorf("count the queue's messages: %s: %w", name, err)
		}
	}
	return c, nil
}
