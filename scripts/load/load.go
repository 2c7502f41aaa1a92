package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"bulksigner/internal/job"
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
	reaper   reaper
	papers   [][]byte
	begun    atomic.Int64
	started  time.Time
	stopped  time.Time // when there was no more load
	retries  bool      // an operator was there when everything had ended
	outlived int
	settled  time.Duration // what it took until everything had ended
	early    bool          // nobody waited for that

	mu      sync.Mutex
	rand    *rand.Rand
	items   map[string]item   // by key
	waiting []string          // documents that extra notifications tell of
	seen    []row             // jobs that a read told of
	tried   map[job.ID]bool   // failed jobs that an operator had tried again
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
		papers: stack(o.seed), rand: rand.New(rand.NewPCG(o.seed, 0)), items: map[string]item{}, tried: map[job.ID]bool{},
	}
}

// work does everything at its rate, for as long as it is to last, or until ctx ends. What has begun by then is ended: nobody
// knows what became of a request that was broken off.
func (l *load) work(ctx context.Context) error {
	if slices.Contains(l.kinds, notifications) {
		if err := l.prepare(); err != nil {
			return err
		}
	}
	l.started = time.Now()
	l.stopped = l.started.Add(l.last)
	killing, endKills := context.WithDeadline(ctx, l.stopped)
	defer endKills()
	var all sync.WaitGroup
	all.Go(func() { l.reap(killing) })
	for k, rate := range rates(l.kinds, l.rate) {
		all.Go(func() { pace(ctx, rate, l.last, l.begin(ctx, k)) })
	}
	all.Wait()
	if now := time.Now(); now.Before(l.stopped) {
		l.stopped = now
	}
	l.service.Signer.Heal()
	l.mu.Lock()
	defer l.mu.Unlock()
	return errors.Join(l.errs...)
}

// begin is what is done at the turns of a kind.
func (l *load) begin(ctx context.Context, k kind) func(n int, due time.Time) {
	do := map[kind]func(context.Context, int, time.Time) error{
		files: l.file, uploads: l.upload, dispatches: l.dispatch, documents: l.document, notifications: l.notify, reads: l.read,
	}[k]
	return func(n int, due time.Time) {
		whole, cancel := context.WithTimeout(context.WithoutCancel(ctx), longest)
		defer cancel()
		l.begun.Add(1)
		l.note(do(whole, n, due))
		l.note(l.fault(whole))
	}
}

// longest is how long one thing may take to begin, with all tries of a client and a fault after it.
const longest = 3 * time.Minute

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

// known is a job that a read told of.
func (l *load) known() (row, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.seen) == 0 {
		return row{}, false
	}
	return l.seen[l.rand.IntN(len(l.seen))], true
}

// play puts the load on, waits for what it began, and tells what there is.
func (l *load) play(p phases, out io.Writer) (r report, err error) {
	bounded, cancel := context.WithTimeout(context.Background(), longestRun) // nobody breaks off the verdict
	defer cancel()
	before, err := count(bounded, l.service)
	if err != nil {
		return r, err
	}
	watching, stop := context.WithCancel(bounded)
	memory := watchMemory(watching)
	if err = l.work(p.load); err == nil {
		fmt.Fprintln(out, "no more load and no more faults; waiting for what has begun ...")
		err = l.settle(p.wait)
	}
	stop()
	seen := <-memory
	if err != nil {
		return r, err
	}
	r = report{options: l.options, before: before, memory: growths(seen, l.started, l.stopped)}
	if r.snapshot, err = l.look(bounded); err != nil {
		return r, err
	}
	r.faulted, r.killed, r.retried, r.ended = l.faulted.all(), l.reaper.by, len(l.tried), l.outlived
	r.begun = int(l.begun.Load())
	r.answers, r.settled = l.answers.all(), l.settled
	r.broken = slices.Concat(r.snapshot.broken(), l.answers.broken(l.faults > 0 || len(l.kills) > 0))
	return r, nil
}

// longestRun is the bound of a run and all that is read after it.
const longestRun = maxLast + maxWait + time.Hour
