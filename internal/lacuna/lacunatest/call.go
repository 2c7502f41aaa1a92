package lacunatest

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Op names a call of the API.
type Op string

// The calls. Unknown is a path that nobody serves, Away one that came to the other host.
const (
	Upload    Op = "upload"
	Create    Op = "create"
	Details   Op = "document"
	List      Op = "list"
	Download  Op = "content"
	Cancel    Op = "cancel"
	Refusal   Op = "refusal"
	Delete    Op = "delete"
	Folder    Op = "folder"
	Folders   Op = "folders"
	ActionURL Op = "action-url"
	Start     Op = "start"
	Complete  Op = "complete"
	Unknown   Op = "unknown"
	Away      Op = "away"
)

// Call is a request that arrived.
type Call struct {
	Op       Op
	Document string // its id, if the call is about one that exists
	Status   int    // what was answered; 0 while there is no answer, and if the connection was dropped
	Effect   bool   // whether it was carried out, whatever was answered
	Key      bool   // whether an X-Api-Key came with it
	Query    url.Values
	Header   http.Header
	Body     []byte // of a JSON request
}

// maxRows is how many calls and deliveries are remembered; then the older half is forgotten. A service may run for days.
const maxRows = 100_000

// remember adds a row to what is recorded.
func remember[T any](rows []T, row T) []T {
	if len(rows) == maxRows {
		rows = slices.Delete(rows, 0, maxRows/2)
	}
	return append(rows, row)
}

// Calls lists what arrived, in order of arrival.
func (s *Signer) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Call, len(s.calls))
	for i, c := range s.calls {
		out[i] = *c
	}
	return out
}

// Count is how often an operation was called, whatever became of it.
func (s *Signer) Count(op Op) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts[op]
}

// Counts is how often each operation was called.
func (s *Signer) Counts() map[Op]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.counts)
}

// record writes a call down.
func (s *Signer) record(c *call) *Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts[c.op]++
	row := &Call{Op: c.op, Document: c.doc, Key: c.Header.Get(keyHeader) != "", Query: c.URL.Query(), Header: c.Header.Clone(), Body: c.json()}
	s.calls = remember(s.calls, row)
	return row
}

// settle writes down what became of a call.
func (s *Signer) settle(row *Call, c *call, a answer, effect bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	row.Effect, row.Document = effect, c.doc // which a creation knows only now
	if !a.drop {
		row.Status = a.status
	}
}

// json is the body, unless it is a file.
func (c *call) json() []byte {
	if strings.HasPrefix(c.Header.Get("Content-Type"), "multipart/") {
		return nil
	}
	return c.body
}
