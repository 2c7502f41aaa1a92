package ledger_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/local/emulator"
	"bulksigner/internal/local/ledger"
)

// asked is one request, and how it is answered.
type asked struct {
	who, service, target string
	method, path         string
	header               http.Header
	body                 string
	status               int
	answer               string
}

// keep sends requests through a ledger, and holds that they and their answers come through unchanged.
func keep(t *testing.T, all ...asked) *ledger.Ledger {
	t.Helper()
	l := ledger.New()
	for _, a := range all {
		next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil || string(body) != a.body {
				t.Errorf("%s: the service reads %q, %v, want %q", a.target, body, err, a.body)
			}
			if a.status != 0 {
				w.WriteHeader(a.status)
			}
			io.WriteString(w, a.answer)
		})
		w := httptest.NewRecorder()
		l.Record(next).ServeHTTP(w, a.request())
		if w.Body.String() != a.answer {
			t.Errorf("%s is answered %q, want %q", a.target, w.Body, a.answer)
		}
	}
	return l
}

func (a asked) request() *http.Request {
	method, path := a.method, a.path
	if method == "" {
		method, path = "POST", "/"
	}
	r := httptest.NewRequest(method, path, strings.NewReader(a.body))
	for name, values := range a.header {
		r.Header[name] = values
	}
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+emulator.KeyOf(a.who)+"/20261129/sa-east-1/"+a.service+"/aws4_request, Signature=0")
	if a.target != "" {
		r.Header.Set("X-Amz-Target", a.target)
	}
	return r
}

func of(method, path string, header ...string) asked {
	a := asked{who: "sign", service: "s3", method: method, path: path, header: http.Header{}}
	for i := 0; i+1 < len(header); i += 2 {
		a.header.Set(header[i], header[i+1])
	}
	return a
}

