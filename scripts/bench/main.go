// Command bench measures bulksigner beside others that sign: the same key, the same file, from file to file, in one run.
// It writes tables in Markdown, as they stand in docs/performance.md.
//
//	cd scripts/bench && go run .                 everything, which takes three minutes and 300 MB in /dev/shm
//	cd scripts/bench && go run . -only 'PDF.*kB' some of it
//
// What is not installed is left out, with a line that says how to get it. The packages of npm are put into a folder that
// goes at the end.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"

	"bulksigner/scripts/bench/identity"
	"bulksigner/scripts/bench/library"
	"bulksigner/scripts/bench/race"
)

func main() {
	var o options
	flag.StringVar(&o.dir, "dir", "", "the `folder` for what is signed; without it /dev/shm, if there is one")
	flag.StringVar(&o.only, "only", "", "an `expression` that the titles of what is measured have to match")
	flag.IntVar(&o.rounds, "rounds", 0, "the `number` of rounds of every comparison, instead of its own")
	flag.StringVar(&o.once, "once", "", "sign one file into another with the signer of this `name` and end, telling the need of memory")
	flag.StringVar(&o.keys, "keys", "", "the `folder` with the keys for -once")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := o.run(ctx, os.Stdout, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type options struct {
	dir, only, once, keys string
	rounds                int
}

func (o options) run(ctx context.Context, stdout io.Writer, args []string) (err error) {
	if o.once != "" {
		return o.signOnce(stdout, args)
	}
	only, err := regexp.Compile(o.only)
	if err != nil {
		return err
	}
	b, err := open(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	for _, s := range b.steps() {
		if !only.MatchString(s.title) {
			continue
		}
		if err := b.do(ctx, s, stdout); err != nil {
			return err
		}
	}
	return nil
}

// signOnce is the whole life of a process that is measured as one.
func (o options) signOnce(stdout io.Writer, args []string) error {
	if len(args) != 2 {
		return errors.New("-once needs two files")
	}
	id, err := identity.Load(o.keys)
	if err != nil {
		return err
	}
	s, err := library.Named(o.once)
	if err != nil {
		return err
	}
	peak, err := race.PeakOf(func() error { return s(id, args[0], args[1]) })
	if err != nil {
		return err
	}
	return json.NewEncoder(stdout).Encode(peak)
}
