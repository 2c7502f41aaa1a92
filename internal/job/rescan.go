package job

import "time"

// Cleared is what a clear of the job records has done so far.
type Cleared struct {
	Deleted  int
	Before   time.Time // records created before this moment are deleted
	Complete bool      // false: recovery carries on
}

// RescanReport is what a search of the watched folders, asked for by an operator, has done so far.
type RescanReport struct {
	Folders  []RescanFolder
	Complete bool // false: recovery carries on
}

// RescanFolder is what was found in one folder.
type RescanFolder struct {
	Name, Path string
	Scanned    int

	Enqueued         int
	AlreadyActive    int // their job is at work
	AlreadyProcessed int // their job is completed, or another one has the name
	Ignored          int // they make no job: by their name, or because their profile takes none
	Errors           int

	EnqueuedFiles []string // the first of them
}

// MaxRescanNames bounds the names that a rescan tells, of each folder.
const MaxRescanNames = 100
