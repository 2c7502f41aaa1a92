// Package redact takes secrets and personal identifiers out of what is logged or shown.
//
// A Redactor promises that no secret that it was told of, written as it is, quoted or in a URL, leaves it in a text, and
// that e-mail addresses, CPFs and account numbers leave it masked: enough is left to recognize one, and not to learn it. A
// log handler around another one does so to whatever is logged, and hides attributes whose names speak of secrets. What is
// left alone costs no memory.
//
// Numbers that are not text stay as they are, and so do secrets of fewer than 12 characters, which are parts of other
// words. Whose secrets there are is for others to tell.
package redact

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// hidden stands where something was taken out.
const hidden = "***"

// least is how long a secret must be to be looked for, in characters.
const least = 12

// Redactor knows secrets. Any number of goroutines may use it.
type Redactor struct {
	mu    sync.Mutex
	known atomic.Pointer[[]string] // all ways to write all secrets, the longest first
}

// New makes a Redactor that knows some secrets.
func New(secrets ...string) *Redactor {
	r := &Redactor{}
	r.known.Store(&[]string{})
	for _, s := range secrets {
		r.Add(s)
	}
	return r
}

// Add tells of a secret. It is never forgotten: one that was replaced can still open something, and an environment does not
// live long.
func (r *Redactor) Add(secret string) {
	secret = strings.TrimSpace(secret)
	if utf8.RuneCountInString(secret) < least {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	all := append(slices.Clone(*r.known.Load()), spellings(secret)...)
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	all = slices.Compact(all)
	r.known.Store(&all)
}

// spellings are the ways in which errors write a text: as it is, quoted by Go or JSON, and in a URL.
func spellings(s string) []string {
	quoted := strconv.Quote(s)
	all := []string{s, quoted[1 : len(quoted)-1], url.QueryEscape(s), url.PathEscape(s)}
	if encoded, err := json.Marshal(s); err == nil { // a text always encodes
		all = append(all, string(encoded[1:len(encoded)-1]))
	}
	return all
}

// Text returns s without secrets and with personal identifiers masked.
func (r *Redactor) Text(s string) string {
	for _, secret := range *r.known.Load() {
		if strings.Contains(s, secret) {
			s = strings.ReplaceAll(s, secret, hidden)
		}
	}
	return personal(s)
}
