package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// table writes rows of Markdown under its columns.
type table []string

func (t table) head(b *strings.Builder) {
	t.row(b, t...)
	b.WriteString("|" + strings.Repeat(" --- |", len(t)) + "\n")
}

func (t table) row(b *strings.Builder, cells ...string) {
	fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
}

// grouped writes a number with a space between thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

// write puts the figures of a run into a page, between its markers.
func write(path string, f findings) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text := string(b)
	for name, figures := range map[string]string{
		"figures": fmt.Sprintf("`make prove` took %s.\n\n%s\n%s", f.took.Round(time.Second), f.byMethod(), f.byScenario()),
		"mutants": f.byMutant(),
	} {
		if text, err = splice(text, name, figures); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// splice replaces what stands between two markers of a page.
func splice(text, name, figures string) (string, error) {
	begin, end := "<!-- prove: "+name+" -->\n", "<!-- prove: end of "+name+" -->"
	before, rest, ok := strings.Cut(text, begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return "", fmt.Errorf("there is no place for %s between %q and %q", name, strings.TrimSpace(begin), end)
	}
	return before + begin + "\n" + strings.TrimSpace(figures) + "\n\n" + end + after, nil
}
