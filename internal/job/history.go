package job

import (
	"crypto/rand"
	"slices"
	"time"
	"unicode/utf8"

	"bulksigner/internal/fault"
)

// Bounds of a history: with them an item stays far below DynamoDB's 400 KB.
const (
	MaxEntries      = 100
	MaxMessageBytes = 2048
	cutMark         = " … (cut)"
)

// Entry is one write in the life of a job.
type Entry struct {
	ID      string // random, of the write that made the entry
	Time    time.Time
	Status  Status
	Code    fault.Code
	Message string
}

func newEntry(now time.Time, s Status, c fault.Code, message string) Entry {
	return Entry{ID: rand.Text(), Time: now, Status: s, Code: c, Message: cut(message, MaxMessageBytes)}
}

// Last is the entry of the newest write.
func (j Job) Last() Entry {
	if len(j.History) == 0 {
		return Entry{}
	}
	return j.History[len(j.History)-1]
}

// Wrote reports whether a write is in the job's history. Who loses a condition and finds its own write has won: only the
// reply was lost.
func (j Job) Wrote(id string) bool {
	return slices.ContainsFunc(j.History, func(e Entry) bool { return e.ID == id })
}

// record appends an entry to a copy of the history. A full history loses its second entry, and the entry after says so:
// how a job began and what happened last matter most.
func record(history []Entry, e Entry) []Entry {
	if len(history) < MaxEntries {
		return append(slices.Clip(history), e)
	}
	kept := append(slices.Clone(history[:1]), history[len(history)-MaxEntries+3:]...)
	kept = slices.Insert(kept, 1, Entry{ID: "cut", Time: kept[1].Time, Status: kept[1].Status, Message: "Earlier entries were cut."})
	return append(kept, e)
}

// cut shortens s to at most n bytes, on a rune's border.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	end := n - len(cutMark)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + cutMark
}
