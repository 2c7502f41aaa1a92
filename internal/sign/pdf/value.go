package pdf

import (
	"bytes"
	"iter"
	"strconv"
)

// Value is the text of one value as it stands in a file, without white space around it. None is null.
type Value []byte

// Ref names an indirect object.
type Ref struct{ Num, Gen int }

// String writes the reference as a file does.
func (r Ref) String() string { return strconv.Itoa(r.Num) + " " + strconv.Itoa(r.Gen) + " R" }

// IsNull reports whether there is no value, or null.
func (v Value) IsNull() bool { return len(v) == 0 || string(v) == "null" }

// Int reads an integer.
func (v Value) Int() (int64, bool) {
	n, err := strconv.ParseInt(string(v), 10, 64)
	return n, err == nil
}

// Ref reads a reference.
func (v Value) Ref() (Ref, bool) {
	if len(v) == 0 || v[len(v)-1] != 'R' || !isDigits(v[:1]) {
		return Ref{}, false
	}
	s := scanner{text: v, whole: true}
	num, err1 := s.integer()
	gen, err2 := s.integer()
	if err1 != nil || err2 != nil || s.word("R") != nil || num < 1 || num > maxObjects || gen > 65535 {
		return Ref{}, false
	}
	return Ref{int(num), int(gen)}, true
}

// Name reads a name, without its slash and with its escapes undone.
func (v Value) Name() string {
	if len(v) == 0 || v[0] != '/' {
		return ""
	}
	return string(unescapeName(v[1:]))
}

func unescapeName(b []byte) []byte {
	if bytes.IndexByte(b, '#') < 0 {
		return b
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] == '#' && i+2 < len(b) {
			hi, ok1 := hexDigit(b[i+1])
			lo, ok2 := hexDigit(b[i+2])
			if ok1 && ok2 {
				out = append(out, hi<<4|lo)
				i += 2
				continue
			}
		}
		out = append(out, b[i])
	}
	return out
}

// IsArray reports whether the value is an array.
func (v Value) IsArray() bool { return len(v) > 0 && v[0] == '[' }

// Items goes through an array. It ends with an error where the text makes no sense, and at once if it is no array.
func (v Value) Items() iter.Seq2[Value, error] {
	return func(yield func(Value, error) bool) {
		if !v.IsArray() {
			if !v.IsNull() {
				yield(nil, malformed("there is no array where one must be"))
			}
			return
		}
		s := scanner{text: v[:len(v)-1], pos: 1, whole: true}
		for {
			if s.space(); s.pos >= len(s.text) {
				return
			}
			item, err := s.value()
			if !yield(item, err) || err != nil {
				return
			}
		}
	}
}

// Append returns the array with one more item; a missing array is an empty one. All present bytes stay.
func (v Value) Append(item string) (Value, error) {
	if v.IsNull() {
		return Value("[" + item + "]"), nil
	}
	if !v.IsArray() {
		return nil, malformed("there is no array where one must be")
	}
	// A comment ends before the bracket, so it is safe to write right before it.
	out := append(bytes.Clone(v[:len(v)-1]), ' ')
	return append(append(out, item...), ']'), nil
}

// Text reads a string, literal or hexadecimal, as its bytes.
func (v Value) Text() ([]byte, bool) {
	switch {
	case len(v) >= 2 && v[0] == '(':
		return unescapeLiteral(v[1 : len(v)-1]), true
	case len(v) >= 2 && v[0] == '<' && v[1] != '<':
		return decodeHex(v[1 : len(v)-1]), true
	}
	return nil, false
}

func decodeHex(b []byte) []byte {
	out := make([]byte, 0, len(b)/2+1)
	half := false
	for _, c := range b {
		d, ok := hexDigit(c)
		if !ok {
			continue
		}
		if half {
			out[len(out)-1] |= d
		} else {
			out = append(out, d<<4) // a missing last digit is zero
		}
		half = !half
	}
	return out
}

var escapes = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'f': '\f'}

// unescapeLiteral undoes the escapes of a literal string (ISO 32000-1, 7.3.4.2).
func unescapeLiteral(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' || i+1 == len(b) {
			if out = append(out, b[i]); b[i] == '\r' { // an end of line reads as one line feed
				out[len(out)-1] = '\n'
				i += skipLineFeed(b[i+1:])
			}
			continue
		}
		i++
		switch c := b[i]; {
		case c >= '0' && c <= '7':
			n := 0
			for d := 0; d < 3 && i < len(b) && b[i] >= '0' && b[i] <= '7'; d++ {
				n = n<<3 | int(b[i]-'0')
				i++
			}
			i--
			out = append(out, byte(n))
		case c == '\r':
			i += skipLineFeed(b[i+1:]) // an escaped end of line is none
		case c == '\n':
		case escapes[c] != 0:
			out = append(out, escapes[c])
		default:
			out = append(out, c)
		}
	}
	return out
}

func skipLineFeed(b []byte) int {
	if len(b) > 0 && b[0] == '\n' {
		return 1
	}
	return 0
}
