package main

import (
	"fmt"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
)

// watchRuns raises an alarm when the platform refuses to run a function, and when a run comes near to its end by force: a
// run that works as it should has stopped long before.
func (s *service) watchRuns(id string, f function, made awslambda.Function) {
	s.alarm(alarm{
		id: id + "Throttled", says: "Runs of the " + f.name + " function are refused for want of concurrency.",
		section: "a-function-is-throttled", panel: functionsPanel,
		metric: made.MetricThrottles(sum(5)), atLeast: 3,
	})
	const near, milliseconds = 9, 100 // tenths of the time-out, and how many a tenth of a second has
	s.alarm(alarm{
		id: id + "Slow", says: fmt.Sprintf("A run of the %s function took nine tenths of its %d seconds.", f.name, f.seconds),
		section: "a-run-nears-its-time-out", panel: durationsPanel,
		metric: made.MetricDuration(highest(5)), atLeast: float64(near * milliseconds * f.seconds),
	})
}

// watchEnds raises an alarm at the first run that ends in an error, where the function answers every failure by itself.
func (s *service) watchEnds(id string, f awslambda.Function) {
	s.alarm(alarm{
		id: id + "Dies", says: "Runs of the " + strings.ToLower(id) + " function end in an error, a crash or a time-out.",
		section: "a-function-fails", panel: functionsPanel,
		metric: f.MetricErrors(sum(5)), atLeast: 1,
	})
}

// watchTicks raises an alarm when most runs of a function that the clock wakes fail, and when nothing wakes it.
func (s *service) watchTicks(id string, f awslambda.Function) {
	name := strings.ToLower(id)
	s.alarm(alarm{
		id: id + "Fails", says: "Most runs of the " + name + " function fail.",
		section: "a-function-fails", panel: functionsPanel,
		metric: f.MetricErrors(sum(5)), atLeast: 3,
	})
	s.alarm(alarm{
		id: id + "Rests", says: "The " + name + " function was not woken for a quarter of an hour.",
		section: "the-clock-does-not-wake-a-function", panel: functionsPanel,
		metric: f.MetricInvocations(sum(15)), below: 1,
	})
}

// keyQuota is the share of the account's quota, in percent, from which on signatures may soon have to wait.
const keyQuota = 80

// watchKeys raises an alarm before KMS makes signatures wait: it counts refusals nowhere, but it does count requests, and
// knows how many the account may send. Only keys of RSA have a count that is known to have a quota.
func (s *service) watchKeys() {
	if len(s.needs.keys) == 0 && len(s.options.ProfileKeys) == 0 && !s.options.SigningKey.isRSA() {
		return
	}
	usage := func(value string) *string { return &value }
	requests := counted("AWS/Usage", "CallCount", sum(1), map[string]*string{
		"Service": usage("KMS"), "Type": usage("API"), "Class": usage("None"), "Resource": usage("CryptographicOperationsRsa"),
	})
	s.alarm(alarm{
		id: "KeysNearQuota", says: "The account is near the rate of RSA operations from which on KMS makes them wait.",
		section: "kms-is-near-its-quota", panel: servicesPanel,
		metric:  formula("100*requests/SERVICE_QUOTA(requests)", 1, map[string]awscloudwatch.IMetric{"requests": requests}),
		atLeast: keyQuota, times: 3, of: 5,
	})
}

// watchProfiles raises alarms before the first certificate of a profile ends, when its successor has to be asked for and when
// it must be there, and when a profile cannot sign, with jobs or without. The stack does not know the profiles: without
// labels, the lowest figure is that of the certificate that ends first. It is told once an hour, so that three hours have
// one even if a pass is missed.
func (s *service) watchProfiles() {
	left := s.own("certificate_days_left", lowest(180))
	for _, stage := range []struct {
		id   string
		days float64
	}{{"CertificateEndsInAMonth", 30}, {"CertificateEndsInAWeek", 7}} {
		s.alarm(alarm{
			id: stage.id, says: fmt.Sprintf("A profile's certificate ends in less than %.0f days, or has ended.", stage.days),
			section: "a-certificate-ends", panel: certificatesPanel,
			metric: left, below: stage.days, silent: true,
		})
	}
	s.alarm(alarm{
		id: "ProfilesStayDegraded", says: "An enabled profile has not been able to sign for an hour or more.",
		section: "a-profile-cannot-sign", panel: profilesPanel,
		metric: s.own("profiles_degraded", highest(60)), atLeast: 1, times: 2, of: 3,
	})
}
