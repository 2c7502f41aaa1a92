package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// The tools, as go run fetches them.
const (
	billTool  = "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0"
	checkTool = "golang.org/x/vuln/cmd/govulncheck@v1.9.0"
)

// vulnerable is the exit code by which govulncheck says that it found something.
const vulnerable = 3

// checksFile says what was checked, beside what was released.
const checksFile = "CHECKS"

// check makes a bill of materials for each program and looks for known vulnerabilities in it. It returns what could not be
// done, which is written down too. What was found is an error.
func (r release) check(ctx context.Context, work string) (unchecked []string, _ error) {
	var done []string
	for _, name := range r.functions {
		fmt.Printf("%-8s bill of materials and vulnerabilities\n", name)
		if err := r.bill(ctx, work, name); err != nil {
			unchecked = append(unchecked, fmt.Sprintf("%s has no bill of materials: %v", name, err))
		}
		found, err := r.vulnerabilities(ctx, work, name)
		switch {
		case found != "":
			return unchecked, fmt.Errorf("%s has known vulnerabilities:\n%s", name, found)
		case err != nil:
			unchecked = append(unchecked, fmt.Sprintf("%s was not searched for known vulnerabilities: %v", name, err))
		default:
			done = append(done, name+": no known vulnerabilities, by "+checkTool)
		}
	}
	return unchecked, r.write(done, unchecked)
}

func (r release) write(done, unchecked []string) error {
	var b strings.Builder
	for _, line := range done {
		b.WriteString(line + "\n")
	}
	for _, line := range unchecked {
		b.WriteString("NOT CHECKED: " + line + "\n")
	}
	return os.WriteFile(filepath.Join(r.out, checksFile), []byte(b.String()), 0o644)
}

// bill writes a bill of materials in CycloneDX, from what the linker put into the program. It has no time and no serial
// number, so that the same program has the same bill.
func (r release) bill(ctx context.Context, work, name string) error {
	to := filepath.Join(r.out, fmt.Sprintf("bulksigner-%s-%s.cdx.json", r.version, name))
	return tool(ctx, r.root, billTool, "bin", "-json", "-std", "-noserial", "-notimestamp", "-version", r.version, "-output", to, filepath.Join(work, name, "bootstrap"))
}

// vulnerabilities looks for what is known. Only a program with its symbols tells which functions are in it, so that one is
// linked for the look. What is found is one text; "" is nothing.
func (r release) vulnerabilities(ctx context.Context, work, name string) (string, error) {
	whole := filepath.Join(work, name, "whole")
	if err := r.build(ctx, name, whole, ""); err != nil {
		return "", err
	}
	err := tool(ctx, r.root, checkTool, "-mode=binary", whole)
	return judge(err)
}

// judge tells what was found from a look that could not be taken. go run ends with 1 whatever the tool ended with, and
// prints its code.
func judge(err error) (found string, _ error) {
	var t toolError
	if errors.As(err, &t) && strings.Contains(t.said, fmt.Sprintf("exit status %d", vulnerable)) {
		return t.said, nil
	}
	return "", err
}

// toolError is a tool that failed, with what it said.
type toolError struct {
	said  string
	cause error
}

// Error is short: the last line says why.
func (e toolError) Error() string {
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(e.said, "exit status 1", "")), "\n")
	return fmt.Sprintf("%v: %s", e.cause, strings.TrimSpace(lines[len(lines)-1]))
}

// Unwrap gives the cause.
func (e toolError) Unwrap() error { return e.cause }

// tool runs a Go tool of a fixed version.
func tool(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{"run", name}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return toolError{string(out), err}
	}
	return nil
}
