package simulation

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Figures are what a search came to, for those who count.
type Figures struct {
	Method   string // Exploring or Walking
	Scenario string
	Depth    int // departures of a schedule, at most
	Faults   int // those of them that may be something that goes wrong
	Result
	Took time.Duration
	Seed uint64 // of a walk that fails
}

// The methods of a search.
const (
	Exploring = "explore"
	Walking   = "walk"
)

// figuresMark begins a line that tells figures.
const figuresMark = "simulation-figures "

// Line writes figures in one line, with its end.
func (f Figures) Line() (string, error) {
	b, err := json.Marshal(f)
	if err != nil {
		return "", fmt.Errorf("write figures: %w", err)
	}
	return figuresMark + string(b) + "\n", nil
}

// ParseFigures reads what Line wrote. It reports false for a line that tells something else.
func ParseFigures(line string) (f Figures, ok bool, err error) {
	text, ok := strings.CutPrefix(strings.TrimSpace(line), figuresMark)
	if !ok {
		return f, false, nil
	}
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		return f, true, fmt.Errorf("read figures: %w", err)
	}
	return f, true, nil
}
