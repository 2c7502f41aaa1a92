package main_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// page reads a page of the documentation.
func page(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile("../docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// section is a part of the runbook about alarms.
type section struct {
	alarms []string // in its first paragraph
	parts  []string // the words in bold that its points begin with
}

var (
	coded = regexp.MustCompile("`([A-Za-z]+)`")
	bold  = regexp.MustCompile(`(?m)^- \*\*([^*]+)\.\*\*`)
)

// sections returns the parts of the runbook about alarms, by their anchors.
func sections(t *testing.T) map[string]section {
	t.Helper()
	_, runbook, ok := strings.Cut(page(t, "operations.md"), "\n## What to do\n")
	if !ok {
		t.Fatal("docs/operations.md says nowhere what to do")
	}
	runbook, _, _ = strings.Cut(runbook, "\n## ")
	found := map[string]section{}
	for _, part := range strings.Split(runbook, "\n### ")[1:] {
		heading, body, _ := strings.Cut(part, "\n")
		first, _, _ := strings.Cut(strings.TrimSpace(body), "\n\n")
		var s section
		for _, m := range coded.FindAllStringSubmatch(first, -1) {
			s.alarms = append(s.alarms, m[1])
		}
		for _, m := range bold.FindAllStringSubmatch(body, -1) {
			s.parts = append(s.parts, m[1])
		}
		slices.Sort(s.alarms)
		found[anchor(heading)] = s
	}
	return found
}

var unspoken = regexp.MustCompile(`[^a-z0-9 -]`)

// anchor is how a heading is linked to.
func anchor(heading string) string {
	return strings.ReplaceAll(unspoken.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

// TestRunbook: every alarm names its section, which names the alarm and says what it looks like, what it means and what to
// do. No section is about an alarm that is not there.
func TestRunbook(t *testing.T) {
	t.Parallel()
	all := sections(t)
	pointing := map[string][]string{}
	for name := range deployments {
		for id, r := range alarmsOf(t, name) {
			_, to, ok := strings.Cut(r.at("AlarmDescription"), " See docs/operations.md#")
			if to = strings.TrimSuffix(to, "."); !ok {
				t.Errorf("%s says %q, and names no section", id, r.at("AlarmDescription"))
			}
			if !slices.Contains(pointing[to], id) {
				pointing[to] = append(pointing[to], id)
			}
		}
	}
	for to, ids := range pointing {
		if slices.Sort(ids); !slices.Equal(ids, all[to].alarms) {
			t.Errorf("%v point to #%s, which is about %v", ids, to, all[to].alarms)
		}
	}
	for name, s := range all {
		if len(pointing[name]) == 0 {
			t.Errorf("no alarm points to #%s", name)
		}
		if want := []string{"Symptom", "Meaning", "What to do"}; !slices.Equal(s.parts, want) {
			t.Errorf("#%s has %v, want %v", name, s.parts, want)
		}
	}
}

// TestAlarmsAreDocumented: the runbook's list has every alarm, what raises it, and its section.
func TestAlarmsAreDocumented(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for line := range strings.Lines(page(t, "operations.md")) {
		if cells := strings.Split(strings.Trim(line, "| \n"), " | "); len(cells) == 2 && strings.HasPrefix(cells[0], "[`") {
			got[cells[0]] = cells[1]
		}
	}
	alarms := alarmsOf(t, "signer")
	for id, r := range alarms {
		_, to, _ := strings.Cut(r.at("AlarmDescription"), "#")
		cell := "[`" + id + "`](#" + strings.TrimSuffix(to, ".") + ")"
		if want := when(t, r); got[cell] != want {
			t.Errorf("docs/operations.md has %q, want | %s | %s |", got[cell], cell, want)
		}
	}
	if len(got) != len(alarms) {
		t.Errorf("docs/operations.md lists %d alarms, and there are %d", len(got), len(alarms))
	}
}

// when says what raises an alarm, as the runbook has it.
func when(t *testing.T, r resource) string {
	t.Helper()
	formula, all := looks(r)
	said := ""
	if formula != "" && !strings.HasPrefix(formula, "SUM([") {
		said = "`" + formula + "` with "
	}
	for i, l := range all {
		switch {
		case i > 0 && l.name == all[i-1].name:
			said += ", " + l.of()
			continue
		case i > 0:
			said += "; "
		}
		said += "`" + l.name + "`"
		if l.of() != "" {
			said += " of " + l.of()
		}
	}
	return said + bound(t, r) + fmt.Sprintf(" in %d min", number(t, all[0].period)/60) + times(r)
}

func bound(t *testing.T, r resource) string {
	t.Helper()
	sign := map[string]string{
		"GreaterThanOrEqualToThreshold notBreaching": " ≥ ", "LessThanThreshold breaching": " < ",
		"LessThanThreshold notBreaching": " < ", // of what is told now and then
	}[r.at("ComparisonOperator")+" "+r.at("TreatMissingData")]
	if sign == "" {
		t.Errorf("an alarm compares by %s and takes silence for %s", r.at("ComparisonOperator"), r.at("TreatMissingData"))
	}
	return sign + r.at("Threshold")
}

func times(r resource) string {
	if r.at("EvaluationPeriods") == "1" {
		return ""
	}
	return fmt.Sprintf(", %s of %s times", r.at("DatapointsToAlarm"), r.at("EvaluationPeriods"))
}
