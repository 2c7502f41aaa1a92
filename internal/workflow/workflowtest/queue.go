package workflowtest

import (
	"context"
	"encoding/json"
	"net/url"

	"bulksigner/internal/job"
)

// Ring fits workflow.Queue.
func (w *World) Ring(ctx context.Context, ids []job.ID) error {
	return w.pass(ctx, "ring", func() error {
		for _, id := range ids {
			w.Messages = append(w.Messages, job.Doorbell(id))
		}
		return nil
	})
}

// Waiting fits workflow.Queue.
func (w *World) Waiting(ctx context.Context) (n int, err error) {
	err = w.pass(ctx, "count messages", func() error { n = len(w.Messages); return nil })
	return n, err
}

// Receive takes the oldest message out of the queue.
func (w *World) Receive() (string, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.Messages) == 0 {
		return "", false
	}
	m := w.Messages[0]
	w.Messages = w.Messages[1:]
	return m, true
}

// Send puts a message into the queue.
func (w *World) Send(body string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.Messages = append(w.Messages, body)
}

// Event is the notification that S3 sends for an object.
func Event(o job.Object) string {
	b, err := json.Marshal(map[string]any{"Records": []any{map[string]any{
		"eventSource": "aws:s3", "eventName": "ObjectCreated:Put", "eventTime": o.Modified,
		"s3": map[string]any{
			"bucket": map[string]any{"name": o.Bucket},
			"object": map[string]any{"key": url.QueryEscape(o.Key), "size": o.Size, "eTag": o.ETag, "versionId": o.VersionID},
		},
	}}})
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	return string(b)
}
