package judge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"bulksigner/scripts/conformance/said"
)

// Limits of a tool: how long it may take for one document and for all, and how much it may print.
const (
	patience  = time.Minute
	patience4 = 4 * patience // for all documents at once
	maxOutput = 64 << 20
)

// run runs a tool and returns what it prints on both streams, and whether it says by its exit code that all is well.
func run(ctx context.Context, name string, args ...string) (text string, ok bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return finish(ctx, exec.CommandContext(ctx, name, args...))
}

// do runs a tool that has to succeed.
func do(ctx context.Context, name string, args ...string) error {
	text, ok, err := run(ctx, name, args...)
	if err == nil && !ok {
		err = fmt.Errorf("%s: %s", name, said.First(text))
	}
	return err
}

// finish runs a command that is bound to a context.
func finish(ctx context.Context, cmd *exec.Cmd) (text string, ok bool, err error) {
	var out bounded
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "TZ=UTC")
	cmd.WaitDelay = time.Second // a grandchild may hold the pipe open
	err = cmd.Run()
	_, failed := errors.AsType[*exec.ExitError](err)
	switch {
	case ctx.Err() != nil:
		return "", false, fmt.Errorf("%s does not come to an end: %w", cmd.Path, ctx.Err())
	case err != nil && !failed:
		return "", false, err
	case out.full:
		return "", false, fmt.Errorf("%s prints more than %d bytes", cmd.Path, maxOutput)
	}
	return out.text.String(), err == nil, nil
}

// bounded keeps output up to a limit. A tool that prints more is not stopped, which could look like its own failure.
type bounded struct {
	mu   sync.Mutex
	text bytes.Buffer
	full bool
}

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.full = b.full || b.text.Len()+len(p) > maxOutput; !b.full {
		b.text.Write(p)
	}
	return len(p), nil
}

// installed finds tools on the path. The version is what the first one prints when it is asked by a flag.
func installed(flag string, tools ...string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		for _, t := range tools {
			if _, err := exec.LookPath(t); err != nil {
				return "", err
			}
		}
		text, _, err := run(ctx, tools[0], flag) // some end with a failure after this
		return version(text), err
	}
}

// version is the first word of a text that has a number in it and looks like a version.
func version(text string) string {
	for word := range strings.FieldsSeq(said.First(text)) {
		if word = strings.Trim(word, `",()`); len(word) > 2 && word[0] >= '0' && word[0] <= '9' && strings.Contains(word, ".") {
			return word
		}
	}
	return ""
}

// before remembers what a tool says of an original, which is signed with several keys.
type before[T any] struct{ known sync.Map }

// of returns what ask says of a file. It is asked once.
func (b *before[T]) of(file string, ask func() (T, error)) (T, error) {
	once, _ := b.known.LoadOrStore(file, sync.OnceValues(ask))
	return once.(func() (T, error))()
}

// part copies a part of a file.
func part(to io.Writer, from *os.File, begin, end int64) error {
	_, err := io.Copy(to, io.NewSectionReader(from, begin, end-begin))
	return err
}
