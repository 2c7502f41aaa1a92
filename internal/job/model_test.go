package job_test

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// modelTable is the table of steps that the model in docs/model is checked with.
const modelTable = "../../docs/model/table.pml"

// edge is a row of a table.
type edge struct {
	method   profile.Method
	from, to job.Status
}

// modelRow is a row as the model has it. Whatever else begins like one is a mistake that would go unseen.
var (
	modelRow   = regexp.MustCompile(`(?m)^STEP\((\w+), (\w+), (\w+)\)$`)
	modelStart = regexp.MustCompile(`\bSTEP\b`)
)

func modelEdges(t *testing.T) map[edge]bool {
	t.Helper()
	text, err := os.ReadFile(modelTable)
	if err != nil {
		t.Fatal(err)
	}
	out := map[edge]bool{}
	all := modelRow.FindAllSubmatch(text, -1)
	if n := len(modelStart.FindAll(text, -1)); n != len(all) || n == 0 {
		t.Fatalf("%s: %d rows can be read of %d", modelTable, len(all), n)
	}
	for _, m := range all {
		e := edge{profile.Method(m[1]), job.Status(m[2]), job.Status(m[3])}
		if out[e] {
			t.Errorf("%s has %v twice", modelTable, e)
		}
		out[e] = true
	}
	return out
}

// TestModelTable compares the model's steps with the code's, in both directions.
func TestModelTable(t *testing.T) {
	t.Parallel()
	modelled := modelEdges(t)
	methods := []profile.Method{profile.Local, profile.LacunaSigner, profile.SignerFolder}
	for e := range modelled {
		if !slices.Contains(methods, e.method) || !e.from.Known() || !e.to.Known() {
			t.Errorf("the model has %v, which names no method or no status", e)
		}
	}
	for _, m := range methods {
		for _, from := range job.Statuses {
			for _, to := range job.Statuses {
				if got, want := modelled[edge{m, from, to}], job.CanStep(m, from, to); got != want {
					t.Errorf("%s, %s to %s: the model says %t, the code %t", m, from, to, got, want)
				}
			}
		}
	}
}
