// Command permissions compares what the functions may do with what they do. It runs the whole service on this machine, has
// everything done to it that a deployment meets, counts each request of AWS by the function that sends it, synthesizes the
// deployment with the very settings of that run, and compares the two: for each function the actions that it asked for and may not,
// and those that it may and never asked for.
//
//	go run ./scripts/permissions          compare, and compare docs/permissions.md with what came of it
//	go run ./scripts/permissions -write   compare, and write docs/permissions.md
//
// It exits with 1 if a function asked for what its role does not grant, if a role grants what nobody asked for and
// exceptions.go does not give the reason, if a reason there is out of date, or if the page differs.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"bulksigner/internal/local"
	"bulksigner/scripts/permissions/synth"
)

// page is where the comparison is written down.
const page = "docs/permissions.md"

// limit bounds the run. It takes about a minute.
const limit = 8 * time.Minute

func main() {
	write := flag.Bool("write", false, "write "+page+" instead of comparing it")
	flag.Parse()
	if _, err := exec.LookPath("node"); err != nil {
		fmt.Println("permissions: skipped, the deployment is synthesized with Node.js; install nodejs 18 or later")
		if os.Getenv("BULKSIGNER_NO_SKIP") == "1" {
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(ctx, limit)
	err := run(ctx, os.Stdout, *write)
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run compares and says what it found.
func run(ctx context.Context, out io.Writer, write bool) (err error) {
	if err := local.EnterModule(); err != nil {
		return err
	}
	module, err := os.Getwd() // the emulated S3 changes it
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "permissions")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	asked, err := observe(ctx, module, filepath.Join(dir, "data"), out)
	if err != nil {
		return fmt.Errorf("run the service: %w", err)
	}
	fmt.Fprintln(out, "synthesizing the deployment with the settings of the run ...")
	template, err := synth.Template(ctx, module, dir, filepath.Join(dir, "data", "config", "settings.json"))
	if err != nil {
		return err
	}
	granted, err := readGrants(template)
	if err != nil {
		return err
	}
	found := compare(asked, granted, exceptions, withheld)
	found.write(out, asked)
	return errors.Join(found.fault(), settle(filepath.Join(module, page), found.page(), write))
}

// settle writes the page, or compares it.
func settle(path string, content []byte, write bool) error {
	if write {
		return os.WriteFile(path, content, 0o644)
	}
	there, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !bytes.Equal(there, content) {
		return fmt.Errorf("%s is not what the run found: write it anew with make permissions WRITE=1, and look at what changed", page)
	}
	return nil
}

// silence keeps killed processes, which are no news here, off the terminal.
func silence(dir string) (func() error, error) {
	log, err := os.Create(filepath.Join(dir, "logs", "permissions.log"))
	if err != nil {
		return nil, err
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(log, nil)))
	return log.Close, nil
}
