package job

import (
	"maps"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

// MaxDeaths is how many runs may die before the key was asked and the job still be queued again.
const MaxDeaths = 3

// to moves j to a status if the method's table has the step. j stays as it was read, so that the store can compare.
func (j Job) to(s Status, now time.Time, c fault.Code, message string) (Job, error) {
	if !CanStep(j.Method, j.Status, s) {
		return Job{}, fault.New(fault.JobRaceLost, "job %s cannot go from %s to %s", j.ID, j.Status, s)
	}
	j.Status, j.Since = s, stamp(now)
	return j.wrote(now, c, message), nil
}

// wrote counts a write and puts it on the history.
func (j Job) wrote(now time.Time, c fault.Code, message string) Job {
	now = stamp(now)
	j.Version++
	j.UpdatedAt = now
	j.History = record(j.History, newEntry(now, j.Status, c, message))
	return j
}

// held returns fault.JobRaceLost unless owner holds the job. The end counts: after it the job is somebody else's.
func (j Job) held(owner string, now time.Time) error {
	if owner == "" || j.Claim.Owner != owner || !now.Before(j.Claim.Until) {
		return fault.New(fault.JobRaceLost, "job %s is not held by this run", j.ID)
	}
	return nil
}

// Took is what a claim fixes about a job.
type Took struct {
	Method profile.Method
	Format profile.Format
	Terms  Terms
}

// Take claims a Queued job for a run and copies onto it what its later steps need. Under a method of a newer release it
// stays Queued for that one: here nobody could carry it, and no step would lead out of Processing.
func (j Job) Take(c Claim, t Took, now time.Time) (Job, error) {
	if !CanStep(t.Method, Queued, Processing) {
		return Job{}, fault.New(fault.JobRaceLost, "job %s is left to another release, which knows its method", j.ID)
	}
	waited := now.Sub(j.QueuedAt)
	k, err := j.to(Processing, now, "", "Picked up.")
	if err != nil {
		return Job{}, err
	}
	k.Claim = Claim{Owner: c.Owner, Until: stamp(c.Until)}
	k.Method, k.Format, k.Terms, k.Marked, k.Output = t.Method, t.Format, t.Terms, time.Time{}, Output{}
	return k.Spent(StageQueue, waited), nil
}

// Spent adds to the time of a stage; a negative span counts as none, since clocks differ. It is no write of its own.
func (j Job) Spent(s Stage, d time.Duration) Job {
	j.Stages = maps.Clone(j.Stages)
	if j.Stages == nil {
		j.Stages = map[Stage]time.Duration{}
	}
	j.Stages[s] += max(d, 0).Truncate(time.Millisecond)
	return j
}

// asking is what a mark declares, by method.
var asking = map[profile.Method]string{
	profile.Local:        "The key is asked.",
	profile.LacunaSigner: "Lacuna Signer is asked to create the document.",
	profile.SignerFolder: "The key is asked.",
}

// Mark declares that the run is about to ask for something that cannot be undone. After it the job is never queued again
// but by the run that set the mark.
func (j Job) Mark(owner, outputKey string, now time.Time) (Job, error) {
	if err := j.held(owner, now); err != nil {
		return Job{}, err
	}
	if j.Status != Processing || !j.Marked.IsZero() {
		return Job{}, fault.New(fault.JobRaceLost, "job %s cannot be marked", j.ID)
	}
	j.Marked, j.Output.Key = stamp(now), outputKey
	return j.wrote(now, "", asking[j.Method]), nil
}

// GiveBack returns a job to the queue on purpose; it does not count as a death. A mark is taken back with it: only the
// run that set it comes here, and only with the proof that nothing was done.
func (j Job) GiveBack(owner, reason string, now time.Time) (Job, error) {
	if err := j.held(owner, now); err != nil {
		return Job{}, err
	}
	return j.requeue(now, "Given back: "+reason)
}

func (j Job) requeue(now time.Time, message string) (Job, error) {
	k, err := j.to(Queued, now, "", message)
	if err != nil {
		return Job{}, err
	}
	k.Claim, k.Marked, k.QueuedAt, k.Output = Claim{}, time.Time{}, stamp(now), Output{}
	return k, nil
}

// Signed moves a marked job to Verifying: the signature is in the run's hands. A SignerFolder job comes here before the
// signature is handed over, so that a job past its key and not in Verifying proves that nothing was.
func (j Job) Signed(owner string, now time.Time) (Job, error) {
	if err := j.held(owner, now); err != nil {
		return Job{}, err
	}
	if j.Marked.IsZero() {
		return Job{}, fault.New(fault.JobRaceLost, "job %s was not marked before its key was asked", j.ID)
	}
	if j.Method == profile.SignerFolder {
		return j.to(Verifying, now, "", "Signed; handing the signature over to Lacuna Signer.")
	}
	return j.to(Verifying, now, "", "Signed; verifying.")
}

// Uploading notes the multipart upload that carries what is published under a key.
func (j Job) Uploading(owner, key, uploadID string, now time.Time) (Job, error) {
	if err := j.held(owner, now); err != nil {
		return Job{}, err
	}
	if j.Status != Verifying {
		return Job{}, fault.New(fault.JobRaceLost, "job %s has nothing to upload", j.ID)
	}
	j.Output.UploadKey, j.Output.UploadID = key, uploadID
	return j.wrote(now, "", "The output is being written."), nil
}

// Complete ends a job whose output is published and whose input was dealt with. c tells an operator what became of an
// input that is still there; it is "" otherwise.
func (j Job) Complete(owner string, c fault.Code, message string, now time.Time) (Job, error) {
	if err := j.held(owner, now); err != nil {
		return Job{}, err
	}
	return j.complete(c, message, now)
}

func (j Job) complete(c fault.Code, message string, now time.Time) (Job, error) {
	k, err := j.to(Completed, now, c, message)
	if err != nil {
		return Job{}, err
	}
	k.Claim, k.Output.UploadKey, k.Output.UploadID, k.Code = Claim{}, "", "", c
	return k, nil
}

// Fail ends a job with a code. detail says the specific reason and goes to the history.
func (j Job) Fail(owner string, c fault.Code, detail string, now time.Time) (Job, error) {
	if err := j.held(owner, now); err != nil {
		return Job{}, err
	}
	return j.fail(c, detail, now)
}

func (j Job) fail(c fault.Code, detail string, now time.Time) (Job, error) {
	k, err := j.to(Failed, now, c, detail)
	if err != nil {
		return Job{}, err
	}
	k.Claim, k.Output.UploadKey, k.Output.UploadID = Claim{}, "", ""
	k.Code, k.Error = c, cut(detail, MaxMessageBytes)
	return k, nil
}
