package guide

import (
	"errors"
	"fmt"
	"strings"

	"bulksigner/internal/fault"
)

const (
	comment = "#" // begins a block that is not read
	remedy  = ">" // begins each line of a remedy
)

// parse reads a catalogue: blocks between blank lines, each with a code in its first line, then the meaning, then the
// remedy. Where lines break means nothing.
func parse(text string) (map[fault.Code]Entry, error) {
	entries := map[fault.Code]Entry{}
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if strings.HasPrefix(block, comment) {
			continue
		}
		code, e, err := parseBlock(block)
		if err != nil {
			return nil, fmt.Errorf("%.40q: %w", code, err)
		}
		if _, twice := entries[code]; twice {
			return nil, fmt.Errorf("%.40q: it is there twice", code)
		}
		entries[code] = e
	}
	return entries, nil
}

// parseBlock reads what is said of one code.
func parseBlock(block string) (fault.Code, Entry, error) {
	var meaning, advice []string
	first, rest, _ := strings.Cut(strings.Trim(block, "\n"), "\n")
	code := fault.Code(first)
	for line := range strings.SplitSeq(rest, "\n") {
		said, advises := strings.CutPrefix(line, remedy)
		switch {
		case advises:
			advice = append(advice, strings.TrimSpace(said))
		case len(advice) > 0:
			return code, Entry{}, errors.New("its meaning goes on after its remedy")
		default:
			meaning = append(meaning, strings.TrimSpace(line))
		}
	}
	e := Entry{Meaning: strings.Join(meaning, " "), Remedy: strings.Join(advice, " ")}
	if code == "" || e.Meaning == "" || e.Remedy == "" {
		return code, Entry{}, errors.New("it lacks its code, its meaning or its remedy")
	}
	return code, e, nil
}
