package table_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

func TestALeaseIsTakenOverOnlyAfterItsEnd(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		end := now.Add(time.Minute)
		tests := []struct {
			name, owner string
			at          time.Time
			want        error
			fence       int64
		}{
			{"the first", "a", now, nil, 1},
			{"another at once", "b", now, fault.JobRaceLost, 0},
			{"another one moment before the end", "b", end.Add(-time.Millisecond), fault.JobRaceLost, 0},
			{"the owner again", "a", now, nil, 2},
			{"another at the end", "b", end, nil, 3},
			{"the first owner, too late", "a", end, fault.JobRaceLost, 0},
		}
		for _, tt := range tests {
			until := tt.at.Add(time.Minute)
			p, err := f.Lease(t.Context(), "recover", tt.owner, tt.at, until)
			if !errors.Is(err, tt.want) {
				t.Errorf("%s: Lease = %v, want %v", tt.name, err, tt.want)
			}
			want := job.Pass{Name: "recover", Owner: tt.owner, Until: until, Fence: tt.fence}
			if diff := cmp.Diff(want, p); tt.want == nil && diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.name, diff)
			}
		}
		if _, err := f.Lease(t.Context(), "poll", "a", now, end); err != nil {
			t.Errorf("the lease of another pass = %v", err)
		}
	})
}

func TestAPassGoesOnWhereItWas(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		p, err := f.Lease(t.Context(), "recover", "a", now, now.Add(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		p.State, p.NextAt, p.Until = `{"after":"x"}`, now.Add(time.Hour), now // given back
		if err := f.SavePass(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		got, err := f.Lease(t.Context(), "recover", "b", now, now.Add(time.Minute))
		want := job.Pass{Name: "recover", Owner: "b", Until: now.Add(time.Minute), Fence: 2, State: p.State, NextAt: p.NextAt}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("Lease = %v (-want +got):\n%s", err, diff)
		}
	})
}

func TestALateWriterIsFencedOff(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		late, err := f.Lease(t.Context(), "poll", "a", now, now.Add(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		heir, err := f.Lease(t.Context(), "poll", "b", now.Add(time.Minute), now.Add(2*time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		heir.State = "heir"
		if err := f.SavePass(t.Context(), heir); err != nil {
			t.Fatal(err)
		}
		late.State = "late"
		if err := f.SavePass(t.Context(), late); !errors.Is(err, fault.JobRaceLost) {
			t.Errorf("SavePass = %v, want %v", err, fault.JobRaceLost)
		}
		if err := f.SavePass(t.Context(), job.Pass{Name: "never leased"}); !errors.Is(err, fault.JobRaceLost) {
			t.Errorf("SavePass without a lease = %v, want %v", err, fault.JobRaceLost)
		}
		got := plain(t, f.item(t, "PASS#poll", "STATE"))
		if got["state"] != "heir" || got["owner"] != "b" {
			t.Errorf("the pass is %v of %v, want heir of b", got["state"], got["owner"])
		}
	})
}

func TestOfManyLeasesOneIsGiven(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		if b.name == "moto" {
			return // see overtaking
		}
		f := open(t, b)
		oneWins(t, concurrently(25, func(n int) error {
			_, err := f.Lease(t.Context(), "sweep", fmt.Sprint(n), now, now.Add(time.Minute))
			return err
		}))
	})
}

func TestAPassKeepsWhatANewerReleaseWrote(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		p, err := f.Lease(t.Context(), "poll", "a", now, now.Add(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		i := f.item(t, "PASS#poll", "STATE")
		i["failures"] = &types.AttributeValueMemberN{Value: "3"}
		f.put(t, i)
		if err := f.SavePass(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		if got := plain(t, f.item(t, "PASS#poll", "STATE"))["failures"]; got != 3.0 {
			t.Errorf("failures = %v, want 3", got)
		}
	})
}

func TestAPassIsReadWithoutALease(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		if p, err := f.Pass(t.Context(), "sweep"); err != nil || p != (job.Pass{}) {
			t.Errorf("Pass of none = %v, %v, want zero", p, err)
		}
		want, err := f.Lease(t.Context(), "sweep", "a", now, now.Add(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		want.State, want.NextAt = "{}", now.Add(time.Hour)
		if err := f.SavePass(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		got, err := f.Pass(t.Context(), "sweep")
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("Pass = %v (-want +got):\n%s", err, diff)
		}
	})
}
