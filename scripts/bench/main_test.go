package main_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bulksigner/scripts/bench/identity"
	"bulksigner/scripts/bench/paper"
	"bulksigner/scripts/bench/race"
)

// build compiles the command.
func build(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bench")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

func TestACommandMeasuresAndLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out, err := exec.CommandContext(t.Context(), build(t), "-dir", dir, "-rounds", "1", "-only", "answering|NF-e").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{"### PDF, 100 kB, the key answering at once\n", "| digitorus/pdfsign |", "- Goal, ", "### XML, NF-e"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("got\n%swithout %q", out, want)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("got %v, %v, want an empty folder", left, err)
	}
}

func TestOnceTellsTheNeedOfMemory(t *testing.T) {
	t.Parallel()
	id, err := identity.Make(t.TempDir(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	in, out := filepath.Join(id.Dir, "in"), filepath.Join(id.Dir, "out")
	if err := paper.Write(in, paper.PDF(50_000)); err != nil {
		t.Fatal(err)
	}
	command := build(t)
	said, err := exec.CommandContext(t.Context(), command, "-once", "pades", "-keys", id.Dir, in, out).Output()
	if err != nil {
		t.Fatal(err)
	}
	var p race.Peak
	if err := json.Unmarshal(said, &p); err != nil || p.Idle <= 0 || p.Most < p.Idle {
		t.Errorf("got %+v, %v from %s", p, err, said)
	}
	if _, err := os.Stat(out); err != nil {
		t.Error(err)
	}
	for _, wrong := range [][]string{{"-once", "crayon", "-keys", id.Dir, in, out}, {"-once", "pades", "-keys", id.Dir, in}, {"-only", "("}} {
		if err := exec.CommandContext(t.Context(), command, wrong...).Run(); err == nil {
			t.Errorf("%v: got no error", wrong)
		}
	}
}
