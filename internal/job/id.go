package job

import (
	"strconv"

	"github.com/google/uuid"

	"bulksigner/internal/fault"
)

// ID names a job. It is a UUIDv7, so that ids made later sort later.
type ID string

// NewID makes an id.
func NewID() ID { return ID(uuid.Must(uuid.NewV7()).String()) }

// ParseID checks an id that came from outside. It returns fault.JobNotFound for anything that no job can be called.
func ParseID(s string) (ID, error) {
	u, err := uuid.Parse(s)
	if err != nil || u.String() != s {
		return "", fault.New(fault.JobNotFound, "a job id is a UUID in lower case")
	}
	return ID(s), nil
}

// Shards is over how many partitions an index spreads jobs, so that thousands of jobs a second meet no hot key.
const Shards = 16

// Shard is the index partition of a job, taken from the random end of its id.
func (id ID) Shard() int {
	if id == "" {
		return 0
	}
	n, err := strconv.ParseUint(string(id[len(id)-1:]), 16, 8)
	if err != nil {
		return 0
	}
	return int(n) % Shards
}
