package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxDepth is how deep a file may nest; a settings file needs six levels.
const maxDepth = 16

type kind int

const (
	null kind = iota // absent, or the literal null: both mean the default
	text
	number
	flag
	list
	section
)

// node is a value before anything is known of its meaning.
type node struct {
	kind     kind
	literal  string            // of text, number and flag
	items    []*node           // of a list
	members  map[string]member // of a section, by folded name
	variable bool              // from the environment, where everything is text
}

type member struct {
	name string // as it was written
	*node
}

// foldKey makes equal what differs in case alone, as the product's configuration does.
func foldKey(s string) string { return strings.ToLower(s) }

// child returns the member called name, which it makes if there is none.
func (n *node) child(name string) *node {
	if m, ok := n.members[foldKey(name)]; ok {
		return m.node
	}
	if n.members == nil {
		n.members = map[string]member{}
	}
	c := &node{}
	n.members[foldKey(name)] = member{name, c}
	return c
}

// sorted gives the members in an order that does not change from run to run.
func (n *node) sorted() []member {
	var all []member
	for _, k := range slices.Sorted(maps.Keys(n.members)) {
		all = append(all, n.members[k])
	}
	return all
}

// parseTree reads a JSON file. What it cannot read at all is one fault, for nothing else could be trusted then.
func parseTree(data []byte, out *collector) *node {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(data) {
		out.add(out.file, "is not UTF-8", "save it as UTF-8")
		return nil
	}
	p := parser{json.NewDecoder(bytes.NewReader(data)), out}
	p.dec.UseNumber()
	root, err := p.value("", 0)
	if err == nil {
		err = p.end()
	}
	switch {
	case errors.Is(err, errTooDeep):
		out.add(out.file, fmt.Sprintf("is nested deeper than %d levels", maxDepth), "compare it with the example")
	case err != nil:
		line, column := position(data, p.dec.InputOffset())
		out.add(out.file, fmt.Sprintf("is not JSON at line %d, column %d", line, column),
			"look for a missing comma, quote or bracket there; comments are not allowed")
	case root.kind != section:
		out.add(out.file, "is not a JSON object", "put the sections between { and }")
	default:
		return root
	}
	return nil
}

var (
	errTooDeep  = errors.New("nested too deep")
	errTrailing = errors.New("something follows the object")
)

type parser struct {
	dec *json.Decoder
	out *collector
}

func (p parser) end() error {
	_, err := p.dec.Token()
	switch err {
	case io.EOF:
		return nil
	case nil:
		return errTrailing
	default:
		return err
	}
}

func (p parser) value(path string, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, errTooDeep
	}
	t, err := p.dec.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Delim:
		if t == '{' {
			return p.section(path, depth)
		}
		return p.list(path, depth)
	case json.Number:
		return &node{kind: number, literal: t.String()}, nil
	case string:
		return &node{kind: text, literal: t}, nil
	case bool:
		return &node{kind: flag, literal: fmt.Sprint(t)}, nil
	default:
		return &node{}, nil
	}
}

// section keeps the first of two members of one name, whose second is a fault: JSON leaves open which would count.
func (p parser) section(path string, depth int) (*node, error) {
	n := &node{kind: section, members: map[string]member{}}
	for p.dec.More() {
		t, err := p.dec.Token()
		if err != nil {
			return nil, err
		}
		name, _ := t.(string) // Token gives nothing else here
		key := join(path, shown(name))
		v, err := p.value(key, depth+1)
		if err != nil {
			return nil, err
		}
		if _, twice := n.members[foldKey(name)]; twice {
			p.out.add(key, "stands there twice", "remove one of the two")
			continue
		}
		n.members[foldKey(name)] = member{name, v}
	}
	_, err := p.dec.Token()
	return n, err
}

func (p parser) list(path string, depth int) (*node, error) {
	n := &node{kind: list}
	for p.dec.More() {
		v, err := p.value(index(path, len(n.items)), depth+1)
		if err != nil {
			return nil, err
		}
		n.items = append(n.items, v)
	}
	_, err := p.dec.Token()
	return n, err
}

// position counts lines and columns from 1.
func position(data []byte, offset int64) (line, column int) {
	before := data[:min(int(offset), len(data))]
	line = bytes.Count(before, []byte("\n")) + 1
	column = utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return line, column
}
