package main

import (
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"

	"bulksigner/internal/bsenc"
)

// The settings' environment variables.
const (
	saltVariable       = "Encryption__Salt"
	iterationsVariable = "Encryption__Iterations"
)

const extension = ".enc"

// options are what the arguments say.
type options struct {
	in, out      string
	force        bool
	salt         []byte
	iterations   int
	passwordFile string // "" for the environment variable, - for standard input
}

// parse reads the arguments. What it refuses it does not repeat: a password may have strayed there.
func parse(args []string, s surroundings) (o options, err error) {
	flags := flag.NewFlagSet("decrypt-bsenc", flag.ContinueOnError)
	flags.SetOutput(s.stderr)
	flags.Usage = func() {
		fmt.Fprintln(s.stderr, "usage: decrypt-bsenc [flags] FILE.enc, with the password in "+passwordVariable)
		flags.PrintDefaults()
	}
	salt := flags.String("salt", "", "the salt, in `base64`; by default what "+saltVariable+" has")
	iterations := flags.String("iterations", "", "the `number` of iterations; by default what "+iterationsVariable+
		" has, or "+strconv.Itoa(bsenc.DefaultIterations))
	flags.StringVar(&o.passwordFile, "password-file", "", "`file` with the password, - for standard input")
	flags.StringVar(&o.out, "o", "", "`file` to write; by default the envelope's name without "+extension)
	flags.BoolVar(&o.force, "f", false, "replace a file of that name")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() != 1 {
		return o, fmt.Errorf("want one file, after the flags, and not %d; -h explains", flags.NArg())
	}
	o.in = flags.Arg(0)
	return o, errors.Join(o.nameOutput(), o.setSalt(*salt, s), o.setIterations(*iterations, s))
}

func (o *options) nameOutput() error {
	if o.out != "" {
		return nil
	}
	stem, ok := strings.CutSuffix(o.in, extension)
	if !ok || stem == "" || strings.HasSuffix(stem, "/") {
		return fmt.Errorf("the file's name does not end in %s: say with -o what to write", extension)
	}
	o.out = stem
	return nil
}

func (o *options) setSalt(text string, s surroundings) (err error) {
	if text == "" {
		text = s.getenv(saltVariable)
	}
	if text == "" {
		return errors.New("the salt is missing: set -salt or " + saltVariable)
	}
	if o.salt, err = base64.StdEncoding.DecodeString(text); err != nil {
		return errors.New("the salt is not base64")
	}
	return nil
}

func (o *options) setIterations(text string, s surroundings) (err error) {
	if text == "" {
		text = s.getenv(iterationsVariable)
	}
	if text == "" {
		o.iterations = bsenc.DefaultIterations
		return nil
	}
	if o.iterations, err = strconv.Atoi(text); err != nil {
		return errors.New("the iterations are not a number")
	}
	return nil
}
