// Command decrypt-bsenc opens a BSENC v1 envelope, which is what the service makes of an output that is to be encrypted.
//
//	go build ./scripts/decrypt-bsenc
//	./decrypt-bsenc [-salt BASE64] [-iterations N] [-password-file FILE] [-o OUT] [-f] FILE.enc
//
// The password is the text of the environment variable BULK_SIGNER_ENCRYPTION_PASSWORD. With -password-file it is the text
// of that file, or of standard input for -, without the line break at its end. It is never an argument, since others on the
// machine can read those. Salt and iterations are those of the service's settings; the environment variables
// Encryption__Salt and Encryption__Iterations stand in for their flags.
//
// The document goes to OUT, which is FILE for FILE.enc, readable by its owner alone. It is there whole or not at all, and
// what is there already stays, unless -f is given.
//
// The exit code is 0 if the document was written, 1 if the file is no BSENC v1 envelope, 2 if it does not open, because
// password, salt or iterations are others or it is damaged, and 3 for anything else: arguments, password, files. go run
// makes 1 of every code but 0.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"bulksigner/internal/bsenc"
)

// The exit codes.
const (
	done       = 0
	format     = 1
	decryption = 2
	otherwise  = 3
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], surroundings{os.Getenv, os.Stdin, os.Stderr})
	stop()
	os.Exit(code)
}

// surroundings are what a process has besides its arguments.
type surroundings struct {
	getenv func(string) string
	stdin  io.Reader
	stderr io.Writer
}

// run does everything and returns the exit code.
func run(ctx context.Context, args []string, s surroundings) int {
	o, err := parse(args, s)
	if errors.Is(err, flag.ErrHelp) {
		return done
	}
	if err == nil {
		err = decrypt(ctx, o, s)
	}
	if err != nil {
		fmt.Fprintln(s.stderr, "decrypt-bsenc:", err)
	}
	return exitCode(err)
}

func exitCode(err error) int {
	switch {
	case err == nil:
		return done
	case errors.Is(err, bsenc.ErrFormat):
		return format
	case errors.Is(err, bsenc.ErrDecryption):
		return decryption
	}
	return otherwise
}

func decrypt(ctx context.Context, o options, s surroundings) error {
	if err := free(o); err != nil {
		return err
	}
	password, err := readPassword(o.passwordFile, s)
	if err != nil {
		return err
	}
	key, err := bsenc.DeriveKey(password, o.salt, o.iterations)
	if err != nil {
		return err
	}
	envelope, err := readEnvelope(o.in)
	if err != nil {
		return err
	}
	plaintext, err := bsenc.OpenInPlace(key, envelope)
	if err != nil {
		return fmt.Errorf("%s: %w", o.in, err)
	}
	return write(ctx, o, plaintext)
}
