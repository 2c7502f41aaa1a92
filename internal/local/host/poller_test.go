package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/local/host"
)

// queue hands out one batch and remembers what was deleted.
type queue struct {
	messages []types.Message
	deleted  []string
}

func (q *queue) ReceiveMessage(_ context.Context, in *sqs.ReceiveMessageInput, _ ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error) {
	n := min(len(q.messages), int(in.MaxNumberOfMessages))
	return &sqs.ReceiveMessageOutput{Messages: q.messages[:n]}, nil
}

func (q *queue) DeleteMessageBatch(_ context.Context, in *sqs.DeleteMessageBatchInput, _ ...func(*sqs.Options)) (*sqs.DeleteMessageBatchOutput, error) {
	for _, e := range in.Entries {
		q.deleted = append(q.deleted, *e.ReceiptHandle)
	}
	return &sqs.DeleteMessageBatchOutput{}, nil
}

// invoker answers every invocation alike and keeps the payloads.
type invoker struct {
	answer string
	err    error
	hold   time.Duration

	mu    sync.Mutex
	asked []string // functions
	seen  [][]byte
}

func (i *invoker) Invoke(ctx context.Context, function string, payload []byte) ([]byte, error) {
	i.mu.Lock()
	i.asked = append(i.asked, function)
	i.seen = append(i.seen, payload)
	i.mu.Unlock()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(i.hold):
		return []byte(i.answer), i.err
	}
}

func (i *invoker) payloads() [][]byte {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.seen)
}

func (i *invoker) names() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.asked)
}

func messages(n int) (out []types.Message) {
	for i := range n {
		out = append(out, types.Message{
			MessageId: aws.String(fmt.Sprintf("m%d", i)), ReceiptHandle: aws.String(fmt.Sprintf("r%d", i)), Body: aws.String(`{}`),
			Attributes: map[string]string{"ApproximateReceiveCount": "1"},
		})
	}
	return out
}

func TestWhatIsDeletedAfterABatch(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, answer string
		err          error
		want         []string
	}{
		{"no failures", `{"batchItemFailures":[]}`, nil, []string{"r0", "r1", "r2"}},
		{"no answer", `null`, nil, []string{"r0", "r1", "r2"}},
		{"an empty object", `{}`, nil, []string{"r0", "r1", "r2"}},
		{"failures that are null", `{"batchItemFailures":null}`, nil, []string{"r0", "r1", "r2"}},
		{"one failure", `{"batchItemFailures":[{"itemIdentifier":"m1"}]}`, nil, []string{"r0", "r2"}},
		{"all failed", `{"batchItemFailures":[{"itemIdentifier":"m0"},{"itemIdentifier":"m1"},{"itemIdentifier":"m2"}]}`, nil, nil},
		{"a name in the wrong case is not read", `{"BatchItemFailures":[{"itemIdentifier":"m1"}]}`, nil, []string{"r0", "r1", "r2"}},
		{"an identifier in the wrong case fails all", `{"batchItemFailures":[{"ItemIdentifier":"m1"}]}`, nil, nil},
		{"an empty identifier fails all", `{"batchItemFailures":[{"itemIdentifier":""}]}`, nil, nil},
		{"an unknown message fails all", `{"batchItemFailures":[{"itemIdentifier":"m9"}]}`, nil, nil},
		{"failures that are no list fail all", `{"batchItemFailures":"m1"}`, nil, nil},
		{"an answer that is no JSON fails all", `{`, nil, nil},
		{"an answer that is no object fails all", `"done"`, nil, nil},
		{"a function error fails all", ``, errors.New("timed out"), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			q := &queue{messages: messages(3)}
			p := host.Poller{Queue: q, Invoker: &invoker{answer: tt.answer, err: tt.err}, Function: "sign"}
			if err := p.Once(t.Context()); !errors.Is(err, tt.err) {
				t.Errorf("Once = %v, want %v", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, q.deleted); diff != "" {
				t.Errorf("deleted (-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzAnswers holds that no answer deletes a message that it declares failed.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{`{}`, `null`, `{"batchItemFailures":[{"itemIdentifier":"m1"}]}`, `{"batchItemFailures":[{"itemIdentifier":null}]}`, `[`, ``} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		q := &queue{messages: messages(3)}
		if err := (host.Poller{Queue: q, Invoker: &invoker{answer: answer}, Function: "sign"}).Once(t.Context()); err != nil {
			t.Fatal(err)
		}
		var said struct {
			Failures []struct {
				ID string `json:"itemIdentifier"`
			} `json:"batchItemFailures"`
		}
		if json.Unmarshal([]byte(answer), &said) != nil || !strings.Contains(answer, `"batchItemFailures"`) {
			return
		}
		for _, failure := range said.Failures {
			if slices.Contains(q.deleted, strings.Replace(failure.ID, "m", "r", 1)) {
				t.Errorf("%s deleted %v", answer, q.deleted)
			}
		}
	})
}

func TestABatchIsWrittenAsLambdaWritesIt(t *testing.T) {
	t.Parallel()
	m := messages(1)[0]
	m.MD5OfBody = aws.String("99914b932bd37a50b983c5e7c90ae93b")
	m.MessageAttributes = map[string]types.MessageAttributeValue{"kind": {DataType: aws.String("String"), StringValue: aws.String("doorbell")}}
	i := &invoker{answer: `{}`}
	p := host.Poller{Queue: &queue{messages: []types.Message{m}}, Invoker: i, Function: "sign", ARN: "arn:aws:sqs:sa-east-1:000000000000:work", Region: "sa-east-1"}
	if err := p.Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	const want = `{"Records":[{"messageId":"m0","receiptHandle":"r0","body":"{}","attributes":{"ApproximateReceiveCount":"1"},` +
		`"messageAttributes":{"kind":{"stringValue":"doorbell","stringListValues":[],"binaryListValues":[],"dataType":"String"}},` +
		`"md5OfBody":"99914b932bd37a50b983c5e7c90ae93b","eventSource":"aws:sqs","eventSourceARN":"arn:aws:sqs:sa-east-1:000000000000:work","awsRegion":"sa-east-1"}]}`
	if diff := cmp.Diff(want, string(i.payloads()[0])); diff != "" {
		t.Errorf("event (-want +got):\n%s", diff)
	}
}

func TestAnEmptyQueueWakesNobody(t *testing.T) {
	t.Parallel()
	i := &invoker{}
	if err := (host.Poller{Queue: &queue{}, Invoker: i}).Once(t.Context()); err != nil || len(i.payloads()) != 0 {
		t.Errorf("Once = %v after %d invocations, want none", err, len(i.payloads()))
	}
}

func TestAQueueFeedsAFunctionAndItsDeadLetters(t *testing.T) {
	t.Parallel()
	c := sqs.NewFromConfig(local.Config())
	dead := newQueue(t, c, name(t)+"-dead", nil)
	redrive := fmt.Sprintf(`{"deadLetterTargetArn":%q,"maxReceiveCount":2}`, arn(t, c, dead))
	work := newQueue(t, c, name(t), map[string]string{"VisibilityTimeout": "0", "RedrivePolicy": redrive})
	if _, err := c.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: &work, MessageBody: aws.String(`{"Do":"fail"}`)}); err != nil {
		t.Fatal(err)
	}
	h := start(t, host.Function{})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		host.Poller{Queue: c, URL: work, Invoker: failing{h}, Function: name(t)}.Run(ctx)
	}()
	got := receive(t, c, dead)
	stop()
	<-done
	if got != `{"Do":"fail"}` {
		t.Errorf("dead letter = %q, want the message", got)
	}
}

