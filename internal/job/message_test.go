package job_test

import (
	"errors"
	"strings"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

const record = `{"eventSource":"aws:s3","eventName":"%EVENT%","eventTime":"2026-11-29T12:00:00.000Z","s3":{"bucket":{"name":"input"},"object":{"key":"%KEY%","size":3,"eTag":"\"abc\"","versionId":"v1"}}}`

func notification(event, key string) string {
	return `{"Records":[` + strings.NewReplacer("%EVENT%", event, "%KEY%", key).Replace(record) + `]}`
}

func TestKeysAreDecodedOnce(t *testing.T) {
	t.Parallel()
	tests := []struct{ encoded, want string }{
		{"a+b.pdf", "a b.pdf"},
		{"a%2Bb.pdf", "a+b.pdf"},
		{"a%252Fb.pdf", "a%2Fb.pdf"},
		{"nota+fiscal+%281%29.pdf", "nota fiscal (1).pdf"},
		{"a%C3%A7%C3%A3o.pdf", "ação.pdf"},
		{"%E6%97%A5%E6%9C%AC.pdf", "日本.pdf"},
		{"in/dir/a.pdf", "in/dir/a.pdf"},
	}
	for _, tt := range tests {
		m, err := job.ParseMessage(notification("ObjectCreated:Put", tt.encoded))
		if err != nil || len(m.Created) != 1 || m.Created[0].Key != tt.want {
			t.Errorf("key %q = %+v, %v, want %q", tt.encoded, m.Created, err, tt.want)
		}
	}
	bridged := `{"source":"aws.s3","detail-type":"Object Created","time":"2026-11-29T12:00:00Z","detail":{"bucket":{"name":"input"},"object":{"key":"a+b%2B.pdf","size":3,"etag":"abc","version-id":"v1"}}}`
	m, err := job.ParseMessage(bridged)
	if err != nil || len(m.Created) != 1 {
		t.Fatalf("EventBridge form = %+v, %v", m, err)
	}
	if got := m.Created[0]; got.Key != "a+b%2B.pdf" || got.VersionID != "v1" || got.ETag != "abc" || got.Size != 3 || got.Bucket != "input" {
		t.Errorf("EventBridge form = %+v, want the key as it stands", got)
	}
}

func TestParseMessage(t *testing.T) {
	t.Parallel()
	id := job.NewID()
	tests := []struct {
		name, body       string
		created, ignored int
		job              job.ID
		want             error
	}{
		{"a put", notification("ObjectCreated:Put", "a.pdf"), 1, 0, "", nil},
		{"a multipart upload", notification("ObjectCreated:CompleteMultipartUpload", "a.pdf"), 1, 0, "", nil},
		{"a removal", notification("ObjectRemoved:DeleteMarkerCreated", "a.pdf"), 0, 1, "", nil},
		{"S3's test", `{"Service":"Amazon S3","Event":"s3:TestEvent","Time":"2026-11-29T12:00:00.000Z","Bucket":"input"}`, 0, 1, "", nil},
		{"S3's test through SNS", `{"Type":"Notification","Message":"{\"Event\":\"s3:TestEvent\"}"}`, 0, 1, "", nil},
		{"another event of EventBridge", `{"source":"aws.s3","detail-type":"Object Deleted","detail":{}}`, 0, 1, "", nil},
		{"a doorbell", job.Doorbell(id), 0, 0, id, nil},
		{"a doorbell for nobody", `{"job":"../x"}`, 0, 0, "", fault.MessageMalformed},
		{"no JSON", `{"Records":`, 0, 0, "", fault.MessageMalformed},
		{"no shape", `{}`, 0, 0, "", fault.MessageMalformed},
		{"an array", `[]`, 0, 0, "", fault.MessageMalformed},
		{"no JSON inside SNS", `{"Type":"Notification","Message":"x"}`, 0, 0, "", fault.MessageMalformed},
		{"a key that cannot be decoded", notification("ObjectCreated:Put", "a%zz.pdf"), 0, 0, "", fault.MessageMalformed},
		{"no key", notification("ObjectCreated:Put", ""), 0, 0, "", fault.MessageMalformed},
		{"a key longer than S3's", notification("ObjectCreated:Put", strings.Repeat("a", 1025)), 0, 0, "", fault.MessageMalformed},
		{"another source", strings.Replace(notification("ObjectCreated:Put", "a"), "aws:s3", "aws:sns", 1), 0, 0, "", fault.MessageMalformed},
		{"more than SQS carries", strings.Repeat(" ", job.MaxMessageSize+1), 0, 0, "", fault.MessageMalformed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m, err := job.ParseMessage(tt.body)
			if !errors.Is(err, tt.want) {
				t.Fatalf("ParseMessage = %v, want %v", err, tt.want)
			}
			if len(m.Created) != tt.created || m.Job != tt.job || (m.Ignored != "") != (tt.ignored > 0) {
				t.Errorf("ParseMessage = %+v, want %d created, job %q, ignored %d", m, tt.created, tt.job, tt.ignored)
			}
		})
	}
}

func FuzzParseMessage(f *testing.F) {
	f.Add(notification("ObjectCreated:Put", "a+b.pdf"))
	f.Add(job.Doorbell(job.NewID()))
	f.Add(`{"Type":"Notification","Message":"{}"}`)
	f.Fuzz(func(t *testing.T, body string) {
		m, err := job.ParseMessage(body)
		if err == nil && len(m.Created) == 0 && m.Job == "" && m.Ignored == "" {
			t.Errorf("%q is neither work nor refused nor ignored", body)
		}
	})
}
