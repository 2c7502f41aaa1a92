package metrics_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/metrics"
)

// TestDocument: the page about metrics says of each what is defined, in the same words.
func TestDocument(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "| "), " | ")
		if len(cells) != 7 || !strings.HasPrefix(cells[0], "`") {
			continue
		}
		got = append(got, strings.Join(cells[:5], " | "))
		checkPlace(t, cells[0], cells[1], cells[5], cells[6])
	}
	for _, m := range metrics.Defined {
		want = append(want, fmt.Sprintf("`%s` | %s | %s | %s | %s", m.Name, m.Kind, labelsOf(m), m.Unit, m.Help))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/metrics.md (-want +got):\n%s", diff)
	}
}

// checkPlace: a gauge is asked for, unless a function tells of it now and then, and is exact; all else is counted by functions,
// and lost or doubled now and then.
func checkPlace(t *testing.T, name, kind, where, figures string) {
	t.Helper()
	if kind == string(metrics.KindGauge) {
		if strings.TrimPrefix(where, "recover, each hour; ") != "api, when asked" || figures != "exact" {
			t.Errorf("the gauge %s is %s at %s", name, figures, where)
		}
		return
	}
	for _, f := range strings.Split(where, ", ") {
		if !slices.Contains([]string{"sign", "poll", "sweep", "recover", "api", "notify"}, f) {
			t.Errorf("%s is counted by %q, which is no function", name, f)
		}
	}
	if figures != "approximate" {
		t.Errorf("%s is %s", name, figures)
	}
}

func labelsOf(m metrics.Metric) string {
	var all []string
	for _, l := range m.Labels {
		text := "`" + l.Name + "`"
		if len(l.Values) > 0 {
			text += ": `" + strings.Join(l.Values, "`, `") + "`"
		}
		all = append(all, text)
	}
	for _, l := range m.Extra {
		all = append(all, "`"+l.Name+"` in CloudWatch")
	}
	if len(all) == 0 {
		return "–"
	}
	return strings.Join(all, "; ")
}
