package pdf

import "errors"

// errMore tells that the text at hand ends within what is being read.
var errMore = errors.New("text ends early")

// scanner splits text into tokens and values.
type scanner struct {
	text  []byte
	pos   int
	whole bool // nothing follows the text, so that its end ends a token
}

// kind is a kind of token.
type kind uint8

const (
	arrayOpen kind = iota
	arrayClose
	dictOpen
	dictClose
	name
	str
	number
	keyword
)

// Classes of bytes (ISO 32000-1, 7.2.2).
const (
	regular = iota
	white
	delimiter
)

var class = func() (t [256]byte) {
	for _, c := range "\x00\t\n\f\r " {
		t[c] = white
	}
	for _, c := range "()<>[]{}/%" {
		t[c] = delimiter
	}
	return t
}()

// space passes white space and comments.
func (s *scanner) space() {
	for comment := false; s.pos < len(s.text); s.pos++ {
		c := s.text[s.pos]
		switch {
		case c == '\r' || c == '\n':
			comment = false
		case c == '%':
			comment = true
		case !comment && class[c] != white:
			return
		}
	}
}

func (s *scanner) ended() error {
	if s.whole {
		return malformed("the file ends within an object")
	}
	return errMore
}

// token passes one token and returns its kind and its text.
func (s *scanner) token() (kind, []byte, error) {
	s.space()
	if s.pos == len(s.text) {
		return 0, nil, s.ended()
	}
	from := s.pos
	k, err := s.pass()
	return k, s.text[from:s.pos], err
}

func (s *scanner) pass() (kind, error) {
	c := s.text[s.pos]
	s.pos++
	switch c {
	case '[':
		return arrayOpen, nil
	case ']':
		return arrayClose, nil
	case '<':
		return s.passLess()
	case '>':
		if s.pos == len(s.text) {
			return 0, s.ended()
		}
		if s.text[s.pos] == '>' {
			s.pos++
			return dictClose, nil
		}
	case '(':
		return str, s.passLiteral()
	case '/':
		return name, s.passRegular()
	}
	if class[c] != regular {
		return 0, malformed("there is a stray %q in an object", c)
	}
	if err := s.passRegular(); err != nil {
		return 0, err
	}
	if c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.' {
		return number, nil
	}
	return keyword, nil
}

func (s *scanner) passRegular() error {
	for s.pos < len(s.text) {
		if class[s.text[s.pos]] != regular {
			return nil
		}
		s.pos++
	}
	if s.whole {
		return nil
	}
	return errMore
}

// passLess passes the rest of << or of a hexadecimal string.
func (s *scanner) passLess() (kind, error) {
	if s.pos < len(s.text) && s.text[s.pos] == '<' {
		s.pos++
		return dictOpen, nil
	}
	for ; s.pos < len(s.text); s.pos++ {
		c := s.text[s.pos]
		if c == '>' {
			s.pos++
			return str, nil
		}
		if _, ok := hexDigit(c); !ok && class[c] != white {
			return 0, malformed("there is a stray %q in a hexadecimal string", c)
		}
	}
	return 0, s.ended()
}

// passLiteral passes the rest of a literal string: parentheses nest unless escaped.
func (s *scanner) passLiteral() error {
	for open := 1; s.pos < len(s.text); {
		c := s.text[s.pos]
		s.pos++
		switch c {
		case '\\':
			s.pos++
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				return nil
			}
		}
	}
	s.pos = len(s.text)
	return s.ended()
}

// value passes one value of any kind. Nesting takes no recursion, so that no text can exhaust the stack.
func (s *scanner) value() (Value, error) {
	s.space()
	from := s.pos
	var open [maxDepth]kind
	for depth := 0; ; {
		k, tok, err := s.token()
		if err != nil {
			return nil, err
		}
		switch k {
		case arrayOpen, dictOpen:
			if depth == maxDepth {
				return nil, malformed("arrays and dictionaries nest deeper than %d levels", maxDepth)
			}
			open[depth] = k
			depth++
		case arrayClose, dictClose:
			if depth == 0 || open[depth-1] != k-1 {
				return nil, malformed("there is a stray %s in an object", tok)
			}
			depth--
		case keyword:
			if !isConstant(tok) && (depth == 0 || string(tok) != "R") {
				return nil, malformed("an object holds the word %.20q", tok)
			}
		}
		if depth == 0 {
			return s.reference(from, k)
		}
	}
}

// reference ends a value. A number may turn out to be the first third of a reference.
func (s *scanner) reference(from int, k kind) (Value, error) {
	end := s.pos
	if k == number && isDigits(s.text[from:end]) {
		for _, want := range []kind{number, keyword} {
			got, tok, err := s.token()
			if errors.Is(err, errMore) {
				return nil, err
			}
			if err != nil || got != want || want == number && !isDigits(tok) || want == keyword && string(tok) != "R" {
				s.pos = end
				break
			}
		}
	}
	return Value(s.text[from:s.pos]), nil
}

// word passes one keyword, which must be the given one.
func (s *scanner) word(want string) error {
	k, tok, err := s.token()
	if err != nil {
		return err
	}
	if k != keyword || string(tok) != want {
		return malformed("there is no %q where one must be", want)
	}
	return nil
}

// integer passes one number without sign or fraction.
func (s *scanner) integer() (int64, error) {
	k, tok, err := s.token()
	if err != nil {
		return 0, err
	}
	n, ok := Value(tok).Int()
	if k != number || !ok || n < 0 {
		return 0, malformed("there is no number where one must be")
	}
	return n, nil
}

func isConstant(tok []byte) bool {
	return string(tok) == "true" || string(tok) == "false" || string(tok) == "null"
}

func isDigits(tok []byte) bool {
	for _, c := range tok {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(tok) > 0
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}
