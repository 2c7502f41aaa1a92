// Command cost says what a document costs on AWS, and what the service costs when nobody uses it: how many requests of each kind a
// document takes, by method, and their price.
//
//	go run ./scripts/cost          reckon from requests.json and prices.json, and compare docs/cost.md with it
//	go run ./scripts/cost -write   the same, and write docs/cost.md and the table in docs/performance.md
//	go run ./scripts/cost -count   run the service on this machine and count anew into requests.json; some minutes
//
// The counts are of the real functions on emulated services. The prices are a file in this folder with its date: nothing is
// asked of AWS.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"bulksigner/internal/local"
)

// Files of this command, from the folder of go.mod.
const (
	requestsFile = "scripts/cost/requests.json"
	pricesFile   = "scripts/cost/prices.json"
	costPage     = "docs/cost.md"
	countsPage   = "docs/performance.md"
)

// limit bounds everything together.
const limit = 15 * time.Minute

func main() {
	count := flag.Bool("count", false, "count anew into "+requestsFile)
	write := flag.Bool("write", false, "write the pages instead of comparing them")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(ctx, limit)
	err := run(ctx, *count, *write, os.Stdout)
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, count, write bool, out io.Writer) error {
	if err := local.EnterModule(); err != nil {
		return err
	}
	module, err := os.Getwd() // the emulated S3 changes it
	if err != nil {
		return err
	}
	if count {
		if err := countAnew(ctx, module, out); err != nil {
			return err
		}
	}
	c, err := load(module)
	if err != nil {
		return err
	}
	b, err := c.bill()
	if err != nil {
		return err
	}
	fmt.Fprint(out, b.text())
	return errors.Join(
		settle(filepath.Join(module, costPage), write, func([]byte) ([]byte, error) { return b.page(), nil }),
		settle(filepath.Join(module, countsPage), write, func(page []byte) ([]byte, error) { return between(page, c.table()) }),
	)
}

// settle writes a page as it is to be, or compares it.
func settle(path string, write bool, make func(was []byte) ([]byte, error)) error {
	was, err := os.ReadFile(path)
	if err != nil && !(write && errors.Is(err, os.ErrNotExist)) {
		return err
	}
	is, err := make(was)
	if err != nil || bytes.Equal(was, is) {
		return err
	}
	if !write {
		return fmt.Errorf("%s is not what comes of the counts and the prices: write it anew with make cost WRITE=1", filepath.Base(path))
	}
	return os.WriteFile(path, is, 0o644)
}

// The marks around the part of a page that is written by this command.
const (
	from = "<!-- counted: make cost WRITE=1 writes from here -->\n"
	to   = "<!-- to here -->\n"
)

// between puts a text between the marks of a page.
func between(page, text []byte) ([]byte, error) {
	head, rest, begins := bytes.Cut(page, []byte(from))
	_, tail, ends := bytes.Cut(rest, []byte(to))
	if !begins || !ends {
		return nil, errors.New("the page has no marks between which the counts belong")
	}
	return bytes.Join([][]byte{head, []byte(from), text, []byte(to), tail}, nil), nil
}
