package table_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// hasName checks which job has the name of a job's file.
func (f fixture) hasName(t *testing.T, j job.Job, want job.ID) {
	t.Helper()
	if id, err := f.NameHolder(t.Context(), j.Folder, j.FileName); id != want || err != nil {
		t.Errorf("NameHolder = %q, %v, want %q", id, err, want)
	}
}

func TestANameIsOneJobsAtATime(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		unkept, first, second, late := queued(now), queued(now), queued(now), queued(now)
		f.takeIn(t, unkept)
		f.hasName(t, unkept, "")
		for _, tt := range []struct {
			name  string
			job   job.Job
			claim job.NameClaim
			want  error
			holds job.ID
		}{
			{"of nobody", first, job.NameClaim{Keep: true}, nil, first.ID},
			{"taken meanwhile", second, job.NameClaim{Keep: true}, fault.JobRaceLost, first.ID},
			{"of another than was read", second, job.NameClaim{Keep: true, Held: unkept.ID}, fault.JobRaceLost, first.ID},
			{"of one that ended", second, job.NameClaim{Keep: true, Held: first.ID}, nil, second.ID},
			{"not kept", late, job.NameClaim{Held: first.ID}, nil, second.ID},
		} {
			if err := f.TakeIn(t.Context(), tt.job, tt.claim); !errors.Is(err, tt.want) {
				t.Errorf("%s: TakeIn = %v, want %v", tt.name, err, tt.want)
			}
			if _, err := f.Get(t.Context(), tt.job.ID); (err == nil) != (tt.want == nil) {
				t.Errorf("%s: Get = %v, want the job: %t", tt.name, err, tt.want == nil)
			}
			f.hasName(t, tt.job, tt.holds)
		}
	})
}

func TestANameIsTheSameInCapitals(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		j := queued(now)
		if err := f.TakeIn(t.Context(), j, job.NameClaim{Keep: true}); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]job.ID{j.FileName: j.ID, "A B/Ç.PDF": j.ID, "ç.pdf": "", "a b/c.pdf": ""} {
			if id, err := f.NameHolder(t.Context(), j.Folder, name); id != want || err != nil {
				t.Errorf("NameHolder(%q) = %q, %v, want %q", name, id, err, want)
			}
		}
		if id, err := f.NameHolder(t.Context(), "invoices", j.FileName); id != "" || err != nil {
			t.Errorf("in another folder it is job %q's, %v, want nobody's", id, err)
		}
	})
}

func TestOfManyFilesOneGetsTheName(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		if b.name == "moto" {
			return // see overtaking
		}
		f := open(t, b)
		jobs := make([]job.Job, 20)
		errs := concurrently(len(jobs), func(n int) error {
			jobs[n] = queued(now)
			return f.TakeIn(t.Context(), jobs[n], job.NameClaim{Keep: true})
		})
		oneWins(t, errs)
		for n, j := range jobs {
			if errs[n] == nil {
				f.hasName(t, j, j.ID)
			}
		}
	})
}

func TestAnObjectVersionIsTakenInAgain(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		old := queued(now)
		if err := f.TakeIn(t.Context(), old, job.NameClaim{Keep: true}); err != nil {
			t.Fatal(err)
		}
		child := queued(now.Add(time.Minute))
		child.Object = old.Object
		kept := job.NameClaim{Keep: true, Held: old.ID}
		for _, tt := range []struct {
			name   string
			latest job.ID
			claim  job.NameClaim
			want   error
		}{
			{"after another job", job.NewID(), kept, fault.JobRaceLost},
			{"as the first", "", kept, fault.JobRaceLost},
			{"with a name of nobody", old.ID, job.NameClaim{Keep: true}, fault.JobRaceLost},
			{"after its last", old.ID, kept, nil},
			{"twice", old.ID, kept, fault.JobRaceLost},
		} {
			if err := f.Retake(t.Context(), child, tt.latest, tt.claim); !errors.Is(err, tt.want) {
				t.Errorf("%s: Retake = %v, want %v", tt.name, err, tt.want)
			}
		}
		if id, err := f.TakenIn(t.Context(), child.Object); id != child.ID || err != nil {
			t.Errorf("TakenIn = %q, %v, want %q", id, err, child.ID)
		}
		f.hasName(t, child, child.ID)
		// A job that is known is not made again, whatever leads to it.
		if err := f.Retake(t.Context(), child, child.ID, job.NameClaim{}); !errors.Is(err, fault.JobRaceLost) {
			t.Errorf("Retake of a job that is there = %v, want %v", err, fault.JobRaceLost)
		}
	})
}

func TestARetryTakesTheNameAlong(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		for name, holder := range map[string]string{"its own": "parent", "of the latest job": "latest", "of another job": "other", "of nobody": ""} {
			f := open(t, b)
			parent, latest, other := queued(now), queued(now), queued(now)
			parent.Object = latest.Object
			f.takeIn(t, latest)
			f.put(t, map[string]types.AttributeValue{"pk": text("JOB#" + string(parent.ID)), "sk": text("JOB"), "version": &types.AttributeValueMemberN{Value: "1"}})
			holders := map[string]job.ID{"parent": parent.ID, "latest": latest.ID, "other": other.ID}
			if holder != "" {
				f.put(t, map[string]types.AttributeValue{"pk": text("NAME#contracts/a b/ç.pdf"), "sk": text("JOB"), "job": text(string(holders[holder]))})
			}
			noted, child := retried(parent, profile.Local)
			if err := f.Retry(t.Context(), noted, child, latest.ID, ""); err != nil {
				t.Errorf("%s: Retry = %v", name, err)
			}
			want := map[string]job.ID{"parent": child.ID, "latest": child.ID, "other": other.ID, "": ""}[holder]
			f.hasName(t, child, want)
		}
	})
}

// What waits at Lacuna Signer has a name of its own, which is no file's.
func TestARetryOfADocumentTakesNoName(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		j := found("d1", "a1")
		if err := f.Discover(t.Context(), j); err != nil {
			t.Fatal(err)
		}
		f.put(t, map[string]types.AttributeValue{"pk": text("NAME#/" + strings.ToLower(j.FileName)), "sk": text("JOB"), "job": text(string(j.ID))})
		parent, child := retried(j, profile.SignerFolder)
		if err := f.Retry(t.Context(), parent, child, j.ID, ""); err != nil {
			t.Fatal(err)
		}
		f.hasName(t, j, j.ID)
	})
}
