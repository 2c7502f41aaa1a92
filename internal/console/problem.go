package console

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"bulksigner/internal/fault"
)

// problem is a refusal, which is shown as it is: of the API (RFC 9457), or of a form that does not get that far.
type problem struct {
	Status    int            `json:"status"`
	Code      fault.Code     `json:"code"`
	Detail    string         `json:"detail"`
	RequestID string         `json:"requestId"`
	Errors    []problemError `json:"errors"`

	retryAfter string // as the API says it, in seconds
}

// problemError says what is wrong with one field, and what to do about it.
type problemError struct {
	Location string `json:"location"`
	Message  string `json:"message"`
	Remedy   string `json:"remedy"`
}

// Error makes a problem an error.
func (p *problem) Error() string {
	return fmt.Sprintf("the answer is %d %s: %s", p.Status, p.Code, p.Detail)
}

// Unwrap gives the problem's code.
func (p *problem) Unwrap() error { return p.Code }

// Wait is for how many seconds nothing should be asked for again, or 0.
func (p *problem) Wait() int64 {
	seconds, err := strconv.ParseInt(p.retryAfter, 10, 64)
	if err != nil || seconds < 0 {
		return 0
	}
	return seconds
}

// is reports whether the problem has one of these codes.
func (p *problem) is(codes ...fault.Code) bool { return slices.Contains(codes, p.Code) }

// visitors reports whether what was asked for is to blame, and not the service.
func (p *problem) visitors() bool { return p.Status < http.StatusInternalServerError }

// aboutReason reports whether the only thing that somebody wrote to give a reason is refused.
func (p *problem) aboutReason() bool {
	return p.is(fault.ValidationReasonTooLong, fault.RequestInvalid)
}

// errNoPage says that there is no such page.
var errNoPage = &problem{Status: http.StatusNotFound, Code: fault.RouteNotFound, Detail: "there is no such page"}

// refusalOf is the problem that err is and that a page can show on itself. A refused key is none: with it, there is no page.
func refusalOf(err error) (p *problem, ok bool) {
	p, ok = errors.AsType[*problem](err)
	return p, ok && p.Status != http.StatusUnauthorized
}

// problemOf is the problem that err is, or one that says no more than that something failed here.
func problemOf(err error) *problem {
	if p, ok := errors.AsType[*problem](err); ok {
		return p
	}
	return &problem{Status: http.StatusInternalServerError, Code: fault.CodeOf(err)}
}
