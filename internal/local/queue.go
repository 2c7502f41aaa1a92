package local

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// deadSuffix follows the name of a queue in that of its dead letters' queue.
const deadSuffix = "-dead"

// retention is how long all queues keep what nobody took.
const retention = 14 * 24 * time.Hour

// queue is a queue that was made.
type queue struct{ url, arn string }

// measures are those of a queue in the deployment.
type measures struct {
	timeout  time.Duration // of the function that it wakes: a message is visible again after six times as much
	receives int           // after so many tries a message is a dead letter
}

// queues are the deployment's. A check comes more often than other messages, so that it is no dead letter before the sweep
// has looked, which it does once a minute here.
var queues = map[string]measures{
	workQueue:   {timeout: signTimeout, receives: 5},
	checksQueue: {timeout: roundTimeout, receives: 8},
}

// makeQueues makes the queues, each with one for its dead letters. again is how soon a message comes again that nobody
// ended, if not as in the deployment.
func makeQueues(ctx context.Context, client *sqs.Client, again time.Duration) (map[string]queue, error) {
	made := map[string]queue{}
	for name, m := range queues {
		dead, err := makeQueue(ctx, client, name+deadSuffix, map[string]string{"MessageRetentionPeriod": seconds(retention)})
		if err != nil {
			return nil, err
		}
		made[name+deadSuffix] = dead
		made[name], err = makeQueue(ctx, client, name, map[string]string{
			"MessageRetentionPeriod": seconds(retention),
			"VisibilityTimeout":      seconds(cmp.Or(again, 6*m.timeout)),
			"RedrivePolicy":          fmt.Sprintf(`{"deadLetterTargetArn":%q,"maxReceiveCount":%d}`, dead.arn, m.receives),
		})
		if err != nil {
			return nil, err
		}
	}
	return made, nil
}

// Depth is how many messages a queue holds.
type Depth struct{ Waiting, InHand int }

// Depths tells how many messages each queue holds, by its name; the name of a queue for dead letters ends in -dead.
func (s *Service) Depths(ctx context.Context) (map[string]Depth, error) {
	depths := map[string]Depth{}
	for name, q := range s.queues {
		d, err := s.depth(ctx, q.url)
		if err != nil {
			return nil, fmt.Errorf("count the messages of queue %s: %w", name, err)
		}
		depths[name] = d
	}
	return depths, nil
}

func (s *Service) depth(ctx context.Context, url string) (d Depth, err error) {
	const waiting, inHand = types.QueueAttributeNameApproximateNumberOfMessages, types.QueueAttributeNameApproximateNumberOfMessagesNotVisible
	out, err := s.Queues().GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl: &url, AttributeNames: []types.QueueAttributeName{waiting, inHand},
	})
	if err != nil {
		return d, err
	}
	if d.Waiting, err = strconv.Atoi(out.Attributes[string(waiting)]); err != nil {
		return d, err
	}
	d.InHand, err = strconv.Atoi(out.Attributes[string(inHand)])
	return d, err
}

// Queues is a client for the queues.
func (s *Service) Queues() *sqs.Client { return sqs.NewFromConfig(s.emulator.Config()) }

// makeQueue asks for the queue's ARN, because the emulator makes it up with a region of its own.
func makeQueue(ctx context.Context, client *sqs.Client, name string, attributes map[string]string) (queue, error) {
	q, err := client.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: &name, Attributes: attributes})
	if err != nil {
		return queue{}, fmt.Errorf("create queue %s: %w", name, err)
	}
	out, err := client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl: q.QueueUrl, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameQueueArn},
	})
	if err != nil {
		return queue{}, fmt.Errorf("find the ARN of queue %s: %w", name, err)
	}
	return queue{aws.ToString(q.QueueUrl), out.Attributes[string(types.QueueAttributeNameQueueArn)]}, nil
}

func seconds(d time.Duration) string { return strconv.Itoa(int(d.Seconds())) }
