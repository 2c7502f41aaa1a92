package job

import "time"

// Standing is how many jobs are in a status that is not final, and since when the first of them is.
type Standing struct {
	Jobs   int
	More   bool      // there may be more than were counted
	Oldest ID        // "" if there is none
	Since  time.Time // when the oldest got there
}

// Hour is how many jobs ended in one hour. The figures are approximate, like those of all counters.
type Hour struct {
	Start     time.Time // a full hour of UTC
	Completed int64
	Failed    int64
	Canceled  int64 // by operators, or because the document moved on at Lacuna Signer
	Encrypted int64 // of those that were completed
}

// Add adds the figures of another hour. The start stays.
func (h *Hour) Add(o Hour) {
	h.Completed, h.Failed = h.Completed+o.Completed, h.Failed+o.Failed
	h.Canceled, h.Encrypted = h.Canceled+o.Canceled, h.Encrypted+o.Encrypted
}
