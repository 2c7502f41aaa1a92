package lacunatest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Rule says which calls fail, and how. Rules are tried in the order in which they were given.
type Rule struct {
	Op       Op     // "" for all
	Document string // the id, "" for all
	Skip     int    // so many calls pass first
	Times    int    // how many calls fail; 0 for every one
	Fault

	seen int
}

// Fault is a way to fail. Those that answer otherwise do nothing else, unless Late.
type Fault struct {
	Delay   time.Duration        // before anything, and then there is no effect if the client leaves; after the effect if Late
	Drop    bool                 // the connection ends without an answer
	Late    bool                 // the call is carried out first
	Instead *Response            // is answered instead
	Alter   func(answer any) any // changes a JSON answer, after the effect
	Cut     bool                 // the answer ends in its middle, after the effect
	Away    bool                 // a redirection to the other host
}

// Response is an answer that is not the service's own.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Fail adds a rule.
func (s *Signer) Fail(r Rule) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules = append(s.rules, &r)
}

// FailNext answers the next calls with the given statuses, one each.
func (s *Signer) FailNext(statuses ...int) {
	for _, code := range statuses {
		s.Fail(Rule{Times: 1, Fault: Status(code)})
	}
}

// Heal forgets all rules.
func (s *Signer) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules = nil
}

// fault takes the fault that a call meets.
func (s *Signer) fault(c *call) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, r := range s.rules {
		if !r.fits(c) {
			continue
		}
		if r.seen++; r.seen <= r.Skip {
			continue
		}
		if r.Times > 0 && r.seen == r.Skip+r.Times {
			s.rules = slices.Delete(s.rules, i, i+1)
		}
		return r.Fault
	}
	return Fault{}
}

func (r *Rule) fits(c *call) bool {
	return (r.Op == "" || r.Op == c.op) && (r.Document == "" || strings.EqualFold(r.Document, c.doc))
}

// AfterEffect returns the fault with the call carried out first.
func (f Fault) AfterEffect() Fault {
	f.Late = true
	return f
}

// Dropped ends the connection before anything was done. Dropped().AfterEffect() loses the answer alone.
func Dropped() Fault { return Fault{Drop: true} }

// Delayed answers late.
func Delayed(d time.Duration) Fault { return Fault{Delay: d} }

// Status answers with a status alone.
func Status(code int) Fault { return Text(code, "", "") }

// Text answers with any body.
func Text(code int, contentType, body string) Fault {
	r := &Response{Status: code, Header: http.Header{}, Body: []byte(body)}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	return Fault{Instead: r}
}

// JSON answers with a body of JSON.
func JSON(code int, body any) Fault {
	return Text(code, "application/json; charset=utf-8", string(encode(body)))
}

// HTML answers like a proxy.
func HTML(code int) Fault {
	return Text(code, "text/html; charset=utf-8", "<!DOCTYPE html><html><body><h1>"+strconv.Itoa(code)+"</h1></body></html>")
}

// ErrorCode answers 422 with a code of the service.
func ErrorCode(code string) Fault {
	return JSON(http.StatusUnprocessableEntity, refuse(code).json)
}

// Unsuccessful answers a start or a completion with 200 and success: false, and findings of the given types.
func Unsuccessful(types ...string) Fault {
	return JSON(http.StatusOK, completed{ValidationResults: findings(types...)})
}

// Truncated cuts the answer in its middle.
func Truncated() Fault { return Fault{Cut: true} }

// Redirected sends the client to the other host, which Server has. What arrives there is recorded as Away.
func Redirected() Fault { return Fault{Away: true} }

// Set changes one value of a JSON answer. The path has names and positions: "flowActions.0.type". With it, a start answers
// a digest by another name, none, or a hash that is too short, and an action URL is malformed.
func Set(path string, value any) Fault {
	return Fault{Alter: func(a any) any { return set(a, strings.Split(path, "."), value) }}
}

func set(a any, path []string, value any) any {
	if len(path) == 0 {
		return value
	}
	switch v := a.(type) {
	case map[string]any:
		v[path[0]] = set(v[path[0]], path[1:], value)
	case []any:
		if i, err := strconv.Atoi(path[0]); err == nil && i >= 0 && i < len(v) {
			v[i] = set(v[i], path[1:], value)
		}
	}
	return a
}

// Nulls makes every value of a JSON answer null.
func Nulls() Fault { return Fault{Alter: nulls} }

func nulls(a any) any {
	switch v := a.(type) {
	case map[string]any:
		for k := range v {
			v[k] = nil
		}
	case []any:
		for i := range v {
			v[i] = nulls(v[i])
		}
	}
	return a
}

// Extended adds fields that nobody knows to every object of a JSON answer.
func Extended() Fault { return Fault{Alter: extend} }

func extend(a any) any {
	switch v := a.(type) {
	case map[string]any:
		for k := range v {
			v[k] = extend(v[k])
		}
		v["addedWithoutNotice"] = map[string]any{"id": 7, "names": []any{"a", nil}}
	case []any:
		for i := range v {
			v[i] = extend(v[i])
		}
	}
	return a
}

// alter changes a JSON answer.
func (f Fault) alter(a answer) answer {
	if f.Alter == nil || a.json == nil {
		return a
	}
	var v any
	if err := json.Unmarshal(encode(a.json), &v); err != nil {
		panic(err) // it was encoded here
	}
	a.json = f.Alter(v)
	return a
}
