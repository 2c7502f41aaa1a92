package main

import (
	"slices"

	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
)

var recoverFunction = function{
	name:     "recover",
	purpose:  "Finds jobs and files that were lost or interrupted, and rings for them",
	memoryMB: 256,
	seconds:  55, // ends before the next run begins
	grants:   recoverGrants,
	connect:  watchRecovery,
}

// recoverGrants: it looks and rings; it changes no object and asks no key. Reading an input serves HEAD alone, which has no
// right of its own.
func recoverGrants(s *service) []grant {
	return slices.Concat(
		[]grant{
			allow("ListInputs", s.input.arn, "s3:ListBucket"),
			allow("LookAtInputs", s.input.objects("*"), "s3:GetObject").because(anyName),
			allow("Ring", *s.work.QueueArn(), "sqs:SendMessage", "sqs:GetQueueAttributes"),
			s.changeItems(),
		},
		s.listJobs(),
		s.throughS3("kms:Decrypt"), // HEAD of an encrypted object needs it too
	)
}

func watchRecovery(s *service, f awslambda.Function) {
	s.everyMinute(f)
	s.alarm(alarm{
		id: "RecoverFails", says: "Most runs of the recover function fail.",
		metric: f.MetricErrors(sum(5)), atLeast: 3,
	})
	s.alarm(alarm{
		id: "RecoverRests", says: "The recover function was not woken for a quarter of an hour.",
		metric: f.MetricInvocations(sum(15)), below: 1,
	})
}
