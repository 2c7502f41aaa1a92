package app_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/app"
)

// TestLog: what a function logs names its request, and no secret.
func TestLog(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	app.NewLogger(&b, "swordfish-of-tests").InfoContext(app.Request(t.Context(), "8476a536"), "job ended", "err", errors.New("swordfish-of-tests"))
	var got map[string]any
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	delete(got, "time")
	if diff := cmp.Diff(map[string]any{"level": "INFO", "msg": "job ended", "err": "***", "request": "8476a536"}, got); diff != "" {
		t.Errorf("the line (-want +got):\n%s", diff)
	}
}

// captured has functions that are built from here on log into a file, and returns what checks that a secret of theirs stays
// out of it. The log belongs to the function that was built last.
func captured(t *testing.T) func(secret string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "log")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	stdout, logger := os.Stdout, slog.Default()
	os.Stdout = file
	t.Cleanup(func() {
		os.Stdout = stdout
		slog.SetDefault(logger)
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	})
	return func(secret string) {
		t.Helper()
		slog.Error("call refused", "err", errors.New("the answer quotes "+secret))
		lines, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(lines), secret) || !strings.Contains(string(lines), "the answer quotes ***") {
			t.Errorf("the log shows %s:\n%s", secret, lines)
		}
	}
}
