package shapes_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"bulksigner/scripts/conformance/corpus"
	"bulksigner/scripts/conformance/shapes"
)

const folder = "../../../testdata/corpus"

const remedy = "run: go run ./scripts/conformance/generate"

// TestFolder holds that the folder is what the shapes make, that the list names every file and nothing else.
func TestFolder(t *testing.T) {
	t.Parallel()
	files, err := shapes.Files()
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"README.md", ".gitattributes", corpus.List}
	for _, f := range files {
		names = append(names, f.File)
		got, err := os.ReadFile(filepath.Join(folder, f.File))
		if err != nil || !bytes.Equal(got, f.Bytes) {
			t.Errorf("%s is not what is made (%v); %s", f.File, err, remedy)
		}
	}
	if got, err := os.ReadFile(filepath.Join(folder, corpus.List)); err != nil || string(got) != shapes.List(files) {
		t.Errorf("%s is not what is made (%v); %s", corpus.List, err, remedy)
	}
	err = fs.WalkDir(os.DirFS(folder), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !slices.Contains(names, path) {
			t.Errorf("nothing makes %s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestList holds that the list is one that can be read, and says of every refusal with which code.
func TestList(t *testing.T) {
	t.Parallel()
	entries, err := corpus.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) < 40 {
		t.Errorf("there are %d documents, want at least 40", len(entries))
	}
	for _, e := range entries {
		if e.Note == "" {
			t.Errorf("%s has no note", e.File)
		}
		if e.Verdict == corpus.Refuse && e.Code() == "" && e.File != "xml/latin1-accents.xml" {
			t.Errorf("the refusal of %s has no code", e.File)
		}
	}
}

// TestSmall holds that a document is small, except where size is what it is about.
func TestSmall(t *testing.T) {
	t.Parallel()
	files, err := shapes.Files()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if len(f.Bytes) > 80_000 {
			t.Errorf("%s has %d bytes", f.File, len(f.Bytes))
		}
	}
}
