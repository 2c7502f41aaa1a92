package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"

	"bulksigner/internal/aws/schema"
	"bulksigner/internal/fault"
	"bulksigner/internal/settings"
)

// roundSeconds is the time-out of the functions that go round Lacuna Signer. A run stops calling 20 s before it, so that it
// works for 55 of the 60 s until the next one is woken, and has the rest for what it has begun.
const roundSeconds = 75

var pollFunction = function{
	name:     "poll",
	purpose:  "Asks Lacuna Signer about the documents that wait for a person there",
	memoryMB: 256,
	seconds:  roundSeconds,
	wanted:   worksWithSigner,
	grants:   pollGrants,
	named:    signerKey,
	connect:  watchPoll,
}

func worksWithSigner(s settings.Settings) bool { return s.Signer.Configured() }

// pollGrants: it looks, ends what has ended at Lacuna Signer and rings for what was concluded. Fetching a document is sign's.
func pollGrants(s *service) []grant {
	return []grant{s.writeItems(), s.readIndexes(schema.ByStatus), s.measureWork(), s.keepTicks()}
}

// signerKey lets a function read the key by which it works with Lacuna Signer.
func signerKey(s *service) []grant { return s.readSecrets("SignerKey", s.needs.signer) }

func watchPoll(s *service, f awslambda.Function) {
	s.everyMinute(f)
	s.watchTicks("Poll", f)
	s.alarm(alarm{
		id: "SignerDenied", says: "Lacuna Signer refuses every call of the poll with 401 or 403: Signer:ApiKey is not good any more.",
		section: "lacuna-signer-denies-the-key", panel: signerPanel,
		metric: s.own("signer_denied_total", sum(15)), atLeast: 1,
	})
	s.alarm(alarm{
		id: "SignerUnreachable", says: "Calls of Lacuna Signer about documents that were sent there fail, or jobs fail since it cannot be reached.",
		section: "lacuna-signer-is-unreachable", panel: signerPanel,
		metric: together("SignerUnreachable", 5,
			s.own("signer_api_errors_total", sum(5)),
			s.own(failedJobs, sum(5), "code", string(fault.SignerUnreachable))),
		atLeast: 5,
	})
	s.watchFailures(signerFailures, signerPanel)
}
