package main

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// weighEvery is how often memory is looked at.
const weighEvery = 500 * time.Millisecond

// this is what this process is called among those of the functions.
const this = "this process"

// need is the most memory that processes had at a time, in bytes: all of one function together, and the largest of them.
type need struct{ together, largest int64 }

// watchMemory looks at the resident memory of this process and its functions until ctx ends, and then tells the most that it
// saw, by function. Where there is no /proc it sees nothing.
func watchMemory(ctx context.Context) <-chan map[string]need {
	told := make(chan map[string]need, 1)
	go func() {
		most := map[string]need{}
		tick := time.NewTicker(weighEvery)
		defer tick.Stop()
		for ctx.Err() == nil {
			most = larger(most, weigh("/proc", os.Getpid()))
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
		}
		told <- most
	}()
	return told
}

func larger(most, now map[string]need) map[string]need {
	for name, n := range now {
		m := most[name]
		most[name] = need{max(m.together, n.together), max(m.largest, n.largest)}
	}
	return most
}

// weigh reads the resident memory of a process and its children. Processes that end meanwhile are left out.
func weigh(proc string, self int) map[string]need {
	now := map[string]need{}
	dirs, _ := filepath.Glob(filepath.Join(proc, "[0-9]*")) // the pattern is good
	for _, dir := range dirs {
		id, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		parent, resident, ok := stat(dir)
		if !ok || id != self && parent != self {
			continue
		}
		name := this
		if id != self {
			if name = function(dir); name == "" {
				continue
			}
		}
		n := now[name]
		now[name] = need{n.together + resident, max(n.largest, resident)}
	}
	return now
}

// Places of what is read in a process's stat, after its name, which stands in brackets.
const (
	parentField   = 1
	residentField = 21
)

// stat reads a process's parent and its resident memory.
func stat(dir string) (parent int, resident int64, ok bool) {
	text, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return 0, 0, false
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) <= residentField {
		return 0, 0, false
	}
	parent, err = strconv.Atoi(fields[parentField])
	pages, perr := strconv.ParseInt(fields[residentField], 10, 64)
	return parent, pages * int64(os.Getpagesize()), err == nil && perr == nil
}

// function names what a child runs: functions/<name>/bootstrap. A child that has not begun to, or has ended, runs nothing.
func function(dir string) string {
	line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
	program, _, _ := strings.Cut(string(line), "\x00")
	if err != nil || filepath.Base(program) != "bootstrap" {
		return ""
	}
	return filepath.Base(filepath.Dir(program))
}
