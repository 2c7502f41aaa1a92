package job

import (
	"fmt"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

// Ending is what is known of a run that died.
type Ending struct {
	Published bool       // the output with this job's id is there: publication follows verification
	Code      fault.Code // what became of the input, if it is still there
	Message   string
	// Reported is how a SignerFolder job past its key ends by Lacuna Signer's word, which Message tells: Completed,
	// Canceled or, where Signer knows nothing that ends it, Failed.
	Reported Status
}

// Interrupt ends the run of a job whose claim is over, by what is known and never by hope: what had not begun goes back
// to the queue and what can be fetched again is taken up again, at most MaxDeaths times; a marked job ends. In a status of a
// newer release nothing is known.
func (j Job) Interrupt(e Ending, now time.Time) (Job, error) {
	if !j.Abandoned(now) {
		return Job{}, fault.New(fault.JobRaceLost, "job %s is not abandoned", j.ID)
	}
	switch {
	case j.Status == Processing && j.Marked.IsZero():
		return j.interruptUnmarked(now)
	case j.Method == profile.SignerFolder:
		return j.interruptFolder(e, now)
	case j.Status == Verifying && e.Published:
		return j.complete(e.Code, "The run died after it had published the output. "+e.Message, now)
	case j.Method == profile.LacunaSigner && j.Status == Processing:
		return j.fail(fault.SignerDispatchInterrupted, "The run died after it had declared that it has the document created. The document may exist at Lacuna Signer.", now)
	case j.Method == profile.LacunaSigner && (j.Status == AwaitingSigner || j.Status == Verifying):
		return j.interruptFetch(now)
	case j.Status == Verifying:
		return j.fail(fault.JobInterrupted, "The run died after the key had signed and before the output was published. A signature was made and is lost.", now)
	default:
		return j.fail(fault.JobInterrupted, "The run died after it had declared that it asks the key. The key may have been asked.", now)
	}
}

func (j Job) interruptUnmarked(now time.Time) (Job, error) {
	before := "before the key was asked"
	if j.Method == profile.LacunaSigner {
		before = "before the document was created at Lacuna Signer"
	}
	if j.Deaths >= MaxDeaths {
		return j.fail(fault.JobInterrupted, fmt.Sprintf("%d runs died %s.", MaxDeaths+1, before), now)
	}
	j.Deaths++
	return j.requeue(now, fmt.Sprintf("The run died %s (%d of %d); queued again.", before, j.Deaths, MaxDeaths))
}

// interruptFetch lets a signed document be fetched again where the job stands: that repeats without harm.
func (j Job) interruptFetch(now time.Time) (Job, error) {
	if j.Deaths >= MaxDeaths {
		return j.fail(fault.JobInterrupted, fmt.Sprintf("%d runs died while they fetched the signed document.", MaxDeaths+1), now)
	}
	j.Deaths++
	return j.letGo(now, fmt.Sprintf("The run died while it fetched the signed document (%d of %d); it is fetched again.", j.Deaths, MaxDeaths)), nil
}

// interruptFolder ends a SignerFolder job past its key. Without Signer's word, what cannot be known is what it says.
func (j Job) interruptFolder(e Ending, now time.Time) (Job, error) {
	handed := "The signature never left this service."
	if j.Status == Verifying {
		handed = "The signature may have been handed over."
	}
	switch {
	case e.Reported == Completed && j.Status == Verifying:
		return j.complete("", "The run died after it had declared that it hands the signature over. "+e.Message, now)
	case e.Reported == Canceled && j.Status == Processing:
		return j.withdraw(e.Message, now)
	}
	return j.fail(fault.SignerFolderInterrupted, "The run died past the key. "+handed+" "+e.Message, now)
}
