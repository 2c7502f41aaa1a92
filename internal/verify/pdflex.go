package verify

import (
	"errors"
	"io"
	"strconv"

	"bulksigner/internal/fault"
)

// Limits of the reader.
const (
	// maxWork is how many bytes of a file are looked at one by one or come out of its compressed streams, all together.
	// Hashing does not count. It keeps objects inside each other's strings, and streams that inflate without end, cheap.
	maxWork   = 32 << 20
	maxObject = 4 << 20 // bytes of one object: a signature of maxCMS is twice as long in hex, and padded
	maxItems  = 1 << 17 // values in one array or dictionary
	maxDepth  = 32      // arrays and dictionaries inside each other
)

type tokenKind int

const (
	tokEnd tokenKind = iota // the end of the file
	tokInt
	tokReal
	tokName
	tokString
	tokKeyword
	tokArrayOpen
	tokArrayClose
	tokDictOpen
	tokDictClose
)

// token is one word of a PDF.
type token struct {
	kind tokenKind
	num  int64  // of tokInt
	text string // of tokName, without the slash, and of tokKeyword
	str  pdfString
}

// pdfString is a string with the place of its token in the file.
type pdfString struct {
	value      []byte
	hex        bool
	start, end int64 // the delimiters included; both -1 inside an object stream
}

// budget is the work that may still be done.
type budget struct{ left int64 }

func (b *budget) take(n int64) error {
	if b.left -= n; b.left < 0 {
		return malformed("the file takes too much work to read")
	}
	return nil
}

// lexer cuts a PDF into tokens, starting anywhere.
type lexer struct {
	src  io.ReaderAt
	size int64
	work *budget
	file bool  // whether places in src are places in the file
	last int64 // where an object must have ended

	buf  []byte
	base int64 // of buf
	i    int   // of the next byte, in buf
}

// The buffer grows while an object is read: most are short, signatures are long.
const (
	firstWindow = 512
	lastWindow  = 32 << 10
)

// pos is the place of the next byte.
func (l *lexer) pos() int64 { return l.base + int64(l.i) }

// next returns io.EOF at the end, a malformed error past a limit, and any other error if reading goes wrong.
func (l *lexer) next() (byte, error) {
	if l.i == len(l.buf) {
		if err := l.fill(); err != nil {
			return 0, err
		}
	}
	b := l.buf[l.i]
	l.i++
	return b, nil
}

// fill reads on, and pays for what was read.
func (l *lexer) fill() error {
	if err := l.work.take(int64(max(firstWindow, len(l.buf)))); err != nil {
		return err
	}
	window := max(firstWindow, min(2*len(l.buf), lastWindow))
	l.base, l.i, l.buf = l.pos(), 0, nil
	switch {
	case l.base >= l.size:
		return io.EOF
	case l.base >= l.last:
		return malformed("an object is longer than %d bytes", maxObject)
	}
	buf := make([]byte, min(int64(window), l.size-l.base, l.last-l.base))
	if err := readAt(l.src, buf, l.base); err != nil {
		return err
	}
	l.buf = buf
	return nil
}

// within is next where the file may not end.
func (l *lexer) within() (byte, error) {
	b, err := l.next()
	return b, early(err)
}

// back takes the byte back that was read last.
func (l *lexer) back() { l.i-- }

// early makes a malformed error of an end that comes too early.
func early(err error) error {
	if errors.Is(err, io.EOF) {
		return malformed("the file ends within an object")
	}
	return err
}

func malformed(format string, args ...any) error {
	return fault.New(fault.PDFMalformed, format, args...)
}

func isSpace(b byte) bool {
	return b == ' ' || b == '\n' || b == '\r' || b == '\t' || b == '\f' || b == 0
}

func isRegular(b byte) bool {
	switch b {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return false
	}
	return !isSpace(b)
}

// token reads the next token. White space and comments before it are nothing.
func (l *lexer) token() (token, error) {
	b, err := l.skip()
	if errors.Is(err, io.EOF) {
		return token{kind: tokEnd}, nil
	}
	if err != nil {
		return token{}, early(err)
	}
	switch b {
	case '[':
		return token{kind: tokArrayOpen}, nil
	case ']':
		return token{kind: tokArrayClose}, nil
	case '(':
		return l.literal()
	case '<':
		return l.angle()
	case '>':
		if b, err = l.within(); err == nil && b != '>' {
			err = malformed("a > stands alone")
		}
		return token{kind: tokDictClose}, err
	case '/':
		return l.name()
	case ')', '{', '}':
		return token{}, malformed("a %c stands alone", b)
	}
	return l.word(b)
}

// skip returns the first byte that is neither white space nor in a comment.
func (l *lexer) skip() (byte, error) {
	comment := false
	for {
		b, err := l.next()
		switch {
		case err != nil:
			return 0, err
		case b == '\n' || b == '\r':
			comment = false
		case b == '%':
			comment = true
		case !comment && !isSpace(b):
			return b, nil
		}
	}
}

// regular reads on while bytes belong to the same word.
func (l *lexer) regular(word []byte) ([]byte, error) {
	for {
		b, err := l.next()
		if errors.Is(err, io.EOF) {
			return word, nil
		}
		if err != nil {
			return nil, early(err)
		}
		if !isRegular(b) {
			l.back()
			return word, nil
		}
		word = append(word, b)
	}
}

// word reads a number or a keyword.
func (l *lexer) word(first byte) (token, error) {
	w, err := l.regular([]byte{first})
	if err != nil {
		return token{}, err
	}
	s := string(w)
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return token{kind: tokInt, num: n}, nil
	}
	if first == '+' || first == '-' || first == '.' || '0' <= first && first <= '9' {
		if _, err := strconv.ParseFloat(s, 64); err == nil {
			return token{kind: tokReal}, nil
		}
	}
	return token{kind: tokKeyword, text: s}, nil
}

func (l *lexer) name() (token, error) {
	w, err := l.regular(nil)
	if err != nil {
		return token{}, err
	}
	out := make([]byte, 0, len(w))
	for i := 0; i < len(w); i++ {
		if w[i] == '#' && i+2 < len(w) {
			if n, err := strconv.ParseUint(string(w[i+1:i+3]), 16, 8); err == nil {
				out = append(out, byte(n))
				i += 2
				continue
			}
		}
		out = append(out, w[i])
	}
	return token{kind: tokName, text: string(out)}, nil
}
