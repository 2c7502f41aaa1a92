// Command load drives the whole service on this machine, with the real functions on the emulated AWS services, and says what
// it did: throughput, times, memory, errors, and whether the service kept its promises.
//
//	go run ./scripts/load                                        a minute of everything, with faults
//	go run ./scripts/load -kind notifications -rate 200 -for 20s Lacuna Signer's notifications alone
//	go run ./scripts/load -kills 20s -for 30m                    processes of every function are killed all the time
//	go run ./scripts/load -curve 5,10,20,40,80                   files alone, at one rate after the other, until it is too much
//
// What it does arrives the way that it does in earnest: files in the input bucket, documents at a fake Lacuna Signer whose
// people act, notifications, requests of the REST API. Faults are processes that are killed, calls of Lacuna Signer that
// fail, and messages that come twice. When the load ends so do the faults; then everything has to come to its end. It exits
// with 1 if a promise was broken. Ctrl-C ends the load early, and a second one the waiting: each time there is a verdict on
// what there was. Nothing leaves the machine, and everything has a bound.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"bulksigner/internal/local"
)

func main() {
	o, err := parse(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		os.Exit(2)
	}
	p, end := interrupts(os.Stderr)
	defer end()
	kept, err := o.run(p, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if err != nil || !kept {
		os.Exit(1)
	}
}

// again is how soon a message comes again whose function died. In a deployment it is half an hour.
const again = 15 * time.Second

// run reports whether all promises were kept.
func (o options) run(p phases, out io.Writer) (kept bool, err error) {
	if err := local.EnterModule(); err != nil {
		return false, err
	}
	page, err := filepath.Abs(performance) // the emulated S3 changes the working directory
	if err != nil {
		return false, err
	}
	data, temporary := o.data, o.data == ""
	if temporary {
		if data, err = os.MkdirTemp("", "load"); err != nil {
			return false, err
		}
	}
	fmt.Fprintln(out, "building the functions and starting the emulated AWS services ...")
	s, err := local.Start(p.load, local.Options{Dir: data, Again: again, Settings: unlimited})
	if err != nil {
		return false, fmt.Errorf("start the service in %s, which stays: %w", data, err)
	}
	kept, err = o.drive(p, s, page, out)
	err = errors.Join(err, s.Close())
	if temporary && kept && err == nil {
		return kept, os.RemoveAll(data)
	}
	fmt.Fprintln(out, "what the functions logged is in", filepath.Join(s.Dir, "logs"))
	return kept, err
}

// unlimited raises how much one client address may ask: everything here comes from one.
func unlimited(_ context.Context, _ *local.Service, settings map[string]any) error {
	many := map[string]any{"PermitsPerWindow": 1_000_000}
	settings["RateLimiting"] = map[string]any{"Upload": many, "Actions": many, "SignerNotification": many}
	return nil
}

// drive puts the load on a running service.
func (o options) drive(p phases, s *local.Service, page string, out io.Writer) (kept bool, err error) {
	if err := loopback(s.URL, s.EmulatorURL(), s.Signer.URL); err != nil {
		return false, err
	}
	log, err := os.Create(filepath.Join(s.Dir, "logs", "load.log"))
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	slog.SetDefault(slog.New(slog.NewTextHandler(log, nil))) // killed processes are no news on the terminal
	if len(o.curve) > 0 {
		return o.climb(p, s, page, out)
	}
	l := newLoad(o, s)
	fmt.Fprintf(out, "%s: %g a second for %v, %d faults to a thousand, %s, seed %d ...\n",
		strings.Join(names(o.kinds), ", "), o.rate, o.last, o.faults, o.kills.words(), o.seed)
	r, err := l.play(p, out)
	if err != nil {
		return false, err
	}
	r.write(out)
	kept = len(r.broken) == 0
	if o.update && kept && p.load.Err() == nil && !r.early {
		err = rewrite(page, soakMarks, r.summary())
	}
	return kept, err
}

// loopback refuses addresses of other machines: nothing of this may leave the one that it runs on.
func loopback(urls ...string) error {
	for _, text := range urls {
		u, err := url.Parse(text)
		if err != nil {
			return err
		}
		if ip := net.ParseIP(u.Hostname()); ip == nil || !ip.IsLoopback() {
			return fmt.Errorf("%s is no address of this machine's own", text)
		}
	}
	return nil
}
