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
)
