// Package app builds the functions from their environment and settings: one constructor for each, so that a binary links,
// and a cold start builds, only what that function uses.
package app

import (
	"context"
	"fmt"
	"log/slog"
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
	table    *table.Store
	inputs   *objects.Inputs
	outputs  *objects.Outputs
	objects  *s3.Client
}

// newBase reads environment and settings, opens the clients, and imports the profiles of the settings into a table that
// never had them.
func newBase(ctx context.Context, needs ...settings.Need) (*base, error) {
	slog.SetDefault(logger())
	env, err := environment()
	if err != nil {
		return nil, err
	}
	b := &base{env: env}
	if b.settings, err = env.load(needs...); err != nil {
		return nil, err
	}
	b.cloud, err = config.LoadDefaultConfig(ctx, config.WithLogger(logging.Nop{}), config.WithRetryer(func() aws.Retryer {
		return retry.NewStandard(func(o *retry.StandardOptions) { o.MaxAttempts = attempts })
	}))
	if err != nil {
		return nil, fmt.Errorf("load the AWS configuration: %w", err)
	}
	b.http = transport.Own(b.cloud)
	b.cloud.HTTPClient = transport.Plain(b.http)
	// A custom endpoint answers one name for all buckets; Go's SDK has no variable for this.
	b.objects = s3.NewFromConfig(b.cloud, func(o *s3.Options) { o.UsePathStyle = o.BaseEndpoint != nil })
	b.inputs, b.outputs = objects.New(b.objects, env.InputBucket, env.OutputBucket)
	b.table = table.New(dynamodb.NewFromConfig(b.cloud), env.Table)
	imported, err := b.table.ImportProfiles(ctx, b.settings.Signing.Profiles, time.Now())
	if err != nil {
		return nil, fmt.Errorf("import the profiles: %w", err)
	}
	if imported {
		slog.InfoContext(ctx, "profiles imported", "count", len(b.settings.Signing.Profiles))
	}
	return b, nil
}

// parts are the workflow's, without a key: only a function that signs has one.
func (b *base) parts() workflow.Parts {
	return workflow.Parts{
		Jobs: b.table, Arrivals: b.table, Profiles: b.table.Profiles(), Pipeline: b.table, Passes: b.table, Index: b.table,
		Inputs: b.inputs, Outputs: b.outputs, Queue: b.queue(),
		Place: b.place, Folders: b.folders(), MaxXML: b.settings.Signing.MaxXmlBytes,
		MaxUpload:      b.settings.Upload.MaxBytes,
		ReconcileEvery: time.Duration(b.settings.Storage.ReconcileMinutes) * time.Minute,
	}
}

func (b *base) queue() *queue.Queue {
	return queue.New(sqs.NewFromConfig(b.cloud), b.env.WorkQueue)
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

// folders are the prefixes that the reconciler searches: those of the settings that no other one holds, and the uploads.
func (b *base) folders() []workflow.Folder {
	all := []workflow.Folder{{Name: uploads, Prefix: job.UploadPrefix}}
	for _, in := range b.settings.Storage.Inputs {
		all = append(all, workflow.Folder{Name: in.Name, Prefix: in.Prefix})
	}
	return outermost(all)
}
