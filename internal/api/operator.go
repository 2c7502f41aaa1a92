package api

import (
	"context"
	"io"

	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// Operator does what an operator asks for.
type Operator interface {
	JobKeeper
	Watcher

	// Pause and Resume turn the pipeline's switch, and return how things are then. Turning it to where it stands is no
	// error; fault.PipelineRaceLost says that somebody else turned it at the same moment.
	Pause(ctx context.Context, by, reason string) (job.Flight, error)
	Resume(ctx context.Context, by, reason string) (job.Flight, error)
	// Flight tells how the switch stands and what is in flight.
	Flight(ctx context.Context) (job.Flight, error)

	// Readiness says what the service depends on and how that is. It never fails: what cannot be asked is a red row.
	Readiness(ctx context.Context) []job.Ready
}

// Metrics is what was counted.
type Metrics interface {
	// WriteMetrics writes all figures in Prometheus' text format.
	WriteMetrics(ctx context.Context, w io.Writer) error
}

// Watcher looks at what surrounds the jobs, and mends the queues.
type Watcher interface {
	// Queues tells how the queues stand.
	Queues(ctx context.Context) ([]job.QueueState, error)
	// Return gives dead letters back to the queue of that name, so many at a time. It returns fault.RouteNotFound where
	// there is no such queue with dead letters.
	Return(ctx context.Context, queue, by string) (job.Returned, error)
	// Holdings tells of the profiles' certificates, by the profiles' names.
	Holdings(ctx context.Context) ([]job.Holding, error)
	// FolderFiles counts what lies in folders, by their names and prefixes. One that cannot be looked into is left out.
	FolderFiles(ctx context.Context, prefixes map[string]string) map[string]job.FolderState
}

// JobKeeper does to jobs what an operator asks for.
type JobKeeper interface {
	// Cancel ends a job, and returns it as it is then. It returns fault.JobNotFound, fault.JobNotQueued for a job that
	// cannot be canceled any more, or fault.JobRaceLost.
	Cancel(ctx context.Context, id job.ID, reason string) (job.Job, error)
	// RetryOnce makes a new job that tries again what a job could not do, and returns it; under a key that is not "" the
	// same request gets the same job. It returns fault.JobNotFound, fault.JobNotFailed, fault.JobInputMissing,
	// fault.JobAlreadyProcessing, fault.JobRaceLost, and fault.ProfileNotFound, fault.ProfileDisabled or
	// fault.ProfileTakesNoFiles for what became of the profile.
	RetryOnce(ctx context.Context, id job.ID, key job.IdempotencyKey) (child job.Job, err error)
	// Delete deletes a job's record, whatever its status. It returns fault.JobNotFound.
	Delete(ctx context.Context, id job.ID) error
	// Clear deletes the record of every job that was created before now. What it has no time for is carried on. It returns
	// fault.JobRaceLost while another clear is at work.
	Clear(ctx context.Context, by string) (job.Cleared, error)
	// Rescan looks through a watched folder, or "" for all of them, for files without a job. What it has no time for is
	// carried on. It returns fault.FolderNotFound, or fault.JobRaceLost while another search is at work.
	Rescan(ctx context.Context, folder string) (job.RescanReport, error)
}

// ProfileKeeper changes profiles, and knows where they could sign.
type ProfileKeeper interface {
	// SaveProfile makes a profile, or replaces the one that is at version from, and returns what is stored. A certificate,
	// a participant or a folder that the method needs and p lacks stays as it is stored. It returns a *profile.Refused,
	// fault.ProfileNotFound, fault.ProfileExists, fault.ProfileChanged, fault.ProfileFolderTaken, or the code of a key that
	// cannot be opened.
	SaveProfile(ctx context.Context, p profile.Profile, from int64) (profile.Profile, error)
	// DeleteProfile deletes the profile that is at version from. It returns fault.ProfileNotFound, fault.ProfileChanged, or
	// fault.ProfileInUse while something needs it.
	DeleteProfile(ctx context.Context, name string, from int64) error
	// SignerFolders finds folders at Lacuna Signer by a part of their name, nested ones too. It returns
	// fault.SignerNotConfigured or fault.SignerUnreachable.
	SignerFolders(ctx context.Context, query string) ([]job.SignerFolder, error)
}
