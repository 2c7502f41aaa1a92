package console

import (
	"regexp"
	"sync"

	"bulksigner/internal/job"
)

// piece is a part of a text. Job is the job that it names, or "".
type piece struct {
	Text string
	Job  job.ID
}

// mention finds how the service's own texts name a job.
var mention = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b[Jj]ob [0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`)
})

// piecesOf takes a text apart into the jobs that it names and what stands between them.
func piecesOf(text string) (all []piece) {
	at := 0
	for _, m := range mention().FindAllStringIndex(text, -1) {
		begin := m[0] + len("job ")
		if begin > at {
			all = append(all, piece{Text: text[at:begin]})
		}
		at = m[1]
		all = append(all, piece{Text: text[begin:at], Job: job.ID(text[begin:at])})
	}
	if at < len(text) {
		all = append(all, piece{Text: text[at:]})
	}
	return all
}
