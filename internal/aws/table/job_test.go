package table_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

func TestAnItemIsFlatAndSaysWhereItsJobIs(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		j := queued(now)
		f.takeIn(t, j)
		i := plain(t, f.item(t, "JOB#"+string(j.ID), "JOB"))
		shard := fmt.Sprint(j.ID.Shard())
		for name, want := range map[string]any{
			"statusPk": "STATUS#Queued#" + shard, "statusSk": "2026-07-15T12:00:00.000Z#" + string(j.ID),
			"dayPk": "DAY#2026-07-15#" + shard, "daySk": "2026-07-15T12:00:00.000Z#" + string(j.ID),
			"createdAt": "2026-07-15T12:00:00.000Z", "version": 1.0, "claimUntil": nil, "marked": nil,
		} {
			if i[name] != want {
				t.Errorf("%s = %v, want %v", name, i[name], want)
			}
		}
		if _, ok := i["expiresAt"]; ok {
			t.Error("a job expires")
		}
	})
}

func TestOnlyStatusAndClaimMoveAJobInItsIndexes(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		keys := func(j job.Job) [5]any {
			i := plain(t, f.item(t, "JOB#"+string(j.ID), "JOB"))
			return [5]any{i["statusPk"], i["statusSk"], i["dayPk"], i["daySk"], i["claimUntil"]}
		}
		j := queued(now.AddDate(0, -1, 0))
		f.takeIn(t, j)
		j, err := take(j, "run", now)
		j = f.step(t, j, err)
		taken := keys(j)
		if want := any("2026-07-15T13:00:00.000Z"); taken[4] != want {
			t.Errorf("claimUntil = %v, want %v", taken[4], want)
		}
		j, err = j.Mark("run", "out", now.Add(time.Second))
		j = f.step(t, j, err)
		if marked := keys(j); marked != taken {
			t.Errorf("a mark moves the job from %v to %v", taken, marked)
		}
		j, err = j.Fail("run", fault.JobKeyRefused, "no", now.Add(time.Minute))
		j = f.step(t, j, err)
		shard, id := fmt.Sprint(j.ID.Shard()), string(j.ID)
		want := [5]any{
			"STATUS#Failed#2026-07#" + shard, "2026-07-15T12:01:00.000Z#" + id,
			"DAY#2026-06-15#" + shard, "2026-06-15T12:00:00.000Z#" + id, nil,
		}
		if got := keys(j); got != want {
			t.Errorf("a failed job is at %v, want %v", got, want)
		}
	})
}

func TestGetAndSaveKnowNoOtherJob(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		j := queued(now)
		if _, err := f.Get(t.Context(), j.ID); !errors.Is(err, fault.JobNotFound) {
			t.Errorf("Get = %v, want %v", err, fault.JobNotFound)
		}
		j.Version = 2
		if err := f.Save(t.Context(), j); !errors.Is(err, fault.JobRaceLost) {
			t.Errorf("Save of a job that is not there = %v, want %v", err, fault.JobRaceLost)
		}
	})
}

func TestWhoComesSecondLoses(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		j := queued(now)
		f.takeIn(t, j)
		first, err := take(j, "first", now)
		f.step(t, first, err)
		second, err := take(j, "second", now)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Save(t.Context(), second); !errors.Is(err, fault.JobRaceLost) {
			t.Errorf("Save = %v, want %v", err, fault.JobRaceLost)
		}
		got, err := f.Get(t.Context(), j.ID)
		if err != nil || got.Claim.Owner != "first" {
			t.Errorf("the job is held by %q, %v, want first", got.Claim.Owner, err)
		}
	})
}

func TestAClaimGivenBackCanBeTakenAgain(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		j := queued(now)
		f.takeIn(t, j)
		j, err := take(j, "first", now)
		j = f.step(t, j, err)
		back, err := j.GiveBack("first", "no time", now.Add(time.Second))
		f.step(t, back, err)
		if j, err = f.Get(t.Context(), j.ID); err != nil {
			t.Fatal(err)
		}
		if j.Status != job.Queued || j.Claim != (job.Claim{}) || j.Deaths != 0 {
			t.Errorf("given back: %s, %v, %d deaths, want Queued, no claim, none", j.Status, j.Claim, j.Deaths)
		}
		j, err = take(j, "second", now.Add(2*time.Second))
		f.step(t, j, err)
	})
}

func TestOfManyClaimantsOneWins(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		if b.name == "moto" {
			return // see overtaking
		}
		f := open(t, b)
		j := queued(now)
		f.takeIn(t, j)
		errs := concurrently(25, func(n int) error {
			k, err := take(j, fmt.Sprintf("run %d", n), now)
			if err != nil {
				return err
			}
			return f.Save(t.Context(), k)
		})
		oneWins(t, errs)
	})
}

// concurrently calls f n times at once.
func concurrently(n int, f func(int) error) []error {
	errs := make([]error, n)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			errs[i] = f(i)
		})
	}
	close(start)
	wg.Wait()
	return errs
}

// oneWins demands that all errors but one, which is nil, are lost races.
func oneWins(t *testing.T, errs []error) {
	t.Helper()
	won := 0
	for _, err := range errs {
		switch {
		case err == nil:
			won++
		case !errors.Is(err, fault.JobRaceLost):
			t.Errorf("err = %v, want %v", err, fault.JobRaceLost)
		}
	}
	if won != 1 {
		t.Errorf("%d of %d won, want 1", won, len(errs))
	}
}

func TestAFullHistoryStaysFarBelowTheLimitOfAnItem(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		j := queued(now)
		j.Folder, j.FileName = strings.Repeat("f", 40), strings.Repeat("é", job.MaxNameBytes/2)
		j.Output.Key, j.Object.Key = strings.Repeat("o", job.MaxNameBytes), strings.Repeat("k", job.MaxNameBytes)
		f.takeIn(t, j)
		long := strings.Repeat("é", job.MaxMessageBytes)
		for n := range job.MaxEntries {
			at := now.Add(time.Duration(n) * time.Second)
			var err error
			if j, err = take(j, "run", at); err != nil {
				t.Fatal(err)
			}
			if j, err = j.GiveBack("run", long, at); err != nil {
				t.Fatal(err)
			}
		}
		for n := range j.History {
			j.History[n].Message = j.Last().Message // the longest there is
		}
		j.Version = 2 // all steps in one write
		j.Error = j.Last().Message
		f.step(t, j, nil)
		got, err := f.Get(t.Context(), j.ID)
		if diff := cmp.Diff(j, got); diff != "" || err != nil {
			t.Errorf("Get = %v (-want +got):\n%s", err, diff)
		}
		if n := size(f.item(t, "JOB#"+string(j.ID), "JOB")); n < job.MaxEntries*(job.MaxMessageBytes-16) || n > 250_000 {
			t.Errorf("the item has %d bytes, want a full history in far less than 400 KB", n)
		}
	})
}

func BenchmarkSave(b *testing.B) {
	f := open(b, backend{"kumo", kumo.Config()})
	j := queued(now)
	f.takeIn(b, j)
	for n := 0; b.Loop(); n++ {
		var err error
		if n%2 == 0 {
			j, err = take(j, fmt.Sprint(n), now)
		} else {
			j, err = j.GiveBack(j.Claim.Owner, "again", now)
		}
		if err == nil {
			err = f.Save(b.Context(), j)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
