// Package app builds the functions from their environment and settings: one constructor for each, so that a binary links,
// and a cold start builds, only what that function uses.
package app

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/smithy-go/logging"

	"bulksigner/internal/aws/objects"
	"bulksigner/internal/aws/queue"
	"bulksigner/internal/aws/table"
	"bulksigner/internal/aws/transport"
	"bulksigner/internal/job"
	"bulksigner/internal/metrics"
	"bulksigner/internal/redact"
	"bulksigner/internal/settings"
	"bulksigner/internal/workflow"
)

// attempts is how often the SDK sends a request that may be repeated. A run has minutes, and giving up costs more than
// waiting; the key is asked by a client of its own that repeats nothing.
const attempts = 6

// base is what every function has.
type base struct {
	env      Environment
	settings settings.Settings
	cloud    aws.Config
	http     aws.HTTPClient // the SDK's own: keys derives from it how a signature is asked for
	clock    *clock
	redactor *redact.Redactor
	table    *table.Store
	meter    *metrics.Recorder
	inputs   *objects.Inputs
	outputs  *objects.Outputs
	objects  *s3.Client
}

// newBase reads environment and settings, opens the clients, adopts the table, and imports the profiles of the settings into
// one that never had them.
func newBase(ctx context.Context, needs ...settings.Need) (*base, error) {
	b := &base{redactor: redact.New()}
	slog.SetDefault(logger(os.Stdout, b.redactor))
	if err := b.configure(ctx, needs...); err != nil {
		return nil, err
	}
	// A custom endpoint answers one name for all buckets; Go's SDK has no variable for this.
	b.objects = s3.NewFromConfig(b.cloud, func(o *s3.Options) { o.UsePathStyle = o.BaseEndpoint != nil })
	b.inputs, b.outputs = objects.New(b.objects, b.env.InputBucket, b.env.OutputBucket)
	b.table = table.New(dynamodb.NewFromConfig(b.cloud), b.env.Table, table.Statistics(b.settings.Statistics.Enabled))
	b.meter = newRecorder(b.env, b.table)
	started(ctx)
	if err := b.adopt(ctx); err != nil {
		return nil, err
	}
	imported, err := b.table.ImportProfiles(ctx, b.settings.Signing.Profiles, time.Now())
	if err != nil {
		return nil, fmt.Errorf("import the profiles: %w", err)
	}
	if imported {
		slog.InfoContext(ctx, "profiles imported", "count", len(b.settings.Signing.Profiles))
	}
	return b, nil
}

// configure reads environment, settings and the configuration of the AWS SDK. What the settings keep secret stays out of
// the log from here on.
func (b *base) configure(ctx context.Context, needs ...settings.Need) (err error) {
	if b.env, err = environment(); err != nil {
		return err
	}
	if b.settings, err = b.env.load(needs...); err != nil {
		return err
	}
	for _, s := range b.settings.Literals() {
		b.redactor.Add(s)
	}
	b.cloud, err = config.LoadDefaultConfig(ctx, config.WithLogger(logging.Nop{}), config.WithRetryer(func() aws.Retryer {
		return retry.NewStandard(func(o *retry.StandardOptions) { o.MaxAttempts = attempts })
	}))
	if err != nil {
		return fmt.Errorf("load the AWS configuration: %w", err)
	}
	b.http = transport.Own(b.cloud)
	b.clock = newClock(transport.Plain(b.http))
	b.cloud.HTTPClient = b.clock
	return nil
}

// parts are the workflow's, without a key and without Lacuna Signer: only a function that needs them has them.
func (b *base) parts() workflow.Parts {
	return workflow.Parts{
		Jobs: b.table, Arrivals: b.table, Profiles: b.table.Profiles(), Pipeline: b.table, Passes: b.table, Index: b.table,
		Discoveries: b.table, Journal: b.table, Bells: b.table, Meter: b.meter, Remote: remote(b.settings.Signer),
		Inputs: b.inputs, Outputs: b.outputs, Queue: b.queue(),
		Place: b.place, Folders: b.folders(), MaxXML: b.settings.Signing.MaxXmlBytes,
		MaxUpload: b.settings.Upload.MaxBytes, RejectKnownNames: b.settings.Pipeline.RejectAlreadyProcessedFileNames,
		ReconcileEvery: time.Duration(b.settings.Storage.ReconcileMinutes) * time.Minute,
	}
}

func (b *base) sqs() *sqs.Client { return sqs.NewFromConfig(b.cloud) }

func (b *base) queue() *queue.Queue { return queue.New(b.sqs(), b.env.WorkQueue) }

// checks is the queue of documents to look at, which a function may not know.
func (b *base) checks() (*queue.Checks, error) {
	if b.env.ChecksQueue == "" {
		return nil, lacking("CHECKS_QUEUE_URL")
	}
	return queue.NewChecks(b.sqs(), b.env.ChecksQueue), nil
}

// place says where an input key belongs, by the settings.
func (b *base) place(key string) workflow.Place {
	if name, ok := uploadName(key); ok {
		return workflow.Place{Folder: uploads, Name: name, Upload: true}
	}
	in, name, ok := b.settings.Folder(key)
	if !ok {
		return workflow.Place{Ignored: "in no watched folder"}
	}
	if reason, ignored := b.settings.Ignored(in, name); ignored {
		return workflow.Place{Ignored: reason}
	}
	return workflow.Place{Folder: in.Name, Profile: in.Profile, Name: name}
}

// feeds tells which watched folder names a profile.
func (b *base) feeds(name string) (folder string, ok bool) {
	for _, in := range b.settings.Storage.Inputs {
		if in.Profile == name {
			return in.Name, true
		}
	}
	return "", false
}

// folders are the prefixes that the reconciler searches: those of the settings that no other one holds, and the uploads.
func (b *base) folders() []workflow.Folder {
	all := []workflow.Folder{{Name: uploads, Prefix: job.UploadPrefix}}
	for _, in := range b.settings.Storage.Inputs {
		all = append(all, workflow.Folder{Name: in.Name, Prefix: in.Prefix})
	}
	return outermost(all)
}
