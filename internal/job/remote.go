package job

import (
	"fmt"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

// Dispatched parks a marked job: Lacuna Signer has created its document, and a person is awaited.
func (j Job) Dispatched(owner, documentID string, now time.Time) (Job, error) {
	if err := j.held(owner, now); err != nil {
		return Job{}, err
	}
	if j.Marked.IsZero() {
		return Job{}, fault.New(fault.JobRaceLost, "job %s was not marked before its document was created", j.ID)
	}
	k, err := j.to(AwaitingSigner, now, "", "Lacuna Signer created document "+documentID+"; its participant is awaited.")
	if err != nil {
		return Job{}, err
	}
	k.Claim, k.Deaths, k.Remote.DocumentID, k.Remote.Failures = Claim{}, 0, documentID, 0
	return k, nil
}

// parked returns fault.JobRaceLost unless the job waits at Lacuna Signer and is in nobody's hands.
func (j Job) parked() error {
	if j.Method != profile.LacunaSigner || j.Status != AwaitingSigner || j.Claim.Owner != "" {
		return fault.New(fault.JobRaceLost, "job %s is not waiting for its signer", j.ID)
	}
	return nil
}

// Fetchable reports whether a run may take the job up to fetch its signed document: it waits, or an earlier run let go
// of it after it had fetched the document once.
func (j Job) Fetchable() bool {
	return j.Method == profile.LacunaSigner && (j.Status == AwaitingSigner || j.Status == Verifying) && j.Claim.Owner == ""
}

// TakeUp claims a job that waits at Lacuna Signer. Its status stays, and polls leave it alone meanwhile.
func (j Job) TakeUp(c Claim, now time.Time) (Job, error) {
	if !j.Fetchable() {
		return Job{}, fault.New(fault.JobRaceLost, "job %s is not to be fetched", j.ID)
	}
	j.Claim = Claim{Owner: c.Owner, Until: stamp(c.Until)}
	return j.wrote(now, "", "Fetching the document from Lacuna Signer."), nil
}

// Release gives back the claim of TakeUp on purpose.
func (j Job) Release(owner, reason string, now time.Time) (Job, error) {
	if err := j.held(owner, now); err != nil {
		return Job{}, err
	}
	return j.letGo(now, "Given back: "+reason), nil
}

// longestRest bounds how long a job rests between two tries to make use of its document.
const longestRest = 15 * time.Minute

// Postpone gives back the claim of TakeUp for a trouble of our own. The job rests for as long as the trouble has lasted
// already, at least for a minute; polls leave it alone, and recovery rings for it.
func (j Job) Postpone(owner, reason string, now time.Time) (Job, error) {
	if err := j.held(owner, now); err != nil {
		return Job{}, err
	}
	if j.Remote.Troubled.IsZero() {
		j.Remote.Troubled = stamp(now)
	}
	rest := min(max(now.Sub(j.Remote.Troubled), time.Minute), longestRest)
	j.Claim = Claim{Until: stamp(now.Add(rest))}
	return j.wrote(now, "", "Postponed: "+reason), nil
}

// letGo ends a claim where the job stands. One that is in Verifying keeps the end of its claim, by which recovery finds it:
// no poll looks at it any more.
func (j Job) letGo(now time.Time, message string) Job {
	j.Claim = Claim{}
	if j.Status == Verifying {
		j.Claim.Until = stamp(now)
	}
	return j.wrote(now, "", message)
}

// Fetched moves a job to Verifying: the signed document is in the run's hands. One that was fetched before stays there.
func (j Job) Fetched(owner, outputKey string, now time.Time) (Job, error) {
	if err := j.held(owner, now); err != nil {
		return Job{}, err
	}
	j.Remote.Failures, j.Output.Key = 0, outputKey // Troubled stays until the end: publishing is still to come
	if j.Status == Verifying && j.Method == profile.LacunaSigner {
		return j.wrote(now, "", "Fetched again; verifying."), nil
	}
	if j.Method != profile.LacunaSigner {
		return Job{}, fault.New(fault.JobRaceLost, "job %s has nothing to fetch", j.ID)
	}
	return j.to(Verifying, now, "", "Signed at Lacuna Signer and fetched; verifying.")
}

// Unanswered counts a call about a parked job's document that failed and may succeed later; said is what came instead of
// an answer. More of them in a row than limit end the job.
func (j Job) Unanswered(said string, limit int, now time.Time) (Job, error) {
	if err := j.parked(); err != nil {
		return Job{}, err
	}
	return j.failed(said, limit, now)
}

// UnansweredTo is Unanswered for the run that has taken the job up; its claim ends.
func (j Job) UnansweredTo(owner, said string, limit int, now time.Time) (Job, error) {
	if err := j.held(owner, now); err != nil {
		return Job{}, err
	}
	return j.failed(said, limit, now)
}

func (j Job) failed(said string, limit int, now time.Time) (Job, error) {
	j.Remote.Failures++
	if j.Remote.Failures > limit {
		return j.fail(fault.SignerUnreachable, fmt.Sprintf("Lacuna Signer failed %d times in a row about document %s; the last time %s.",
			j.Remote.Failures, j.Remote.DocumentID, said), now)
	}
	return j.letGo(now, fmt.Sprintf("Lacuna Signer failed (%d of %d in a row): %s.", j.Remote.Failures, limit, said)), nil
}

// Answered notes that Lacuna Signer answers again about a parked job's document.
func (j Job) Answered(now time.Time) (Job, error) {
	if err := j.parked(); err != nil {
		return Job{}, err
	}
	j.Remote.Failures = 0
	return j.wrote(now, "", "Lacuna Signer answers again."), nil
}

// FailParked ends a parked job that nobody has taken up.
func (j Job) FailParked(c fault.Code, detail string, now time.Time) (Job, error) {
	if err := j.parked(); err != nil {
		return Job{}, err
	}
	return j.fail(c, detail, now)
}

// withdraw ends a SignerFolder job whose document moved on before it was signed: nothing went wrong, so there is no code.
func (j Job) withdraw(message string, now time.Time) (Job, error) {
	if j.Method != profile.SignerFolder || j.Status != Processing {
		return Job{}, fault.New(fault.JobRaceLost, "job %s cannot be withdrawn", j.ID)
	}
	k, err := j.to(Canceled, now, "", message)
	if err != nil {
		return Job{}, err
	}
	k.Claim = Claim{}
	return k, nil
}

// Withdraw ends a SignerFolder job in the hands of owner whose document moved on.
func (j Job) Withdraw(owner, message string, now time.Time) (Job, error) {
	if err := j.held(owner, now); err != nil {
		return Job{}, err
	}
	return j.withdraw(message, now)
}
