package app_test

import (
	"os"
	"strings"
	"testing"

	"bulksigner/internal/app"
)

// TestTheLogSaysWhichReleaseRuns: a program that was linked without a version is of no release.
func TestTheLogSaysWhichReleaseRuns(t *testing.T) {
	captured(t)
	newDeployed(t) // starts two functions
	lines, err := os.ReadFile(os.Stdout.Name())
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(lines), `"msg":"function starts","version":"dev"`); n != 2 || app.Version() != "dev" {
		t.Errorf("%d functions tell the version %q, want 2:\n%s", n, app.Version(), lines)
	}
}
