package job_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

var now = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

const owner = "run-1"

func queued() job.Job {
	return job.New(job.Origin{Source: job.Watcher, Profile: "p", Method: profile.Local, Folder: "p", FileName: "a.pdf"}, now)
}

// path takes a job through steps that must succeed.
func path(t *testing.T, steps ...func(job.Job) (job.Job, error)) job.Job {
	t.Helper()
	j := queued()
	for i, step := range steps {
		var err error
		if j, err = step(j); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	return j
}

func take(j job.Job) (job.Job, error) {
	return j.Take(job.Claim{Owner: owner, Until: now.Add(time.Minute)}, job.Took{Method: j.Method, Format: profile.Pades}, now)
}
func mark(j job.Job) (job.Job, error)   { return j.Mark(owner, "p/a.signed.pdf", now) }
func signed(j job.Job) (job.Job, error) { return j.Signed(owner, now) }

func TestSteps(t *testing.T) {
	t.Parallel()
	complete := func(j job.Job) (job.Job, error) { return j.Complete(owner, "", "done", now) }
	fail := func(j job.Job) (job.Job, error) { return j.Fail(owner, fault.JobVerifyFailed, "no", now) }
	giveBack := func(j job.Job) (job.Job, error) { return j.GiveBack(owner, "throttled", now) }
	upload := func(j job.Job) (job.Job, error) { return j.Uploading(owner, "p/a.signed.pdf", "u1", now) }
	stranger := func(j job.Job) (job.Job, error) { return j.Fail("run-2", fault.JobVerifyFailed, "no", now) }
	late := func(j job.Job) (job.Job, error) { return j.Mark(owner, "k", now.Add(time.Minute)) }
	type step = func(job.Job) (job.Job, error)
	tests := []struct {
		name   string
		before []step
		step   step
		want   error
		status job.Status
	}{
		{"a queued job is taken", nil, take, nil, job.Processing},
		{"a job is taken once", []step{take}, take, fault.JobRaceLost, ""},
		{"a queued job is not marked", nil, mark, fault.JobRaceLost, ""},
		{"a job is marked", []step{take}, mark, nil, job.Processing},
		{"a job is marked once", []step{take, mark}, mark, fault.JobRaceLost, ""},
		{"no signature without a mark", []step{take}, signed, fault.JobRaceLost, ""},
		{"a marked job is signed", []step{take, mark}, signed, nil, job.Verifying},
		{"verification is never skipped", []step{take, mark}, complete, fault.JobRaceLost, ""},
		{"an upload belongs to a signed job", []step{take, mark}, upload, fault.JobRaceLost, ""},
		{"a signed job uploads", []step{take, mark, signed}, upload, nil, job.Verifying},
		{"a signed job completes", []step{take, mark, signed}, complete, nil, job.Completed},
		{"a signed job fails", []step{take, mark, signed}, fail, nil, job.Failed},
		{"what is signed is never queued again", []step{take, mark, signed}, giveBack, fault.JobRaceLost, ""},
		{"a claim is given back", []step{take}, giveBack, nil, job.Queued},
		{"the run that set the mark takes it back", []step{take, mark}, giveBack, nil, job.Queued},
		{"an ended job stays", []step{take, fail}, take, fault.JobRaceLost, ""},
		{"a stranger cannot step", []step{take}, stranger, fault.JobRaceLost, ""},
		{"the claim's end counts", []step{take}, late, fault.JobRaceLost, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			j := path(t, tt.before...)
			k, err := tt.step(j)
			if !errors.Is(err, tt.want) {
				t.Fatalf("step = %v, want %v", err, tt.want)
			}
			if tt.want != nil {
				return
			}
			if k.Status != tt.status || k.Version != j.Version+1 || len(k.History) != len(j.History)+1 || !k.Wrote(k.Last().ID) {
				t.Errorf("got %s at version %d with %d entries, want %s at version %d with one entry more", k.Status, k.Version, len(k.History), tt.status, j.Version+1)
			}
			if j.Wrote(k.Last().ID) {
				t.Error("the step changed the job that it began from")
			}
		})
	}
}

func TestGiveBackForgetsTheRun(t *testing.T) {
	t.Parallel()
	j := path(t, take, mark, func(j job.Job) (job.Job, error) { return j.GiveBack(owner, "throttled", now) })
	if j.Claim != (job.Claim{}) || !j.Marked.IsZero() || j.Output != (job.Output{}) || j.Deaths != 0 {
		t.Errorf("got claim %v, mark %v, output %v, deaths %d; want none of them", j.Claim, j.Marked, j.Output, j.Deaths)
	}
}

