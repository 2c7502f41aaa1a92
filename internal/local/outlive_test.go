package local_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"
)

// TestTimeGoesByForDeadRuns: nobody is at work here on the jobs, whose claims are therefore those of dead runs.
func TestTimeGoesByForDeadRuns(t *testing.T) {
	t.Parallel()
	db := dynamodb.NewFromConfig(cloud())
	const layout = "2006-01-02T15:04:05.000Z"
	later, before := time.Now().UTC().Add(time.Hour).Format(layout), time.Now().UTC().Add(-time.Hour).Format(layout)
	claimed := map[string]string{"pk": "JOB#o1", "sk": "JOB", "status": "Processing", "claimOwner": "a", "claimUntil": later}
	over := map[string]string{"pk": "JOB#o2", "sk": "JOB", "status": "Processing", "claimOwner": "a", "claimUntil": before}
	free := map[string]string{"pk": "JOB#o3", "sk": "JOB", "status": "Queued"}
	for _, item := range []map[string]string{claimed, over, free} {
		put(t, db, item)
	}
	ended := 0
	if !eventually(func() bool { // a file of another test may be in hand
		n, err := service.Outlive(t.Context(), []string{"o1", "o2", "o3", "o4"})
		if err != nil {
			t.Fatal(err)
		}
		ended += n
		return ended > 0
	}) {
		t.Fatal("no claim was ended")
	}
	if ended != 1 {
		t.Errorf("%d claims were ended, want one", ended)
	}
	got := get(t, db, "JOB#o1")
	until, err := time.Parse(layout, got["claimUntil"])
	if ago := time.Since(until); err != nil || ago < 30*time.Second || ago > time.Minute {
		t.Errorf("the claim ended %v ago (%v), want 30 seconds", ago, err)
	}
	claimed["claimUntil"] = got["claimUntil"]
	for id, want := range map[string]map[string]string{"o1": claimed, "o2": over, "o3": free} {
		if diff := cmp.Diff(want, get(t, db, "JOB#"+id)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
}

func TestQueuesTellTheirDepths(t *testing.T) {
	t.Parallel()
	depths, err := service.Depths(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bulksigner-work", "bulksigner-work-dead", "bulksigner-checks", "bulksigner-checks-dead"} {
		if _, ok := depths[name]; !ok {
			t.Errorf("nobody tells of %s: %v", name, depths)
		}
	}
	if dead := depths["bulksigner-work-dead"]; dead.Waiting+dead.InHand != 0 {
		t.Errorf("dead letters: %+v", dead)
	}
}

func TestAFunctionIsWoken(t *testing.T) {
	t.Parallel()
	if err := service.Wake(t.Context(), "recover"); err != nil {
		t.Error(err)
	}
	if err := service.Wake(t.Context(), "nobody"); err == nil {
		t.Error("nobody was woken")
	}
}
