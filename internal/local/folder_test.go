package local_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bulksigner/internal/local"
)

func TestADataFolderIsFreshAtEachStart(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	for range 2 {
		f, err := local.OpenFolder(dir)
		if err != nil || f.Path != dir {
			t.Fatalf("OpenFolder = %v, %v, want %q", f, err, dir)
		}
		left := filepath.Join(dir, "output", "old.pdf")
		if _, err := os.Stat(left); err == nil {
			t.Error("what the earlier run left is still there")
		}
		write(t, left)
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAFolderBelongsToOneRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, err := local.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	write(t, filepath.Join(dir, "output", "mine.pdf"))
	if _, err := local.OpenFolder(dir); err == nil || !strings.Contains(err.Error(), "another run uses") {
		t.Errorf("err = %v, want a refusal", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "output", "mine.pdf")); err != nil {
		t.Errorf("the refused run deleted what the first one made: %v", err)
	}
}

func TestAForeignFolderIsNeverTouched(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		make func(t *testing.T, dir string)
	}{
		{"a folder with files", func(t *testing.T, dir string) { write(t, filepath.Join(dir, "thesis.pdf")) }},
		{"a marker that is a folder", func(t *testing.T, dir string) { write(t, filepath.Join(dir, ".bulksigner-local", "thesis.pdf")) }},
		{"a marker that is a link", func(t *testing.T, dir string) {
			target := filepath.Join(t.TempDir(), "thesis.pdf")
			write(t, target)
			if err := os.Symlink(target, filepath.Join(dir, ".bulksigner-local")); err != nil {
				t.Fatal(err)
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			tt.make(t, dir)
			before := list(t, dir)
			if _, err := local.OpenFolder(dir); err == nil || !strings.Contains(err.Error(), "was not made by an earlier run") {
				t.Errorf("err = %v, want a refusal", err)
			}
			if after := list(t, dir); after != before {
				t.Errorf("the folder holds %s, want %s", after, before)
			}
		})
	}
}

func TestAFolderNeedsAName(t *testing.T) {
	t.Parallel()
	if _, err := local.OpenFolder(""); err == nil {
		t.Error("a folder without a name was opened")
	}
}

func write(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("years of work"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func list(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}
