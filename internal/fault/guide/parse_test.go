package guide_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/fault"
	"bulksigner/internal/fault/guide"
)

func TestParse(t *testing.T) {
	t.Parallel()
	const text = "# Two codes.\n# More of it.\n\njob.one\nIt broke\nin two.\n> Wait,\n> then ask.\n\n\njob.two\nIt > that.\n>Ask.\n"
	got, err := guide.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	want := map[fault.Code]guide.Entry{
		"job.one": {Meaning: "It broke in two.", Remedy: "Wait, then ask."},
		"job.two": {Meaning: "It > that.", Remedy: "Ask."},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"a code that is there twice", "a.b\nOne.\n> Do.\n\na.b\nTwo.\n> Do.", `"a.b": it is there twice`},
		{"no remedy", "a.b\nOne.", `"a.b": it lacks`},
		{"no meaning", "a.b\n> Do.", `"a.b": it lacks`},
		{"an empty remedy", "a.b\nOne.\n>", `"a.b": it lacks`},
		{"nothing but a code", "a.b", `"a.b": it lacks`},
		{"nothing", "", `"": it lacks`},
		{"a meaning that goes on", "a.b\nOne.\n> Do.\nTwo.", `"a.b": its meaning goes on`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got, err := guide.Parse(tt.text); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Parse = %v, %v, want %q", got, err, tt.want)
			}
		})
	}
}
