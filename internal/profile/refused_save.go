package profile

import (
	"fmt"
	"strings"

	"bulksigner/internal/fault"
)

// Refused is a save that was refused. Its code is fault.ProfileInvalid.
type Refused struct {
	Refusals []Refusal
}

// Error lists the keys and what is wrong with them, for the log.
func (r *Refused) Error() string {
	said := make([]string, len(r.Refusals))
	for i, f := range r.Refusals {
		said[i] = fmt.Sprintf("%s %s", f.Key, f.Message)
	}
	return string(fault.ProfileInvalid) + ": " + strings.Join(said, "; ")
}

// Unwrap gives the code.
func (r *Refused) Unwrap() error { return fault.ProfileInvalid }
