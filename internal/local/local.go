// Package local runs the whole service on one machine: the AWS services that it uses, emulated in this process, its
// functions as the very binaries that get deployed, woken as AWS wakes them, and a Lacuna Signer with people who sign. It
// makes a test ICP-Brasil authority, keys, profiles and settings, so that documents can be signed from the first minute,
// with no account, container or network.
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

	"github.com/aws/aws-sdk-go-v2/aws"
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
	"Lacuna Signer is a fake that keeps to the published API; what that leaves open it answers as we assume",
	"the certificates are a test authority's: no verifier trusts them unless it is given the root",
}

// Options says what to run.
type Options struct {
	Dir       string        // data folder; see OpenFolder for what may be there
	Functions []Function    // Functions() if nil
	Build     Build         // makes the binaries; GoBuild's if nil
	Listener  net.Listener  // of the REST API, closed by Close; a free port of this machine if nil
	Every     time.Duration // between two ticks of every schedule, instead of a minute
	Events    host.Form     // how the input bucket tells the queue about new objects
	Again     time.Duration // after which a message comes again whose invocation died, instead of six times the time-out

	// Watch is put before the emulated AWS services, if it is given: a ledger, say.
	Watch func(http.Handler) http.Handler
	// Settings may change the settings, as they stand in the file, before the functions read them.
	Settings func(context.Context, *Service, map[string]any) error

	// Before is called when everything is there, nothing was woken yet, and Lacuna Signer tells nobody of what happens.
	Before func(*Service) error
}

// Service is the running service.
type Service struct {
	URL    string // of the REST API
	APIKey string
	Dir    string // absolute
	Input  string // bucket
	Output string // bucket
	Work   string // URL of the work queue
	Signer *Signer

	environ  []string // of all functions
	checks   string   // URL of the checks queue
	queues   map[string]queue
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
	s.emulator, err = emulator.Start(ctx, emulator.Options{
		Dir: s.path("aws"), ObjectCreated: s.bridge.ObjectCreated, Watch: o.Watch,
	})
	if err != nil {
		return err
	}
	s.onStop(s.emulator.Close)
	r, err := s.makeResources(ctx, o)
	if err != nil {
		return err
	}
	s.checks = r.queues[checksQueue].url
	if s.host, err = host.New(s.emulator.Config()); err != nil {
		return err
	}
	s.onStop(s.host.Close)
	s.environ = r.env()
	if err := s.startFunctions(ctx, o); err != nil {
		return err
	}
	if o.Before != nil {
		if err := o.Before(s); err != nil {
			return err
		}
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
			Env: s.environment(f), Log: log,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// environment is what the deployment gives to a function. Go's collector is told of nine tenths of the memory.
func (s *Service) environment(f Function) []string {
	env := slices.Concat(s.emulator.EnvOf(f.Name), s.environ, []string{fmt.Sprintf("GOMEMLIMIT=%dMiB", f.MemoryMB*9/10)})
	if f.Checks || f.Dead {
		env = append(env, "CHECKS_QUEUE_URL="+s.checks)
	}
	if f.Dead {
		env = append(env, "DEAD_LETTER_QUEUE_URL="+s.queues[workQueue+deadSuffix].url, "DEAD_CHECKS_QUEUE_URL="+s.queues[checksQueue+deadSuffix].url)
	}
	return env
}

// wake connects what wakes the functions: the HTTP front with Lacuna Signer's notifications, the queues and the schedules.
func (s *Service) wake(o Options, r resources) error {
	if err := s.serve(o); err != nil {
		return err
	}
	s.Signer.listenTo(s.URL)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	s.onStop(func() error { cancel(); running.Wait(); return nil })
	for _, f := range o.Functions {
		if f.Source.Queue != "" {
			running.Go(func() { s.poller(r, f).Run(ctx) })
		}
		if every := f.interval(o); every > 0 {
			running.Go(func() { host.Schedule{Name: f.Name, Function: f.Name, Every: every, Invoker: s.host}.Run(ctx) })
		}
	}
	return nil
}

// serve starts the HTTP front with the functions' routes.
func (s *Service) serve(o Options) (err error) {
	front := host.Gateway{Invoker: s.host, Routes: map[string]string{}}
	for _, f := range o.Functions {
		if f.Route != "" {
			front.Routes[f.Route] = f.Name
		}
	}
	ln := o.Listener
	if ln == nil {
		if ln, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return fmt.Errorf("listen for API requests: %w", err)
		}
	}
	srv := &http.Server{Handler: front, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 10 << 10}
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

// Config is for clients of the emulated AWS services.
func (s *Service) Config() aws.Config { return s.emulator.Config() }

// Objects is a client for the buckets.
func (s *Service) Objects() *s3.Client {
	return s3.NewFromConfig(s.emulator.Config(), func(o *s3.Options) { o.UsePathStyle = true })
}

// EmulatorURL is where the emulated AWS services answer.
func (s *Service) EmulatorURL() string { return s.emulator.URL }

// Command is a function's binary with the environment of this service but no Runtime API, for whoever measures its start.
func (s *Service) Command(ctx context.Context, f Function) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.bootstrap(f))
	cmd.Dir = filepath.Dir(cmd.Path)
	cmd.Env = append(s.environment(f), "LAMBDA_TASK_ROOT="+cmd.Dir)
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
