package local

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"bulksigner/internal/local/emulator"
	"bulksigner/internal/local/host"
)

// Names of what the service keeps.
const (
	tableName    = "bulksigner"
	inputBucket  = "bulksigner-input"
	outputBucket = "bulksigner-output"
	workQueue    = "bulksigner-work"
	checksQueue  = "bulksigner-checks"
)

// resources are what the functions are told of.
type resources struct {
	queues   map[string]queue // by name
	settings string
}

// makeResources makes table, buckets, queues, keys and settings, and connects the input bucket to the queue.
func (s *Service) makeResources(ctx context.Context, o Options) (r resources, err error) {
	cfg := s.emulator.Config()
	if err := emulator.CreateTable(ctx, dynamodb.NewFromConfig(cfg), tableName); err != nil {
		return r, err
	}
	for _, bucket := range []string{inputBucket, outputBucket} {
		if err := emulator.CreateBucket(ctx, s.Objects(), bucket); err != nil {
			return r, err
		}
	}
	if err := emulator.AllowUploads(ctx, s.Objects(), inputBucket); err != nil {
		return r, err
	}
	if r.queues, err = makeQueues(ctx, sqs.NewFromConfig(cfg), o.Again); err != nil {
		return r, err
	}
	s.Input, s.Output, s.Work, s.queues = inputBucket, outputBucket, r.queues[workQueue].url, r.queues
	if r.settings, err = s.makeSettings(ctx, o); err != nil {
		return r, err
	}
	s.bridge.Connect(inputBucket, sqs.NewFromConfig(s.emulator.ConfigOf(bucketEvents)), s.Work, o.Events)
	return r, nil
}

// env is what the deployment gives to every function.
func (r resources) env() []string {
	return []string{
		"TABLE_NAME=" + tableName,
		"INPUT_BUCKET=" + inputBucket,
		"OUTPUT_BUCKET=" + outputBucket,
		"WORK_QUEUE_URL=" + r.queues[workQueue].url,
		"SETTINGS_FILE=" + r.settings,
	}
}

// Names under which AWS itself asks: S3 for the events of a bucket, and Lambda for the messages of a function's queue. The
// latter has this after the function's name, with whose role it asks.
const (
	bucketEvents = "bucket-events"
	MappingOf    = ".queue"
)

// poller carries a queue to the function that it wakes.
func (s *Service) poller(r resources, f Function) host.Poller {
	q := r.queues[f.Source.Queue]
	return host.Poller{
		Queue: sqs.NewFromConfig(s.emulator.ConfigOf(f.Name + MappingOf)), URL: q.url, ARN: q.arn, Region: emulator.Region,
		Invoker: s.host, Function: f.Name, Parallel: f.Source.Parallel, Batch: f.Source.Batch,
	}
}

// Idle reports whether the work queue holds no message, waiting or in hand.
func (s *Service) Idle(ctx context.Context) (bool, error) {
	d, err := s.depth(ctx, s.Work)
	if err != nil {
		return false, fmt.Errorf("count the waiting messages: %w", err)
	}
	return d == Depth{}, nil
}
