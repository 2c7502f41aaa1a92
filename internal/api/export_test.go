package api

import (
	"net/http"

	"bulksigner/internal/fault"
)

// ListedStatus lets tests see which codes have a status.
func ListedStatus(c fault.Code) (int, bool) {
	s, ok := statuses[c]
	return s, ok
}

// MayAnswer reports whether an answer with a code may have a status.
func MayAnswer(c fault.Code, status int) bool {
	return statuses[c] == status || asked[c] == status || c == fault.RequestInvalid && status == http.StatusPreconditionRequired
}

// Portuguese is what is said of a code in Portuguese, or "".
func Portuguese(c fault.Code) string { return portuguese[c] }

// EventTypes are the types of events that a filter may name.
var EventTypes = eventTypes

// Limits that tests stand on either side of.
const (
	MaxForm         = maxForm
	MaxInline       = maxInline
	MaxAnnouncement = maxAnnouncement
	MaxParts        = maxParts
	MaxNotification = maxNotification
	MaxNamed        = maxNamed
	MaxLogged       = maxLogged
	MaxProfile      = maxProfile
	MaxTimings      = maxTimings
	OverviewTimings = overviewTimings
)

// CheckNames are the checks that the document explains.
func CheckNames() []string {
	var names []string
	for _, c := range checkMeanings {
		names = append(names, c.name)
	}
	return names
}

// Named lists the documents that a notification names, and the word for its type.
func Named(body []byte) (kind string, documents, folders []string) {
	n := parseNotification(body)
	for _, d := range n.named {
		documents, folders = append(documents, d.document), append(folders, d.folder)
	}
	return n.kind, documents, folders
}
