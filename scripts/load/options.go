package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// options are the flags.
type options struct {
	kinds  []kind
	rate   float64 // of everything together, in a second
	last   time.Duration
	faults int   // in a thousand of what is begun
	kills  kills // besides the faults
	seed   uint64
	wait   time.Duration
	sample int
	data   string
	curve  []float64 // rates of files; none: everything at one rate
	update bool
}

// Bounds of a run: a machine has to end it.
const (
	maxRate   = 2000
	maxLast   = time.Hour
	maxWait   = time.Hour
	maxThings = 200_000 // each is remembered until the end
	maxCurve  = 20      // rates
)

func parse(args []string, out io.Writer) (o options, err error) {
	f := flag.NewFlagSet("load", flag.ContinueOnError)
	f.SetOutput(out)
	kinds := f.String("kind", "", "what to do, separated by commas: "+strings.Join(names(allKinds()), ", ")+"; all if empty")
	f.Float64Var(&o.rate, "rate", 20, "how `many` things to begin in a second, of all kinds together")
	f.DurationVar(&o.last, "for", 30*time.Second, "how `long`")
	f.IntVar(&o.faults, "faults", 50, "how `many` faults to a thousand things that are begun")
	spec := f.String("kills", "", "the mean `interval` at which a process of each function is killed, as in 20s, or of some: sign=10s,api=30s")
	f.Uint64Var(&o.seed, "seed", 1, "the `number` that sizes, names, faults and kills follow from; 0 draws one")
	f.DurationVar(&o.wait, "wait", 4*time.Minute, "how `long` everything may take to end after that")
	f.IntVar(&o.sample, "sample", 60, "how `many` outputs to verify")
	f.StringVar(&o.data, "data", "", "data `folder`, which stays; without it one that is deleted if all promises were kept")
	curve := f.String("curve", "", "`rates` of files of 100 kB to try one after the other, separated by commas, each for as long as -for says")
	f.BoolVar(&o.update, "update", false, "write what -curve or -kills found into "+performance)
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if err = o.read(*kinds, *spec, *curve); err == nil {
		err = o.check(f.Args())
	}
	if err != nil {
		fmt.Fprintln(out, err)
	}
	for o.seed == 0 {
		o.seed = uint64(rand.Uint32()) // short enough to be typed again
	}
	return o, err
}

// read reads the flags that are lists.
func (o *options) read(kinds, kills, curve string) (err error) {
	if o.kinds, err = kindsOf(kinds); err != nil {
		return err
	}
	if o.kills, err = killsOf(kills); err != nil {
		return err
	}
	o.curve, err = ratesOf(curve)
	return err
}

func (o options) check(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("nobody knows what to do with %q", rest)
	case !(o.rate > 0 && o.rate <= maxRate):
		return fmt.Errorf("-rate must be above 0 and at most %d", maxRate)
	case o.last <= 0 || o.last > maxLast:
		return fmt.Errorf("-for must be above 0 and at most %v", maxLast)
	case o.rate*o.last.Seconds() > maxThings:
		return fmt.Errorf("-rate and -for together must begin at most %d things", maxThings)
	case o.faults < 0 || o.faults > 1000:
		return errors.New("-faults must be from 0 to 1000")
	case o.wait <= 0 || o.wait > maxWait || o.sample < 0:
		return fmt.Errorf("-wait must be above 0 and at most %v, and -sample not below 0", maxWait)
	case len(o.curve) > 0 && len(o.kills) > 0:
		return errors.New("-curve and -kills are two different runs")
	case o.update && len(o.curve) == 0 && len(o.kills) == 0:
		return errors.New("-update writes what -curve or -kills found")
	}
	return nil
}

// ratesOf reads rates that rise.
func ratesOf(list string) (out []float64, err error) {
	if list == "" {
		return nil, nil
	}
	last := 0.0
	for word := range strings.SplitSeq(list, ",") {
		rate, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil || !(rate > last && rate <= maxRate) || len(out) == maxCurve {
			return nil, fmt.Errorf("-curve wants at most %d rates, each above the one before and at most %d", maxCurve, maxRate)
		}
		out, last = append(out, rate), rate
	}
	return out, nil
}
