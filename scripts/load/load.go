package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"bulksigner/internal/local"
	"bulksigner/internal/local/emulator"
)

// load is one run.
type load struct {
	options
	service  *local.Service
	objects  *s3.Client
	client   *client
	answers  *answers
	faulted  *tally
	papers   [][]byte
	stopped  time.Time // when there was no more load
	retries  bool      // an operator was there
	retried  int
	outlived int
	settled  time.Duration // what it took until everything had ended

	mu      sync.Mutex
	rand    *rand.Rand
	items   map[string]item   // by key
	waiting []string          // documents that extra notifications tell of
	seen    []row             // jobs that a read told of
	put     []emulator.Object // files
	errs    []error
}

// item is something that was brought to where it becomes a job.
type item struct {
	kind
	key   string // in the bucket; of a document at Lacuna Signer its name
	begun time.Time
}

// stays reports whether the item ends by waiting: nobody ever comes to sign it.
func (i item) stays() bool { return i.kind == dispatches && strings.Contains(i.key, "parad") }

func newLoad(o options, s *local.Service) *load {
	a := newAnswers()
	return &load{
		options: o, service: s, objects: s.Objects(), client: newClient(s.URL, s.APIKey, a), answers: a, faulted: newTally(),
		papers: stack(o.seed), rand: rand.New(rand.NewPCG(o.seed, 0)), items: map[string]item{},
	}
}

// work does everything at its rate, for as long as it is to last.
func (l *load) work(ctx context.Context) error {
	begin := map[kind]func(context.Context, int, time.Time) error{
		files: l.file, dispatches: l.dispatch, documents: l.document, notifications: l.notify, reads: l.read,
	}
	if slices.Contains(l.kinds, notifications) {
		if err := l.prepare(); err != nil {
			return err
		}
	}
	l.stopped = time.Now().Add(l.last)
	var all sync.WaitGroup
	for k, rate := range rates(l.kinds, l.rate) {
		all.Go(func() {
			pace(ctx, rate, l.last, func(n int, due time.Time) {
				l.note(begin[k](ctx, n, due))
				l.note(l.fault(ctx))
			})
		})
	}
	all.Wait()
	l.service.Signer.Heal()
	l.mu.Lock()
	defer l.mu.Unlock()
	return errors.Join(append(l.errs, ctx.Err())...)
}

// note keeps an error that ends the run: the load itself could not be put on.
func (l *load) note(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil && len(l.errs) < mostWrong {
		l.errs = append(l.errs, err)
	}
}

// dice is a number below n.
func (l *load) dice(n int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rand.IntN(n)
}

func (l *load) remember(i item) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.items[i.key] = i
}

// folders are those of local profiles: a key in KMS of each kind, one in a PKCS#12, and the default.
var folders = []string{"contracts", "invoices", "letters", "inbox"}

// file has a file signed by the service's own key.
func (l *load) file(ctx context.Context, n int, due time.Time) error {
	return l.drop(ctx, item{files, fmt.Sprintf("%s/Contrato %06d.pdf", folders[n%len(folders)], n), due}, l.papers[sizeOf(l.dice(100))])
}

// dispatch has a file sent to a person, who signs, or in one of twelve cases refuses, or never comes.
func (l *load) dispatch(ctx context.Context, n int, due time.Time) error {
	word := ""
	switch n % 12 {
	case 5:
		word = " recusado"
	case 11:
		word = " parado"
	}
	return l.drop(ctx, item{dispatches, fmt.Sprintf("hr/Termo %06d%s.pdf", n, word), due}, l.papers[0])
}

// drop puts a file into the input bucket.
func (l *load) drop(ctx context.Context, i item, body []byte) error {
	l.remember(i)
	out, err := l.objects.PutObject(ctx, &s3.PutObjectInput{Bucket: &l.service.Input, Key: &i.key, Body: bytes.NewReader(body)})
	if err != nil {
		return fmt.Errorf("drop %s: %w", i.key, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.put = append(l.put, emulator.Object{
		Bucket: l.service.Input, Key: i.key, VersionID: aws.ToString(out.VersionId), ETag: strings.Trim(aws.ToString(out.ETag), `"`),
		Size: int64(len(body)), Event: emulator.Put,
	})
	return nil
}

// document creates one in the folder that the service signs in; in one of three cases somebody else signs first.
func (l *load) document(_ context.Context, n int, due time.Time) error {
	i := item{documents, fmt.Sprintf("Procuração %06d", n), due}
	l.remember(i)
	who := append(before(n), local.Holder())
	_, err := l.service.Signer.Create(i.key, i.key+".pdf", "application/pdf", l.papers[0], who...)
	return err
}

// read asks the API for the newest jobs, or for one that it told of before. A list that fails is an answer, not an error.
func (l *load) read(ctx context.Context, n int, due time.Time) error {
	if known, ok := l.known(); ok && n%2 == 1 {
		_, err := l.client.job(ctx, "GET /api/jobs/{id}", due, known.ID)
		return unanswered(err)
	}
	var p page
	if err := l.client.call(ctx, "GET /api/jobs", due, http.MethodGet, "/api/jobs?pageSize=50", &p); err != nil {
		return unanswered(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = p.Items
	return nil
}

// unanswered lets answers pass that are noted already: they are judged at the end.
func unanswered(err error) error {
	if _, answered := errors.AsType[*refused](err); answered {
		return nil
	}
	return err
}

// known is a job that a read told of.
func (l *load) known() (row, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.seen) == 0 {
		return row{}, false
	}
	return l.seen[l.rand.IntN(len(l.seen))], true
}