func TestInterrupt(t *testing.T) {
	t.Parallel()
	later := now.Add(time.Hour)
	again := func(j job.Job) (job.Job, error) {
		j, err := j.Interrupt(job.Ending{}, j.Claim.Until)
		if err != nil {
			return j, err
		}
		return take(j)
	}
	tests := []struct {
		name   string
		job    job.Job
		ending job.Ending
		at     time.Time
		want   error
		status job.Status
		code   fault.Code
	}{
		{"a live claim is left alone", path(t, take), job.Ending{}, now, fault.JobRaceLost, "", ""},
		{"an unclaimed job is left alone", queued(), job.Ending{}, later, fault.JobRaceLost, "", ""},
		{"what had not begun goes back", path(t, take), job.Ending{}, later, nil, job.Queued, ""},
		{"three times", path(t, take, again, again), job.Ending{}, later, nil, job.Queued, ""},
		{"and no more", path(t, take, again, again, again), job.Ending{}, later, nil, job.Failed, fault.JobInterrupted},
		{"a marked job ends", path(t, take, mark), job.Ending{}, later, nil, job.Failed, fault.JobInterrupted},
		{"a published output completes", path(t, take, mark, signed), job.Ending{Published: true}, later, nil, job.Completed, ""},
		{"a held input is told", path(t, take, mark, signed), job.Ending{Published: true, Code: fault.JobInputHeld}, later, nil, job.Completed, fault.JobInputHeld},
		{"no output, no completion", path(t, take, mark, signed), job.Ending{}, later, nil, job.Failed, fault.JobInterrupted},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k, err := tt.job.Interrupt(tt.ending, tt.at)
			if !errors.Is(err, tt.want) {
				t.Fatalf("Interrupt = %v, want %v", err, tt.want)
			}
			if tt.want == nil && (k.Status != tt.status || k.Code != tt.code || k.Claim != (job.Claim{})) {
				t.Errorf("Interrupt = %s %q claimed by %q, want %s %q unclaimed", k.Status, k.Code, k.Claim.Owner, tt.status, tt.code)
			}
		})
	}
}

// TestMethodsHaveTheirOwnSteps holds the table against design's pictures: what is not drawn cannot happen.
func TestMethodsHaveTheirOwnSteps(t *testing.T) {
	t.Parallel()
	want := map[profile.Method]string{
		profile.Local:        "Queued>Processing Queued>Canceled Processing>Queued Processing>Verifying Processing>Failed Verifying>Completed Verifying>Failed",
		profile.LacunaSigner: "Queued>Processing Queued>Canceled Processing>Queued Processing>AwaitingSigner Processing>Failed Verifying>Completed Verifying>Failed AwaitingSigner>Verifying AwaitingSigner>Failed AwaitingSigner>Canceled",
		profile.SignerFolder: "Queued>Processing Queued>Canceled Processing>Queued Processing>Verifying Processing>Failed Processing>Canceled Verifying>Completed Verifying>Failed",
		"":                   "",
		"Unknown":            "",
	}
	for method, steps := range want {
		var got []string
		for _, from := range job.Statuses {
			for _, to := range job.Statuses {
				if job.CanStep(method, from, to) {
					got = append(got, string(from)+">"+string(to))
				}
			}
		}
		if s := strings.Join(got, " "); s != steps {
			t.Errorf("%q steps:\n got %s\nwant %s", method, s, steps)
		}
	}
}

func TestHistoryIsBounded(t *testing.T) {
	t.Parallel()
	j := path(t, take)
	first := j.History[0]
	for range 3 * job.MaxEntries {
		var err error
		if j, err = j.GiveBack(owner, strings.Repeat("ação ", 1000), now); err != nil {
			t.Fatal(err)
		}
		if j, err = take(j); err != nil {
			t.Fatal(err)
		}
	}
	if len(j.History) > job.MaxEntries {
		t.Errorf("history has %d entries, want at most %d", len(j.History), job.MaxEntries)
	}
	if j.History[0] != first || j.History[1].Message != "Earlier entries were cut." {
		t.Errorf("history begins with %v, want the first entry and the mark of the cut", j.History[:2])
	}
	for _, e := range j.History {
		if len(e.Message) > job.MaxMessageBytes || strings.ContainsRune(e.Message, '�') {
			t.Errorf("a message has %d bytes or a broken rune", len(e.Message))
		}
	}
}

func TestSpentAddsUpAndNeverBelowZero(t *testing.T) {
	t.Parallel()
	j := queued()
	k := j.Spent(job.StageSigning, time.Second).Spent(job.StageSigning, time.Second).Spent(job.StageOutput, -time.Second)
	if k.Stages[job.StageSigning] != 2*time.Second || k.Stages[job.StageOutput] != 0 || j.Stages != nil {
		t.Errorf("stages = %v from %v, want 2s of signing, 0 of output, and the first job unchanged", k.Stages, j.Stages)
	}
}

func TestIDs(t *testing.T) {
	t.Parallel()
	id := job.NewID()
	if got, err := job.ParseID(string(id)); err != nil || got != id {
		t.Errorf("ParseID(%s) = %s, %v", id, got, err)
	}
	for _, bad := range []string{"", "x", strings.ToUpper(string(id)), "{" + string(id) + "}", "urn:uuid:" + string(id)} {
		if _, err := job.ParseID(bad); !errors.Is(err, fault.JobNotFound) {
			t.Errorf("ParseID(%q) = %v, want %v", bad, err, fault.JobNotFound)
		}
	}
	seen := map[int]bool{}
	for range 1000 {
		n := job.NewID().Shard()
		if n < 0 || n >= job.Shards {
			t.Fatalf("shard %d is out of bounds", n)
		}
		seen[n] = true
	}
	if len(seen) != job.Shards {
		t.Errorf("1000 ids fall into %d shards, want all %d", len(seen), job.Shards)
	}
}
