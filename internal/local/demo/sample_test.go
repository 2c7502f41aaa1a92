package demo_test

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/local/demo"
)

func TestTables(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, table string
		want        []demo.Sample
		refused     string
	}{
		{"a sample and a comment", "# file\tkey\n\na.pdf\tin/a b.pdf\tFailed\tpdf.encrypted\t-\t-\t-\n",
			[]demo.Sample{file("a.pdf", "in/a b.pdf", "Failed", "pdf.encrypted")}, ""},
		{"an empty object", "-\tin/\t-\t-\t-\t-\t-\n", []demo.Sample{file("-", "in/", "-", "-")}, ""},
		{"a document at Lacuna Signer", "a.pdf\tAta\tCompleted\t-\tsilence\ta,b\tConcluded\n",
			[]demo.Sample{{File: "a.pdf", Key: "Ata", Status: "Completed", Code: "-", Deed: "silence", Flow: "a,b", There: "Concluded"}}, ""},
		{"too few fields", "a.pdf\tin/a.pdf\n", nil, "line 1: 2 fields"},
		{"an empty field", "a.pdf\t\tCompleted\t-\t-\t-\t-\n", nil, "line 1: 7 fields"},
		{"a deed that nobody knows", "a.pdf\tk\tCompleted\t-\tdance\t-\t-\n", nil, `line 1: nobody knows the deed "dance"`},
		{"a file that is not there", "b.pdf\tb\tCompleted\t-\t-\t-\t-\n", nil, "line 1: open b.pdf"},
		{"a key twice", "a.pdf\tk\tCompleted\t-\t-\t-\t-\na.pdf\tk\tCompleted\t-\t-\t-\t-\n", nil, "line 2: key k stands there twice"},
		{"a file that is too large", "big\tk\tCompleted\t-\t-\t-\t-\n", nil, "more than 4194304"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fsys := fstest.MapFS{
				"samples.tsv": {Data: []byte(tt.table)}, "a.pdf": {Data: []byte("%PDF")}, "big": {Data: make([]byte, 4<<20+1)},
			}
			got, err := demo.Load(fsys, "samples.tsv")
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("samples (-want +got):\n%s", diff)
			}
			if tt.refused == "" && err != nil || tt.refused != "" && (err == nil || !strings.Contains(err.Error(), tt.refused)) {
				t.Errorf("err = %v, want %q", err, tt.refused)
			}
		})
	}
}

// TestTheProjectsSamples holds for the table that the run uses.
func TestTheProjectsSamples(t *testing.T) {
	t.Parallel()
	samples, err := demo.Load(os.DirFS("../../../scripts/local/samples"), "samples.tsv")
	if err != nil {
		t.Fatal(err)
	}
	if len(samples) < 30 {
		t.Errorf("%d samples, want all of them", len(samples))
	}
}
