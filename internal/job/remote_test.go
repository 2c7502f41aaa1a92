package job_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

const document = "0f8fad5b-d9cb-469f-a165-70867728950e"

type step = func(job.Job) (job.Job, error)

// of is a queued job of a method, further by steps that must succeed.
func of(t *testing.T, m profile.Method, steps ...step) job.Job {
	t.Helper()
	j := queued()
	j.Method = m
	for i, s := range steps {
		var err error
		if j, err = s(j); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	return j
}

func dispatched(j job.Job) (job.Job, error) { return j.Dispatched(owner, document, now) }
func takeUp(j job.Job) (job.Job, error) {
	return j.TakeUp(job.Claim{Owner: owner, Until: now.Add(time.Minute)}, now)
}
func fetched(j job.Job) (job.Job, error)    { return j.Fetched(owner, "p/a.signed.pdf", now) }
func release(j job.Job) (job.Job, error)    { return j.Release(owner, "no.", now) }
func postpone(j job.Job) (job.Job, error)   { return j.Postpone(owner, "no.", now) }
func unanswered(j job.Job) (job.Job, error) { return j.Unanswered("it did not answer", 2, now) }
func answered(j job.Job) (job.Job, error)   { return j.Answered(now) }
func failParked(j job.Job) (job.Job, error) { return j.FailParked(fault.SignerTimeout, "late", now) }
func withdraw(j job.Job) (job.Job, error)   { return j.Withdraw(owner, "moved on", now) }
func cancel(j job.Job) (job.Job, error)     { return j.Cancel("", now) }
func interrupted(e job.Ending) step {
	return func(j job.Job) (job.Job, error) { return j.Interrupt(e, now.Add(time.Hour)) }
}

func TestStepsAtSigner(t *testing.T) {
	t.Parallel()
	const person, folder = profile.LacunaSigner, profile.SignerFolder
	awaiting := []step{take, mark, dispatched}
	held := append(awaiting[:len(awaiting):len(awaiting)], takeUp)
	verifying := append(held[:len(held):len(held)], fetched)
	tests := []struct {
		name   string
		method profile.Method
		before []step
		step   step
		want   error
		status job.Status
	}{
		{"a marked job is dispatched", person, []step{take, mark}, dispatched, nil, job.AwaitingSigner},
		{"no document without a mark", person, []step{take}, dispatched, fault.JobRaceLost, ""},
		{"a local job is never dispatched", profile.Local, []step{take, mark}, dispatched, fault.JobRaceLost, ""},
		{"a waiting job is taken up", person, awaiting, takeUp, nil, job.AwaitingSigner},
		{"it is taken up once", person, held, takeUp, fault.JobRaceLost, ""},
		{"a queued job is not taken up", person, nil, takeUp, fault.JobRaceLost, ""},
		{"a held job is fetched", person, held, fetched, nil, job.Verifying},
		{"nothing is fetched without a claim", person, awaiting, fetched, fault.JobRaceLost, ""},
		{"what is fetched completes", person, verifying, func(j job.Job) (job.Job, error) { return j.Complete(owner, "", "done", now) }, nil, job.Completed},
		{"a claim is released where the job stands", person, held, release, nil, job.AwaitingSigner},
		{"also when it was fetched", person, verifying, release, nil, job.Verifying},
		{"a claim is postponed", person, held, postpone, nil, job.AwaitingSigner},
		{"also when it was fetched", person, verifying, postpone, nil, job.Verifying},
		{"a stranger postpones nothing", person, awaiting, postpone, fault.JobRaceLost, ""},
		{"then it is taken up again", person, append(verifying[:5:5], release), takeUp, nil, job.Verifying},
		{"and fetched again", person, append(verifying[:5:5], release, takeUp), fetched, nil, job.Verifying},
		{"a waiting job is never queued again", person, held, func(j job.Job) (job.Job, error) { return j.GiveBack(owner, "x", now) }, fault.JobRaceLost, ""},
		{"a failure is counted", person, awaiting, unanswered, nil, job.AwaitingSigner},
		{"not while somebody holds the job", person, held, unanswered, fault.JobRaceLost, ""},
		{"the limit holds", person, append(awaiting[:3:3], unanswered), unanswered, nil, job.AwaitingSigner},
		{"more than the limit ends the job", person, append(awaiting[:3:3], unanswered, unanswered), unanswered, nil, job.Failed},
		{"an answer ends the row", person, append(awaiting[:3:3], unanswered, unanswered, answered), unanswered, nil, job.AwaitingSigner},
		{"a parked job fails", person, awaiting, failParked, nil, job.Failed},
		{"a held one is not parked", person, held, failParked, fault.JobRaceLost, ""},
		{"an ended one neither", person, append(awaiting[:3:3], failParked), failParked, fault.JobRaceLost, ""},
		{"a folder job is withdrawn", folder, []step{take}, withdraw, nil, job.Canceled},
		{"also past the mark", folder, []step{take, mark}, withdraw, nil, job.Canceled},
		{"not once it may be handed over", folder, []step{take, mark, signed}, withdraw, fault.JobRaceLost, ""},
		{"no other job is withdrawn", person, []step{take}, withdraw, fault.JobRaceLost, ""},
		{"a queued job is canceled", person, nil, cancel, nil, job.Canceled},
		{"a waiting one too", person, awaiting, cancel, nil, job.Canceled},
		{"even in somebody's hands", person, held, cancel, nil, job.Canceled},
		{"not what was fetched", person, verifying, cancel, fault.JobNotQueued, ""},
		{"not a folder job at work", folder, []step{take}, cancel, fault.JobNotQueued, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			j := of(t, tt.method, tt.before...)
			k, err := tt.step(j)
			if !errors.Is(err, tt.want) {
				t.Fatalf("the step returns %v, want %v", err, tt.want)
			}
			if err != nil {
				return
			}
			if k.Status != tt.status || k.Version != j.Version+1 || len(k.History) != len(j.History)+1 {
				t.Errorf("the job is %s, version %d, %d entries; want %s, one more each than %d, %d", k.Status, k.Version, len(k.History), tt.status, j.Version, len(j.History))
			}
			if k.Status.Final() && k.Claim != (job.Claim{}) {
				t.Errorf("an ended job is still claimed: %+v", k.Claim)
			}
		})
	}
}

