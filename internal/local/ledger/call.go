package ledger

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"bulksigner/internal/local/emulator"
)

// maxBody bounds how much of a request or an answer is looked at. DynamoDB's largest have 16 MB, those of the others less.
const maxBody = 20 << 20

// call counts a request of a service that is asked by X-Amz-Target and JSON.
func (l *Ledger) call(who, service string, next http.Handler, w http.ResponseWriter, r *http.Request) {
	body, err := peek(r)
	if err != nil {
		http.Error(w, "the request broke off", http.StatusBadRequest)
		return
	}
	_, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	answer := &answer{ResponseWriter: w, keep: service == "dynamodb" || op == "ReceiveMessage"}
	next.ServeHTTP(answer, r)
	switch service {
	case "dynamodb":
		l.table(who, op, body, answer)
	case "sqs":
		l.queue(who, op, body, answer.body.Bytes())
	case "kms":
		l.key(who, op, body)
	case "secretsmanager":
		l.secret(who, op, body)
	default:
		l.need(who, service+":"+op, "*")
	}
}

// peek reads a request's body and puts it back. What exceeds the bound is passed on unseen.
func peek(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		return nil, err
	}
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
	return body, nil
}

// answer notes how a request was answered, and if it is to be kept with what.
type answer struct {
	http.ResponseWriter
	status int
	keep   bool
	body   bytes.Buffer
}

// WriteHeader notes the status.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write keeps what is written.
func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	if a.keep && a.body.Len() < maxBody {
		a.body.Write(p[:min(len(p), maxBody-a.body.Len())])
	}
	return a.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController flush.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// fields are those parts of requests that say what they are about.
type fields struct {
	QueueURL         string `json:"QueueUrl"`
	KeyID            string `json:"KeyId"`
	SigningAlgorithm string
	SecretID         string `json:"SecretId"`
}

// read decodes what a request is about. Of one that is no JSON nothing is known, and the service refuses it.
func read(body []byte) (f fields) {
	_ = json.Unmarshal(body, &f)
	return f
}

// arn names a resource of the emulated account.
func arn(service, resource string) string {
	return "arn:aws:" + service + ":" + emulator.Region + ":" + emulator.Account + ":" + resource
}

// queue counts a request of SQS. A batch takes the right to its parts.
func (l *Ledger) queue(who, op string, body, answered []byte) {
	url := read(body).QueueURL
	single := strings.TrimSuffix(op, "Batch")
	l.need(who, "sqs:"+single, arn("sqs", url[strings.LastIndexByte(url, '/')+1:]))
	l.spend(who, queueItem(single, answered), 1)
}

func queueItem(op string, answered []byte) Item {
	switch op {
	case "SendMessage":
		return SQSSend
	case "DeleteMessage":
		return SQSDelete
	case "ChangeMessageVisibility":
		return SQSVisibility
	case "ReceiveMessage":
		var got struct{ Messages []json.RawMessage }
		if json.Unmarshal(answered, &got) == nil && len(got.Messages) > 0 {
			return SQSReceive
		}
		return SQSEmpty
	}
	return SQSOther
}

// key counts a request of KMS. A policy cannot name a key by its alias, so that one which is asked for by its alias is
// written as one of the account's keys.
func (l *Ledger) key(who, op string, body []byte) {
	f := read(body)
	on := f.KeyID
	if !strings.HasPrefix(on, "arn:") {
		on = arn("kms", "key/"+on)
	}
	l.need(who, "kms:"+op, strings.Replace(on, ":alias/", ":key/alias/", 1))
	item := KMSOther
	switch {
	case op == "GetPublicKey":
		item = KMSPublicKey
	case op == "Sign" && strings.HasPrefix(f.SigningAlgorithm, "RSA"):
		item = KMSRSA
	case op == "Sign":
		item = KMSECC
	}
	l.spend(who, item, 1)
}

func (l *Ledger) secret(who, op string, body []byte) {
	l.need(who, "secretsmanager:"+op, read(body).SecretID)
	l.spend(who, Secret, 1)
}
