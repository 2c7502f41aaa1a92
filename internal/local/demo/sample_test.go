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
		{"a sample and a comment", "# file\tkey\n\na.pdf\tin/a b.pdf\tFailed\tpdf.encrypted\n",
			[]demo.Sample{{File: "a.pdf", Key: "in/a b.pdf", Status: "Failed", Code: "pdf.encrypted"}}, ""},
		{"an empty object", "-\tin/\t-\t-\n", []demo.Sample{{File: "-", Key: "in/", Status: "-", Code: "-"}}, ""},
		{"too few fields", "a.pdf\tin/a.pdf\n", nil, "line 1: 2 fields"},
		{"an empty field", "a.pdf\t\tCompleted\t-\n", nil, "line 1: 4 fields"},
		{"a file that is not there", "b.pdf\tb\tCompleted\t-\n", nil, "line 1: open b.pdf"},
		{"a key twice", "a.pdf\tk\tCompleted\t-\na.pdf\tk\tCompleted\t-\n", nil, "line 2: key k stands there twice"},
		{"a file that is too large", "big\tk\tCompleted\t-\n", nil, "more than 4194304"},
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
	if len(samples) < 15 {
		t.Errorf("%d samples, want all of them", len(samples))
	}
}
