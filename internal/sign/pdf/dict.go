package pdf

import (
	"bytes"
	"iter"
	"slices"
)

// Dict is a dictionary whose values can be found and replaced; its text stays what it was.
type Dict struct {
	text    Value
	entries []entry
}

type entry struct {
	key            []byte
	keyAt          int // where the key's slash is
	valueAt, after int // where the value stands
}

// Dict reads a dictionary, one level deep.
func (v Value) Dict() (Dict, error) {
	if len(v) < 4 || v[0] != '<' || v[1] != '<' {
		return Dict{}, malformed("there is no dictionary where one must be")
	}
	d := Dict{text: v}
	s := scanner{text: v[:len(v)-2], pos: 2, whole: true}
	for {
		s.space()
		at := s.pos
		if at >= len(s.text) {
			return d, nil
		}
		k, key, err := s.token()
		if err != nil {
			return Dict{}, err
		}
		if k != name {
			return Dict{}, malformed("a dictionary has the key %.20q", key)
		}
		val, err := s.value()
		if err != nil {
			return Dict{}, err
		}
		if len(d.entries) == maxEntries {
			return Dict{}, malformed("a dictionary has more than %d entries", maxEntries)
		}
		d.entries = append(d.entries, entry{unescapeName(key[1:]), at, s.pos - len(val), s.pos})
	}
}

// IsNull reports whether there is no dictionary.
func (d Dict) IsNull() bool { return d.text == nil }

// Text is the dictionary as it stands, or an empty one.
func (d Dict) Text() Value {
	if d.text == nil {
		return Value("<<>>")
	}
	return d.text
}

// Get returns the value of a key, nil if there is none. Of a key that is there twice the last counts.
func (d Dict) Get(key string) Value {
	for _, e := range slices.Backward(d.entries) {
		if string(e.key) == key {
			return d.text[e.valueAt:e.after]
		}
	}
	return nil
}

// Entries goes through the entries, each with the text of key and value together.
func (d Dict) Entries() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for _, e := range d.entries {
			if !yield(string(e.key), d.text[e.keyAt:e.after]) {
				return
			}
		}
	}
}

// With returns the text of the dictionary with a key set. A present value is replaced where it stands, everywhere if the
// key is there more than once, so that all readers see the new one. A new key goes first.
func (d Dict) With(key, value string) Value {
	var out bytes.Buffer
	text, done := d.Text(), 0
	for _, e := range d.entries {
		if string(e.key) == key {
			out.Write(text[done:e.valueAt])
			if class[text[e.valueAt-1]] == regular {
				out.WriteByte(' ') // the old value needed nothing between its key and itself
			}
			out.WriteString(value)
			done = e.after
		}
	}
	if done == 0 {
		out.WriteString("<</" + key + " " + value)
		done = len("<<")
	}
	out.Write(text[done:])
	return out.Bytes()
}
