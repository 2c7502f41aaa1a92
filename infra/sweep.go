package main

import (
	"slices"

	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"

	"bulksigner/internal/settings"
)

var sweepFunction = function{
	name:     "sweep",
	purpose:  "Finds documents that wait in folders at Lacuna Signer",
	memoryMB: 256,
	seconds:  roundSeconds,
	wanted:   worksWithSigner,
	checks:   true,
	grants:   sweepGrants,
	named:    sweepNamed,
	connect:  watchSweep,
}

// sweepGrants: it finds documents, makes jobs of them and rings. It signs nothing and asks no key of KMS.
func sweepGrants(s *service) []grant {
	return []grant{s.changeItems(), s.readPages(), s.ringWork(), s.checks.consume("ConsumeChecks"), s.keepTicks()}
}

// sweepNamed: whose documents to look for stands in the certificate of a profile. One in a PKCS#12 file is behind the same
// password as its key; those who do not want this function to read both keep the key in KMS.
func sweepNamed(s *service) []grant {
	return slices.Concat(
		signerKey(s),
		s.readObjects("Certificates", s.needs.holders.certificates),
		s.readObjects("Containers", s.needs.holders.containers),
		s.readSecrets("Secrets", s.needs.holders.secrets),
		s.readAllowed(),
	)
}

// Measures of the checks queue. A check is one document, read in a moment, so that ten of them are one invocation; those
// that fail, or that the run has no time for, come again one by one. Two batches at a time keep a flood of notifications
// from taking all of sweep's share of Lacuna Signer's rate, which its environments divide: these, and the one by the clock.
const (
	checksAtOnce  = 2
	checksInBatch = 10
)

// The time after which a check that failed comes again doubles between these, as the functions have it.
const firstAgain, lastAgain = 10, 15 * 60

// checksOptions describe the checks queue. A check that is older than the sweep's interval is dropped, since the sweep has
// looked meanwhile: it must not become a dead letter before, however long Lacuna Signer is out of reach.
func checksOptions(s settings.Settings) queueOptions {
	receives, again := maxReceives, firstAgain
	for age := 0; age <= s.Signer.FolderSweepIntervalSeconds; receives++ {
		age, again = age+again, min(2*again, lastAgain)
	}
	return queueOptions{
		id: "Checks", dead: "DeadChecks", seconds: roundSeconds, receives: receives,
		alarm:  "A check of a document at Lacuna Signer could not be handled and waits in the dead-letter queue.",
		oldest: s.Signer.FolderSweepIntervalSeconds + lastAgain + visibilityTimes*roundSeconds,
	}
}

// sweepMinutes is how long it takes from one sweep to the next, in minutes that an alarm can count.
func sweepMinutes(s settings.Settings) float64 {
	return float64(max(1, (s.Signer.FolderSweepIntervalSeconds+59)/60))
}

// watchPasses raises an alarm when three passes have met failures. A pass can come to stand in the interval of the one
// before, so that one interval of four may be without.
func (s *service) watchPasses() {
	s.alarm(alarm{
		id: "SweepStumbles", says: "Three passes of the sweep have met failures.", section: "the-sweep-keeps-failing", panel: signerPanel,
		metric: s.own("signer_folder_sweep_errors_total", sum(sweepMinutes(s.settings))), atLeast: 1, times: 3, of: 4,
	})
}

func watchSweep(s *service, f awslambda.Function) {
	s.everyMinute(f)
	s.watchTicks("Sweep", f)
	s.watchPasses()
	f.AddEventSourceMapping(jsii.String("Checks"), &awslambda.EventSourceMappingOptions{
		EventSourceArn:          s.checks.QueueArn(),
		BatchSize:               jsii.Number(checksInBatch),
		MaxConcurrency:          jsii.Number(checksAtOnce),
		ReportBatchItemFailures: jsii.Bool(true),
	})
}
