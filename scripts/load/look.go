package main

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"bulksigner/internal/job"
	"bulksigner/internal/lacuna/lacunatest"
	"bulksigner/internal/local"
	"bulksigner/internal/verify"
)

// maxOutput is the largest output that is verified.
const maxOutput = 64 << 20

// snapshot is what there is when everything has ended.
type snapshot struct {
	started, stopped time.Time // of the load
	early            bool      // not everything has ended, and nobody waited for it
	items            map[string]item
	jobs             []row
	// keys of what is in the buckets now.
	inputs, outputs map[string]bool
	remote          []lacunatest.State
	calls           map[lacunatest.Op]int
	verified        map[job.ID]error
	depths          map[string]local.Depth
	table           map[string]int // items, by the word that their key begins with
}

// look takes the snapshot.
func (l *load) look(ctx context.Context) (s snapshot, err error) {
	s = snapshot{started: l.started, stopped: l.stopped, early: l.early, items: l.items, calls: l.service.Signer.Counts()}
	if s.jobs, err = l.jobs(ctx); err != nil {
		return s, err
	}
	for _, id := range l.service.Signer.Documents() {
		if state, ok := l.service.Signer.Get(id); ok {
			s.remote = append(s.remote, state)
		}
	}
	if s.inputs, err = l.keys(ctx, l.service.Input); err != nil {
		return s, err
	}
	if s.outputs, err = l.keys(ctx, l.service.Output); err != nil {
		return s, err
	}
	if s.depths, err = l.service.Depths(ctx); err != nil {
		return s, err
	}
	if s.table, err = count(ctx, l.service); err != nil {
		return s, err
	}
	s.verified, err = l.verify(ctx, s)
	return s, err
}

// readers are how many jobs are read at a time.
const readers = 4

// jobs reads every job with its history.
func (l *load) jobs(ctx context.Context) ([]row, error) {
	rows, err := l.client.all(ctx)
	if err != nil {
		return nil, err
	}
	errs := make([]error, readers)
	var all sync.WaitGroup
	for n := range readers {
		all.Go(func() {
			for i := n; i < len(rows) && errs[n] == nil; i += readers {
				rows[i], errs[n] = l.client.job(ctx, rows[i].ID)
			}
		})
	}
	all.Wait()
	return rows, errors.Join(errs...)
}

// keys lists what is in a bucket.
func (l *load) keys(ctx context.Context, bucket string) (map[string]bool, error) {
	keys := map[string]bool{}
	pages := s3.NewListObjectsV2Paginator(l.objects, &s3.ListObjectsV2Input{Bucket: &bucket})
	for pages.HasMorePages() {
		p, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("list bucket %s: %w", bucket, err)
		}
		for _, o := range p.Contents {
			keys[aws.ToString(o.Key)] = true
		}
	}
	return keys, nil
}

// verify judges the outputs of some jobs of each kind, picked by chance.
func (l *load) verify(ctx context.Context, s snapshot) (map[job.ID]error, error) {
	anchors, err := anchors(l.service.Root())
	if err != nil {
		return nil, err
	}
	done := slices.DeleteFunc(slices.Clone(s.jobs), func(r row) bool { return r.Status != job.Completed })
	l.rand.Shuffle(len(done), func(i, j int) { done[i], done[j] = done[j], done[i] })
	verdicts := map[job.ID]error{}
	for _, r := range done[:min(l.sample, len(done))] {
		verdicts[r.ID] = l.judge(ctx, r, s.items[r.key()].kind, anchors)
	}
	return verdicts, ctx.Err()
}

// judge verifies one output. What people signed at Lacuna Signer follows its rules: there its maths and its chain count.
func (l *load) judge(ctx context.Context, r row, k kind, anchors []*x509.Certificate) error {
	body, err := l.output(ctx, r, k)
	if err != nil {
		return err
	}
	ours := k == files || k == uploads
	report, err := verify.File(bytes.NewReader(body), int64(len(body)), verify.Options{Anchors: anchors, At: time.Now(), Policy: ours})
	if err != nil {
		return err
	}
	if ours {
		return report.Err()
	}
	return report.Sound(true)
}

// output reads what a job made: from the bucket, or at Lacuna Signer, where it stays.
func (l *load) output(ctx context.Context, r row, k kind) ([]byte, error) {
	if k == documents {
		return l.service.Signer.Content(r.DocumentID)
	}
	out, err := l.objects.GetObject(ctx, &s3.GetObjectInput{Bucket: &l.service.Output, Key: &r.OutputKey})
	if err != nil {
		return nil, err
	}
	defer out.Body.Close()
	body, err := io.ReadAll(io.LimitReader(out.Body, maxOutput+1))
	if err == nil && len(body) > maxOutput {
		err = fmt.Errorf("it has more than %d bytes", maxOutput)
	}
	return body, err
}

// anchors reads a certificate.
func anchors(path string) ([]*x509.Certificate, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("the root is not PEM")
	}
	c, err := x509.ParseCertificate(block.Bytes)
	return []*x509.Certificate{c}, err
}