// receive waits for one message. kumo does not wake a receiver when a dead letter arrives, hence the short polls.
func receive(t *testing.T, c *sqs.Client, url string) string {
	t.Helper()
	for range 15 {
		out, err := c.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: &url, WaitTimeSeconds: 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Messages) > 0 {
			return *out.Messages[0].Body
		}
	}
	return ""
}

// failing turns a batch into what its first message asks for.
type failing struct{ h *host.Host }

func (f failing) Invoke(ctx context.Context, function string, payload []byte) ([]byte, error) {
	var e struct{ Records []struct{ Body string } }
	if err := json.Unmarshal(payload, &e); err != nil {
		return nil, err
	}
	return f.h.Invoke(ctx, function, []byte(e.Records[0].Body))
}

func arn(t *testing.T, c *sqs.Client, url string) string {
	t.Helper()
	out, err := c.GetQueueAttributes(t.Context(), &sqs.GetQueueAttributesInput{
		QueueUrl: &url, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameQueueArn},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.Attributes["QueueArn"]
}

func newQueue(t *testing.T, c *sqs.Client, name string, attributes map[string]string) string {
	t.Helper()
	q, err := c.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: &name, Attributes: attributes})
	if err != nil {
		t.Fatal(err)
	}
	return *q.QueueUrl
}

func TestAScheduleTicksEvenWhileARunIsSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		i := &invoker{hold: 90 * time.Second}
		ctx, stop := context.WithCancel(t.Context())
		go host.Schedule{Name: "recover", Function: "recover", Every: time.Minute, Invoker: i}.Run(ctx)
		time.Sleep(3*time.Minute + time.Second)
		stop()
		synctest.Wait()
		if got := len(i.payloads()); got != 4 {
			t.Fatalf("%d runs in three minutes, want 4: one at once, and one a minute", got)
		}
		for n, at := range []string{`"time":"2000-01-01T00:00:00Z"`, `"time":"2000-01-01T00:01:00Z"`} {
			if got := string(i.payloads()[n]); !strings.Contains(got, `"source":"aws.scheduler"`) || !strings.Contains(got, at) {
				t.Errorf("event %d = %s, want %s in it", n, got, at)
			}
		}
	})
}
