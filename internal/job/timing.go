package job

import (
	"time"

	"bulksigner/internal/profile"
)

// Timing is what is kept of a Completed job for the statistics.
type Timing struct {
	Job    ID
	At     time.Time // when it was Completed
	Remote bool      // Lacuna Signer had a part in it
	// Stages are those that the job had: one that is not here did not happen.
	Stages map[Stage]time.Duration
}

// TimingOf is the timing of a Completed job.
func TimingOf(j Job) Timing {
	return Timing{Job: j.ID, At: j.Since, Remote: j.Method != profile.Local, Stages: j.Stages}
}

// Total is the sum of the stages that happened. The time in which a job waits for a person is in none of them.
func (t Timing) Total() (d time.Duration) {
	for _, s := range t.Stages {
		d += s
	}
	return d
}
