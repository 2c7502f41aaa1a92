package job

import (
	"fmt"
	"time"

	"bulksigner/internal/fault"
)

// Ending is what is known of a run that died after its job was signed.
type Ending struct {
	Published bool       // the output with this job's id is there: publication follows verification
	Code      fault.Code // what became of the input, if it is still there
	Message   string
}

// Interrupt ends the run of a job whose claim is over, by what is known and never by hope: what had not begun goes back
// to the queue, at most MaxDeaths times; a marked job ends.
func (j Job) Interrupt(e Ending, now time.Time) (Job, error) {
	if !j.Abandoned(now) {
		return Job{}, fault.New(fault.JobRaceLost, "job %s is not abandoned", j.ID)
	}
	switch {
	case j.Status == Processing && j.Marked.IsZero() && j.Deaths < MaxDeaths:
		j.Deaths++
		return j.requeue(now, fmt.Sprintf("The run died before the key was asked (%d of %d); queued again.", j.Deaths, MaxDeaths))
	case j.Status == Processing && j.Marked.IsZero():
		return j.fail(fault.JobInterrupted, fmt.Sprintf("%d runs died before the key was asked.", MaxDeaths+1), now)
	case j.Status == Verifying && e.Published:
		return j.complete(e.Code, "The run died after it had published the output. "+e.Message, now)
	case j.Status == Verifying:
		return j.fail(fault.JobInterrupted, "The run died after the key had signed and before the output was published. A signature was made and is lost.", now)
	default:
		return j.fail(fault.JobInterrupted, "The run died after it had declared that it asks the key. The key may have been asked.", now)
	}
}
