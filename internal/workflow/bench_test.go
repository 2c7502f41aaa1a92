package workflow_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/x509"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// remembered is a signer that answers a digest which it has signed before at once: what is left is our own cost.
type remembered struct {
	crypto.Signer
	signatures map[string][]byte
}

func (r remembered) Sign(rand io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	if s, ok := r.signatures[string(digest)]; ok {
		return s, nil
	}
	s, err := r.Signer.Sign(rand, digest, opts)
	r.signatures[string(digest)] = s
	return s, err
}

// BenchmarkDocument takes a document in, signs, verifies and publishes it, in the world in memory.
func BenchmarkDocument(b *testing.B) {
	document := padded(100 << 10)
	for _, bb := range []struct {
		name   string
		signer crypto.Signer
	}{{"100kB/stub", remembered{key, map[string][]byte{}}}, {"100kB/rsa2048", key}} {
		b.Run(bb.name, func(b *testing.B) {
			w, world := benchScene(bb.signer, b.TempDir())
			b.ReportAllocs()
			b.SetBytes(int64(len(document)))
			for i := range b.N {
				o := world.Drop(fmt.Sprintf("in/%d.pdf", i), document, day)
				if err := workOnce(w, workflowtest.Event(o)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "documents/s")
		})
	}
}

// BenchmarkLargeDocument signs a document of 100 MB that comes in a stream, and reports the most memory in use meanwhile.
func BenchmarkLargeDocument(b *testing.B) {
	const size = 100 << 20
	w, world := benchScene(key, b.TempDir())
	in := &streaming{Inputs: workflowtest.Inputs{World: world}, size: size, document: padding(size)}
	out := &discarding{Outputs: workflowtest.Outputs{World: world}}
	w.Inputs, w.Outputs = in, out
	b.SetBytes(size)
	b.ResetTimer()
	for i := range b.N {
		o := job.Object{Bucket: workflowtest.InputBucket, Key: fmt.Sprintf("in/%d.pdf", i), VersionID: "v", Size: size, Modified: day}
		peak := watch(func() {
			if err := workOnce(w, workflowtest.Event(o)); err != nil {
				b.Fatal(err)
			}
		})
		b.ReportMetric(float64(peak)/(1<<20), "peak-MiB")
	}
	for _, j := range world.Jobs() {
		if j.Status != job.Completed {
			b.Fatalf("job ends %s %s %s", j.Status, j.Code, j.Error)
		}
	}
}

func benchScene(signer crypto.Signer, dir string) (*workflow.Workflow, *workflowtest.World) {
	world := workflowtest.New(&workflowtest.Keys{Key: opened, Inner: signer})
	world.SetProfile(profile.Profile{Name: "p", Enabled: true, Method: profile.Local, Format: profile.Pades, Verify: true, RequirePolicy: true})
	return workflow.New(workflow.Parts{
		Jobs: world, Arrivals: world, Profiles: workflowtest.Profiles{World: world}, Pipeline: world, Passes: world, Index: world,
		Inputs: workflowtest.Inputs{World: world}, Outputs: workflowtest.Outputs{World: world}, Queue: world, Keys: world.Keys,
		Place: place, Anchors: []*x509.Certificate{root}, Temporary: dir, Now: func() time.Time { return day },
	}), world
}

func workOnce(w *workflow.Workflow, body string) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	batch, err := w.Batch(ctx)
	if err != nil {
		return err
	}
	return batch.Work(ctx, body)
}

// padded is a document of n bytes, most of them in a stream.
func padded(n int) []byte {
	var b bytes.Buffer
	if err := padding(int64(n))(&b); err != nil {
		panic(err) // a buffer takes everything
	}
	return b.Bytes()
}

// padding writes a document of n bytes whose third object is a stream of blanks.
func padding(n int64) func(io.Writer) error {
	head := "%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n" +
		"2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n" +
		"3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Resources<<>>/Contents 4 0 R>>\nendobj\n"
	offsets := []int{strings.Index(head, "1 0 obj"), strings.Index(head, "2 0 obj"), strings.Index(head, "3 0 obj"), len(head)}
	stream := n - 700 // what surrounds it is shorter
	head += fmt.Sprintf("4 0 obj\n<</Length %d>>\nstream\n", stream)
	tail := "\nendstream\nendobj\n"
	at := int64(len(head)+len(tail)) + stream
	tail += "xref\n0 5\n0000000000 65535 f \n"
	for _, o := range offsets {
		tail += fmt.Sprintf("%010d 00000 n \n", o)
	}
	tail += fmt.Sprintf("trailer\n<</Size 5/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", at)
	tail += strings.Repeat("\n", int(n-int64(len(head)+len(tail))-stream))
	return func(w io.Writer) error {
		_, err := io.Copy(w, io.MultiReader(strings.NewReader(head), io.LimitReader(blanks{}, stream), strings.NewReader(tail)))
		return err
	}
}

// blanks never ends.
type blanks struct{}

func (blanks) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// streaming is an input bucket whose documents are made while they are read.
type streaming struct {
	workflowtest.Inputs
	size     int64
	document func(io.Writer) error
}

func (s *streaming) Current(context.Context, string) (job.Object, error) { return job.Object{}, nil }
func (s *streaming) Fetch(_ context.Context, _ job.Object, w io.Writer) error {
	return s.document(w)
}
func (s *streaming) Delete(context.Context, job.Object) error { return nil }

// discarding is an output bucket that keeps nothing.
type discarding struct{ workflowtest.Outputs }

func (d *discarding) Owner(context.Context, string) (job.ID, error) {
	return "", fault.New(fault.JobOutputUnavailable, "free")
}
func (d *discarding) Finish(context.Context, job.Publication, string) error { return nil }

// watch runs f and returns the most heap that was in use, sampled.
func watch(f func()) (peak uint64) {
	runtime.GC()
	done := make(chan struct{})
	var sampling sync.WaitGroup
	sampling.Go(func() {
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapInuse+m.StackInuse)
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	})
	f()
	close(done)
	sampling.Wait()
	return peak
}
