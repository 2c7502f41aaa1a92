// Package metrics says what is counted, and where figures go: to CloudWatch in its embedded metric format, and as counters
// to a store, from which they are shown as Prometheus text.
//
// A Recorder promises that a figure that was recorded under a defined name and labels is in the next flush, once, and that
// an invocation in which nothing was recorded writes nothing. What it hands to the store can be lost, or counted twice if
// the store repeats a write whose answer was lost: these figures are approximate. CloudWatch reads a log line at least
// once. Nothing here decides about a job, and no figure is worth failing one.
//
// When something is counted, who flushes, how counters are stored and what a gauge stands at are left to others.
package metrics

import (
	"maps"

	"bulksigner/internal/job"
)

// Prefix stands before every name of a metric, in CloudWatch and in Prometheus text alike.
const Prefix = "bulksigner_"

// Kind is what a metric's figures do: a counter adds up, a gauge stands somewhere, a histogram says how observations are
// spread.
type Kind string

// The kinds, in the words of Prometheus.
const (
	KindCounter   Kind = "counter"
	KindGauge     Kind = "gauge"
	KindHistogram Kind = "histogram"
)

// The units, in the words of CloudWatch.
const (
	count   = "Count"
	seconds = "Seconds"
	none    = "None"
)

// Label tells figures of one metric apart. Each of its values is a metric of its own that CloudWatch charges for.
type Label struct {
	Name   string
	Values []string // all that there are; nil: names that somebody chose, such as those of profiles
}

// Metric defines a metric.
type Metric struct {
	Name   string // without the prefix
	Kind   Kind
	Unit   string // CloudWatch's word
	Help   string
	Labels []Label
	// Extra are dimensions that CloudWatch alone is given.
	Extra []Label
	// Bounds are the upper bounds of a histogram's buckets, rising. What is above them all has a bucket without a bound.
	Bounds []float64
}

// durations are bounds for what takes a moment or, at most, as long as a function may run.
var durations = []float64{0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 900}

var (
	byProfile = []Label{{Name: job.LabelProfile}}
	byFormat  = []Label{{Name: job.LabelFormat, Values: []string{"Pades", "Cades", "Xades"}}}
	byCode    = []Label{{Name: job.LabelCode}}
	byFolder  = []Label{{Name: job.LabelFolder}}
)

func op(values ...string) []Label      { return []Label{{Name: job.LabelOp, Values: values}} }
func outcome(values ...string) []Label { return []Label{{Name: job.LabelOutcome, Values: values}} }

// Defined are all metrics, in the order of their names.
var Defined = []Metric{
	{Name: job.MetricCertificateFailed, Kind: KindCounter, Unit: count, Labels: byProfile,
		Help: "Certificates that were refused before they signed."},
	{Name: job.MetricCertificateDays, Kind: KindGauge, Unit: none, Labels: byProfile,
		Help: "Whole days until the certificate of an enabled profile ends; below 0 when it has ended."},
	{Name: job.MetricEncrypted, Kind: KindCounter, Unit: count,
		Help: "Outputs that were encrypted."},
	{Name: job.MetricFilesRefused, Kind: KindCounter, Unit: count, Labels: byProfile,
		Help: "Files that wait because their profile takes none."},
	{Name: job.MetricDiverged, Kind: KindCounter, Unit: count, Labels: byProfile,
		Help: "Inputs that were kept because another version had come."},
	{Name: job.MetricAwaiting, Kind: KindGauge, Unit: count,
		Help: "Jobs that wait for a person at Lacuna Signer."},
	{Name: job.MetricCanceled, Kind: KindCounter, Unit: count,
		Help: "Jobs that an operator canceled."},
	{Name: job.MetricCompleted, Kind: KindCounter, Unit: count,
		Help: "Jobs that were completed."},
	{Name: job.MetricDispatched, Kind: KindCounter, Unit: count, Labels: byProfile,
		Help: "Documents that were sent to Lacuna Signer."},
	{Name: job.MetricEnqueued, Kind: KindCounter, Unit: count, Labels: byFolder,
		Help: "Jobs that were made of files."},
	{Name: job.MetricFailed, Kind: KindCounter, Unit: count, Extra: byCode,
		Help: "Jobs that failed."},
	{Name: job.MetricInFlight, Kind: KindGauge, Unit: count,
		Help: "Jobs that are processing or verifying."},
	{Name: job.MetricVerifySkipped, Kind: KindCounter, Unit: count, Labels: byProfile,
		Help: "Documents whose signature was not checked, as their profile asks."},
	{Name: job.MetricPauses, Kind: KindCounter, Unit: count,
		Help: "How often the pipeline was paused."},
	{Name: job.MetricPaused, Kind: KindGauge, Unit: none,
		Help: "1 while the pipeline is paused, otherwise 0."},
	{Name: job.MetricResumes, Kind: KindCounter, Unit: count,
		Help: "How often the pipeline was resumed."},
	{Name: job.MetricDegraded, Kind: KindGauge, Unit: count,
		Help: "Enabled profiles that cannot sign."},
	{Name: job.MetricSignerErrors, Kind: KindCounter, Unit: count, Labels: op(job.OpPoll, job.OpDownload),
		Help: "Calls of Lacuna Signer that failed when a dispatched document was asked about or fetched."},
	{Name: job.MetricSignerDenied, Kind: KindCounter, Unit: count,
		Help: "Polls in which Lacuna Signer refused every call with 401 or 403."},
	{Name: job.MetricFolderEnqueued, Kind: KindCounter, Unit: count, Labels: byProfile,
		Help: "Jobs that were made of documents that wait in a folder at Lacuna Signer, and retries of them."},
	{Name: job.MetricFolderSignatures, Kind: KindCounter, Unit: count,
		Labels: outcome(job.OutcomeSigned, job.OutcomeRefused, job.OutcomeNoLongerPending, job.OutcomeFailed),
		Help:   "Attempts to sign a document in a folder at Lacuna Signer."},
	{Name: job.MetricSweepErrors, Kind: KindCounter, Unit: count,
		Labels: op(job.OpList, job.OpFolder, job.OpRead, job.OpEnqueue, job.OpPass),
		Help:   "Calls and whole passes of the sweep that failed."},
	{Name: job.MetricNotifications, Kind: KindCounter, Unit: count,
		Labels: outcome(job.OutcomeQueued, job.OutcomeWaiting, job.OutcomeIgnored, job.OutcomeUnauthorized, job.OutcomeUnavailable, job.OutcomeLimited),
		Help:   "Notifications that came from Lacuna Signer."},
	{Name: job.MetricPoll, Kind: KindHistogram, Unit: seconds, Bounds: durations,
		Help: "How long one pass over the jobs at Lacuna Signer took."},
	{Name: job.MetricSigning, Kind: KindHistogram, Unit: seconds, Bounds: durations, Labels: byFormat,
		Help: "How long signing, verifying and publishing a document took."},
}

var byName = func() map[string]*Metric {
	m := make(map[string]*Metric, len(Defined))
	for i := range Defined {
		m[Defined[i].Name] = &Defined[i]
	}
	return m
}()

// certain are the label sets that a metric is known to have before anything was counted: all of them, or none if somebody
// chooses the values of a label.
func (m Metric) certain() []map[string]string {
	sets := []map[string]string{{}}
	for _, l := range m.Labels {
		var longer []map[string]string
		for _, s := range sets {
			for _, v := range l.Values {
				s := maps.Clone(s)
				s[l.Name] = v
				longer = append(longer, s)
			}
		}
		sets = longer
	}
	return sets
}