func TestReleasedJobsAreFoundAgain(t *testing.T) {
	t.Parallel()
	waits := of(t, profile.LacunaSigner, take, mark, dispatched, takeUp, release)
	if waits.Claim != (job.Claim{}) || !waits.Fetchable() {
		t.Errorf("a waiting job keeps %+v; polls leave claimed ones alone", waits.Claim)
	}
	was := of(t, profile.LacunaSigner, take, mark, dispatched, takeUp, fetched, release)
	if was.Claim.Until.IsZero() || was.Claim.Owner != "" || !was.Fetchable() || was.Abandoned(now.Add(time.Hour)) {
		t.Errorf("a job in Verifying is let go as %+v; recovery looks for the end of a claim, and nobody died", was.Claim)
	}
}

// TestPostponedJobsRest has a trouble last: the rest grows with it, within bounds, and the trouble keeps its beginning.
func TestPostponedJobsRest(t *testing.T) {
	t.Parallel()
	j := of(t, profile.LacunaSigner, take, mark, dispatched, takeUp)
	at := now
	for _, want := range []time.Duration{time.Minute, time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 15 * time.Minute, 15 * time.Minute} {
		j.Claim = job.Claim{Owner: owner, Until: at.Add(time.Hour)}
		k, err := j.Postpone(owner, "no.", at)
		if err != nil {
			t.Fatal(err)
		}
		if rest := k.Claim.Until.Sub(at); rest != want || k.Claim.Owner != "" || !k.Fetchable() || !k.Remote.Troubled.Equal(now) {
			t.Errorf("after %s it rests for %s, since %v; want %s", at.Sub(now), rest, k.Remote.Troubled, want)
		}
		j, at = k, k.Claim.Until
	}
}

