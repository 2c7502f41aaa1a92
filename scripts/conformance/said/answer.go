package said

import (
	"strconv"
	"strings"
)

// Answer is what a peer says of a case.
type Answer struct {
	Valid, Unable bool
	Why           string // unless it is valid
}

// Answers reads the lines of a peer: the number of the case, "valid", "invalid" or "unable", and why, with tabs between
// them. Any other line is chatter. A case that is answered twice counts as the worse of the two.
func Answers(text string) map[int]Answer {
	answers := map[int]Answer{}
	for line := range strings.Lines(text) {
		columns := strings.SplitN(strings.TrimRight(line, "\r\n"), "\t", 3)
		if len(columns) < 2 {
			continue
		}
		id, err := strconv.Atoi(columns[0])
		if err != nil {
			continue
		}
		a := Answer{Valid: columns[1] == "valid", Unable: columns[1] == "unable", Why: "no reason is given"}
		if len(columns) == 3 && columns[2] != "" {
			a.Why = First(columns[2])
		}
		if before, known := answers[id]; !known || before.Valid {
			answers[id] = a
		}
	}
	return answers
}
