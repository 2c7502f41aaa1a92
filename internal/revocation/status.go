package revocation

import (
	"fmt"
	"time"
)

// State is what is known about a certificate.
type State int

// The states. The zero state says nothing.
const (
	Unknown State = iota
	Good
	Revoked
)

// String names the state.
func (s State) String() string {
	switch s {
	case Good:
		return "good"
	case Revoked:
		return "revoked"
	}
	return "unknown"
}

// Reason says why a certificate was revoked, in the numbers of RFC 5280.
type Reason int

// The reasons of RFC 5280, section 5.3.1.
const (
	Unspecified          Reason = 0
	KeyCompromise        Reason = 1
	CACompromise         Reason = 2
	AffiliationChanged   Reason = 3
	Superseded           Reason = 4
	CessationOfOperation Reason = 5
	CertificateHold      Reason = 6
	RemoveFromCRL        Reason = 8
	PrivilegeWithdrawn   Reason = 9
	AACompromise         Reason = 10
)

var reasons = map[Reason]string{
	Unspecified:          "unspecified",
	KeyCompromise:        "keyCompromise",
	CACompromise:         "cACompromise",
	AffiliationChanged:   "affiliationChanged",
	Superseded:           "superseded",
	CessationOfOperation: "cessationOfOperation",
	CertificateHold:      "certificateHold",
	RemoveFromCRL:        "removeFromCRL",
	PrivilegeWithdrawn:   "privilegeWithdrawn",
	AACompromise:         "aACompromise",
}

// String names the reason as RFC 5280 does.
func (r Reason) String() string {
	if name, ok := reasons[r]; ok {
		return name
	}
	return fmt.Sprintf("reason %d", int(r))
}

// Status is how a certificate stands, and what proves it.
type Status struct {
	State State

	Source     string    // the address that was asked
	ThisUpdate time.Time // when what it answered was known to be right
	NextUpdate time.Time // when more will be known; zero if a responder did not say

	// Of a revocation, also of one that came after the moment in question.
	Reason    Reason
	RevokedAt time.Time
}

// at is the status at a moment in the past, by what is known now.
func (s Status) at(moment time.Time) Status {
	if s.State == Revoked && moment.Before(s.RevokedAt) {
		s.State = Good
	}
	return s
}