func TestInterruptAtSigner(t *testing.T) {
	t.Parallel()
	const person, folder = profile.LacunaSigner, profile.SignerFolder
	held := []step{take, mark, dispatched, takeUp}
	died := interrupted(job.Ending{})
	thrice := func(before []step) []step {
		for range job.MaxDeaths {
			before = append(before[:len(before):len(before)], died, takeUp)
		}
		return before
	}
	tests := []struct {
		name   string
		method profile.Method
		before []step
		ending job.Ending
		status job.Status
		code   fault.Code
		says   string
	}{
		{"before the document", person, []step{take}, job.Ending{}, job.Queued, "", "before the document was created"},
		{"while it was created", person, []step{take, mark}, job.Ending{}, job.Failed, fault.SignerDispatchInterrupted, "may exist"},
		{"while it was fetched", person, held, job.Ending{}, job.AwaitingSigner, "", "(1 of 3)"},
		{"too often", person, thrice(held), job.Ending{}, job.Failed, fault.JobInterrupted, "4 runs died"},
		{"after it was fetched", person, append(held[:4:4], fetched), job.Ending{}, job.Verifying, "", "(1 of 3)"},
		{"after it was published", person, append(held[:4:4], fetched), job.Ending{Published: true}, job.Completed, "", "published"},
		{"a folder job, before the key", folder, []step{take}, job.Ending{Reported: job.Completed}, job.Queued, "", "before the key was asked"},
		{"handed over, and done by Signer's word", folder, []step{take, mark, signed}, job.Ending{Reported: job.Completed, Message: "Done there."}, job.Completed, "", "Done there."},
		{"never handed over, and done by Signer's word", folder, []step{take, mark}, job.Ending{Reported: job.Completed}, job.Failed, fault.SignerFolderInterrupted, "never left"},
		{"never handed over, and moved on", folder, []step{take, mark}, job.Ending{Reported: job.Canceled, Message: "Gone."}, job.Canceled, "", "Gone."},
		{"handed over, and moved on", folder, []step{take, mark, signed}, job.Ending{Reported: job.Canceled}, job.Failed, fault.SignerFolderInterrupted, "may have been handed over"},
		{"nothing is known", folder, []step{take, mark, signed}, job.Ending{Message: "It did not answer."}, job.Failed, fault.SignerFolderInterrupted, "It did not answer."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k, err := interrupted(tt.ending)(of(t, tt.method, tt.before...))
			if err != nil || k.Status != tt.status || k.Code != tt.code || !strings.Contains(k.Last().Message, tt.says) {
				t.Errorf("the job is %s %s: %q (%v); want %s %s: %q", k.Status, k.Code, k.Last().Message, err, tt.status, tt.code, tt.says)
			}
			if k.Claim.Owner != "" {
				t.Errorf("the dead run still holds the job: %+v", k.Claim)
			}
		})
	}
}

func TestADispatchForgetsEarlierDeaths(t *testing.T) {
	t.Parallel()
	if j := of(t, profile.LacunaSigner, take, interrupted(job.Ending{}), take, mark, dispatched); j.Deaths != 0 {
		t.Errorf("%d deaths before the dispatch count against the download", j.Deaths)
	}
}

func TestWhatMayBeRetried(t *testing.T) {
	t.Parallel()
	fail := func(j job.Job) (job.Job, error) { return j.Fail(owner, fault.JobVerifyFailed, "no", now) }
	none := job.NewWithoutAction(job.Found{Profile: "p", Remote: job.Remote{DocumentID: document}}, now)
	tests := map[string]struct {
		job job.Job
		ok  bool
	}{
		"failed":                       {of(t, profile.Local, take, fail), true},
		"failed at Signer":             {of(t, profile.LacunaSigner, take, mark, dispatched, failParked), true},
		"a folder job that moved on":   {of(t, profile.SignerFolder, take, withdraw), true},
		"a folder job that failed":     {of(t, profile.SignerFolder, take, fail), true},
		"a canceled file":              {of(t, profile.Local, cancel), false},
		"queued":                       {of(t, profile.Local), false},
		"waiting":                      {of(t, profile.LacunaSigner, take, mark, dispatched), false},
		"a document without an action": {none, false},
	}
	for name, tt := range tests {
		if err := tt.job.Retriable(); (err == nil) != tt.ok || err != nil && !errors.Is(err, fault.JobNotFailed) {
			t.Errorf("%s: Retriable = %v, want to be retriable: %t", name, err, tt.ok)
		}
	}
}

