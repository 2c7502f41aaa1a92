package corpus_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/scripts/conformance/corpus"

	"github.com/google/go-cmp/cmp"
)

const header = "file\tverdict\tnote\n"

func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, list string
		want       []corpus.Entry
		err        string
	}{
		{"all verdicts", header + "a.pdf\tsign\tplain\nb/c.xml\trefuse\txml.doctype: one\td\n\nd\teither\n", []corpus.Entry{
			{File: "a.pdf", Verdict: corpus.Sign, Note: "plain"},
			{File: "b/c.xml", Verdict: corpus.Refuse, Note: "xml.doctype: one\td"},
			{File: "d", Verdict: corpus.Either},
		}, ""},
		{"CRLF, no line end", "file\tverdict\tnote\r\na\tsign\tx\r\nb\tsign\ty", []corpus.Entry{
			{File: "a", Verdict: corpus.Sign, Note: "x"}, {File: "b", Verdict: corpus.Sign, Note: "y"},
		}, ""},
		{"no documents", header, nil, "no documents"},
		{"no bytes", "", nil, "no documents"},
		{"one column", header + "a.pdf\n", nil, "line 2"},
		{"unknown verdict", header + "a.pdf\tmaybe\tx\n", nil, `"maybe"`},
		{"twice", header + "a\tsign\tx\na\tsign\tx\n", nil, "a comes twice"},
		{"outside", header + "../a\tsign\tx\n", nil, "does not lie in the folder"},
		{"absolute", header + "/etc/hostname\tsign\tx\n", nil, "does not lie in the folder"},
		{"too long", header + "a\tsign\t" + strings.Repeat("x", 2<<20) + "\n", nil, "more than"},
		{"too many bytes", header + strings.Repeat("a\tsign\t"+strings.Repeat("x", 1000)+"\n\n", 1) + strings.Repeat("\n", 2<<20), nil, "more than"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := corpus.Parse(strings.NewReader(tt.list))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("entries (-want +got):\n%s", diff)
			}
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("Parse = %v, want %q", err, tt.err)
			}
		})
	}
}

func TestCode(t *testing.T) {
	t.Parallel()
	for note, want := range map[string]fault.Code{
		"pdf.encrypted: AES-256":        fault.PDFEncrypted,
		"job.input-too-large":           fault.JobInputTooLarge,
		"refuse: encrypted":             "",
		"sign (a line end goes in)":     "",
		"pdf.encrypted by its own word": "",
		"":                              "",
	} {
		if got := (corpus.Entry{Note: note}).Code(); got != want {
			t.Errorf("Code of %q = %q, want %q", note, got, want)
		}
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := corpus.Read(dir); !os.IsNotExist(err) {
		t.Errorf("Read without a list = %v, want not there", err)
	}
	write(corpus.List, header+"a\tsign\tx\nfolder\tsign\tx\n")
	write("a", "content")
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := corpus.Read(dir); err == nil || !strings.Contains(err.Error(), "not a file") {
		t.Errorf("Read with a folder in the list = %v, want a complaint about it", err)
	}
	write(corpus.List, header+"a\tsign\tx\nb\tsign\tx\n")
	if _, err := corpus.Read(dir); !os.IsNotExist(err) {
		t.Errorf("Read with a document that is missing = %v, want not there", err)
	}
	write(corpus.List, header+"a\tsign\tx\n")
	if got, err := corpus.Read(dir); err != nil || len(got) != 1 {
		t.Errorf("Read = %v, %v, want one document", got, err)
	}
	if err := os.Truncate(filepath.Join(dir, "a"), corpus.MaxDocument+1); err != nil {
		t.Fatal(err)
	}
	if _, err := corpus.Read(dir); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("Read with a huge document = %v, want a complaint about its size", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(header + "a.pdf\tsign\tplain\n")
	f.Add("\n\t\t\n")
	f.Fuzz(func(t *testing.T, list string) {
		entries, err := corpus.Parse(strings.NewReader(list))
		if (err == nil) != (len(entries) > 0) {
			t.Fatalf("%d documents and %v", len(entries), err)
		}
		for _, e := range entries {
			if !filepath.IsLocal(e.File) {
				t.Errorf("%q lies outside", e.File)
			}
		}
	})
}
