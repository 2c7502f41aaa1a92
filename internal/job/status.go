package job

import (
	"slices"

	"bulksigner/internal/profile"
)

// Status is where a job stands.
type Status string

// The statuses. Completed, Failed and Canceled are final.
const (
	Queued         Status = "Queued"
	Processing     Status = "Processing"
	Verifying      Status = "Verifying"
	AwaitingSigner Status = "AwaitingSigner"
	Completed      Status = "Completed"
	Failed         Status = "Failed"
	Canceled       Status = "Canceled"
)

// Statuses lists all, those at work first.
var Statuses = []Status{Queued, Processing, Verifying, AwaitingSigner, Completed, Failed, Canceled}

// Final reports whether a job with this status has ended.
func (s Status) Final() bool { return s == Completed || s == Failed || s == Canceled }

// Known reports whether s is a status.
func (s Status) Known() bool { return slices.Contains(Statuses, s) }

// next is the whole state machine, one table per method: a step that is not listed cannot happen. Claim, Mark, GiveBack
// and Interrupt add their own conditions to it.
var next = map[profile.Method]map[Status][]Status{
	profile.Local: {
		Queued:     {Processing, Canceled},
		Processing: {Verifying, Failed, Queued}, // Queued: given back, the key was not asked
		Verifying:  {Completed, Failed},
	},
	profile.LacunaSigner: {
		Queued:         {Processing, Canceled},
		Processing:     {AwaitingSigner, Failed, Queued},
		AwaitingSigner: {Verifying, Failed, Canceled},
		Verifying:      {Completed, Failed},
	},
	profile.SignerFolder: {
		Queued:     {Processing, Canceled},
		Processing: {Verifying, Failed, Canceled, Queued}, // Canceled: the document moved on
		Verifying:  {Completed, Failed},                   // written before the signature is handed over
	},
}

// CanStep reports whether the table of a method has a step.
func CanStep(m profile.Method, from, to Status) bool { return slices.Contains(next[m][from], to) }
