package verify

import (
	"bytes"
	"io"
)

// object is a value of a PDF: nil, bool, int64, real, name, pdfString, array, dict or ref.
type object any

type (
	real  struct{} // a number with a fraction; nothing here asks for its value
	name  string
	array []object
	ref   struct{ num, gen int64 }
)

// dict is a dictionary. Readers disagree on which value of a repeated key counts, so that is kept in mind.
type dict struct {
	entries  map[name]object
	repeated bool
}

func (d dict) get(key name) object { return d.entries[key] }

// lexerAt starts to read at an offset of the file.
func (p *pdf) lexerAt(offset int64) (*lexer, error) {
	if offset < 0 || offset >= p.size {
		return nil, malformed("offset %d is outside of the file", offset)
	}
	return &lexer{src: p.file, size: p.size, work: &p.work, file: true, base: offset, last: offset + maxObject}, nil
}

// lexerOf starts to read what was in a compressed stream.
func (p *pdf) lexerOf(data []byte) *lexer {
	return &lexer{src: bytes.NewReader(data), size: int64(len(data)), work: &p.work, last: maxObject}
}

// value reads one value that is not a reference: it takes two numbers and a letter to know one.
func (l *lexer) value(t token, depth int) (object, error) {
	if depth > maxDepth {
		return nil, malformed("arrays and dictionaries are nested more than %d deep", maxDepth)
	}
	switch t.kind {
	case tokInt:
		return t.num, nil
	case tokReal:
		return real{}, nil
	case tokName:
		return name(t.text), nil
	case tokString:
		return t.str, nil
	case tokArrayOpen:
		items, _, err := l.items(depth+1, func(t token) bool { return t.kind == tokArrayClose })
		return array(items), err
	case tokDictOpen:
		items, _, err := l.items(depth+1, func(t token) bool { return t.kind == tokDictClose })
		if err != nil {
			return nil, err
		}
		return makeDict(items)
	case tokKeyword:
		switch t.text {
		case "null":
			return nil, nil
		case "true", "false":
			return t.text == "true", nil
		}
	case tokEnd:
		return nil, early(io.EOF)
	}
	return nil, malformed("a value is missing at offset %d", l.pos())
}

// items reads values up to the token that ends them, and makes references of "number generation R". That reads by
// grammar where looking ahead for the letter would stumble over a comment.
func (l *lexer) items(depth int, ends func(token) bool) ([]object, token, error) {
	var out []object
	for {
		t, err := l.token()
		if err != nil || ends(t) {
			return out, t, err
		}
		if t.kind == tokKeyword && t.text == "R" {
			if out, err = fold(out); err != nil {
				return nil, t, err
			}
			continue
		}
		v, err := l.value(t, depth)
		if err != nil {
			return nil, t, err
		}
		if out = append(out, v); len(out) > maxItems {
			return nil, t, malformed("there are more than %d values in one place", maxItems)
		}
	}
}

func fold(items []object) ([]object, error) {
	if n := len(items); n >= 2 {
		num, ok1 := items[n-2].(int64)
		gen, ok2 := items[n-1].(int64)
		if ok1 && ok2 {
			return append(items[:n-2], ref{num, gen}), nil
		}
	}
	return nil, malformed("a reference lacks its numbers")
}

func makeDict(items []object) (dict, error) {
	if len(items)%2 != 0 {
		return dict{}, malformed("a dictionary has a key without a value")
	}
	d := dict{entries: make(map[name]object, len(items)/2)}
	for i := 0; i < len(items); i += 2 {
		key, ok := items[i].(name)
		if !ok {
			return dict{}, malformed("the key of a dictionary is not a name")
		}
		if _, ok := d.entries[key]; ok {
			d.repeated = true
		}
		d.entries[key] = items[i+1]
	}
	return d, nil
}

// indirect is an object as it stands in the file.
type indirect struct {
	value  object
	stream int64 // where a stream's bytes begin, -1 if it is none
}

// indirect reads "number generation obj value endobj" at the lexer's place, and checks the number unless it is negative.
func (l *lexer) indirect(num int64) (indirect, error) {
	items, t, err := l.items(0, func(t token) bool { return t.kind == tokKeyword && t.text == "obj" })
	if err != nil {
		return indirect{}, err
	}
	if len(items) != 2 || num >= 0 && items[0] != object(num) {
		return indirect{}, malformed("the object that should begin at the place named for object %d does not", num)
	}
	items, t, err = l.items(0, func(t token) bool {
		return t.kind == tokKeyword && (t.text == "endobj" || t.text == "stream")
	})
	if err != nil {
		return indirect{}, err
	}
	if len(items) != 1 {
		return indirect{}, malformed("an object holds %d values, not one", len(items))
	}
	o := indirect{items[0], -1}
	if t.text == "stream" {
		if _, ok := o.value.(dict); !ok {
			return indirect{}, malformed("a stream has no dictionary")
		}
		o.stream, err = l.streamStart()
	}
	return o, err
}

// streamStart passes the line end after the keyword.
func (l *lexer) streamStart() (int64, error) {
	b, err := l.within()
	if err == nil && b == '\r' {
		b, err = l.within()
	}
	if err == nil && b != '\n' {
		err = malformed("there is no line end before a stream's data")
	}
	return l.pos(), err
}
