package settings

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxEntries is the most entries of any list.
const maxEntries = 100

// block reads one section and remembers what was asked for, so that the rest can be refused.
type block struct {
	path string // Signing:Profiles[2]; "" is the whole file
	node *node  // nil reads as empty
	out  *collector
	keys []string
}

// value returns a key's node, or nil where the default applies.
func (b *block) value(key string) *node {
	b.keys = append(b.keys, key)
	if b.node == nil {
		return nil
	}
	m, ok := b.node.members[foldKey(key)]
	if !ok || m.kind == null {
		return nil
	}
	return m.node
}

// fault says nothing of what could not be read, which has its fault already.
func (b *block) fault(key, message, remedy string) {
	if !b.isUnread(key) {
		b.out.add(join(b.path, key), message, remedy)
	}
}

func (b *block) unread(key, message, remedy string) { b.out.unread(join(b.path, key), message, remedy) }

// isUnread reports whether a key, or the whole block, could not be read.
func (b *block) isUnread(key string) bool {
	return b.out.isUnread(join(b.path, key)) || b.out.isUnread(b.path)
}

// has reports whether a key has a value, without reading it.
func (b *block) has(key string) bool {
	if b.node == nil {
		return false
	}
	m, ok := b.node.members[foldKey(key)]
	return ok && m.kind != null
}

// written reports whether anything was written into the block, even if it could not be read. A null is nothing.
func (b *block) written() bool {
	if b.node == nil {
		return b.out.isUnread(b.path)
	}
	for _, m := range b.node.members {
		if m.kind != null {
			return true
		}
	}
	return false
}

func (b *block) text(key, otherwise string) string {
	n := b.value(key)
	if n == nil {
		return otherwise
	}
	if n.kind != text {
		b.unread(key, "is not text", "write it between quotes")
		return otherwise
	}
	return n.literal
}

func (b *block) flag(key string, otherwise bool) bool {
	n := b.value(key)
	switch {
	case n == nil:
		return otherwise
	case n.kind != flag && !n.variable:
		b.unread(key, "is not a truth value", "write true or false, without quotes")
	case strings.EqualFold(n.literal, "true"):
		return true
	case !strings.EqualFold(n.literal, "false"):
		b.unread(key, "is not a truth value", "set it to true or false")
	default:
		return false
	}
	return otherwise
}

// bounds says what a whole number may be. Its own sentence replaces the usual one at the value that it names.
type bounds struct {
	min, max, otherwise int64
	special             int64
	why                 string
}

// unbounded leaves it to a profile's own rules which numbers are good.
func unbounded(otherwise int64) bounds {
	return bounds{min: math.MinInt64, max: math.MaxInt64, otherwise: otherwise}
}

// where leaves a number unchecked where it is not used.
func (is bounds) where(used bool) bounds {
	if used {
		return is
	}
	return unbounded(is.otherwise)
}

func (is bounds) remedy() string {
	if is.min == math.MinInt64 {
		return "set a whole number"
	}
	return fmt.Sprintf("set a whole number from %d to %d", is.min, is.max)
}

func (b *block) number(key string, is bounds) int64 {
	n := b.value(key)
	if n == nil {
		return is.otherwise
	}
	v, err := strconv.ParseInt(n.literal, 10, 64)
	remedy := is.remedy()
	switch {
	case n.kind != number && !n.variable:
		b.unread(key, "is not a number", remedy+", without quotes")
	case err != nil:
		b.unread(key, "is not a whole number, or far too large", remedy)
	case is.why != "" && v == is.special:
		b.fault(key, is.why, remedy)
	case v < is.min || v > is.max:
		b.fault(key, "is out of bounds", remedy)
	default:
		return v
	}
	return is.otherwise
}

// decimalForm leaves out what strconv reads besides: hexadecimal, infinity, what is not a number.
var decimalForm = regexp.MustCompile(`^-?[0-9]{1,15}(?:\.[0-9]{1,20})?(?:[eE][+-]?[0-9]{1,2})?$`)

// decimal reads a number with or without a fraction. A profile's own rules say which are good.
func (b *block) decimal(key string) float64 {
	n := b.value(key)
	if n == nil {
		return 0
	}
	v, err := strconv.ParseFloat(n.literal, 64)
	switch {
	case n.kind != number && !n.variable:
		b.unread(key, "is not a number", "set a number like 36 or 56.7, without quotes")
	case err != nil || !decimalForm.MatchString(n.literal):
		b.unread(key, "is not a number, or far too long", "set a number like 36 or 56.7")
	default:
		return v
	}
	return 0
}

// oneOf reads one of a few values, in any case. The first is the default.
func (b *block) oneOf(key string, values ...string) string {
	v := b.text(key, values[0])
	for _, known := range values {
		if strings.EqualFold(v, known) {
			return known
		}
	}
	b.fault(key, "is not a value that is known", "set "+strings.Join(values, " or "))
	return values[0]
}

// texts reads a list of text. A list that is set replaces the default, even if it is empty.
func (b *block) texts(key string, otherwise []string) []string {
	items, ok := b.items(key)
	if !ok {
		return otherwise
	}
	all := make([]string, len(items)) // what is not text keeps its place, so that indexes stay right
	for i, n := range items {
		if n.kind == text {
			all[i] = n.literal
		} else {
			b.unread(index(key, i), "is not text", "write it between quotes")
		}
	}
	return all
}

func (b *block) items(key string) ([]*node, bool) {
	n := b.value(key)
	switch {
	case n == nil:
		return nil, false
	case n.kind != list:
		b.unread(key, "is not a list", "write its entries between [ and ]; as variables, number them from 0")
	case len(n.items) > maxEntries:
		b.unread(key, fmt.Sprintf("has more than %d entries", maxEntries), "remove some")
	default:
		return n.items, true
	}
	return nil, false
}

// block reads a section within b. It is empty where the key has no value.
func (b *block) block(key string) *block { return b.within(key, b.value(key)) }

// blocks reads a list of sections.
func (b *block) blocks(key string) []*block {
	items, _ := b.items(key)
	all := make([]*block, len(items))
	for i, n := range items {
		all[i] = b.within(index(key, i), n)
	}
	return all
}

func (b *block) within(key string, n *node) *block {
	inner := &block{path: join(b.path, key), out: b.out}
	switch {
	case n == nil || n.kind == null:
	case n.kind != section:
		b.unread(key, "is not a section", "write its keys between { and }")
	default:
		inner.node = n
	}
	return inner
}

// end refuses every key that nobody asked for: by the sentence that it has, or as unknown.
func (b *block) end() {
	if b.node == nil {
		return
	}
	for _, m := range b.node.sorted() {
		if b.asked(m.name) {
			continue
		}
		if b.out.full() { // counts only: looking for a near name costs time
			b.out.more++
			continue
		}
		if message, remedy, ok := refused(join(b.path, m.name)); ok {
			b.fault(shown(m.name), message, remedy)
			continue
		}
		b.unknown(m.name)
	}
}

func (b *block) asked(name string) bool {
	return slices.ContainsFunc(b.keys, func(k string) bool { return foldKey(k) == foldKey(name) })
}

func (b *block) unknown(name string) {
	remedy := "remove it; known here are " + strings.Join(b.keys, ", ")
	if near, ok := nearest(name, b.keys); ok {
		remedy = "write " + near + ", or remove it"
	}
	b.fault(shown(name), "is unknown", remedy)
}
