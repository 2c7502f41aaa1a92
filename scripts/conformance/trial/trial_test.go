package trial_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"bulksigner/internal/sign/signtest"
	"bulksigner/scripts/conformance/corpus"
	"bulksigner/scripts/conformance/judge"
	"bulksigner/scripts/conformance/trial"
)

// usual are the judges that need nothing to be built, with a tool and its package.
var usual = map[string][2]string{
	"pdfsig": {"pdfsig", "poppler-utils"}, "mutool": {"mutool", "mupdf-tools"}, "qpdf": {"qpdf", "qpdf"}, "openssl": {"openssl", "openssl"},
	"policy": {"xmllint", "libxml2-utils"}, "xmlsec1": {"xmlsec1", "xmlsec1"}, "verify": {},
}

// folder is a corpus of a document of each kind.
func folder(t *testing.T) trial.Folder {
	t.Helper()
	dir := t.TempDir()
	list := "file\tverdict\tnote\n"
	for _, f := range []struct{ name, verdict, content string }{
		{"a.pdf", "sign", string(signtest.OnePage("", "").Table("/Root 1 0 R").Bytes())},
		{"b.xml", "sign", `<NFe><infNFe Id="NFe1">x</infNFe></NFe>`},
		{"c.txt", "sign", "text"},
		{"d.pdf", "refuse", "no PDF"},
		{"e.pdf", "sign", "no PDF, and not as expected"},
	} {
		list += f.name + "\t" + f.verdict + "\tx\n"
		if err := os.WriteFile(filepath.Join(dir, f.name), []byte(f.content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, corpus.List), []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	return trial.Folder{Name: "corpus", Dir: dir}
}

// TestRun signs with all keys, and asks the judges that are usually there. The controls hold that each of them would
// notice.
func TestRun(t *testing.T) {
	t.Parallel()
	for _, tool := range usual {
		if tool[0] != "" {
			signtest.Tool(t, tool[0], tool[1])
		}
	}
	r, err := trial.Run(t.Context(), trial.Config{
		Corpora: []trial.Folder{folder(t)}, Dir: t.TempDir(), Workers: 2,
		Judges: func(e *judge.Env) []*judge.Judge {
			return slices.DeleteFunc(judge.All(e), func(j *judge.Judge) bool { _, is := usual[j.Name]; return !is })
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Rows {
		for _, f := range row.Faults {
			if row.Entry.File != "e.pdf" { // about which the corpus is wrong
				t.Errorf("%s, %s, %s: %s", row.Entry.File, row.Form, row.Key, f)
			}
		}
	}
	// Each of three keys signs a PDF, two forms of XML and of text, two refusals, and four controls with their altered twins.
	expected, not := r.Count()
	if expected+not != 3*(1+2+2+2+8) || not != 3 {
		t.Errorf("%d as expected, %d not, want 42 and 3", expected, not)
	}
	if len(r.Missing()) != 0 || len(r.Tools) != len(usual) {
		t.Errorf("%d judges, %d not there, want %d and none", len(r.Tools), len(r.Missing()), len(usual))
	}
}

func TestRunWithoutCorpus(t *testing.T) {
	t.Parallel()
	empty := trial.Config{Corpora: []trial.Folder{{Name: "x", Dir: t.TempDir()}}, Dir: t.TempDir(), Workers: 1}
	if _, err := trial.Run(t.Context(), empty); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Run = %v, want that the list is not there", err)
	}
}
