// Command release makes what a release consists of: the six functions as zip files, sums of all files, a bill of materials
// for each program, the licences of what is in them, and what was checked.
//
// The same sources, built by the same Go, make the same bytes: whoever doubts a release builds it again and compares
// SHA256SUMS. A check that could not be made is said in CHECKS and at the end; with BULKSIGNER_NO_SKIP=1 it is a failure. A
// known vulnerability always is one.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// limit bounds everything together.
const limit = 30 * time.Minute

// functions are the programs of a release.
var functions = []string{"api", "notify", "poll", "recover", "sign", "sweep"}

// versionForm is what a version may look like: it stands in names of files and in the programs.
var versionForm = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z.+_-]{0,63}$`)

// release is a release in the making.
type release struct {
	version   string
	functions []string
	root      string // of the module
	out       string
	strict    bool
}

func main() {
	out := flag.String("out", "dist/release", "folder that the release gets a folder of its own in")
	version := flag.String("version", "", "version; without it, what git describes")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	r, err := begin(ctx, *out, *version)
	if err == nil {
		err = r.make(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		cancel()
		os.Exit(1)
	}
}

// begin finds out what is released and makes an empty folder for it.
func begin(ctx context.Context, out, version string) (release, error) {
	r := release{version: version, functions: functions, strict: os.Getenv("BULKSIGNER_NO_SKIP") == "1"}
	var err error
	if r.root, err = moduleRoot(ctx); err != nil {
		return r, err
	}
	if r.version == "" {
		if r.version, err = output(ctx, r.root, "git", "describe", "--tags", "--always", "--dirty"); err != nil {
			return r, fmt.Errorf("ask git for the version; or give one with -version: %w", err)
		}
	}
	if !versionForm.MatchString(r.version) {
		return r, fmt.Errorf("%q cannot be a version: letters, digits and . + _ - alone", r.version)
	}
	if r.out, err = filepath.Abs(filepath.Join(out, r.version)); err != nil {
		return r, err
	}
	if err := os.RemoveAll(r.out); err != nil { // what an earlier try left would be summed up too
		return r, err
	}
	return r, os.MkdirAll(r.out, 0o755)
}

func moduleRoot(ctx context.Context) (string, error) {
	mod, err := output(ctx, "", "go", "env", "GOMOD")
	if err != nil {
		return "", err
	}
	if mod == "" || mod == os.DevNull {
		return "", fmt.Errorf("this is not the folder of the module")
	}
	return filepath.Dir(mod), nil
}

// make builds, packs, describes, checks and sums up, in this order.
func (r release) make(ctx context.Context) error {
	work, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	for _, name := range r.functions {
		fmt.Printf("%-8s build and pack\n", name)
		if err := r.program(ctx, work, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := r.notice(ctx, work); err != nil {
		return fmt.Errorf("list the licences: %w", err)
	}
	unchecked, err := r.check(ctx, work)
	if err != nil {
		return err
	}
	if err := sumUp(r.out); err != nil {
		return fmt.Errorf("sum up: %w", err)
	}
	return r.tell(unchecked)
}

// program builds and packs one function.
func (r release) program(ctx context.Context, work, name string) error {
	bootstrap := filepath.Join(work, name, "bootstrap")
	if err := r.build(ctx, name, bootstrap, "-s -w"); err != nil {
		return err
	}
	return pack(filepath.Join(r.out, fmt.Sprintf("bulksigner-%s-%s.zip", r.version, name)), []member{{"bootstrap", bootstrap, 0o755}})
}

// tell prints where the release is, and what is wrong with it.
func (r release) tell(unchecked []string) error {
	fmt.Println("The release is in " + r.out)
	if strings.HasSuffix(r.version, "-dirty") {
		fmt.Println("IT IS NOT WHAT WAS COMMITTED: the working tree has changes.")
	}
	for _, line := range unchecked {
		fmt.Println("NOT CHECKED: " + line)
	}
	if r.strict && len(unchecked) > 0 {
		return fmt.Errorf("%d checks could not be made", len(unchecked))
	}
	return nil
}

// output runs a command and returns the one line that it prints.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}
