package markup

import "strings"

// scope is what prefixes stand for, in a document or in a canonical form that is being written. The prefix "" is the
// default namespace.
type scope struct {
	bound map[string]binding
	undo  []undo
}

type binding struct {
	space string
	depth int // of the element that declared it, 0 for what needs no declaration
}

type undo struct {
	prefix string
	old    binding
	was    bool
}

func newScope() *scope {
	return &scope{bound: map[string]binding{"xml": {space: spaceXML}}}
}

// lookup returns a namespace, or "" for a prefix that was not declared.
func (s *scope) lookup(prefix string) string { return s.bound[prefix].space }

// declare binds a prefix inside the element at depth. It reports false if that element has done so already.
func (s *scope) declare(prefix, space string, depth int) bool {
	old, was := s.bound[prefix]
	if was && old.depth == depth {
		return false
	}
	s.undo = append(s.undo, undo{prefix, old, was})
	s.bound[prefix] = binding{space, depth}
	return true
}

// leave forgets what the element at depth declared.
func (s *scope) leave(depth int) {
	for n := len(s.undo) - 1; n >= 0; n-- {
		u := s.undo[n]
		if s.bound[u.prefix].depth != depth {
			return
		}
		s.undo = s.undo[:n]
		if u.was {
			s.bound[u.prefix] = u.old
		} else {
			delete(s.bound, u.prefix)
		}
	}
}

// checkDeclaration returns what is wrong with a namespace declaration, or "".
func checkDeclaration(prefix, space string) string {
	switch {
	case prefix == "xmlns":
		return "the prefix xmlns is declared"
	case (prefix == "xml") != (space == spaceXML) || space == spaceXMLNS:
		return "a reserved namespace or its prefix is declared anew"
	case space == "" && prefix != "":
		return "a prefix is taken back, which only XML 1.1 allows"
	case space != "" && !isAbsolute(space):
		// Canonical form is not defined for these, and tools refuse them one and all.
		return "a namespace is not an absolute URI"
	case strings.Contains(space, "&"):
		// Canonical form escapes it, but libxml2 does not: half of the world would call the signature broken.
		return "a namespace has a & in it"
	}
	return ""
}

// isAbsolute reports whether s has the characters and the beginning of an absolute URI (RFC 3986).
func isAbsolute(s string) bool {
	scheme, rest, found := strings.Cut(s, ":")
	if !found || scheme == "" || !isLetter(scheme[0]) || strings.ContainsFunc(scheme, notIn("+-.")) {
		return false
	}
	if strings.Count(rest, "#") > 1 || strings.ContainsFunc(rest, notIn("-._~:/?#@!$&'()*+,;=%")) {
		return false
	}
	for _, after := range strings.Split(rest, "%")[1:] {
		if len(after) < 2 || !isHex(after[0]) || !isHex(after[1]) {
			return false
		}
	}
	return true
}

// notIn matches what is neither a letter, a digit nor one of the marks.
func notIn(marks string) func(rune) bool {
	return func(r rune) bool {
		return r > '~' || !isLetter(byte(r)) && (r < '0' || r > '9') && !strings.ContainsRune(marks, r)
	}
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }
