package main

import (
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// longest bounds a value that is shown, in characters.
const longest = 120

// report is what a deployment would do, in words.
type report struct {
	changes      []change
	given, taken []string
	table        string // a sentence, where the functions would work on another one
	unrestored   bool   // and nobody says that it holds the past of this one
}

func newReport(was, is template) report {
	r := report{changes: compare(was, is)}
	r.given, r.taken = permissionChanges(was, is)
	r.table, r.unrestored = otherTable(was, is)
	return r
}

// otherTable says which table the functions would work on, if that is another one than now.
func otherTable(was, is template) (sentence string, unrestored bool) {
	for _, id := range slices.Sorted(maps.Keys(is.Resources)) {
		before, after := variables(was.Resources[id]), variables(is.Resources[id])
		from, to := before["TABLE_NAME"], after["TABLE_NAME"]
		if from == nil || to == nil || reflect.DeepEqual(from, to) {
			continue
		}
		if isNew(to, was, is) {
			return fmt.Sprintf("THE FUNCTIONS WOULD WORK ON ANOTHER TABLE: %s, which is new and EMPTY, instead of %s.", text(to), text(from)), true
		}
		if at, ok := after["TABLE_RESTORED"]; ok {
			return fmt.Sprintf("The functions would work on the table %s instead of %s, restored to %s, and start paused.", text(to), text(from), text(at)), false
		}
		return fmt.Sprintf("THE FUNCTIONS WOULD WORK ON ANOTHER TABLE: %s instead of %s, and nobody says that it holds the same jobs.", text(to), text(from)), true
	}
	return "", false
}

// isNew reports whether a value refers to a resource that the deployment would add.
func isNew(v any, was, is template) bool {
	for id := range is.Resources {
		if _, before := was.Resources[id]; !before && refersTo(v, id) {
			return true
		}
	}
	return false
}

// variables is the environment of a function.
func variables(r resource) map[string]any {
	environment, _ := r.Properties["Environment"].(map[string]any)
	all, _ := environment["Variables"].(map[string]any)
	return all
}

// losses names what would be lost, or be out of the service's sight, and cannot be made again.
func (r report) losses() (names []string) {
	for _, c := range r.changes {
		if grave[c.was.Type] && (c.kind == replaced || c.kind == removed && !remains(c.was.DeletionPolicy)) {
			names = append(names, c.name())
		}
	}
	if r.unrestored {
		names = append(names, "the table that the functions work on")
	}
	return names
}

// write prints the report: what is lost first, then the rest.
func (r report) write(w io.Writer) {
	if len(r.changes) == 0 {
		fmt.Fprintln(w, "A deployment would change nothing.")
		return
	}
	fmt.Fprintf(w, "A deployment would replace %d, remove %d, add %d and change %d resources.\n",
		r.count(replaced), r.count(removed), r.count(added), r.count(changed))
	if r.table != "" {
		fmt.Fprintf(w, "\n%s\n", r.table)
	}
	r.section(w, "REPLACED", replaced, nil)
	r.section(w, "Removed", removed, nil)
	r.section(w, "Added", added, nil)
	r.section(w, "Alarms and schedules changed", changed, func(c change) bool { return watches(c.is.Type) && !c.tagsAlone() })
	r.section(w, "Changed", changed, func(c change) bool { return !watches(c.is.Type) && !c.tagsAlone() })
	r.tags(w)
	sentences(w, "Permissions given", "+", r.given)
	sentences(w, "Permissions taken", "-", r.taken)
}

// tags names the resources of which the tags alone change.
func (r report) tags(w io.Writer) {
	var names []string
	for _, c := range r.changes {
		if c.tagsAlone() {
			names = append(names, plainID(c.id))
		}
	}
	if len(names) > 0 {
		fmt.Fprintf(w, "\nTheir tags alone change\n  ~ %s\n", strings.Join(names, ", "))
	}
}

func (r report) count(k action) (n int) {
	for _, c := range r.changes {
		if c.kind == k {
			n++
		}
	}
	return n
}

func (r report) section(w io.Writer, title string, k action, of func(change) bool) {
	for _, c := range r.changes {
		if c.kind != k || of != nil && !of(c) {
			continue
		}
		if title != "" {
			fmt.Fprintf(w, "\n%s\n", title)
			title = ""
		}
		c.write(w)
	}
}

func sentences(w io.Writer, title, mark string, all []string) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", title)
	for _, s := range all {
		fmt.Fprintf(w, "  %s %s\n", mark, s)
	}
}

// watches reports whether a resource is an alarm or a schedule.
func watches(kind string) bool {
	return strings.HasPrefix(kind, "AWS::CloudWatch::") || strings.HasPrefix(kind, "AWS::Scheduler::") || kind == "AWS::Events::Rule"
}

// name is what people call the resource.
func (c change) name() string {
	r := c.is
	if c.kind == removed {
		r = c.was
	}
	return plainID(c.id) + " (" + kindOf(r.Type) + ")"
}

func (c change) write(w io.Writer) {
	switch c.kind {
	case added:
		fmt.Fprintf(w, "  + %s\n", c.name())
	case removed:
		fmt.Fprintf(w, "  - %s\n", c.name())
		c.fate(w)
	case replaced:
		fmt.Fprintf(w, "  ! %s is made anew: %s is another\n", c.name(), strings.Join(c.because, ", "))
		c.fate(w)
		c.writeDetails(w)
	case changed:
		fmt.Fprintf(w, "  ~ %s\n", c.name())
		c.writeDetails(w)
		if c.uncertain {
			fmt.Fprintf(w, "      It may be made anew: what replaces a resource of the type %s is not known here.\n", c.is.Type)
		}
	}
}

// fate says what becomes of what a resource holds.
func (c change) fate(w io.Writer) {
	content, holds := contents[c.was.Type]
	stays := remains(c.was.DeletionPolicy)
	if c.kind == replaced {
		stays = remains(c.was.UpdateReplacePolicy) && remains(c.is.UpdateReplacePolicy)
	}
	switch {
	case !holds:
	case stays && c.kind == removed:
		fmt.Fprintf(w, "      It stays in the account, outside of the stack, with %s.\n", content)
	case stays && grave[c.was.Type]:
		fmt.Fprintf(w, "      THE SERVICE LOSES SIGHT OF ITS DATA: %s. The old one stays in the account, and the new one is EMPTY.\n", content)
	case stays:
		fmt.Fprintf(w, "      The old one stays in the account, with %s.\n", content)
	case grave[c.was.Type]:
		fmt.Fprintf(w, "      DATA IS LOST: %s.\n", content)
	default:
		fmt.Fprintf(w, "      Lost with it: %s.\n", content)
	}
}

func (c change) writeDetails(w io.Writer) {
	seen := map[string]bool{}
	for _, d := range c.details {
		line := d.line()
		if !seen[line] {
			fmt.Fprintf(w, "      %s\n", line)
		}
		seen[line] = true
	}
}

// line says how a property differs. Statements are told as permissions, and a program is a name of its bytes.
func (d detail) line() string {
	for _, part := range []string{"PolicyDocument", "KeyPolicy", "ManagedPolicyArns"} {
		if strings.Contains(d.path, part) {
			return "its statements: see the permissions below"
		}
	}
	if strings.HasPrefix(d.path, "Code.") {
		return "its program, or the settings beside it"
	}
	return fmt.Sprintf("%s: %s → %s", d.path, short(text(d.was)), short(text(d.is)))
}

func short(s string) string {
	if utf8.RuneCountInString(s) <= longest {
		return s
	}
	return string([]rune(s)[:longest]) + " …"
}
