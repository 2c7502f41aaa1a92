package job

import (
	"time"

	"bulksigner/internal/fault"
)

// NameClaim is how a new job takes the name of its file, where a name is good for one document: from the job that had it,
// which has ended otherwise than well or is gone.
type NameClaim struct {
	Keep bool // names are kept at all
	Held ID   // "" for a name that nobody had
}

// NewAlreadyProcessed makes the job, Failed from its birth, of a file whose name another job holds.
func NewAlreadyProcessed(o Origin, holder ID, now time.Time) Job {
	j := New(o, now)
	j.Status, j.Code = Failed, fault.FileAlreadyProcessed
	j.Error = "A file of this name was taken in by job " + string(holder) + " before. Rename it, or delete the record of that job."
	j.History = []Entry{newEntry(j.CreatedAt, Failed, j.Code, j.Error)}
	return j
}
