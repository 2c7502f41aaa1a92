package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// performance is the page that has the figures of this command.
const performance = "docs/performance.md"

// marks stand around a part of the page that this command writes.
type marks struct{ from, to string }

var (
	curveMarks = marks{"<!-- curve: make curve UPDATE=1 writes from here -->\n", "<!-- curve: to here -->\n"}
	soakMarks  = marks{"<!-- soak: make soak UPDATE=1 writes from here -->\n", "<!-- soak: to here -->\n"}
)

// rewrite puts a text between marks of a page.
func rewrite(path string, m marks, text string) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if page, err = m.between(page, text); err != nil {
		return fmt.Errorf("write %s: %w", performance, err)
	}
	return os.WriteFile(path, page, 0o644)
}

func (m marks) between(page []byte, text string) ([]byte, error) {
	head, rest, begins := bytes.Cut(page, []byte(m.from))
	_, tail, ends := bytes.Cut(rest, []byte(m.to))
	if !begins || !ends {
		return nil, errors.New("the page has no marks between which the figures belong")
	}
	return bytes.Join([][]byte{head, []byte(m.from), []byte(strings.TrimLeft(text, "\n")), []byte(m.to), tail}, nil), nil
}

// summary is what the page tells of a soak.
func (r report) summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%g things a second for %v, %d faults to a thousand, seed %d, %s. %d things were begun. %s\n\n",
		r.rate, r.lasted().Round(1e9), r.faults, r.seed, surroundings(), r.begun, r.ending())
	b.WriteString(r.kills.table(r.killed))
	fmt.Fprintf(&b, "\nJobs: %s. An operator had %d of them tried again. Faults besides: %d. Dead letters: %s. Tries of requests to the API that died and were repeated: %d.\n\n",
		counts(r.ends(), "%s %d"), r.retried, total(r.faulted), counts(r.dead(), "%s %d"), r.repeated())
	b.WriteString(memoryTable(r.memory))
	fmt.Fprintf(&b, "\nItems in the table: %d at the begin, %d at the end (%s).", total(r.before), total(r.table), counts(r.table, "%s %d"))
	r.verdict(&b)
	return b.String()
}

// repeated is how many tries of requests were followed by another one.
func (r report) repeated() (n int) {
	for _, s := range r.answers {
		n += s.repeated
	}
	return n
}

// surroundings are the cores of the machine and how much other work it has.
func surroundings() string {
	return fmt.Sprintf("on %d cores with a load average of %s", runtime.NumCPU(), loadAverage("/proc"))
}
