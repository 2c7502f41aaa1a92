package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"bulksigner/internal/local"
	"bulksigner/internal/local/demo"
	"bulksigner/internal/local/ledger"
)

// lost is a file that no event tells of, and lostFor for how long it has been there.
const (
	lost    = "contracts/perdido.pdf"
	lostFor = time.Hour
)

// trial is the service under observation.
type trial struct {
	*local.Service
	client *client
	snare  *snare
	files  fs.FS
	out    io.Writer
}

// observe runs the service in a data folder, does everything to it, and returns what its functions asked for.
func observe(ctx context.Context, module, data string, out io.Writer) (asked map[ledger.Right]int, err error) {
	book, snare := ledger.New(), &snare{}
	t := &trial{snare: snare, files: os.DirFS(filepath.Join(module, "scripts", "local", "samples")), out: out}
	fmt.Fprintln(out, "building the functions and starting the emulated AWS services ...")
	t.Service, err = local.Start(ctx, local.Options{
		Dir: data, Again: again, Settings: refer, Watch: snare.around(book.Record),
		Before: func(s *local.Service) error { return t.before(ctx, s) },
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	closeLog, err := silence(t.Dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeLog()) }()
	t.client = &client{t.URL, t.APIKey}
	for _, d := range deeds {
		fmt.Fprintf(out, "%s ...\n", d.says)
		if err := d.do(ctx, t); err != nil {
			return nil, fmt.Errorf("%s: %w", d.says, err)
		}
	}
	return book.Rights(), nil
}

// again is how soon a message comes again whose run died. In a deployment it is half an hour.
const again = 10 * time.Second

// before has documents be there that no notification tells of, and a file whose event is lost.
func (t *trial) before(ctx context.Context, s *local.Service) error {
	d, err := t.demo(s)
	if err != nil {
		return err
	}
	if err := d.CreateSilent(); err != nil {
		return err
	}
	content, err := fs.ReadFile(t.files, "contrato.pdf")
	if err != nil {
		return err
	}
	key := lost
	if _, err := s.Objects().PutObject(ctx, &s3.PutObjectInput{Bucket: &s.Input, Key: &key, Body: strings.NewReader(string(content))}); err != nil {
		return err
	}
	old := time.Now().Add(-lostFor)
	if err := os.Chtimes(filepath.Join(s.Dir, "aws", "s3", "objects", s.Input, filepath.FromSlash(key)), old, old); err != nil {
		return err
	}
	_, err = s.Queues().PurgeQueue(ctx, &sqs.PurgeQueueInput{QueueUrl: &s.Work})
	return err
}

// demo is what make run does.
func (t *trial) demo(s *local.Service) (d demo.Demo, err error) {
	d = demo.Demo{
		Files: t.files, Client: demo.NewClient(s.URL, s.APIKey), Signer: room{s.Signer}, Idle: s.Idle, MoveBack: s.MoveBack,
		Judge: func(context.Context, string) string { return "" }, Output: filepath.Join(s.Dir, "output"),
		Out: t.out, Every: 100 * time.Millisecond, Now: time.Now,
		Put: func(ctx context.Context, key string, body io.ReadSeeker) error {
			_, err := s.Objects().PutObject(ctx, &s3.PutObjectInput{Bucket: &s.Input, Key: &key, Body: body})
			return err
		},
	}
	d.Samples, err = demo.Load(t.files, "samples.tsv")
	return d, err
}
