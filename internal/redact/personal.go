package redact

import (
	"strings"
	"unicode/utf8"
)

// personal masks e-mail addresses, CPFs and account numbers.
func personal(s string) string {
	var out strings.Builder
	done := 0 // how much of s is dealt with
	for i := 0; i < len(s); i++ {
		if s[i] != '@' && !isDigit(s[i]) {
			continue
		}
		if m := identifier(s, done, i); m.end > 0 {
			out.WriteString(s[done:m.begin])
			out.WriteString(m.text)
			done, i = m.end, m.end-1
		}
	}
	if done == 0 {
		return s
	}
	out.WriteString(s[done:])
	return out.String()
}

// mask is what stands for s[begin:end]; the zero value stands for nothing.
type mask struct {
	begin, end int
	text       string
}

// identifier finds the identifier that has its @ at i, or begins there with a digit. It reaches back to done at most.
func identifier(s string, done, i int) mask {
	if s[i] == '@' {
		return address(s, done, i)
	}
	if i > 0 && isWord(s[i-1]) {
		return mask{} // in the middle of something
	}
	switch n := digits(s[i:]); {
	case n == 3 && isFormattedCPF(s[i:]):
		return mask{i, i + 14, "***.***.***-" + s[i+12:i+14]}
	case n == 11 && !isWord(at(s, i+11)) && isCPF(s[i:i+11]):
		return mask{i, i + 11, "***.***.***-" + s[i+9:i+11]}
	case n >= 4 && n <= 13 && isAccount(s, i, n):
		return mask{i, i + n + 2, hidden + s[i+n-3:i+n+2]}
	}
	return mask{}
}

// address masks what stands before the @ of an e-mail address: m***@example.com.
func address(s string, done, sign int) mask {
	begin := sign
	for begin > done && isLocal(s[begin-1]) {
		begin--
	}
	if host := at(s, sign+1); begin == sign || !isWord(host) && host < utf8.RuneSelf {
		return mask{}
	}
	_, first := utf8.DecodeRuneInString(s[begin:])
	return mask{begin, sign + 1, s[begin:begin+first] + hidden + "@"}
}

// isFormattedCPF reports whether s begins with a CPF as people write it: 529.982.247-25.
func isFormattedCPF(s string) bool {
	const form = "000.000.000-00"
	if len(s) < len(form) || isDigit(at(s, len(form))) {
		return false
	}
	for i := range len(form) {
		if isDigit(form[i]) != isDigit(s[i]) || !isDigit(form[i]) && form[i] != s[i] {
			return false
		}
	}
	return true
}

// isCPF reports whether eleven digits end in the check digits of a CPF.
func isCPF(s string) bool { return check(s[:9]) == s[9] && check(s[:10]) == s[10] }

// check is the digit that follows the first digits of a CPF.
func check(s string) byte {
	sum := 0
	for i := range len(s) {
		sum += int(s[i]-'0') * (len(s) + 1 - i)
	}
	return '0' + byte(sum*10%11%10)
}

// isAccount reports whether the n digits at i are the number of an account, with a check digit behind a hyphen: 12149-4. What
// goes on before or behind, like a date or a GUID, is none.
func isAccount(s string, i, n int) bool {
	before, hyphen, digit, behind := at(s, i-1), at(s, i+n), at(s, i+n+1), at(s, i+n+2)
	return !isJoint(before) && hyphen == '-' && (isDigit(digit) || digit == 'X' || digit == 'x') &&
		!isWord(behind) && behind != '-'
}

// isJoint reports whether c joins a number with what is before it.
func isJoint(c byte) bool { return strings.IndexByte("-./:+", c) >= 0 }

// at is the byte at i, or a blank where there is none.
func at(s string, i int) byte {
	if i < 0 || i >= len(s) {
		return ' '
	}
	return s[i]
}

// digits is how many digits s begins with.
func digits(s string) (n int) {
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isWord leaves letters that are not ASCII aside: to mask too much is better.
func isWord(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}

// isLocal reports whether c can stand before the @ of an address, as people have them. Letters of all scripts can; what
// also could, like a quote or a slash, is mostly around one.
func isLocal(c byte) bool {
	return isWord(c) || c >= utf8.RuneSelf || strings.IndexByte(".+-%", c) >= 0
}
