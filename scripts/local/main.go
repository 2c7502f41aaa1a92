// Command local runs the whole service on this machine and tries it out with the documents in samples: no AWS account, no
// container, no network.
//
//	go run ./scripts/local          serve until Ctrl-C
//	go run ./scripts/local -once    end when the samples have; the exit code says whether all ended as expected
package main

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"bulksigner/internal/local"
	"bulksigner/internal/local/demo"
	"bulksigner/internal/local/host"
)

//go:embed samples
var embedded embed.FS

type flags struct {
	data    string
	address string
	once    bool
	bridged bool
	wait    time.Duration
}

func main() {
	var f flags
	flag.StringVar(&f.data, "data", ".local", "data `folder`; what an earlier run left there is deleted")
	flag.StringVar(&f.address, "addr", "", "`host:port` of the REST API (127.0.0.1:8080, or a free port if that is taken)")
	flag.BoolVar(&f.once, "once", false, "end when the samples have ended")
	flag.BoolVar(&f.bridged, "eventbridge", false, "let the input bucket's events come through EventBridge")
	flag.DurationVar(&f.wait, "wait", 2*time.Minute, "how long the samples may take")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	good, err := run(ctx, f, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if err != nil || !good {
		os.Exit(1)
	}
}

// run reports whether all samples ended as expected.
func run(ctx context.Context, f flags, out io.Writer) (good bool, err error) {
	if err := enterModule(); err != nil {
		return false, err
	}
	fmt.Fprintln(out, "building the functions and starting the emulated AWS services ...")
	s, err := start(ctx, f)
	if err != nil {
		return false, fmt.Errorf("start the service: %w", err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	r, err := try(ctx, f, s, out)
	if err != nil {
		return false, fmt.Errorf("try the samples: %w", err)
	}
	if !f.once && ctx.Err() == nil {
		explain(out, s)
	}
	limits(out)
	fmt.Fprintf(out, "%d as expected, %d not\n", r.Expected, r.Unexpected)
	if !f.once {
		<-ctx.Done()
	}
	return r.Unexpected == 0, nil
}

// start takes the port that people know, unless it is taken or another was asked for. What no notification tells of is at
// Lacuna Signer before the first sweep.
func start(ctx context.Context, f flags) (*local.Service, error) {
	d, err := samples()
	if err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", cmp.Or(f.address, "127.0.0.1:8080"))
	if err != nil && f.address == "" {
		ln, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, err
	}
	o := local.Options{Dir: f.data, Listener: ln, Before: func(s *local.Service) error {
		d.Signer = remote{s.Signer}
		return d.CreateSilent()
	}}
	if f.bridged {
		o.Events = host.EventBridge
	}
	return local.Start(ctx, o)
}

// samples reads the table of samples.
func samples() (d demo.Demo, err error) {
	if d.Files, err = fs.Sub(embedded, "samples"); err != nil {
		return d, err
	}
	d.Samples, err = demo.Load(d.Files, "samples.tsv")
	return d, err
}

// try drops the samples and says what became of them.
func try(ctx context.Context, f flags, s *local.Service, out io.Writer) (demo.Result, error) {
	d, err := samples()
	if err != nil {
		return demo.Result{}, err
	}
	judge, missing := demo.NewPdfsig(ctx, s.Root(), s.Dir)
	if missing != "" {
		fmt.Fprintln(out, "note:", missing)
	}
	d.Client, d.Signer, d.Judge, d.Out = demo.NewClient(s.URL, s.APIKey), remote{s.Signer}, judge.Judge, out
	d.Output, d.Every, d.Now = filepath.Join(s.Dir, "output"), 100*time.Millisecond, time.Now
	d.Idle, d.MoveBack = s.Idle, s.MoveBack
	d.Put = func(ctx context.Context, key string, body io.ReadSeeker) error {
		_, err := s.Objects().PutObject(ctx, &s3.PutObjectInput{Bucket: &s.Input, Key: &key, Body: body})
		return err
	}
	fmt.Fprintf(out, "signing %d samples; outputs go to %s\n\n", len(d.Samples), d.Output)
	ctx, cancel := context.WithTimeout(ctx, f.wait)
	defer cancel()
	r, err := d.Run(ctx)
	fmt.Fprintln(out)
	if err == nil && ctx.Err() == nil {
		err = d.Review(ctx, &r, d.Signer.(remote).findings())
		fmt.Fprintln(out)
	}
	return r, err
}

// limits says what the run does not show.
func limits(out io.Writer) {
	fmt.Fprintln(out, "What this machine does not show:")
	for _, limit := range local.Limits {
		fmt.Fprintln(out, "  -", limit)
	}
	fmt.Fprintln(out)
}

// enterModule goes to the folder of go.mod, so that the run can be started from anywhere below it.
func enterModule() error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return os.Chdir(dir)
		}
		if dir == filepath.Dir(dir) {
			return errors.New("start this inside the project: there is no go.mod here or above")
		}
	}
}
