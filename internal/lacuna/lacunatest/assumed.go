package lacunatest

import (
	"net/url"
	"strings"
	"time"
)

// What follows is said by no public source. Each assumption stands alone, so that it can be changed.

// Codes that are not in the vendor's list.
const (
	codeNotPending  = "DocumentNotPending"     // cancellation or refusal of a document that is not pending
	codeNoUpload    = "UploadNotFound"         // creation of what was not uploaded
	codeNoEnvelopes = "OperationNotSupported"  // envelopes, which this service does not make
	codeBadTicket   = "InvalidTicket"          // a ticket that is expired, unknown or another document's
	codeBadToken    = "InvalidToken"           // a token that was used, or never given
	codeNoSignature = "DocumentHasNoSignature" // the signed file of a document that is not concluded
	codeBlocked     = "DownloadNotAllowed"     // any file but the original of a document that ended without signatures
)

// needsKey: the calls of a public signature go without an API key, since the ticket stands for it.
func needsKey(op Op) bool { return op != Start && op != Complete }

// parameters: names are compared as ASP.NET does, without regard to case.
func parameters(v url.Values) map[string]string { return flatten(v, strings.ToLower) }

// descends: a list that was asked for no order has the newest first.
func descends(order string) bool { return !strings.EqualFold(order, "Asc") }

// nameMatches: a search finds parts of names, without regard to case.
func nameMatches(name, part string) bool {
	return strings.Contains(strings.ToLower(name), strings.ToLower(part))
}

// cancelable: only what waits for somebody can be canceled.
func cancelable(status string) bool { return status == Pending }

// sound: a participant has a name without blanks around it, an address, and a CPF of digits alone; a rule has members.
func (r actionRequest) sound() bool {
	switch r.Type {
	case TypeSigner, TypeApprover:
		return r.User != nil && r.User.sound()
	case TypeSignRule:
		return len(r.RuleUsers)+len(r.SignRule) > 0
	}
	return false
}

func (p personRequest) sound() bool {
	return p.Name != "" && strings.TrimSpace(p.Name) == p.Name && strings.Contains(p.Email, "@") &&
		p.Identifier != "" && strings.Trim(p.Identifier, "0123456789") == ""
}

// instanceZone: the instance lives in Brasília, which has had no summer time since 2019.
func instanceZone() *time.Location { return time.FixedZone("", -3*60*60) }

// lastInstant is the end of a day at the instance: of the day that the date was written as.
func lastInstant(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, instanceZone()).Add(-time.Millisecond).UTC()
}

// Why a document was deleted, in its event.
const (
	deletedByHand   = "DeletedByUserOrApplication"
	deletedByFolder = "DeletedByFolder"
)
