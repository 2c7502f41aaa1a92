package race

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Write writes a table in Markdown, and what became of the goals.
func (r Result) Write(w io.Writer) error {
	var out strings.Builder
	fmt.Fprintf(&out, "### %s\n\n", r.Title)
	fmt.Fprintf(&out, "Medians of %d rounds; in brackets the middle half of them.\n\n", r.Race.Rounds)
	out.WriteString("| | median | times ours | what is counted |\n| --- | ---: | ---: | --- |\n")
	for _, row := range r.Rows {
		out.WriteString(r.line(row))
	}
	for i, g := range r.Goals {
		if i == 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(&out, "- %s\n", g.judge(r))
	}
	out.WriteByte('\n')
	_, err := io.WriteString(w, out.String())
	return err
}

func (r Result) line(row Row) string {
	low, middle, high, ok := r.Ratio(row)
	switch {
	case !ok:
		return fmt.Sprintf("| %s | – | – | skipped: %s |\n", row.Name, row.Missing)
	case row.Name == r.Rows[0].Name:
		return fmt.Sprintf("| %s | %s | 1 | %s |\n", row.Name, duration(row.Median()), row.How)
	}
	return fmt.Sprintf("| %s | %s | %.2f (%.2f–%.2f) | %s |\n", row.Name, duration(row.Median()), middle, low, high, row.How)
}

// WriteMemory writes a table of what several ways need. The goal, in MiB, is for the first.
func WriteMemory(w io.Writer, title string, rows []MemoryRow, goal float64) error {
	var out strings.Builder
	fmt.Fprintf(&out, "### %s\n\n| | MiB over the idle process |\n| --- | ---: |\n", title)
	for _, row := range rows {
		if len(row.Over) == 0 {
			fmt.Fprintf(&out, "| %s | skipped: %s |\n", row.Name, row.Missing)
			continue
		}
		fmt.Fprintf(&out, "| %s | %.1f |\n", row.Name, row.Median())
	}
	if len(rows) > 0 {
		got := rows[0].Median()
		text := fmt.Sprintf("at most %.3g MiB over idle", goal)
		fmt.Fprintf(&out, "\n- %s\n", verdict(text, fmt.Sprintf("%.1f MiB", got), got <= goal, len(rows[0].Over) > 0))
	}
	out.WriteByte('\n')
	_, err := io.WriteString(w, out.String())
	return err
}

// duration writes a time with three digits.
func duration(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%.3g ms", float64(d)/float64(time.Millisecond))
	}
	return fmt.Sprintf("%.3g s", d.Seconds())
}
