package host

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/google/uuid"

	"bulksigner/internal/local/emulator"
)

// Sender is what a bridge needs from SQS.
type Sender interface {
	SendMessage(context.Context, *sqs.SendMessageInput, ...func(*sqs.Options)) (*sqs.SendMessageOutput, error)
}

// Form is how a bucket tells a queue about new objects.
type Form int

// The forms: S3's own notification, and EventBridge's event with a rule in between.
const (
	Notification Form = iota
	EventBridge
)

// Bridge sends a message to a queue for each new object of a bucket. Before Connect it sends nothing, so that it can be
// made before there is a queue.
type Bridge struct {
	mu        sync.Mutex
	queue     Sender
	url       string
	bucket    string
	form      Form
	sequencer int64
}

// Connect names the bucket and where its events go.
func (b *Bridge) Connect(bucket string, queue Sender, url string, form Form) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bucket, b.queue, b.url, b.form = bucket, queue, url, form
}

// ObjectCreated sends the event of one object. A message that cannot be sent is logged and lost, as an event of S3 can be:
// recovery finds the object.
func (b *Bridge) ObjectCreated(ctx context.Context, o emulator.Object) {
	b.mu.Lock()
	queue, target, form, ours := b.queue, b.url, b.form, b.queue != nil && o.Bucket == b.bucket
	now := time.Now()
	b.sequencer = max(b.sequencer+1, now.UnixNano())
	sequence := b.sequencer
	b.mu.Unlock()
	if !ours {
		return
	}
	body, err := Encode(o, form, now, sequence)
	if err == nil {
		text := string(body)
		// The request that made the object may be gone before its event is sent.
		_, err = queue.SendMessage(context.WithoutCancel(ctx), &sqs.SendMessageInput{QueueUrl: &target, MessageBody: &text})
	}
	if err != nil {
		slog.ErrorContext(ctx, "object event lost", "bucket", o.Bucket, "key", o.Key, "err", err)
	}
}

// Encode writes an event. Sequence numbers grow, so that the later of two events of one key can be told.
func Encode(o emulator.Object, form Form, at time.Time, sequence int64) ([]byte, error) {
	var event any = notification(o, at, sequence)
	if form == EventBridge {
		event = bridged(o, at, sequence)
	}
	body, err := json.Marshal(event)
	if err != nil {
		return nil, fmt.Errorf("encode the event of %s: %w", o.Key, err)
	}
	return body, nil
}

type object map[string]any

// notification is S3's own form, version 2.1. The key is encoded like a form's field, except for its slashes.
func notification(o emulator.Object, at time.Time, sequence int64) object {
	content := object{
		"key":       strings.ReplaceAll(url.QueryEscape(o.Key), "%2F", "/"),
		"size":      o.Size,
		"eTag":      o.ETag,
		"sequencer": sequencer(sequence),
	}
	if o.VersionID != "" {
		content["versionId"] = o.VersionID
	}
	return object{"Records": []object{{
		"eventVersion":      "2.1",
		"eventSource":       "aws:s3",
		"awsRegion":         region,
		"eventTime":         at.UTC().Format("2006-01-02T15:04:05.000Z"),
		"eventName":         string(o.Event),
		"userIdentity":      object{"principalId": "AWS:" + account},
		"requestParameters": object{"sourceIPAddress": "127.0.0.1"},
		"responseElements":  object{"x-amz-request-id": sequencer(sequence)[2:], "x-amz-id-2": sequencer(sequence)},
		"s3": object{
			"s3SchemaVersion": "1.0",
			"configurationId": "documents",
			"bucket":          object{"name": o.Bucket, "ownerIdentity": object{"principalId": account}, "arn": "arn:aws:s3:::" + o.Bucket},
			"object":          content,
		},
	}}}
}

// reasons are EventBridge's words for S3's events.
var reasons = map[emulator.Event]string{
	emulator.Put:      "PutObject",
	emulator.Copy:     "CopyObject",
	emulator.Complete: "CompleteMultipartUpload",
}

// bridged is EventBridge's form. The key is as it is.
func bridged(o emulator.Object, at time.Time, sequence int64) object {
	content := object{"key": o.Key, "size": o.Size, "etag": o.ETag, "sequencer": sequencer(sequence)}
	if o.VersionID != "" {
		content["version-id"] = o.VersionID
	}
	return object{
		"version":     "0",
		"id":          uuid.NewSHA1(uuid.NameSpaceURL, []byte(sequencer(sequence)+o.Key)).String(),
		"detail-type": "Object Created",
		"source":      "aws.s3",
		"account":     account,
		"time":        at.UTC().Format(time.RFC3339),
		"region":      region,
		"resources":   []string{"arn:aws:s3:::" + o.Bucket},
		"detail": object{
			"version":           "0",
			"bucket":            object{"name": o.Bucket},
			"object":            content,
			"request-id":        sequencer(sequence)[2:],
			"requester":         account,
			"source-ip-address": "127.0.0.1",
			"reason":            reasons[o.Event],
		},
	}
}

func sequencer(n int64) string { return fmt.Sprintf("%018X", n) }
