// Package local runs the whole service on one machine: the AWS services that it uses, emulated in this process, and its
// functions as the very binaries that get deployed, woken as AWS wakes them. It makes a test ICP-Brasil authority, keys,
// profiles and settings, so that documents can be signed from the first minute, with no account, container or network.
//
// Everything is made anew at each start in one data folder, and nothing of it is worth anything outside: the authority is
// a test authority and the keys are in a test KMS. Limits says what the machine cannot do as AWS does.
package local

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"bulksigner/internal/local/emulator"
	"bulksigner/internal/local/host"
)

// Limits are what a run on one machine does not show.
var Limits = []string{
	"permissions are not checked: no role, no policy of a key or a bucket refuses anything",
	"quotas and throttling do not exist, and functions are neither frozen between invocations nor limited in memory",
	"expired items stay in the table, and the emulated DynamoDB accepts some requests that DynamoDB refuses",
	"lifecycle rules, encryption at rest, alarms and metrics exist in the deployment alone",
	"the certificates are a test authority's: no verifier trusts them unless it is given the root",
}

// Options says what to run.
type Options struct {
	Dir          string        // data folder; see OpenFolder for what may be there
	Functions    []Function    // Functions() if nil
	Build        Build         // makes the binaries; GoBuild's if nil
	Listener     net.Listener  // of the REST API, closed by Close; a free port of this machine if nil
	RecoverEvery time.Duration // instead of once a minute
	Events       host.Form     // how the input bucket tells the queue about new objects
}

// Service is the running service.
type Service struct {
	URL    string // of the REST API
	APIKey string
	Dir    string // absolute
	Input  string // bucket
	Output string // bucket
	Work   string // URL of the work queue

	environ  []string // of the functions
	emulator *emulator.Emulator
	host     *host.Host
	bridge   host.Bridge
	stops    []func() error
}

// Start starts everything and returns when every function asks for work. There is one service a process: the emulators are
// global to it.
func Start(ctx context.Context, o Options) (*Service, error) {
	s := &Service{}
	if err := s.start(ctx, o); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Service) start(ctx context.Context, o Options) (err error) {
	if o.Functions == nil {
		o.Functions = Functions()
	}
	if o.Build == nil {
		o.Build = GoBuild
	}
	folder, err := OpenFolder(o.Dir)
	if err != nil {
		return err
	}
	s.onStop(folder.Close)
	s.Dir = folder.Path
	// Before the emulator: it changes the working directory, and Go builds the module that it stands in.
	if err := s.build(ctx, o); err != nil {
		return err
	}
	s.emulator, err = emulator.Start(ctx, emulator.Options{Dir: s.path("aws"), ObjectCreated: s.bridge.ObjectCreated})
	if err != nil {
		return err
	}
	s.onStop(s.emulator.Close)
	r, err := s.makeResources(ctx, o.Events)
	if err != nil {
		return err
	}
	if s.host, err = host.New(s.emulator.Config()); err != nil {
		return err
	}
	s.onStop(s.host.Close)
	s.environ = append(s.emulator.Env(), r.env()...)
	if err := s.startFunctions(ctx, o); err != nil {
		return err
	}
	return s.wake(o, r)
}

// build makes the binary of each function.
func (s *Service) build(ctx context.Context, o Options) error {
	for _, f := range o.Functions {
		if err := o.Build(ctx, f.Name, s.bootstrap(f)); err != nil {
			return fmt.Errorf("build function %s: %w", f.Name, err)
		}
	}
	return nil
}

// startFunctions runs the binaries, each with a log file of its own.
func (s *Service) startFunctions(ctx context.Context, o Options) error {
	for _, f := range o.Functions {
		log, err := os.Create(s.path("logs", f.Name+".log"))
		if err != nil {
			return fmt.Errorf("open the log of %s: %w", f.Name, err)
		}
		s.stops = slices.Insert(s.stops, 0, log.Close) // after the processes that write to it
		err = s.host.Start(ctx, host.Function{
			Name: f.Name, Bootstrap: s.bootstrap(f), Timeout: f.Timeout, MemoryMB: f.MemoryMB, Processes: f.Processes,
			Env: s.environ, Log: log,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// wake connects what wakes the functions: the queue, the schedules and the REST API.
func (s *Service) wake(o Options, r resources) error {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	s.onStop(func() error { cancel(); running.Wait(); return nil })
	for _, f := range o.Functions {
		if f.Queue {
			running.Go(func() { r.poller(s.host, f).Run(ctx) })
		}
		if every := f.interval(o); every > 0 {
			running.Go(func() { host.Schedule{Name: f.Name, Function: f.Name, Every: every, Invoker: s.host}.Run(ctx) })
		}
		if f.HTTP {
			if err := s.serve(o.Listener, host.Gateway{Invoker: s.host, Function: f.Name}); err != nil {
				return err
			}
		}
	}
	return nil
}

// serve starts the REST API's front.
func (s *Service) serve(ln net.Listener, h http.Handler) (err error) {
	if ln == nil {
		if ln, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return fmt.Errorf("listen for API requests: %w", err)
		}
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 10 << 10}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(ln) }()
	s.onStop(func() error {
		err := srv.Close()
		if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
			err = errors.Join(err, served)
		}
		return err
	})
	s.URL = "http://" + ln.Addr().String()
	return nil
}

// Objects is a client for the buckets.
func (s *Service) Objects() *s3.Client {
	return s3.NewFromConfig(s.emulator.Config(), func(o *s3.Options) { o.UsePathStyle = true })
}

// EmulatorURL is where the emulated AWS services answer.
func (s *Service) EmulatorURL() string { return s.emulator.URL }

// Command is a function's binary with the environment of this service but no Runtime API, for whoever measures its start.
func (s *Service) Command(ctx context.Context, function string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.bootstrap(Function{Name: function}))
	cmd.Dir = filepath.Dir(cmd.Path)
	cmd.Env = append(slices.Clone(s.environ), "LAMBDA_TASK_ROOT="+cmd.Dir)
	return cmd
}

func (s *Service) onStop(f func() error) { s.stops = append(s.stops, f) }

// Close stops everything, what started last first. The data folder stays.
func (s *Service) Close() error {
	var errs []error
	for i := len(s.stops) - 1; i >= 0; i-- {
		errs = append(errs, s.stops[i]())
	}
	s.stops = nil
	return errors.Join(errs...)
}

func (s *Service) path(elem ...string) string {
	return filepath.Join(append([]string{s.Dir}, elem...)...)
}

func (s *Service) bootstrap(f Function) string { return s.path("functions", f.Name, "bootstrap") }
