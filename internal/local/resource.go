package local

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"bulksigner/internal/local/emulator"
	"bulksigner/internal/local/host"
)

// Names of what the service keeps.
const (
	tableName    = "bulksigner"
	inputBucket  = "bulksigner-input"
	outputBucket = "bulksigner-output"
	workQueue    = "bulksigner-work"
	deadQueue    = "bulksigner-work-dead"
)

// The work queue is as in the deployment: visible again after six times the function's time-out, dead after five tries,
// kept for fourteen days.
const (
	visibility  = 6 * 300 * time.Second
	maxReceives = 5
	retention   = 14 * 24 * time.Hour
)

// resources are what the functions are told of.
type resources struct {
	queue    *sqs.Client
	workURL  string
	workARN  string
	settings string
}

// makeResources makes table, buckets, queues, keys and settings, and connects the input bucket to the queue.
func (s *Service) makeResources(ctx context.Context, events host.Form) (r resources, err error) {
	cfg := s.emulator.Config()
	if err := emulator.CreateTable(ctx, dynamodb.NewFromConfig(cfg), tableName); err != nil {
		return r, err
	}
	for _, bucket := range []string{inputBucket, outputBucket} {
		if err := emulator.CreateBucket(ctx, s.Objects(), bucket); err != nil {
			return r, err
		}
	}
	r.queue = sqs.NewFromConfig(cfg)
	if err := r.makeQueues(ctx); err != nil {
		return r, err
	}
	if r.settings, err = s.makeSettings(ctx); err != nil {
		return r, err
	}
	s.Input, s.Output, s.Work = inputBucket, outputBucket, r.workURL
	s.bridge.Connect(inputBucket, r.queue, r.workURL, events)
	return r, nil
}

func (r *resources) makeQueues(ctx context.Context) error {
	_, dead, err := r.makeQueue(ctx, deadQueue, map[string]string{"MessageRetentionPeriod": seconds(retention)})
	if err != nil {
		return err
	}
	r.workURL, r.workARN, err = r.makeQueue(ctx, workQueue, map[string]string{
		"MessageRetentionPeriod": seconds(retention),
		"VisibilityTimeout":      seconds(visibility),
		"RedrivePolicy":          fmt.Sprintf(`{"deadLetterTargetArn":%q,"maxReceiveCount":%d}`, dead, maxReceives),
	})
	return err
}

// makeQueue asks for the queue's ARN, because the emulator makes it up with a region of its own.
func (r *resources) makeQueue(ctx context.Context, name string, attributes map[string]string) (url, arn string, err error) {
	q, err := r.queue.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: &name, Attributes: attributes})
	if err != nil {
		return "", "", fmt.Errorf("create queue %s: %w", name, err)
	}
	out, err := r.queue.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl: q.QueueUrl, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameQueueArn},
	})
	if err != nil {
		return "", "", fmt.Errorf("find the ARN of queue %s: %w", name, err)
	}
	return aws.ToString(q.QueueUrl), out.Attributes[string(types.QueueAttributeNameQueueArn)], nil
}

// env is what the deployment gives to every function.
func (r resources) env() []string {
	return []string{
		"TABLE_NAME=" + tableName,
		"INPUT_BUCKET=" + inputBucket,
		"OUTPUT_BUCKET=" + outputBucket,
		"WORK_QUEUE_URL=" + r.workURL,
		"SETTINGS_FILE=" + r.settings,
	}
}

// poller carries the work queue to a function.
func (r resources) poller(h *host.Host, f Function) host.Poller {
	return host.Poller{
		Queue: r.queue, URL: r.workURL, ARN: r.workARN, Region: emulator.Region,
		Invoker: h, Function: f.Name, Parallel: f.Processes,
		Batch: 1, // as deployed: a run that dies keeps no other message out of sight
	}
}

// Idle reports whether the work queue holds no message, waiting or in hand.
func (s *Service) Idle(ctx context.Context) (bool, error) {
	names := []types.QueueAttributeName{
		types.QueueAttributeNameApproximateNumberOfMessages, types.QueueAttributeNameApproximateNumberOfMessagesNotVisible,
	}
	out, err := sqs.NewFromConfig(s.emulator.Config()).GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl: &s.Work, AttributeNames: names,
	})
	if err != nil {
		return false, fmt.Errorf("count the waiting messages: %w", err)
	}
	for _, n := range names {
		if out.Attributes[string(n)] != "0" {
			return false, nil
		}
	}
	return true, nil
}

func seconds(d time.Duration) string { return strconv.Itoa(int(d.Seconds())) }
