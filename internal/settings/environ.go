package settings

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of what the environment may add.
const (
	maxValue = 64 << 10 // bytes of one variable
	maxParts = 10       // levels of one variable's key
)

const separator = "__"

// variable is an environment variable that means a key.
type variable struct {
	name, value string
	parts       []string
}

// overlay puts the environment over the file. Only variables that begin with the name of a section are looked at.
func overlay(root *node, environ []string, out *collector) {
	for _, v := range variables(environ) {
		key := keyOf(v.parts[:min(len(v.parts), maxParts)])
		if _, twice := out.variables[foldKey(key)]; twice {
			out.add(key, "is also set by "+shown(v.name), "unset one of the two")
			continue
		}
		out.variables[foldKey(key)] = shown(v.name)
		if message, remedy := v.put(root, out); message != "" {
			out.add(key, message, remedy)
		}
	}
}

// variables picks out the sections' variables and sorts them so that lists grow one by one: 2 comes before 10.
func variables(environ []string) []variable {
	var all []variable
	for _, e := range environ {
		name, value, _ := strings.Cut(e, "=")
		parts := strings.Split(name, separator)
		if len(parts) > 1 && isSection(parts[0]) {
			all = append(all, variable{name, value, parts})
		}
	}
	slices.SortStableFunc(all, func(a, b variable) int {
		return cmp.Or(slices.CompareFunc(a.parts, b.parts, comparePart), cmp.Compare(a.name, b.name))
	})
	return all
}

// comparePart puts indexes, by their number, before names, whose case does not matter.
func comparePart(a, b string) int {
	switch {
	case isIndex(a) && isIndex(b):
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	case isIndex(a):
		return -1
	case isIndex(b):
		return 1
	default:
		return cmp.Compare(foldKey(a), foldKey(b))
	}
}

// put sets v's key below root. It says what is wrong, or nothing.
func (v variable) put(root *node, out *collector) (message, remedy string) {
	switch {
	case len(v.parts) > maxParts || slices.Contains(v.parts, ""):
		return "is not a key", "separate section, index and key by two underscores each"
	case len(v.value) > maxValue:
		return "is longer than 64 KiB", "shorten it, or name a file or a secret instead"
	case !utf8.ValidString(v.value):
		return "is not UTF-8", "set it as UTF-8"
	}
	n := root
	for i, part := range v.parts {
		if n.kind == null { // a section or a list of the environment alone, which is to blame if nobody knows it
			out.variables[foldKey(keyOf(v.parts[:i]))] = shown(v.name)
		}
		if n, message, remedy = n.step(part); n == nil {
			return message, remedy
		}
	}
	if n.kind == list || n.kind == section {
		return "is not a single value", "set what is below it, one variable each"
	}
	*n = node{kind: text, literal: v.value, variable: true}
	return "", ""
}

// step goes from n to the part below it, which it makes if n is open or a list that ends there.
func (n *node) step(part string) (next *node, message, remedy string) {
	if n.kind == null {
		n.kind = section
		if isIndex(part) {
			n.kind = list
		}
	}
	switch n.kind {
	case section:
		return n.child(part), "", ""
	case list:
		return n.item(part)
	default:
		return nil, "lies below a single value", "set the value itself, or what is below it, not both"
	}
}

func (n *node) item(part string) (next *node, message, remedy string) {
	i, err := strconv.Atoi(part)
	if !isIndex(part) || err != nil {
		return nil, "lies in a list without saying at which index", "number the entries from 0"
	}
	if i > len(n.items) {
		return nil, "leaves out an index: the list has " + strconv.Itoa(len(n.items)) + " entries before it", "number the entries from 0 without a gap"
	}
	if i == len(n.items) {
		n.items = append(n.items, &node{})
	}
	return n.items[i], "", ""
}

// isIndex reports whether s is a list's index, written in the one way that there is.
func isIndex(s string) bool {
	if s == "" || s[0] == '0' && s != "0" {
		return false
	}
	return strings.Trim(s, "0123456789") == ""
}

// keyOf writes the key that a variable means: Storage__Inputs__0__Name is Storage:Inputs[0]:Name.
func keyOf(parts []string) string {
	key := shown(parts[0])
	for _, p := range parts[1:] {
		if isIndex(p) {
			key += "[" + shown(p) + "]"
		} else {
			key = join(key, shown(p))
		}
	}
	return key
}
