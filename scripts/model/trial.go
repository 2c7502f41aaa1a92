package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// trial is one question to the model.
type trial struct {
	method   string
	question string
	defines  []string
	breaks   string // the promise that must be found broken; "" means that all hold
	allSteps bool   // every row of the method's table must be taken
}

// full has the code's own bounds and as many runs as there is ever something to do for; small spares states where a
// question costs more of them.
var (
	full  = []string{"-DRUNS=3", "-DMAX=3"}
	small = []string{"-DRUNS=2", "-DMAX=1"}
)

var methods = []string{"Local", "LacunaSigner", "SignerFolder"}

// trials are all questions: the promises, what they rest on, and the deliberate faults.
var trials = slices.Concat(
	each(methods, "what may never happen", full, "", true),
	each(methods, "every job ends once faults stop", with(small, "LIVENESS"), "", false),
	each(methods, "runs beyond their claims, but for what is published then", with(small, "BEYOND", "PARDON_HONEST"), "", false),
	each(methods[:2], "runs beyond their claims", with(small, "BEYOND"), "honest", false),
	each(methods, "fault: the mark is set after the key was asked", with(small, "BUG_MARK_AFTER", "PARDON_NOT_AGAIN"), "once", false),
	each(methods, "fault: a marked job is queued again", with(small, "BUG_REQUEUE"), "not-again", false),
	each(methods[:2], "fault: the input goes before the output is published", with(small, "BUG_DELETE_FIRST"), "input", false),
	each(methods[:2], "fault: a claim is ended before its end", with(small, "BUG_CLAIM_END"), "honest", false),
	each(methods, "fault: silence counts as a failure and is repeated", with(small, "BUG_REPEAT", "PARDON_NOT_AGAIN"), "once", false),
	each(methods[2:], "fault: the signature leaves before that is noted", with(small, "BUG_HAND_OVER_FIRST"), "noted", false),
	each(methods, "fault: recovery overlooks claims that are over", with(small, "LIVENESS", "BUG_NO_RECOVERY"), "ends", false),
)

func with(base []string, names ...string) []string {
	out := slices.Clone(base)
	for _, n := range names {
		out = append(out, "-D"+n)
	}
	return out
}

func each(methods []string, question string, defines []string, breaks string, allSteps bool) (out []trial) {
	for _, m := range methods {
		out = append(out, trial{m, question, append(slices.Clone(defines), "-DMETHOD="+m), breaks, allSteps})
	}
	return out
}

// liveness reports whether a trial asks how things end.
func (t trial) liveness() bool { return slices.Contains(t.defines, "-DLIVENESS") }

// judge says how a trial ended, and whether it had to end so.
func judge(t trial, f finding, rows map[string][]string) (said string, ok bool) {
	switch {
	case f.err != nil:
		return f.err.Error(), false
	case f.broken != t.breaks && f.broken != "":
		return fmt.Sprintf("BROKEN: %s; `%s` replays it", f.broken, f.replay), false
	case f.broken != t.breaks:
		return fmt.Sprintf("NOT FOUND: %s should be broken", t.breaks), false
	case t.breaks != "":
		return "found: " + t.breaks, true
	case !t.allSteps:
		return "holds", true
	}
	untaken := slices.DeleteFunc(slices.Clone(rows[t.method]), func(r string) bool { return slices.Contains(f.took, r) })
	if len(untaken) > 0 || len(rows[t.method]) == 0 {
		return "NEVER TAKEN: " + strings.Join(untaken, ", "), false
	}
	return fmt.Sprintf("holds, %d of %d steps taken", len(f.took), len(rows[t.method])), true
}

var row = regexp.MustCompile(`(?m)^STEP\((\w+), (\w+), (\w+)\)$`)

// rows is the model's table by method, each step as the model says that it was taken.
func rows(table string) map[string][]string {
	out := map[string][]string{}
	for _, m := range row.FindAllStringSubmatch(table, -1) {
		out[m[1]] = append(out[m[1]], m[2]+" "+m[3])
	}
	return out
}
