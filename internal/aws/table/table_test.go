package table_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"bulksigner/internal/aws/schema"
	"bulksigner/internal/aws/table"
	"bulksigner/internal/job"
	"bulksigner/internal/local/emulator"
	"bulksigner/internal/profile"
)

// The contract is checked on two emulators, since each accepts what the other refuses: kumo in this process, and
// moto_server where it is installed.
var (
	kumo *emulator.Emulator
	moto motoServer
)

// now is the time of every test.
var now = time.Date(2026, time.July, 15, 12, 0, 0, 0, time.UTC)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	flag.Parse()
	var err error
	if kumo, err = emulator.Start(context.Background(), emulator.Options{Services: emulator.None}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := errors.Join(moto.stop(), kumo.Close()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// backend is one of the emulators.
type backend struct {
	name   string
	config aws.Config
}

// each runs a part of the contract on both emulators.
func each(t *testing.T, check func(*testing.T, backend)) {
	t.Helper()
	t.Parallel()
	t.Run("kumo", func(t *testing.T) {
		t.Parallel()
		check(t, backend{"kumo", kumo.Config()})
	})
	t.Run("moto", func(t *testing.T) {
		t.Parallel()
		c := kumo.Config()
		c.BaseEndpoint = aws.String(moto.url(t))
		// A transaction that moto cancels puts all tables back as they were before, with what others wrote since.
		moto.alone.Lock()
		defer moto.alone.Unlock()
		check(t, backend{"moto", c})
	})
}

// fixture is a store with a table of its own.
type fixture struct {
	*table.Store
	db   *dynamodb.Client
	name string
}

// open makes a table. Options change the client that the store uses, and not the one that looks behind it.
func open(t testing.TB, b backend, options ...func(*dynamodb.Options)) fixture {
	t.Helper()
	f := fixture{db: client(b), name: "jobs-" + string(job.NewID())}
	if err := emulator.CreateTable(t.Context(), f.db, f.name); err != nil {
		t.Fatal(err)
	}
	if b.name == "kumo" { // it deletes what has expired, once a minute, by another clock than the tests'
		f.keepExpired(t)
	}
	f.Store = table.New(client(b, options...), f.name, table.Clock(func() time.Time { return now }))
	return f
}

// keepExpired turns TTL off, as DynamoDB may do for days.
func (f fixture) keepExpired(t testing.TB) {
	t.Helper()
	_, err := f.db.UpdateTimeToLive(t.Context(), &dynamodb.UpdateTimeToLiveInput{
		TableName:               &f.name,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String(schema.TTL), Enabled: aws.Bool(false)},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// client repeats as the SDK does by itself, without its waiting.
func client(b backend, options ...func(*dynamodb.Options)) *dynamodb.Client {
	quick := func(o *dynamodb.Options) {
		o.Retryer = retry.NewStandard(func(s *retry.StandardOptions) {
			s.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return time.Millisecond, nil })
		})
	}
	all := append([]func(*dynamodb.Options){quick}, options...)
	return dynamodb.NewFromConfig(b.config, append(all, calm)...)
}

// calm keeps the SDK from losing answers by itself. It closes a request's body when the answer begins; if net/http comes
// to look for the body's end only then, the closed body's WriteTo says EOF where success is expected, and net/http drops
// the connection with the rest of the answer. A server as near and as fast as an emulator meets that every few hundred
// calls. A body without WriteTo is not affected.
func calm(o *dynamodb.Options) { o.HTTPClient = calmed{o.HTTPClient} }

type calmed struct{ next dynamodb.HTTPClient }

// Do sends a request whose body can only be read.
func (c calmed) Do(r *http.Request) (*http.Response, error) {
	r = r.WithContext(r.Context())
	r.Body = struct{ io.ReadCloser }{r.Body}
	return c.next.Do(r)
}

// item reads an item as it is stored.
func (f fixture) item(t *testing.T, pk, sk string) map[string]types.AttributeValue {
	t.Helper()
	out, err := f.db.GetItem(t.Context(), &dynamodb.GetItemInput{
		TableName: &f.name, ConsistentRead: aws.Bool(true), Key: map[string]types.AttributeValue{"pk": text(pk), "sk": text(sk)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.Item
}

// put writes an item behind the store's back.
func (f fixture) put(t *testing.T, i map[string]types.AttributeValue) {
	t.Helper()
	if _, err := f.db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &f.name, Item: i}); err != nil {
		t.Fatal(err)
	}
}

// plain is an item in Go's own types.
func plain(t *testing.T, i map[string]types.AttributeValue) map[string]any {
	t.Helper()
	m := map[string]any{}
	if err := attributevalue.UnmarshalMap(i, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

// queued makes a job that was taken in at a time.
func queued(at time.Time) job.Job {
	id := job.NewID()
	return job.New(job.Origin{
		ID: id, Source: job.Watcher, Profile: "contracts", Method: profile.Local, Folder: "contracts", FileName: "a b/ç.pdf",
		Object: job.Object{Bucket: "input", Key: "contracts/" + string(id) + "/ç.pdf", VersionID: "v1", ETag: "e", Size: 1 << 40, Modified: at},
	}, at)
}

// takeIn stores new jobs.
func (f fixture) takeIn(t testing.TB, jobs ...job.Job) {
	t.Helper()
	for _, j := range jobs {
		if err := f.TakeIn(t.Context(), j, job.NameClaim{}); err != nil {
			t.Fatal(err)
		}
	}
}

// step stores a job one step further.
func (f fixture) step(t *testing.T, j job.Job, err error) job.Job {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Save(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	return j
}

// take claims a job for a run that begins at a time.
func take(j job.Job, owner string, at time.Time) (job.Job, error) {
	return j.Take(job.Claim{Owner: owner, Until: at.Add(time.Hour)}, job.Took{
		Method: profile.Local, Format: profile.Pades, Terms: job.Terms{ProfileVersion: 3, Verify: true, RequirePolicy: true},
	}, at)
}
