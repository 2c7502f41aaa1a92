package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// build links one function for Lambda's arm64. flags are those of the linker besides the version. Nothing of this machine
// gets into the program: no path, no time, no state of the working tree.
func (r release) build(ctx context.Context, name, to, flags string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-mod=readonly", "-tags", "lambda.norpc",
		"-ldflags", strings.TrimSpace(flags+" -X bulksigner/internal/app.version="+r.version), "-o", to, "./functions/"+name)
	cmd.Dir, cmd.Env = r.root, clean(os.Environ())
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}

// clean is an environment in which nothing of a user's changes what is built.
func clean(environ []string) (env []string) {
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		switch name {
		case "GOFLAGS", "GOEXPERIMENT", "GOARM64", "GODEBUG", "GOFIPS140", "GOOS", "GOARCH", "CGO_ENABLED":
			continue
		}
		env = append(env, pair)
	}
	// What is empty here would be taken from the file that go env -w writes.
	return append(env, "GOFLAGS=-mod=readonly", "GOFIPS140=off", "GOOS=linux", "GOARCH=arm64", "GOARM64=v8.0", "CGO_ENABLED=0", "GOWORK=off")
}

// bootstraps are the programs that were built, by function.
func (r release) bootstraps(work string) map[string]string {
	all := map[string]string{}
	for _, name := range r.functions {
		all[name] = filepath.Join(work, name, "bootstrap")
	}
	return all
}
