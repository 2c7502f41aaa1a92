package workflow_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"bulksigner/internal/job"
	"bulksigner/internal/lacuna"
	"bulksigner/internal/lacuna/lacunatest"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// BenchmarkPoll is one pass over jobs that wait, through the real client, with a Signer that takes 50 ms for each answer.
// It tells calls a job, which must be one, and what the pass needs of memory over what was there before.
func BenchmarkPoll(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		for _, atOnce := range []int{16, 64} {
			b.Run(fmt.Sprintf("jobs=%d/at-once=%d", n, atOnce), func(b *testing.B) { benchmarkPoll(b, n, atOnce) })
		}
	}
}

func benchmarkPoll(b *testing.B, n, atOnce int) {
	srv := lacunatest.NewServer(b, func(o *lacunatest.Options) { o.Latency = 50 * time.Millisecond })
	client := lacuna.New(lacuna.Options{Endpoint: srv.URL, Key: func(context.Context, bool) (string, error) { return srv.Key(), nil }})
	world := workflowtest.New(&workflowtest.Keys{Key: opened, Inner: key})
	for range n {
		document := srv.AddDocument(lacunatest.Document{Actions: []lacunatest.Action{{Participant: participant}}})
		j := job.New(job.Origin{Source: job.Watcher, Profile: "p", Method: profile.LacunaSigner, FileName: "a.pdf"}, time.Now())
		j.Status, j.Remote.DocumentID = job.AwaitingSigner, document
		world.Put(j)
	}
	w := workflow.New(workflow.Parts{
		Jobs: world, Pipeline: world, Passes: world, Index: world, Queue: world, Signer: client,
		Remote: workflow.Remote{PollEvery: time.Hour, Timeout: time.Hour, MaxFailures: 5, AtOnce: atOnce},
	})
	b.ResetTimer()
	peak, calls := uint64(0), 0
	for range b.N {
		before := srv.Count(lacunatest.Details)
		stop := watchHeap(&peak)
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		if err := w.Poll(ctx); err != nil {
			b.Fatal(err)
		}
		cancel()
		stop()
		calls += srv.Count(lacunatest.Details) - before
		b.StopTimer()
		forget(b, world)
		b.StartTimer()
	}
	b.ReportMetric(float64(calls)/float64(b.N*n), "calls/job")
	b.ReportMetric(float64(peak)/(1<<20), "MiB-peak")
}

// forget makes the next pass due.
func forget(b *testing.B, w *workflowtest.World) {
	b.Helper()
	now := time.Now()
	p, err := w.Lease(context.Background(), "poll", "bench", now.Add(time.Hour), now)
	if err != nil {
		b.Fatal(err)
	}
	p.NextAt = time.Time{}
	if err := w.SavePass(context.Background(), p); err != nil {
		b.Fatal(err)
	}
}

// watchHeap notes the most that the heap grows by, until it is stopped.
func watchHeap(peak *uint64) (stop func()) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, done, ended := m.HeapAlloc, make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
				runtime.ReadMemStats(&m)
				*peak = max(*peak, m.HeapAlloc-min(before, m.HeapAlloc))
			}
		}
	}()
	return func() { close(done); <-ended }
}
