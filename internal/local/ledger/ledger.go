// Package ledger counts what is asked of the emulated AWS services: by whom, which actions of IAM on which resources, and
// what of it AWS would send a bill for.
//
// It stands between the clients and the emulators and changes nothing on the way. Who asks it takes from the access key id,
// which names a function (see emulator.KeyOf). Units of DynamoDB are reckoned from the sizes of items, since no emulator
// tells them: see units.go for the rules and for what they leave out. What it cannot name it counts under a name that no
// role can have, so that a comparison with roles fails and nobody is told that all is well.
package ledger

import (
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"bulksigner/internal/local/emulator"
)

// Right is an action of IAM that somebody needed.
type Right struct {
	Who    string // name of the client, as in emulator.KeyOf
	Action string // like s3:GetObject
	On     string // ARN; of an object in a folder only the folder: arn:aws:s3:::bucket/folder/*
}

// Item is what a price is asked for.
type Item string

// The items. Those of S3 and SQS are requests, those of DynamoDB are units.
const (
	S3Get    Item = "s3.get"
	S3Head   Item = "s3.head"
	S3Put    Item = "s3.put"  // PutObject, UploadPart, and the beginning and the end of an upload in parts
	S3Copy   Item = "s3.copy" // CopyObject, UploadPartCopy
	S3Delete Item = "s3.delete"
	S3List   Item = "s3.list"

	SQSSend       Item = "sqs.send"
	SQSReceive    Item = "sqs.receive"       // that brought a message
	SQSEmpty      Item = "sqs.receive-empty" // that brought none
	SQSDelete     Item = "sqs.delete"
	SQSVisibility Item = "sqs.visibility"
	SQSOther      Item = "sqs.other"

	KMSRSA       Item = "kms.sign-rsa"
	KMSECC       Item = "kms.sign-ecc"
	KMSPublicKey Item = "kms.public-key"
	KMSOther     Item = "kms.other"

	TableWrite    Item = "dynamodb.write-units"
	TableRead     Item = "dynamodb.read-units"
	TableRequests Item = "dynamodb.requests" // not billed; each costs time

	Secret Item = "secrets.requests"

	Invocation   Item = "lambda.requests"
	Milliseconds Item = "lambda.milliseconds" // from the call to its answer, on this machine
)

// Items lists all items.
var Items = []Item{
	S3Get, S3Head, S3Put, S3Copy, S3Delete, S3List, SQSSend, SQSReceive, SQSEmpty, SQSDelete, SQSVisibility, SQSOther,
	KMSRSA, KMSECC, KMSPublicKey, KMSOther, TableWrite, TableRead, TableRequests, Secret, Invocation, Milliseconds,
}

// Expense is an item on somebody's account.
type Expense struct {
	Who  string
	Item Item
}

// maxLines bounds how many different rights are kept. A service has far fewer.
const maxLines = 10_000

// Ledger counts. It is safe for concurrent use.
type Ledger struct {
	mu       sync.Mutex
	rights   map[Right]int
	expenses map[Expense]float64
	stored   shadow
}

// New makes an empty ledger.
func New() *Ledger {
	return &Ledger{rights: map[Right]int{}, expenses: map[Expense]float64{}, stored: shadow{}}
}

// Rights are how often each right was needed.
func (l *Ledger) Rights() map[Right]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.rights)
}

// Expenses are how much there was of each item.
func (l *Ledger) Expenses() map[Expense]float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.expenses)
}

// Record passes requests on and counts them.
func (l *Ledger) Record(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key, service, signed := emulator.Credential(r)
		who, known := emulator.NameOf(key)
		if !signed || !known {
			next.ServeHTTP(w, r) // the Runtime API and what emulators send themselves
			return
		}
		switch service {
		case "s3":
			l.object(who, next, w, r)
		case "lambda":
			l.invocation(next, w, r)
		default:
			l.call(who, service, next, w, r)
		}
	})
}

// invocation counts the run of a function on the function's own account, whoever asked for it.
func (l *Ledger) invocation(next http.Handler, w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	next.ServeHTTP(w, r)
	path, isCall := strings.CutSuffix(r.URL.Path, "/invocations")
	_, function, found := strings.Cut(path, "/functions/")
	if isCall && found {
		l.spend(function, Invocation, 1)
		l.spend(function, Milliseconds, float64(time.Since(began))/float64(time.Millisecond))
	}
}

// need counts a right.
func (l *Ledger) need(who, action, on string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	right := Right{who, action, on}
	if _, known := l.rights[right]; !known && len(l.rights) >= maxLines {
		right = Right{who, action, "more resources than are kept apart"}
	}
	l.rights[right]++
}

// spend puts something on an account.
func (l *Ledger) spend(who string, item Item, n float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expenses[Expense{who, item}] += n
}