func TestAgainIsANewJob(t *testing.T) {
	t.Parallel()
	old := of(t, profile.SignerFolder, take, withdraw)
	old.Remote = job.Remote{DocumentID: document, ActionID: "a", FolderID: "f", DocumentName: "n", MIMEType: "m", Failures: 3}
	k := old.Again(profile.SignerFolder, now.Add(time.Hour))
	want := old.Remote
	want.Failures = 0
	if k.ID == old.ID || k.ParentID != old.ID || k.Status != job.Queued || k.Remote != want || k.Source != job.Retry || k.Version != 1 || len(k.Stages) != 0 {
		t.Errorf("the new job is %+v", k)
	}
	if file := of(t, profile.LacunaSigner, take, mark, dispatched, failParked).Again(profile.Local, now); file.Remote != (job.Remote{}) || file.Method != profile.Local {
		t.Errorf("a file's new job keeps what the old one had at Signer: %+v", file.Remote)
	}
}

func TestFoundJobs(t *testing.T) {
	t.Parallel()
	f := job.Found{Profile: "p", Format: profile.Pades, Remote: job.Remote{DocumentID: document, ActionID: "a", DocumentName: "Contrato"}}
	if j := job.NewFound(f, now); j.Status != job.Queued || j.Method != profile.SignerFolder || j.Source != job.FromSigner || j.FileName != "Contrato" || j.Remote != f.Remote {
		t.Errorf("a found job is %+v", j)
	}
	j := job.NewWithoutAction(f, now)
	if j.Status != job.Failed || j.Code != fault.SignerFolderNoHolderAction || j.Remote.ActionID != job.NoAction || len(j.History) != 1 || j.Last().Code != j.Code {
		t.Errorf("a job without an action is %+v", j)
	}
}

func TestChecks(t *testing.T) {
	t.Parallel()
	want := job.Check{DocumentID: document, FolderID: document, At: now}
	if got, err := job.ParseCheck(want.Message()); err != nil || got != want {
		t.Errorf("ParseCheck(Message) = %+v, %v; want %+v", got, err, want)
	}
	if got, err := job.ParseCheck(fmt.Sprintf(`{"check":%q,"at":"2026-11-29T12:00:00Z"}`, strings.ToUpper(document))); err != nil || got.DocumentID != document {
		t.Errorf("upper case = %+v, %v", got, err)
	}
	for _, bad := range []string{"", "{}", "[]", "null", `{"check":"x"}`, `{"check":"` + document + `","folder":"x"}`, `{"check":1}`, strings.Repeat(" ", job.MaxMessageSize+1)} {
		if _, err := job.ParseCheck(bad); !errors.Is(err, fault.MessageMalformed) {
			t.Errorf("ParseCheck(%.40q) = %v, want %v", bad, err, fault.MessageMalformed)
		}
	}
}

func TestSignerErrorsSayLittle(t *testing.T) {
	t.Parallel()
	secret := errors.New("key 123 of the document")
	tests := []struct {
		err     job.SignerError
		said    string
		refusal bool
		denied  bool
	}{
		{job.SignerError{Unsent: true, Transient: true}, "it could not be reached", true, false},
		{job.SignerError{Transient: true}, "it did not answer", false, false},
		{job.SignerError{Status: 503, Transient: true}, "it gave an answer that is not its own (503)", false, false},
		{job.SignerError{Status: 408, Transient: true}, "it gave an answer that is not its own (408)", false, false},
		{job.SignerError{Status: 429, Transient: true}, "it gave an answer that is not its own (429)", true, false},
		{job.SignerError{Status: 401}, "it refused the API key (401)", true, true},
		{job.SignerError{Status: 422, Code: "DocumentNotFound"}, "it answered DocumentNotFound (422)", true, false},
	}
	for _, tt := range tests {
		tt.err.Cause = secret
		if got := tt.err.Said(); got != tt.said || tt.err.Refusal() != tt.refusal || tt.err.Denied() != tt.denied {
			t.Errorf("%+v says %q, refusal %t, denied %t", tt.err, got, tt.err.Refusal(), tt.err.Denied())
		}
		if !errors.Is(&tt.err, fault.SignerUnreachable) || !errors.Is(&tt.err, secret) {
			t.Errorf("%v is not what it is", &tt.err)
		}
	}
}
