package report

import (
	"fmt"
	"slices"
	"strings"

	"bulksigner/internal/profile"
	"bulksigner/scripts/conformance/trial"
)

// group is what several keys have in common: a row of a table.
type group struct {
	*trial.Row
	keys  []string
	cells []string
}

// corpus writes the tables of a corpus: one for each format, and one for what was refused.
func (p *page) corpus(name string) {
	p.line("## %s", name)
	p.line("")
	p.line("%s", count(p.rows, name))
	p.line("")
	for _, f := range profile.Formats {
		p.table("### "+standard(f), f, func(r *trial.Row) bool { return r.Corpus == name && r.Outcome.Refused == "" })
	}
	p.refused(func(r *trial.Row) bool { return r.Corpus == name && r.Outcome.Refused != "" })
}

// count says how much there is in a corpus.
func count(rows []*trial.Row, name string) string {
	files, signed, refused := map[string]bool{}, 0, 0
	for _, r := range rows {
		if r.Corpus != name {
			continue
		}
		files[r.Entry.File] = true
		if r.Outcome.Refused == "" {
			signed++
		} else {
			refused++
		}
	}
	return fmt.Sprintf("%d documents: %d signatures, %d refusals.", len(files), signed, refused)
}

// controls writes the table of what was altered, and of the same documents before.
func (p *page) controls() {
	p.line("## Controls")
	p.line("")
	p.line("Documents that were signed, and then altered by one character. Every judge of digests must complain; as they were signed,")
	p.line("every one must approve.")
	p.line("")
	for _, f := range profile.Formats {
		p.table("### "+standard(f), f, func(r *trial.Row) bool { return r.Corpus == "" })
	}
}

// table writes the rows of a format that are wanted.
func (p *page) table(title string, f profile.Format, want func(*trial.Row) bool) {
	tools := slices.DeleteFunc(slices.Clone(p.result.Tools), func(t trial.Tool) bool { return !t.Judges(f) })
	groups := p.groups(tools, func(r *trial.Row) bool { return r.Form.Format == f && want(r) })
	if len(groups) == 0 {
		return
	}
	p.line("%s", title)
	p.line("")
	header := []string{"file", "verdict", "form", "keys"}
	for _, t := range tools {
		header = append(header, t.Name)
	}
	p.row(append(header, "as expected"))
	p.rule(len(header) + 1)
	for _, g := range groups {
		p.row(slices.Concat([]string{p.file(g.Row), expected(g.Row), g.Form.String(), p.keys(g.keys)}, g.cells, []string{yes(len(g.Faults) == 0)}))
	}
	p.line("")
}

// groups puts keys with the same opinions together.
func (p *page) groups(tools []trial.Tool, want func(*trial.Row) bool) (groups []*group) {
	for _, r := range p.rows {
		if !want(r) {
			continue
		}
		var cells []string
		for _, t := range tools {
			cells = append(cells, p.opinion(r, t))
		}
		same := slices.IndexFunc(groups, func(g *group) bool {
			return g.Corpus == r.Corpus && g.Entry == r.Entry && g.Form == r.Form && g.Altered == r.Altered &&
				slices.Equal(g.cells, cells) && (len(g.Faults) == 0) == (len(r.Faults) == 0) && g.Outcome.Refused == r.Outcome.Refused && g.Outcome.Asked == r.Outcome.Asked
		})
		if same < 0 {
			groups = append(groups, &group{Row: r, cells: cells})
			same = len(groups) - 1
		}
		groups[same].keys = append(groups[same].keys, r.Key)
	}
	return groups
}

// refused writes the refusals that are wanted, with their codes.
func (p *page) refused(want func(*trial.Row) bool) {
	groups := p.groups(nil, want)
	if len(groups) == 0 {
		return
	}
	p.line("### Refused")
	p.line("")
	p.row([]string{"file", "verdict", "keys", "code", "key asked", "as expected"})
	p.rule(6)
	for _, g := range groups {
		p.row([]string{p.file(g.Row), expected(g.Row), p.keys(g.keys), "`" + string(g.Outcome.Refused) + "`", fmt.Sprintf("%d times", g.Outcome.Asked), yes(len(g.Faults) == 0)})
	}
	p.line("")
}

func (p *page) file(r *trial.Row) string {
	name := "`" + strings.ReplaceAll(r.Entry.File, "|", `\|`) + "`"
	if r.Altered {
		name += ", altered"
	}
	return name
}

// expected is what a corpus expects of the signer, and a control of the judges.
func expected(r *trial.Row) string {
	switch {
	case r.Altered:
		return "complain"
	case r.Corpus == "":
		return "approve"
	}
	return string(r.Entry.Verdict)
}

func (p *page) keys(keys []string) string {
	if len(keys) == len(p.result.Keys) {
		return "all"
	}
	return strings.Join(keys, ", ")
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "**no**"
}

func (p *page) row(cells []string) { p.line("| %s |", strings.Join(cells, " | ")) }

func (p *page) rule(n int) { p.line("|%s", strings.Repeat(" --- |", n)) }
