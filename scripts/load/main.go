// Command load drives the whole service on this machine, with the real functions on the emulated AWS services, and says what
// it did: throughput, times, memory, errors, and whether the service kept its promises.
//
//	go run ./scripts/load                                        a minute of everything, with faults
//	go run ./scripts/load -kind notifications -rate 200 -for 20s Lacuna Signer's notifications alone
//
// What it does arrives the way that it does in earnest: files in the input bucket, documents at a fake Lacuna Signer whose
// people act, notifications, requests of the REST API. Faults are processes that are killed, calls of Lacuna Signer that
// fail, and messages that come twice. When the load ends so do the faults; then everything has to come to its end. It exits
// with 1 if a promise was broken.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"bulksigner/internal/local"
)

// options are the flags.
type options struct {
	kinds  []kind
	rate   float64 // of everything together, in a second
	last   time.Duration
	faults int // in a thousand of what is begun
	seed   uint64
	wait   time.Duration
	sample int
	data   string
}

func main() {
	o, err := parse(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	kept, err := o.run(ctx, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if err != nil || !kept {
		os.Exit(1)
	}
}

// Bounds of a run: a machine has to end it.
const (
	maxRate = 2000
	maxLast = time.Hour
)

func parse(args []string, out io.Writer) (o options, err error) {
	f := flag.NewFlagSet("load", flag.ContinueOnError)
	f.SetOutput(out)
	kinds := f.String("kind", "", "what to do, separated by commas: "+strings.Join(names(allKinds()), ", ")+"; all if empty")
	f.Float64Var(&o.rate, "rate", 20, "how `many` things to begin in a second, of all kinds together")
	f.DurationVar(&o.last, "for", 30*time.Second, "how `long`")
	f.IntVar(&o.faults, "faults", 50, "how `many` faults to a thousand things that are begun")
	f.Uint64Var(&o.seed, "seed", 1, "the `number` that sizes, names and faults follow from")
	f.DurationVar(&o.wait, "wait", 4*time.Minute, "how `long` everything may take to end after that")
	f.IntVar(&o.sample, "sample", 60, "how `many` outputs to verify")
	f.StringVar(&o.data, "data", "", "data `folder`, which stays; without it one that is deleted if all promises were kept")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if o.kinds, err = kindsOf(*kinds); err == nil {
		err = o.check(f.Args())
	}
	if err != nil {
		fmt.Fprintln(out, err)
	}
	return o, err
}

func (o options) check(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("nobody knows what to do with %q", rest)
	case !(o.rate > 0 && o.rate <= maxRate):
		return fmt.Errorf("-rate must be above 0 and at most %d", maxRate)
	case o.last <= 0 || o.last > maxLast:
		return fmt.Errorf("-for must be above 0 and at most %v", maxLast)
	case o.faults < 0 || o.faults > 1000:
		return errors.New("-faults must be from 0 to 1000")
	case o.wait <= 0 || o.sample < 0:
		return errors.New("-wait must be above 0, and -sample not below")
	}
	return nil
}

// again is how soon a message comes again whose function died. In a deployment it is half an hour.
const again = 15 * time.Second

// run reports whether all promises were kept.
func (o options) run(ctx context.Context, out io.Writer) (kept bool, err error) {
	if err := enterModule(); err != nil {
		return false, err
	}
	data, temporary := o.data, o.data == ""
	if temporary {
		if data, err = os.MkdirTemp("", "load"); err != nil {
			return false, err
		}
	}
	fmt.Fprintln(out, "building the functions and starting the emulated AWS services ...")
	s, err := local.Start(ctx, local.Options{Dir: data, Again: again})
	if err != nil {
		return false, fmt.Errorf("start the service: %w", err)
	}
	kept, err = o.drive(ctx, s, out)
	err = errors.Join(err, s.Close())
	if temporary && kept && err == nil {
		return kept, os.RemoveAll(data)
	}
	fmt.Fprintln(out, "what the functions logged is in", filepath.Join(s.Dir, "logs"))
	return kept, err
}

// drive puts the load on a running service.
func (o options) drive(ctx context.Context, s *local.Service, out io.Writer) (kept bool, err error) {
	log, err := os.Create(filepath.Join(s.Dir, "logs", "load.log"))
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	slog.SetDefault(slog.New(slog.NewTextHandler(log, nil))) // killed processes are no news on the terminal
	l := newLoad(o, s)
	watching, stop := context.WithCancel(ctx)
	memory := watchMemory(watching)
	fmt.Fprintf(out, "%s: %g a second for %v, %d faults to a thousand, seed %d ...\n", strings.Join(names(o.kinds), ", "), o.rate, o.last, o.faults, o.seed)
	err = l.work(ctx)
	if err == nil {
		fmt.Fprintln(out, "no more load and no more faults; waiting for what has begun ...")
		err = l.settle(ctx)
	}
	stop()
	r := report{options: o, memory: <-memory}
	if err != nil {
		return false, err
	}
	if r.snapshot, err = l.look(ctx); err != nil {
		return false, err
	}
	r.faulted, r.retried, r.ended, r.answers = l.faulted.all(), l.retried, l.outlived, l.answers.all()
	r.settled = l.settled
	r.broken = slices.Concat(r.snapshot.broken(), l.answers.broken(o.faults > 0))
	r.write(out)
	return len(r.broken) == 0, nil
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
