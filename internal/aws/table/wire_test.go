package table_test

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"bulksigner/internal/aws/table"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

var errCut = errors.New("the connection was cut")

// wire is a connection that breaks: before a request arrives, or after the write has landed and before its answer.
type wire struct {
	operation string // the one that breaks
	landed    bool
	breaks    atomic.Int32 // how many more times
}

// RoundTrip breaks the calls that it was told to.
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	breaks := strings.HasSuffix(r.Header.Get("X-Amz-Target"), "."+w.operation) && w.breaks.Add(-1) >= 0
	if breaks && !w.landed {
		return nil, errCut
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if breaks && err == nil {
		err = errors.Join(errCut, resp.Body.Close())
		return nil, err
	}
	return resp, err
}

func broken(operation string, landed bool, times int32) *wire {
	w := &wire{operation: operation, landed: landed}
	w.breaks.Store(times)
	return w
}

func (w *wire) use(o *dynamodb.Options) { o.HTTPClient = &http.Client{Transport: w} }

// silent is a client that repeats nothing.
func silent(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} }

// A save whose connection breaks either landed, which the job's history tells, or did not. What it returns says too
// little: a repeated request meets its own first try.
func TestASaveWithoutAnAnswer(t *testing.T) {
	tests := []struct {
		name   string
		landed bool
		again  bool // the SDK repeats
		want   error
		wrote  bool
	}{
		{"lost before, not repeated", false, false, errCut, false},
		{"lost before, repeated", false, true, nil, true},
		{"reply lost, not repeated", true, false, errCut, true},
		{"reply lost, repeated", true, true, fault.JobRaceLost, true},
	}
	each(t, func(t *testing.T, b backend) {
		for _, tt := range tests {
			options := []func(*dynamodb.Options){broken("PutItem", tt.landed, 1).use}
			if !tt.again {
				options = append(options, silent)
			}
			f := open(t, b, options...)
			j := queued(now)
			f.takeIn(t, j)
			k, err := take(j, "run", now)
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Save(t.Context(), k); !errors.Is(err, tt.want) {
				t.Errorf("%s: Save = %v, want %v", tt.name, err, tt.want)
			} else if tt.want == errCut && fault.CodeOf(err) != fault.Internal {
				t.Errorf("%s: the error has code %s", tt.name, fault.CodeOf(err))
			}
			got, err := f.Get(t.Context(), j.ID)
			if err != nil || got.Wrote(k.Last().ID) != tt.wrote {
				t.Errorf("%s: the write is in the history: %t, %v, want %t", tt.name, got.Wrote(k.Last().ID), err, tt.wrote)
			}
		}
	})
}

func TestATakeInWithoutAnAnswer(t *testing.T) {
	tests := []struct {
		name   string
		landed bool
		again  bool
		want   error
		taken  bool
	}{
		{"lost before, not repeated", false, false, errCut, false},
		{"lost before, repeated", false, true, nil, true},
		{"reply lost, not repeated", true, false, errCut, true},
		// DynamoDB knows the request by its token and answers as before; the emulators do not.
		{"reply lost, repeated", true, true, fault.JobRaceLost, true},
	}
	each(t, func(t *testing.T, b backend) {
		for _, tt := range tests {
			options := []func(*dynamodb.Options){broken("TransactWriteItems", tt.landed, 1).use}
			if !tt.again {
				options = append(options, silent)
			}
			f := open(t, b, options...)
			j := queued(now)
			if err := f.TakeIn(t.Context(), j, job.NameClaim{}); !errors.Is(err, tt.want) {
				t.Errorf("%s: TakeIn = %v, want %v", tt.name, err, tt.want)
			}
			want := job.ID("")
			if tt.taken {
				want = j.ID
			}
			if id, err := f.TakenIn(t.Context(), j.Object); id != want || err != nil {
				t.Errorf("%s: TakenIn = %q, %v, want %q", tt.name, id, err, want)
			}
			if _, err := f.Get(t.Context(), j.ID); (err == nil) != tt.taken {
				t.Errorf("%s: Get = %v, want the job: %t", tt.name, err, tt.taken)
			}
		}
	})
}

// Who repeats one of these and meets its own first try has what it asked for.
func TestRepeatedRequestsRecognizeThemselves(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b, broken("PutItem", true, 1).use)
		r := reservation(now.Add(time.Hour))
		if err := f.Reserve(t.Context(), r, ""); err != nil {
			t.Errorf("Reserve = %v", err)
		}
		f = open(t, b, broken("UpdateItem", true, 1).use)
		if p, err := f.Lease(t.Context(), "poll", "a", now, now.Add(time.Minute)); err != nil || p.Owner != "a" {
			t.Errorf("Lease = %v, %v, want a's", p, err)
		} else if err := f.SavePass(t.Context(), p); err != nil {
			t.Errorf("SavePass = %v", err)
		}
		f = open(t, b, broken("TransactWriteItems", true, 1).use)
		if ok, err := f.ImportProfiles(t.Context(), some(), now); !ok || err != nil {
			t.Errorf("ImportProfiles = %t, %v, want done", ok, err)
		}
		f = open(t, b, broken("PutItem", true, 1).use)
		if fresh, err := f.Ring(t.Context(), "d1", now); !fresh || err != nil {
			t.Errorf("Ring = %t, %v, want fresh", fresh, err)
		}
		f = open(t, b, broken("UpdateItem", true, 1).use)
		if err := f.Turn(t.Context(), paused(1, "ana")); err != nil {
			t.Errorf("Turn = %v", err)
		}
		f = open(t, b, broken("TransactWriteItems", true, 1).use)
		if err := f.SaveProfile(t.Context(), inFolder("a", "f1"), 0); err != nil {
			t.Errorf("SaveProfile = %v", err)
		}
		f = open(t, b)
		p := f.save(t, inFolder("a", "f1"), 0)
		s := table.New(client(b, broken("TransactWriteItems", true, 1).use), f.name)
		if err := s.DeleteProfile(t.Context(), p.Name, p.Version); err != nil {
			t.Errorf("DeleteProfile = %v", err)
		}
	})
}
