package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bulksigner/internal/simulation"
)

var (
	broken = &simulation.Failure{Scenario: "put", Schedule: simulation.Schedule{{At: "sign-1.10 save job", Take: "its reply is lost"}},
		Broken: []string{"the key is asked 2 times for one job"}}
	whole = findings{
		searched: []simulation.Figures{
			{Method: simulation.Exploring, Scenario: "put", Depth: 2, Faults: 2, Took: time.Second, Result: simulation.Result{Schedules: []int{1, 200, 30000}, States: 1234, Pruned: 7, Moves: 9}},
			{Method: simulation.Exploring, Scenario: "twins", Depth: 2, Faults: 2, Took: time.Second, Result: simulation.Result{Schedules: []int{1, 10}, States: 66}},
			{Method: simulation.Walking, Scenario: "put", Depth: 17, Faults: 5, Result: simulation.Result{Schedules: []int{0, 0, 3}}},
			{Method: simulation.Walking, Scenario: "put", Depth: 17, Faults: 5, Result: simulation.Result{Schedules: []int{0, 4}}},
		},
		mutants: []mutant{{tag: "mutant_key", says: "The key is asked twice.", found: broken}},
		model:   modelled{trials: 27, states: 100, said: "27 trials, 100 states, 41s"},
	}
)

// TestLastLine holds the shape that others read, and what makes a run fail.
func TestLastLine(t *testing.T) {
	t.Parallel()
	missed, failing, wrong := whole, whole, whole
	missed.mutants = append(slices.Clone(whole.mutants), mutant{tag: "mutant_put"})
	failing.searched = append(slices.Clone(whole.searched), simulation.Figures{Result: simulation.Result{Schedules: []int{1}, Failure: broken}})
	wrong.model.broken = true
	tests := []struct {
		name string
		f    findings
		last string
		good bool
	}{
		{"all holds", whole, "prove: 30219 schedules, 0 violations, 1 of 1 mutations found", true},
		{"a mutant is not found", missed, "prove: 30219 schedules, 0 violations, 1 of 2 mutations found", false},
		{"a promise is broken", failing, "prove: 30220 schedules, 1 violations, 1 of 1 mutations found", false},
		{"the model does not hold", wrong, "prove: 30219 schedules, 0 violations, 1 of 1 mutations found", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.f.last(); got != tt.last {
				t.Errorf("the last line is %q, want %q", got, tt.last)
			}
			if err := tt.f.verdict(); (err == nil) != tt.good {
				t.Errorf("the verdict is %v", err)
			}
		})
	}
}

func TestTables(t *testing.T) {
	t.Parallel()
	for name, table := range map[string]struct{ got, want string }{
		"method":   {whole.byMethod(), "| all schedules | up to 2 | 30 212 | 1 300 | 2s |"},
		"walks":    {whole.byMethod(), "| random walks | up to 17 | 7 |"},
		"model":    {whole.byMethod(), "| Spin, 27 trials |  |  | 100 | 41s |"},
		"scenario": {whole.byScenario(), "| `put` | 30 201 | 7 | 1 234 |"},
		"mutant":   {whole.byMutant(), "| `mutant_key` | The key is asked twice. | `put` | `sign-1.10 save job => its reply is lost` | the key is asked 2 times for one job |"},
	} {
		if !strings.Contains(table.got, table.want) {
			t.Errorf("%s: the table\n%s\nhas no line with %q", name, table.got, table.want)
		}
	}
}

// TestRead takes figures from a search as it goes, and keeps the end of everything else.
func TestRead(t *testing.T) {
	t.Parallel()
	line, err := whole.searched[0].Line()
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	all, said, err := read(strings.NewReader("=== RUN\n"+line+strings.Repeat("noise\n", 2*lastLines)+"panic: no\n"), func(simulation.Figures) { told++ })
	if err != nil || told != 1 || len(all) != 1 || all[0].Total() != 30201 {
		t.Errorf("read = %+v, %v, told %d times", all, err, told)
	}
	if n := strings.Count(said, "\n") + 1; n != lastLines || !strings.HasSuffix(said, "panic: no") {
		t.Errorf("%d lines are kept, ending with %q", n, said[max(0, len(said)-20):])
	}
	if _, _, err := read(strings.NewReader("simulation-figures {\n"), nil); err == nil {
		t.Error("figures that are cut off are no error")
	}
}

// TestWrite puts figures between the markers of a page and nowhere else.
func TestWrite(t *testing.T) {
	t.Parallel()
	page := filepath.Join(t.TempDir(), "page.md")
	text := "# Before\n<!-- prove: figures -->\nold\n<!-- prove: end of figures -->\nbetween\n<!-- prove: mutants -->\n<!-- prove: end of mutants -->\nafter\n"
	if err := os.WriteFile(page, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time replaces the first
		if err := write(page, whole); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# Before\n", "\nbetween\n", "\nafter\n", "30 212", "`mutant_key`"} {
		if strings.Count(string(got), want) != 1 {
			t.Errorf("the page has %q not once:\n%s", want, got)
		}
	}
	if strings.Contains(string(got), "old") {
		t.Error("old figures are still there")
	}
	if _, err := splice("no markers", "figures", ""); err == nil {
		t.Error("a page without a place for figures is written")
	}
}

func TestModelIsRead(t *testing.T) {
	t.Parallel()
	if m := readModel("Local  what may never happen  7 states  holds\n27 trials, 2594026 states, 41s\n"); m.skipped || m.trials != 27 || m.states != 2594026 {
		t.Errorf("readModel = %+v", m)
	}
	if m := readModel("model: skipped, there is no spin: apt-get install spin gcc\n"); !m.skipped || m.trials != 0 {
		t.Errorf("a model that was not asked is read as %+v", m)
	}
}

// TestMutantsAreListed finds every mutant, and what each says of itself.
func TestMutantsAreListed(t *testing.T) {
	t.Parallel()
	all, err := listMutants(filepath.Join("..", "..", tests))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		if !strings.HasPrefix(m.tag, "mutant_") || !strings.HasSuffix(m.says, ".") {
			t.Errorf("%s says %q", m.tag, m.says)
		}
		if b, err := os.ReadFile(filepath.Join("..", "..", tests, m.tag+".go")); err != nil || !strings.HasPrefix(string(b), "//go:build "+m.tag+"\n") {
			t.Errorf("%s is not behind a tag of its name: %v", m.tag, err)
		}
	}
	if _, err := listMutants(t.TempDir()); err == nil {
		t.Error("no mutants at all are no error")
	}
}

func TestPlans(t *testing.T) {
	t.Parallel()
	tests := []struct {
		short        bool
		only         string
		does, leaves []string
		whole        bool
	}{
		{false, "", []string{partSearch, partMutants, partModel}, nil, true},
		{true, "", []string{partSearch, partMutants}, []string{partModel}, false},
		{false, "mutants", []string{partMutants}, []string{partSearch, partModel}, false},
		{true, "mutants,model", []string{partMutants, partModel}, []string{partSearch}, false},
	}
	for _, tt := range tests {
		p, err := planOf(tt.short, tt.only)
		if err != nil || p.whole() != tt.whole || slices.ContainsFunc(tt.does, func(s string) bool { return !p.does(s) }) || slices.ContainsFunc(tt.leaves, p.does) {
			t.Errorf("short %t, only %q: does %+v, %v", tt.short, tt.only, p, err)
		}
	}
	for _, only := range []string{"mutant", "search,", "search, model", ","} {
		if p, err := planOf(false, only); err == nil {
			t.Errorf("only %q is taken for %+v", only, p)
		}
	}
}
