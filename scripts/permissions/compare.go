package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"bulksigner/internal/local"
	"bulksigner/internal/local/ledger"
	"bulksigner/scripts/permissions/synth"
)

// grant is an action that a function's role allows on one resource, or on all that match a pattern.
type grant struct{ function, action, resource string }

// covers reports whether a grant allows what was needed.
func (g grant) covers(r ledger.Right) bool {
	return g.function == functionOf(r) && g.action == r.Action && matches(g.resource, r.On)
}

// functionOf is the function whose role counts: Lambda takes messages from a queue with the role of the function.
func functionOf(r ledger.Right) string { return strings.TrimSuffix(r.Who, local.MappingOf) }

// matches reports whether a pattern of IAM matches a text: * is any text, and ? any character.
func matches(pattern, text string) bool {
	if pattern == "" {
		return text == ""
	}
	if pattern[0] == '*' {
		return matches(pattern[1:], text) || text != "" && matches(pattern, text[1:])
	}
	return text != "" && (pattern[0] == '?' || pattern[0] == text[0]) && matches(pattern[1:], text[1:])
}

// exception says why a grant stands that the run does not use. An empty function is every function, and an empty place any resource.
type exception struct {
	function, action, place string
	reason                  string
}

func (e exception) about(g grant) bool {
	return (e.function == "" || e.function == g.function) && e.action == g.action && (e.place == "" || e.place == place(g.resource))
}

// line is one line of the comparison.
type line struct {
	grant
	times  int
	reason string // why it stands although nobody used it
}

// comparison is what came of it.
type comparison struct {
	used     []line
	excepted []line
	unused   []grant        // granted, never asked for, no reason
	missing  []ledger.Right // asked for, not granted
	withheld []line         // asked for, not granted on purpose
	stale    []exception    // of what is not granted any more, or is used
}

// compare holds what was asked for against what is granted.
func compare(asked map[ledger.Right]int, granted []grant, exceptions, withheld []exception) (c comparison) {
	for right := range asked {
		if deployed(right, granted) && !slices.ContainsFunc(granted, func(g grant) bool { return g.covers(right) }) {
			c.lacks(right, withheld)
		}
	}
	needed := make([]bool, len(exceptions))
	for _, g := range granted {
		n := uses(asked, g)
		i := slices.IndexFunc(exceptions, func(e exception) bool { return e.about(g) })
		switch {
		case i >= 0 && n == 0:
			needed[i] = true
			c.excepted = append(c.excepted, line{g, n, exceptions[i].reason})
		case n > 0:
			c.used = append(c.used, line{g, n, ""})
		default:
			c.unused = append(c.unused, g)
		}
	}
	for i, e := range exceptions {
		if !needed[i] {
			c.stale = append(c.stale, e)
		}
	}
	c.sort()
	return c
}

// lacks notes a right that is not granted: on purpose, if a reason is given.
func (c *comparison) lacks(r ledger.Right, withheld []exception) {
	g := grant{functionOf(r), r.Action, r.On}
	if i := slices.IndexFunc(withheld, func(e exception) bool { return e.about(g) }); i >= 0 {
		c.withheld = append(c.withheld, line{g, 1, withheld[i].reason})
		return
	}
	c.missing = append(c.missing, r)
}

// deployed reports whether a right is about a function that has a role. The run itself and S3's events have none.
func deployed(r ledger.Right, granted []grant) bool {
	return slices.ContainsFunc(granted, func(g grant) bool { return g.function == functionOf(r) })
}

func uses(asked map[ledger.Right]int, g grant) (n int) {
	for right, times := range asked {
		if g.covers(right) {
			n += times
		}
	}
	return n
}

func (c *comparison) sort() {
	byGrant := func(a, b grant) int {
		return cmp.Or(cmp.Compare(order(a.function), order(b.function)), cmp.Compare(a.action, b.action), cmp.Compare(a.resource, b.resource))
	}
	byLine := func(a, b line) int { return byGrant(a.grant, b.grant) }
	slices.SortFunc(c.used, byLine)
	slices.SortFunc(c.excepted, byLine)
	slices.SortFunc(c.withheld, byLine)
	slices.SortFunc(c.unused, byGrant)
	slices.SortFunc(c.missing, func(a, b ledger.Right) int {
		return cmp.Or(cmp.Compare(a.Who, b.Who), cmp.Compare(a.Action, b.Action), cmp.Compare(a.On, b.On))
	})
}

// order is a function's place on the page.
func order(function string) int { return slices.Index(synth.Functions, function) }

// fault tells everything that is wrong together.
func (c comparison) fault() error {
	var faults []error
	for _, r := range c.missing {
		faults = append(faults, fmt.Errorf("missing: %s asked for %s on %s, and its role does not grant it", functionOf(r), r.Action, r.On))
	}
	for _, g := range c.unused {
		faults = append(faults, fmt.Errorf("unused: %s may %s on %s and never asked for it: take it away, have the scenario reach it, or give the reason in exceptions.go",
			g.function, g.action, place(g.resource)))
	}
	for _, e := range c.stale {
		faults = append(faults, fmt.Errorf("out of date: the exception for %s %s %s in exceptions.go: it is used, or not granted any more",
			cmp.Or(e.function, "every function"), e.action, e.place))
	}
	return errors.Join(faults...)
}
