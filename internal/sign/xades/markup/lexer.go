package markup

import (
	"strings"
	"unicode/utf8"

	"bulksigner/internal/fault"
)

// lexer walks through a text.
type lexer struct {
	text string
	pos  int
}

func (l *lexer) rest() string { return l.text[l.pos:] }

// accept steps over s if it comes next.
func (l *lexer) accept(s string) bool {
	if !strings.HasPrefix(l.rest(), s) {
		return false
	}
	l.pos += len(s)
	return true
}

// space steps over white space and reports whether there was any.
func (l *lexer) space() bool {
	from := l.pos
	for l.pos < len(l.text) && isSpace(l.text[l.pos]) {
		l.pos++
	}
	return l.pos > from
}

// until returns what comes before end, and steps over both.
func (l *lexer) until(end, what string) (string, error) {
	n := strings.Index(l.rest(), end)
	if n < 0 {
		return "", l.malformed("%s has no end", what)
	}
	s := l.rest()[:n]
	l.pos += n + len(end)
	return s, nil
}

// quoted returns what stands between quotes of either kind.
func (l *lexer) quoted(what string) (string, error) {
	for _, q := range []string{`"`, `'`} {
		if l.accept(q) {
			return l.until(q, what)
		}
	}
	return "", l.malformed("%s is not in quotes", what)
}

// equals steps over the sign between a name and its value.
func (l *lexer) equals() error {
	l.space()
	if !l.accept("=") {
		return l.malformed("a name has no value")
	}
	l.space()
	return nil
}

// name reads a name without colon.
func (l *lexer) name() (string, error) {
	from := l.pos
	for l.pos < len(l.text) {
		r, n := l.char()
		if !isNameChar(r) || l.pos == from && !isNameStart(r) {
			break
		}
		l.pos += n
	}
	switch n := l.pos - from; {
	case n == 0:
		return "", l.malformed("there should be a name")
	case n > maxName:
		return "", l.refuse(fault.XMLTooLarge, "a name is longer than %d bytes", maxName)
	}
	return l.text[from:l.pos], nil
}

// char looks at the next character, most often a single byte.
func (l *lexer) char() (rune, int) {
	if c := l.text[l.pos]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeRuneInString(l.rest())
}

// qualified reads a name that may have a prefix. What its prefix stands for is not known yet.
func (l *lexer) qualified() (Name, error) {
	from := l.pos
	first, err := l.name()
	if err != nil {
		return Name{}, err
	}
	if !l.accept(":") {
		return Name{Full: first, Local: first}, nil
	}
	local, err := l.name()
	return Name{Full: l.text[from:l.pos], Prefix: first, Local: local}, err
}

func (l *lexer) malformed(format string, args ...any) error {
	return l.refuse(fault.XMLMalformed, format, args...)
}

// refuse says what is wrong and where. Of the document itself it says nothing: what it holds is nobody's business.
func (l *lexer) refuse(code fault.Code, format string, args ...any) error {
	return fault.New(code, format+", in line %d", append(args, line(l.text[:l.pos]))...)
}

// line counts line ends of all three kinds.
func line(before string) int {
	return 1 + strings.Count(before, "\n") + strings.Count(before, "\r") - strings.Count(before, "\r\n")
}
