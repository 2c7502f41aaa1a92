package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"time"
)

// part is a part of the work of this process, where the emulated services live side by side.
type part string

// The parts.
const (
	objectPart part = "S3"
	keyPart    part = "KMS"
	tablePart  part = "DynamoDB"
	wakePart   part = "SQS, Lambda" // queues, pollers and the Runtime API
	loadPart   part = "load"
	frontPart  part = "front"    // which hands requests on to the services, and kumo before it knows which
	restPart   part = "the rest" // connections, the collector, the scheduler: whose they are no stack tells
)

var allParts = []part{objectPart, keyPart, tablePart, wakePart, loadPart, frontPart, restPart}

// owners say by the beginning of a function's name whose work it is. Of a stack the innermost function that is anybody's
// decides, and of what fits a name the first entry here.
var owners = []struct {
	prefix string
	part
}{
	{"github.com/nsmithuk/local-kms/", keyPart},
	{"github.com/versity/versitygw/", objectPart},
	{"github.com/valyala/fasthttp", objectPart}, // only the S3 gateway uses these two
	{"github.com/gofiber/fiber/", objectPart},
	{"github.com/sivchari/kumo/internal/service/dynamodb", tablePart},
	{"bulksigner/internal/local/emulator.guard", tablePart},
	{"bulksigner/internal/local/emulator.addChecksum", tablePart},
	{"github.com/sivchari/kumo/internal/service/sqs", wakePart},
	{"github.com/sivchari/kumo/internal/service/lambda", wakePart},
	{"bulksigner/internal/local/host", wakePart},
	{"bulksigner/internal/local/emulator", frontPart},
	{"github.com/sivchari/kumo", frontPart},
	{"main.", loadPart},
}

// partOf is whose work a stack is, from the innermost function outwards.
func partOf(stack []string) part {
	for _, function := range stack {
		for _, o := range owners {
			if strings.HasPrefix(function, o.prefix) {
				return o.part
			}
		}
	}
	return restPart
}

// topOf is the package that a function is in, as far as it says what is done: crypto of crypto/internal/fips140/bigmod.
func topOf(function string) string {
	path, name := "", function
	if i := strings.LastIndexByte(function, '/'); i >= 0 {
		path, name = function[:i+1], function[i+1:]
	}
	name, _, _ = strings.Cut(name, ".")
	elements := strings.Split(path+name, "/")
	depth := 1
	switch {
	case strings.Contains(elements[0], "."):
		depth = 3 // a host, an owner and a module
	case elements[0] == "internal" || elements[0] == "bulksigner":
		depth = 2
	}
	return strings.Join(elements[:min(depth, len(elements))], "/")
}

// spending is how the CPU time of this process was spent: by part, and by package of what was running.
type spending struct {
	parts map[part]time.Duration
	tops  map[string]time.Duration
	all   time.Duration
}

// profileTo profiles this process until it is called again.
func profileTo(path string) (stop func() error, err error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		return f.Close()
	}, nil
}

// maxTraces is the most that is read of a profile's stacks.
const maxTraces = 256 << 20

// sharesOf reads a profile with the tool that Go brings along.
func sharesOf(ctx context.Context, path string) (s spending, err error) {
	cmd := exec.CommandContext(ctx, "go", "tool", "pprof", "-traces", "-unit=ms", "-symbolize=none", path)
	cmd.Dir = filepath.Dir(path) // the emulated S3 has changed the working directory
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return s, err
	}
	if err := cmd.Start(); err != nil {
		return s, err
	}
	s, err = readTraces(io.LimitReader(out, maxTraces))
	if werr := cmd.Wait(); werr != nil {
		return s, fmt.Errorf("read the CPU profile: %w: %s", werr, bytes.TrimSpace(said.Bytes()))
	}
	return s, err
}

// readTraces adds up stacks as pprof writes them: after a rule a time with the innermost function, then a line for each of
// its callers.
func readTraces(r io.Reader) (s spending, err error) {
	s = spending{parts: map[part]time.Duration{}, tops: map[string]time.Duration{}}
	var spent time.Duration
	var stack []string
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for begun := false; lines.Scan(); {
		fields := strings.Fields(lines.Text())
		switch {
		case strings.HasPrefix(lines.Text(), "-----"):
			s.add(spent, stack)
			begun, spent, stack = true, 0, nil
		case !begun || len(fields) == 0:
		case spent == 0 && len(fields) > 1:
			if spent, err = time.ParseDuration(fields[0]); err != nil {
				return s, fmt.Errorf("read the CPU profile: %w", err)
			}
			stack = append(stack, fields[1])
		case spent > 0:
			stack = append(stack, fields[0])
		}
	}
	s.add(spent, stack)
	return s, lines.Err()
}

func (s *spending) add(spent time.Duration, stack []string) {
	if len(stack) == 0 {
		return
	}
	s.parts[partOf(stack)] += spent
	s.tops[topOf(stack[0])] += spent
	s.all += spent
}

// most names the packages in which most of the time was spent.
func (s spending) most(n int) string {
	names := slices.SortedFunc(maps.Keys(s.tops), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.tops[b], s.tops[a]), cmp.Compare(a, b))
	})
	var parts []string
	for _, name := range names[:min(n, len(names))] {
		parts = append(parts, fmt.Sprintf("`%s` %.0f %%", name, 100*s.tops[name].Seconds()/s.all.Seconds()))
	}
	return strings.Join(parts, ", ")
}
