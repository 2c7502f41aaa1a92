// Package schema names the one table's keys and indexes, for those who create it and those who use it. It imports nothing,
// so that the deployment can share it.
package schema

// Keys of the table. TTL is set only on items that may vanish.
const (
	PK  = "pk"
	SK  = "sk"
	TTL = "expiresAt"
)

// Index is a global secondary index: string keys, and what it projects besides the keys.
type Index struct {
	Name, PK, SK string
	Projected    []string
}

// The indexes. An index is a hint: whoever acts on a row reads the job itself. A claim rewrites the first, and nothing the
// second.
var (
	ByStatus = Index{Name: "byStatus", PK: "statusPk", SK: "statusSk", Projected: []string{"documentId", "claimUntil"}}
	ByDay    = Index{Name: "byDay", PK: "dayPk", SK: "daySk", Projected: []string{"documentId"}}
	Indexes  = []Index{ByStatus, ByDay}
)
