// Package fault holds the product's error codes.
//
// A code is part of the API: it stands on jobs, in problem documents and in alarms. Codes are added, never renamed and
// never given a second meaning. An Error adds a detail that a client may read and a cause that only the log sees.
package fault

import (
	"errors"
	"fmt"
)

// Code names a failure, in the product's words.
type Code string

// Error makes a code its own sentinel: errors.Is(err, fault.JobRaceLost).
func (c Code) Error() string { return string(c) }

// Error is a failure with a code.
type Error struct {
	Code   Code
	Detail string // may be shown to a client and kept in a job's history
	Cause  error  // for the log alone
}

// New makes an Error whose detail is the formatted text.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Detail: fmt.Sprintf(format, args...)}
}

// Wrap makes an Error with a cause. The detail does not contain the cause: a cause can quote what must not be shown.
func Wrap(code Code, cause error, format string, args ...any) *Error {
	return &Error{Code: code, Detail: fmt.Sprintf(format, args...), Cause: cause}
}

// Error writes code, detail and cause, for the log.
func (e *Error) Error() string {
	s := string(e.Code)
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

// Is reports whether target is this error's code.
func (e *Error) Is(target error) bool { return target == e.Code }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

// CodeOf returns the outermost code in err, or Internal if it has none. It returns "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	if c, ok := errors.AsType[Code](err); ok {
		return c
	}
	return Internal
}

// DetailOf returns what a client may read about err: its detail, or "" if err has no code.
func DetailOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Detail
	}
	return ""
}
