package api

import "bulksigner/internal/fault"

// ListedStatus lets tests see which codes have a status.
func ListedStatus(c fault.Code) (int, bool) {
	s, ok := statuses[c]
	return s, ok
}

// Limits that tests stand on either side of.
const (
	MaxForm         = maxForm
	MaxInline       = maxInline
	MaxAnnouncement = maxAnnouncement
	MaxParts        = maxParts
)

// CheckNames are the checks that the document explains.
func CheckNames() []string {
	var names []string
	for _, c := range checkMeanings {
		names = append(names, c.name)
	}
	return names
}
