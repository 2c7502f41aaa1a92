package job

// Names of metrics, without the product's prefix. Who counts knows a metric by its name alone; what it means and where
// figures go is defined elsewhere.
const (
	MetricEnqueued          = "jobs_enqueued_total"
	MetricFilesRefused      = "files_refused_total"
	MetricCompleted         = "jobs_completed_total"
	MetricFailed            = "jobs_failed_total"
	MetricCanceled          = "jobs_canceled_total"
	MetricVerifySkipped     = "jobs_verify_skipped_total"
	MetricCertificateFailed = "cert_validation_failed_total"
	MetricDiverged          = "inputs_diverged_total"
	MetricEncrypted         = "files_encrypted_total"
	MetricInFlight          = "jobs_in_flight"
	MetricSigning           = "signing_duration_seconds"

	MetricPauses  = "pipeline_pause_total"
	MetricResumes = "pipeline_resume_total"
	MetricPaused  = "pipeline_paused"

	MetricCertificateDays = "certificate_days_left"
	MetricDegraded        = "profiles_degraded"

	MetricDispatched   = "jobs_dispatched_to_signer_total"
	MetricAwaiting     = "jobs_awaiting_signer"
	MetricPoll         = "signer_poll_duration_seconds"
	MetricSignerErrors = "signer_api_errors_total"
	MetricSignerDenied = "signer_denied_total"

	MetricFolderEnqueued   = "signer_folder_jobs_enqueued_total"
	MetricFolderSignatures = "signer_folder_signatures_total"
	MetricSweepErrors      = "signer_folder_sweep_errors_total"
	MetricNotifications    = "signer_notifications_total"
)

// StoredMetrics are those whose figures add up, so that they are kept. The others are gauges, asked for when they are
// shown.
var StoredMetrics = []string{
	MetricEnqueued, MetricFilesRefused, MetricCompleted, MetricFailed, MetricCanceled, MetricVerifySkipped, MetricCertificateFailed, MetricDiverged, MetricEncrypted,
	MetricSigning, MetricPauses, MetricResumes,
	MetricDispatched, MetricPoll, MetricSignerErrors, MetricSignerDenied,
	MetricFolderEnqueued, MetricFolderSignatures, MetricSweepErrors, MetricNotifications,
}

// Labels of metrics.
const (
	LabelFolder  = "folder" // of the settings, or UploadFolder
	LabelProfile = "profile"
	LabelFormat  = "format"
	LabelOp      = "op"
	LabelOutcome = "outcome"
	LabelCode    = "code" // of a failure
)

// UploadFolder stands where a file came through the API and from no folder.
const UploadFolder = "(upload)"

// What failed: the first two are the poll's, the others the sweep's.
const (
	OpPoll     = "poll"
	OpDownload = "download"
	OpList     = "list"
	OpFolder   = "folder"
	OpRead     = "read"
	OpEnqueue  = "enqueue"
	OpPass     = "pass"
)

// How an attempt to sign in a folder ended.
const (
	OutcomeSigned          = "signed"
	OutcomeRefused         = "refused"
	OutcomeNoLongerPending = "no-longer-pending"
	OutcomeFailed          = "failed"
)

// What became of a notification.
const (
	OutcomeQueued       = "queued"
	OutcomeWaiting      = "waiting"
	OutcomeIgnored      = "ignored"
	OutcomeUnauthorized = "unauthorized"
	OutcomeUnavailable  = "unavailable"
	OutcomeLimited      = "limited"
)
