package guide_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/fault"
	"bulksigner/internal/fault/guide"
)

var update = flag.Bool("update", false, "write the codes into docs/troubleshooting.md")

const docs = "../../../docs/"

// The part of the page that is written by this test.
const (
	begin = "<!-- codes: written by go test ./internal/fault/guide -update -->\n"
	end   = "<!-- end of codes -->\n"
)

func page(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(docs + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A change of the English catalogue shows as a change of the page. Run the tests with -update to accept it.
func TestCodesAreDocumented(t *testing.T) {
	t.Parallel()
	text := page(t, "troubleshooting.md")
	before, rest, ok := strings.Cut(text, begin)
	got, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatal("docs/troubleshooting.md has no place for the codes")
	}
	want := chapter(entries(t, guide.English))
	if *update {
		if err := os.WriteFile(docs+"troubleshooting.md", []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("codes in docs/troubleshooting.md (-want +got):\n%s", diff)
	}
}

// chapter writes all codes, each under a heading that can be linked to.
func chapter(entries map[fault.Code]guide.Entry) string {
	var b strings.Builder
	for _, c := range slices.Sorted(maps.Keys(entries)) {
		e := entries[c]
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n%s\n", c, wrapped(e.Meaning), wrapped("**What to do.** "+e.Remedy))
	}
	return b.String() + "\n"
}

// pageWidth is where lines of the pages break, in bytes.
const pageWidth = 125

func wrapped(text string) string {
	var b strings.Builder
	line := 0
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == 0:
		case line+1+len(word) > pageWidth:
			b.WriteByte('\n')
			line = 0
		default:
			b.WriteByte(' ')
			line++
		}
		b.WriteString(word)
		line += len(word)
	}
	return b.String()
}

// crossLinks are the symptoms of work with Lacuna Signer that operators are sent here for, word by word.
var crossLinks = []string{
	"Signer API unreachable / 5xx storm",
	"Wrong API key — 401s from every call",
	"Document stuck Pending past Signer:TimeoutHours",
	"Operator canceled but the participant still sees the document",
	"The dashboard does not show the Lacuna Signer panel even though a profile uses it",
	"A Lacuna Signer folder job ends Failed or Canceled",
	"A Signer-folder profile is degraded — no Signer:* settings, no CPF, or a folder that no longer exists",
	"The signer-folder-sweep readiness row is red",
	"Documents are found only at the sweep interval, not within seconds",
}

var (
	headings = regexp.MustCompile(`(?m)^#{2,4} (.+)$`)
	bold     = regexp.MustCompile(`(?m)^- \*\*([^*]+)\.\*\*`)
)

// Every symptom is told in the same four steps, those that others send people to among them.
func TestSymptoms(t *testing.T) {
	t.Parallel()
	written, _, _ := strings.Cut(page(t, "troubleshooting.md"), "\n## Codes\n")
	var symptoms []string
	for _, section := range strings.Split(written, "\n### ")[1:] {
		heading, body, _ := strings.Cut(section, "\n")
		symptoms = append(symptoms, heading)
		var steps []string
		for _, m := range bold.FindAllStringSubmatch(body, -1) {
			steps = append(steps, m[1])
		}
		if want := []string{"Symptom", "Look", "Causes, likeliest first", "What to do"}; !slices.Equal(steps, want) {
			t.Errorf("%q has the steps %q, want %q", heading, steps, want)
		}
		if !strings.Contains(written, "](#"+anchor(heading)+")") {
			t.Errorf("nothing on the page leads to %q", heading)
		}
	}
	for _, words := range crossLinks {
		if !slices.Contains(symptoms, words) {
			t.Errorf("there is no symptom %q", words)
		}
	}
}

var unspoken = regexp.MustCompile(`[^a-z0-9 _-]`)

// anchor is how a heading is linked to.
func anchor(heading string) string {
	return strings.ReplaceAll(unspoken.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

func anchors(text string) map[string]int {
	found := map[string]int{}
	for _, m := range headings.FindAllStringSubmatch(text, -1) {
		found[anchor(m[1])]++
	}
	return found
}

var links = regexp.MustCompile(`\]\(([a-z]*(?:\.md)?)#([^)]+)\)`)

// Every link leads somewhere, and to one place.
func TestLinks(t *testing.T) {
	t.Parallel()
	text := page(t, "troubleshooting.md")
	found := map[string]map[string]int{"": anchors(text)}
	all := links.FindAllStringSubmatch(text, -1)
	if len(all) < 100 {
		t.Fatalf("only %d links found", len(all))
	}
	for _, m := range all {
		if found[m[1]] == nil {
			found[m[1]] = anchors(page(t, m[1]))
		}
		if n := found[m[1]][m[2]]; n != 1 {
			t.Errorf("%s#%s leads to %d headings", m[1], m[2], n)
		}
	}
}
