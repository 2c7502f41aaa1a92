package main

import (
	"slices"

	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"

	"bulksigner/internal/settings"
)

// signSeconds is enough to fetch, sign, verify and publish a document of any size, with one back-off of a throttled key.
const signSeconds = 300

// signDiskMB holds an input of the largest size, 1 GiB, and beside it the signed document, which Lacuna Signer hands over
// whole, with as much again for what a run that died left behind.
const signDiskMB = 4096

var signFunction = function{
	name:     "sign",
	purpose:  "Takes in new files and works through the signing queue",
	memoryMB: 512,
	seconds:  signSeconds,
	diskMB:   signDiskMB,
	tokens:   true,
	needs:    signMB,
	grants:   signGrants,
	named:    signNamed,
	connect:  consumeWork,
}

// signMB is what signing takes and, beside it, the largest output that is encrypted: an envelope is made in one piece.
func signMB(s settings.Settings) int {
	const signing, mebi = 384, 1 << 20
	if !s.Encryption.Enabled {
		return signing
	}
	return signing + int((s.Encryption.MaxBytes+mebi-1)/mebi)
}

// signGrants: it alone may ask a key to sign, write outputs and remove inputs. Removing leaves a marker. Listing is what
// makes S3 answer "not found" for an object that is not there, and not "forbidden", which would decide nothing.
func signGrants(s *service) []grant {
	return slices.Concat(
		[]grant{
			allow("ReadInputs", s.input.objects("*"), "s3:GetObject", "s3:GetObjectVersion").because(anyName),
			allow("RemoveInputs", s.input.objects("*"), "s3:DeleteObject").because(anyName),
			allow("WriteOutputs", s.output.objects("*"), "s3:PutObject", "s3:AbortMultipartUpload", "s3:GetObject").
				because(anyName),
			{id: "SeeWhatIsMissing", actions: []string{"s3:ListBucket"}, resources: []string{s.input.arn, s.output.arn}},
			s.work.consume("ConsumeWork"),
			s.changeItems(),
		},
		s.throughS3("kms:Decrypt", "kms:GenerateDataKey"), // a multipart upload also reads what it wrote
	)
}

func signNamed(s *service) []grant {
	return slices.Concat(
		s.signWithKeys(),
		s.signAsAllowed(),
		s.readPublicKeys(),
		s.readAnchors(),
		s.readObjects("Images", s.needs.images),
		s.readContainers(),
		s.readSecrets("Pins", s.needs.pins), // no other function opens tokens
		s.readSecrets("Encryption", s.needs.encryption),
		signerKey(s),
	)
}

// consumeWork gives the function one message at a time. A job has the whole time-out, and a run that dies takes no other
// message with it; signing costs far more than the receive that a batch would save.
func consumeWork(s *service, f awslambda.Function) {
	f.AddEventSourceMapping(jsii.String("Work"), &awslambda.EventSourceMappingOptions{
		EventSourceArn:          s.work.QueueArn(),
		BatchSize:               jsii.Number(1),
		MaxConcurrency:          jsii.Number(s.settings.Pipeline.MaxConcurrency),
		ReportBatchItemFailures: jsii.Bool(true),
	})
	s.watchEnds("Sign", f)
	s.watchKeys()
}
