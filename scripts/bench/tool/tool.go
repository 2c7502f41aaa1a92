// Package tool has the signers that are programs of their own. Where a program works on one document and ends, all of the
// process is timed, which each runner says of itself.
package tool

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// maxSaid bounds what is kept of a program's words, of which only the last are of interest.
const maxSaid = 4 << 10

// Missing says what to install if a program is not there.
func Missing(program, debianPackage string) string {
	if _, err := exec.LookPath(program); err != nil {
		return fmt.Sprintf("%s is not installed: apt-get install %s", program, debianPackage)
	}
	return ""
}

// Command is a program with its arguments.
type Command []string

// run runs a command to its end and returns how long that took.
func (c Command) run(ctx context.Context, dir string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, c[0], c[1:]...)
	cmd.Dir = dir
	said := &tail{}
	cmd.Stdout, cmd.Stderr = said, said
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	if err != nil {
		return 0, fmt.Errorf("%s: %w: %s", c[0], err, strings.TrimSpace(said.String()))
	}
	return took, nil
}

// Timed returns what runs commands one after the other, so many times.
func Timed(commands ...Command) func(ctx context.Context, times int) (time.Duration, error) {
	return func(ctx context.Context, times int) (total time.Duration, _ error) {
		for range times {
			for _, c := range commands {
				took, err := c.run(ctx, "")
				if err != nil {
					return 0, err
				}
				total += took
			}
		}
		return total, nil
	}
}

// tail keeps the last of what is written to it.
type tail struct{ bytes.Buffer }

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.Buffer.Write(p[max(0, len(p)-maxSaid):])
	if over := t.Len() - maxSaid; over > 0 {
		t.Next(over)
	}
	return len(p), nil
}
