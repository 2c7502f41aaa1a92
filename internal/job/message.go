package job

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"bulksigner/internal/fault"
)

// MaxMessageSize is SQS's limit of a message in bytes.
const MaxMessageSize = 1 << 20

// Message is what arrives in the work queue: the news of created objects, or a doorbell for one job. A message that has
// neither is to be consumed; Ignored says why.
type Message struct {
	Created []Object
	Job     ID
	Ignored string
}

// doorbell is our own message.
type doorbell struct {
	Job ID `json:"job"`
}

// Doorbell writes the message that makes somebody look at a job.
func Doorbell(id ID) string {
	b, err := json.Marshal(doorbell{Job: id})
	if err != nil {
		panic(err) // a string always encodes
	}
	return string(b)
}

// ParseMessage reads a body of the work queue: an S3 event notification, the EventBridge form of one, S3's test message,
// any of these inside an SNS envelope, or a doorbell. It returns fault.MessageMalformed for anything else, so that the
// message ends in the dead-letter queue and not in nothing. Objects that could be read beside a record that could not are
// in the message all the same.
func ParseMessage(body string) (Message, error) {
	if len(body) > MaxMessageSize {
		return Message{}, fault.New(fault.MessageMalformed, "the message has %d bytes, more than SQS carries", len(body))
	}
	var e envelope
	if err := json.Unmarshal([]byte(body), &e); err != nil {
		return Message{}, fault.Wrap(fault.MessageMalformed, err, "the message is not JSON")
	}
	if e.Type == "Notification" && e.Message != "" {
		return parseInner(e.Message)
	}
	return e.message()
}

func parseInner(body string) (Message, error) {
	var e envelope
	if err := json.Unmarshal([]byte(body), &e); err != nil {
		return Message{}, fault.Wrap(fault.MessageMalformed, err, "the message inside the SNS envelope is not JSON")
	}
	return e.message()
}

// envelope is the union of the shapes that arrive.
type envelope struct {
	doorbell

	Event   string     `json:"Event"`   // s3:TestEvent
	Type    string     `json:"Type"`    // SNS
	Message string     `json:"Message"` // SNS
	Records []s3Record `json:"Records"`

	Source     string    `json:"source"` // EventBridge
	DetailType string    `json:"detail-type"`
	Time       time.Time `json:"time"`
	Detail     *struct {
		Bucket struct {
			Name string `json:"name"`
		} `json:"bucket"`
		Object s3Object `json:"object"`
	} `json:"detail"`
}

type s3Record struct {
	EventSource string    `json:"eventSource"`
	EventName   string    `json:"eventName"`
	EventTime   time.Time `json:"eventTime"`
	S3          struct {
		Bucket struct {
			Name string `json:"name"`
		} `json:"bucket"`
		Object s3Object `json:"object"`
	} `json:"s3"`
}

// s3Object is spelt the same in both forms but for the version: versionId in a notification, version-id on EventBridge.
type s3Object struct {
	Key        string `json:"key"`
	Size       int64  `json:"size"`
	ETag       string `json:"eTag"`
	ETagBridge string `json:"etag"`
	VersionID  string `json:"versionId"`
	Version    string `json:"version-id"`
}

func (e envelope) message() (Message, error) {
	switch {
	case e.Job != "":
		id, err := ParseID(string(e.Job))
		if err != nil {
			return Message{}, fault.New(fault.MessageMalformed, "the doorbell names no job id")
		}
		return Message{Job: id}, nil
	case e.Event == "s3:TestEvent":
		return Message{Ignored: "S3 tests the notification"}, nil
	case e.Source == "aws.s3":
		return e.bridged()
	case len(e.Records) > 0:
		return notified(e.Records)
	}
	return Message{}, fault.New(fault.MessageMalformed, "the message is of no known shape")
}

func (e envelope) bridged() (Message, error) {
	if e.DetailType != "Object Created" {
		return Message{Ignored: "the event is not about a created object"}, nil
	}
	if e.Detail == nil {
		return Message{}, fault.New(fault.MessageMalformed, "the event has no detail")
	}
	o, err := object(e.Detail.Bucket.Name, e.Detail.Object.Key, e.Detail.Object, e.Time)
	if err != nil {
		return Message{}, err
	}
	return Message{Created: []Object{o}}, nil
}

// notified reads the records of a notification; their keys are form-encoded, once. A record that cannot be read does not
// keep the others out: they come back with the error.
func notified(records []s3Record) (Message, error) {
	var m Message
	var errs []error
	for i, r := range records {
		o, err := r.created()
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("record %d: %w", i, err))
		case o.Key == "":
			m.Ignored = "a record is not about a created object"
		default:
			m.Created = append(m.Created, o)
		}
	}
	return m, errors.Join(errs...)
}

// created returns the object that a record tells of, or none.
func (r s3Record) created() (Object, error) {
	if r.EventSource != "aws:s3" {
		return Object{}, fault.New(fault.MessageMalformed, "it does not come from S3")
	}
	if !strings.HasPrefix(r.EventName, "ObjectCreated:") {
		return Object{}, nil
	}
	key, err := url.QueryUnescape(r.S3.Object.Key)
	if err != nil {
		return Object{}, fault.New(fault.MessageMalformed, "its key cannot be decoded") // the cause quotes the key
	}
	return object(r.S3.Bucket.Name, key, r.S3.Object, r.EventTime)
}

func object(bucket, key string, o s3Object, at time.Time) (Object, error) {
	if bucket == "" || key == "" || len(key) > MaxNameBytes || o.Size < 0 {
		return Object{}, fault.New(fault.MessageMalformed, "the event does not name an object")
	}
	return Object{
		Bucket: bucket, Key: key, VersionID: o.VersionID + o.Version, ETag: strings.Trim(o.ETag+o.ETagBridge, `"`),
		Size: o.Size, Modified: stamp(at),
	}, nil
}