func TestObjects(t *testing.T) {
	t.Parallel()
	const object, bucket = "arn:aws:s3:::b/f/*", "arn:aws:s3:::b"
	absent := of("HEAD", "/b/f/k")
	absent.status = 404
	tests := []struct {
		name string
		asked
		item ledger.Item
		want []ledger.Right
	}{
		{"an object", of("GET", "/b/f/k"), ledger.S3Get, []ledger.Right{{Action: "s3:GetObject", On: object}}},
		{"without a folder", of("GET", "/b/k"), ledger.S3Get, []ledger.Right{{Action: "s3:GetObject", On: "arn:aws:s3:::b/k"}}},
		{"a version", of("GET", "/b/f/g/k?versionId=1"), ledger.S3Get, []ledger.Right{{Action: "s3:GetObjectVersion", On: object}}},
		{"what is known of it", of("HEAD", "/b/f/k"), ledger.S3Head, []ledger.Right{{Action: "s3:GetObject", On: object}}},
		{"an absent one", absent, ledger.S3Head, []ledger.Right{{Action: "s3:GetObject", On: object}, {Action: "s3:ListBucket", On: bucket}}},
		{"a new one", of("PUT", "/b/f/k"), ledger.S3Put, []ledger.Right{{Action: "s3:PutObject", On: object}}},
		{"a new one with tags", of("PUT", "/b/f/k", "X-Amz-Tagging", "a=b"), ledger.S3Put, []ledger.Right{{Action: "s3:PutObject", On: object}, {Action: "s3:PutObjectTagging", On: object}}},
		{"the beginning of an upload", of("POST", "/b/f/k?uploads"), ledger.S3Put, []ledger.Right{{Action: "s3:PutObject", On: object}}},
		{"a part", of("PUT", "/b/f/k?partNumber=1&uploadId=u"), ledger.S3Put, []ledger.Right{{Action: "s3:PutObject", On: object}}},
		{"a part that is copied", of("PUT", "/b/f/k?partNumber=1&uploadId=u", "X-Amz-Copy-Source", "in/x%2Fy?versionId=2"), ledger.S3Copy,
			[]ledger.Right{{Action: "s3:PutObject", On: object}, {Action: "s3:GetObjectVersion", On: "arn:aws:s3:::in/x/*"}}},
		{"a copy", of("PUT", "/b/f/k", "X-Amz-Copy-Source", "/in/k"), ledger.S3Copy, []ledger.Right{{Action: "s3:PutObject", On: object}, {Action: "s3:GetObject", On: "arn:aws:s3:::in/k"}}},
		{"the end of an upload", of("POST", "/b/f/k?uploadId=u"), ledger.S3Put, []ledger.Right{{Action: "s3:PutObject", On: object}}},
		{"the end of an upload that failed", of("DELETE", "/b/f/k?uploadId=u"), ledger.S3Delete, []ledger.Right{{Action: "s3:AbortMultipartUpload", On: object}}},
		{"the parts", of("GET", "/b/f/k?uploadId=u"), ledger.S3List, []ledger.Right{{Action: "s3:ListMultipartUploadParts", On: object}}},
		{"a removal", of("DELETE", "/b/f/k"), ledger.S3Delete, []ledger.Right{{Action: "s3:DeleteObject", On: object}}},
		{"a removal for good", of("DELETE", "/b/f/k?versionId=1"), ledger.S3Delete, []ledger.Right{{Action: "s3:DeleteObjectVersion", On: object}}},
		{"the tags of a version", of("GET", "/b/f/k?tagging&versionId=1"), ledger.S3Get, []ledger.Right{{Action: "s3:GetObjectVersionTagging", On: object}}},
		{"a list", of("GET", "/b?list-type=2&prefix=f/"), ledger.S3List, []ledger.Right{{Action: "s3:ListBucket", On: bucket}}},
		{"a list of versions", of("GET", "/b?versions"), ledger.S3List, []ledger.Right{{Action: "s3:ListBucketVersions", On: bucket}}},
		{"how versions are kept", of("GET", "/b?versioning"), ledger.S3List, []ledger.Right{{Action: "s3:GetBucketVersioning", On: bucket}}},
		{"what nobody is to ask for", of("PUT", "/b/f/k?acl"), ledger.S3Put, []ledger.Right{{Action: "s3:?PUT acl", On: object}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := keep(t, tt.asked)
			want := map[ledger.Right]int{}
			for _, r := range tt.want {
				r.Who = "sign"
				want[r]++
			}
			if diff := cmp.Diff(want, l.Rights()); diff != "" {
				t.Errorf("rights (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(map[ledger.Expense]float64{{Who: "sign", Item: tt.item}: 1}, l.Expenses()); diff != "" {
				t.Errorf("expenses (-want +got):\n%s", diff)
			}
		})
	}
}

func TestALinkCountsForWhoMadeIt(t *testing.T) {
	t.Parallel()
	l := ledger.New()
	r := httptest.NewRequest("PUT", "/b/uploads/1/a.pdf?X-Amz-Credential="+emulator.KeyOf("api")+"%2F20261129%2Fsa-east-1%2Fs3%2Faws4_request", nil)
	l.Record(http.NotFoundHandler()).ServeHTTP(httptest.NewRecorder(), r)
	want := map[ledger.Right]int{{Who: "api", Action: "s3:PutObject", On: "arn:aws:s3:::b/uploads/*"}: 1}
	if diff := cmp.Diff(want, l.Rights()); diff != "" {
		t.Errorf("rights (-want +got):\n%s", diff)
	}
}

func TestCalls(t *testing.T) {
	t.Parallel()
	const queue, here = `{"QueueUrl":"http://127.0.0.1:1/000000000000/work"}`, ":sa-east-1:000000000000:"
	call := func(service, target, body, answer string) asked {
		return asked{who: "sign", service: service, target: target, body: body, answer: answer}
	}
	tests := []struct {
		name string
		asked
		item   ledger.Item
		action string
		on     string
	}{
		{"a batch of messages", call("sqs", "AmazonSQS.SendMessageBatch", queue, ""), ledger.SQSSend, "sqs:SendMessage", "arn:aws:sqs" + here + "work"},
		{"a receive", call("sqs", "AmazonSQS.ReceiveMessage", queue, `{"Messages":[{}]}`), ledger.SQSReceive, "sqs:ReceiveMessage", "arn:aws:sqs" + here + "work"},
		{"a receive of nothing", call("sqs", "AmazonSQS.ReceiveMessage", queue, `{}`), ledger.SQSEmpty, "sqs:ReceiveMessage", "arn:aws:sqs" + here + "work"},
		{"a back-off", call("sqs", "AmazonSQS.ChangeMessageVisibility", queue, ""), ledger.SQSVisibility, "sqs:ChangeMessageVisibility", "arn:aws:sqs" + here + "work"},
		{"a count", call("sqs", "AmazonSQS.GetQueueAttributes", queue, ""), ledger.SQSOther, "sqs:GetQueueAttributes", "arn:aws:sqs" + here + "work"},
		{"a signature", call("kms", "TrentService.Sign", `{"KeyId":"arn:aws:kms:r:a:key/1","SigningAlgorithm":"RSASSA_PKCS1_V1_5_SHA_256"}`, ""), ledger.KMSRSA, "kms:Sign", "arn:aws:kms:r:a:key/1"},
		{"one on a curve", call("kms", "TrentService.Sign", `{"KeyId":"k","SigningAlgorithm":"ECDSA_SHA_256"}`, ""), ledger.KMSECC, "kms:Sign", "arn:aws:kms" + here + "key/k"},
		{"a public key", call("kms", "TrentService.GetPublicKey", `{"KeyId":"alias/a"}`, ""), ledger.KMSPublicKey, "kms:GetPublicKey", "arn:aws:kms" + here + "key/alias/a"},
		{"one by the alias's ARN", call("kms", "TrentService.GetPublicKey", `{"KeyId":"arn:aws:kms:r:a:alias/a"}`, ""), ledger.KMSPublicKey, "kms:GetPublicKey", "arn:aws:kms:r:a:key/alias/a"},
		{"a secret", call("secretsmanager", "secretsmanager.GetSecretValue", `{"SecretId":"arn:s"}`, ""), ledger.Secret, "secretsmanager:GetSecretValue", "arn:s"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := keep(t, tt.asked)
			if diff := cmp.Diff(map[ledger.Right]int{{Who: "sign", Action: tt.action, On: tt.on}: 1}, l.Rights()); diff != "" {
				t.Errorf("rights (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(map[ledger.Expense]float64{{Who: "sign", Item: tt.item}: 1}, l.Expenses()); diff != "" {
				t.Errorf("expenses (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnInvocationIsTheFunctions(t *testing.T) {
	t.Parallel()
	l := keep(t, asked{service: "lambda", method: "POST", path: "/2015-03-31/functions/sign/invocations"},
		asked{service: "lambda", method: "POST", path: "/2015-03-31/functions"})
	got := l.Expenses()
	if got[ledger.Expense{Who: "sign", Item: ledger.Invocation}] != 1 || len(got) != 2 {
		t.Errorf("expenses are %v, want one run of sign and its time", got)
	}
}

func TestWhoHasNoKeyOfOursIsNotCounted(t *testing.T) {
	t.Parallel()
	l := ledger.New()
	r := of("GET", "/b/k").request()
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=AKIA1/20261129/sa-east-1/s3/aws4_request")
	for _, r := range []*http.Request{r, httptest.NewRequest("GET", "/_runtime/sign/2018-06-01/runtime/invocation/next", nil)} {
		l.Record(http.NotFoundHandler()).ServeHTTP(httptest.NewRecorder(), r)
	}
	if len(l.Rights()) != 0 || len(l.Expenses()) != 0 {
		t.Errorf("counted %v, %v", l.Rights(), l.Expenses())
	}
}

func TestABrokenRequestIsCountedOnNoTable(t *testing.T) {
	t.Parallel()
	l := keep(t, asked{who: "api", service: "dynamodb", target: "DynamoDB_20120810.PutItem", body: "{", status: 400})
	if diff := cmp.Diff(map[ledger.Right]int{{Who: "api", Action: "dynamodb:PutItem", On: "*"}: 1}, l.Rights()); diff != "" {
		t.Errorf("rights (-want +got):\n%s", diff)
	}
}
