package main

import (
	"fmt"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"

	"bulksigner/internal/fault"
)

// failedJobs is the metric that counts failed jobs by their codes.
const failedJobs = "jobs_failed_total"

// failure is a class of codes that failed jobs have, none of which is the document's own fault.
type failure struct {
	id, says, section string
	codes             []fault.Code // a formula takes ten metrics at most
	minutes, atLeast  float64
}

// failures are the classes. What a document or its participants are to blame for is in none: only if it is most of the work
// does somebody have to look.
var failures = []failure{
	{
		id: "ProfilesDegraded", says: "Jobs fail because their profile cannot sign.", section: "a-profile-cannot-sign",
		codes: []fault.Code{fault.ProfileDegraded}, minutes: 5, atLeast: 1,
	},
	{
		id: "KeysRefuse", says: "Keys refuse to sign, or do not answer.", section: "a-key-refuses-or-is-silent",
		codes: []fault.Code{fault.JobKeyRefused, fault.JobKeySilent, fault.SignerFolderKeyUnavailable}, minutes: 5, atLeast: 1,
	},
	{
		id: "SignaturesWrong", says: "A signature that was just made does not verify.", section: "a-signature-does-not-verify",
		codes: []fault.Code{fault.JobVerifyFailed}, minutes: 5, atLeast: 1,
	},
	{
		id: "JobsInterrupted", says: "Runs died in the middle of jobs, or jobs could not begin for a day.", section: "jobs-were-interrupted",
		codes: []fault.Code{
			fault.JobInterrupted, fault.JobGivenUp, fault.SignerDispatchInterrupted, fault.SignerFolderInterrupted,
		}, minutes: 5, atLeast: 1,
	},
	{
		id: "OutputsRefused", says: "The output bucket refuses outputs.", section: "outputs-are-refused",
		codes: []fault.Code{fault.JobOutputRefused}, minutes: 5, atLeast: 1,
	},
}

// signerFailures are the classes of jobs that Lacuna Signer would not let be signed.
var signerFailures = []failure{{
	id: "SignerRefuses", says: "Lacuna Signer refuses signatures, or offers what is not signed.", section: "lacuna-signer-refuses-signatures",
	codes: []fault.Code{
		fault.SignerFolderSignatureRefused, fault.SignerFolderSignatureFailed, fault.SignerFolderURLMalformed,
	}, minutes: 15, atLeast: 3,
}}

// watchJobs watches what jobs end with, in whichever function they do.
func (s *service) watchJobs() {
	s.watchMost()
	s.watchFailures(failures, jobsPanel)
}

// watchFailures raises an alarm when jobs fail by codes of one class.
func (s *service) watchFailures(classes []failure, p panel) {
	for _, f := range classes {
		var metrics []awscloudwatch.IMetric
		for _, code := range f.codes {
			metrics = append(metrics, s.own(failedJobs, sum(f.minutes), "code", string(code)))
		}
		s.alarm(alarm{
			id: f.id, says: f.says, section: f.section, panel: p, metric: together(f.id, f.minutes, metrics...), atLeast: f.atLeast,
		})
	}
}

// together adds metrics up. SUM passes over those that have no figure, which a plus would not: most codes never occur. The
// metrics are named after the alarm, since a graph may show several formulas.
func together(alarm string, minutes float64, metrics ...awscloudwatch.IMetric) awscloudwatch.IMetric {
	if len(metrics) == 1 {
		return metrics[0]
	}
	names, named := []string{}, map[string]awscloudwatch.IMetric{}
	for i, m := range metrics {
		name := fmt.Sprintf("%s%d", strings.ToLower(alarm), i)
		names, named[name] = append(names, name), m
	}
	return formula("SUM(["+strings.Join(names, ",")+"])", minutes, named)
}

// fewJobs is how many failures say nothing about the service, however few jobs there were beside them.
const fewJobs = 10

// watchMost raises an alarm when half of the jobs that ended have failed, whatever for.
func (s *service) watchMost() {
	s.alarm(alarm{
		id: "MostJobsFail", says: "Half of the jobs that end, or more, have failed.", section: "most-jobs-fail", panel: sharePanel,
		metric: formula(fmt.Sprintf("IF(failed>=%d,100*failed/SUM([failed,completed]),0)", fewJobs), 15, map[string]awscloudwatch.IMetric{
			"failed": s.own(failedJobs, sum(15)), "completed": s.own("jobs_completed_total", sum(15)),
		}),
		atLeast: 50,
	})
}
