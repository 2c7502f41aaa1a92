package main

import (
	"slices"

	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"

	"bulksigner/internal/aws/schema"
)

var recoverFunction = function{
	name:     "recover",
	purpose:  "Finds jobs and files that were lost or interrupted, and rings for them",
	memoryMB: 256,
	seconds:  55, // ends before the next run begins
	grants:   recoverGrants,
	connect:  watchRecovery,
}

// recoverGrants: it looks and rings; it changes no object and asks no key.
func recoverGrants(s *service) []grant {
	return slices.Concat(
		[]grant{
			allow("ListInputs", s.input.arn, "s3:ListBucket"),
			s.lookAtInputs(),
			s.measureWork(),
			s.changeItems(),
			s.keepTicks(),
			s.readIndexes(schema.Indexes...),
		},
		s.throughS3("kms:Decrypt"), // HEAD of an encrypted object needs it too
	)
}

func watchRecovery(s *service, f awslambda.Function) {
	s.everyMinute(f)
	s.watchTicks("Recover", f)
	s.watchProfiles() // it tells how they are
}
