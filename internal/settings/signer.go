package settings

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// Signer says how to work with Lacuna Signer, for both methods that do. The zero value is a service that does not.
type Signer struct {
	Endpoint                   string // https, or http on this machine; no slash at its end
	ApiKey                     Secret // application|secret
	PollIntervalSeconds        int    // between two rounds over what waits for a person
	TimeoutHours               int    // the longest that a document waits for its person
	MaxConsecutiveApiFailures  int    // of one document; its job fails when there is one more
	FolderSweepIntervalSeconds int    // between two rounds over the folders of profiles
	WebhookSecret              Secret // what a notification must show; empty: there are none
	RequestsPerSecond          int    // what all functions together may ask

	// SkipUnchangedDocuments leaves out reading a document whose listed date is what it was when it was last read. It is a
	// gamble on what Lacuna Signer does not promise.
	SkipUnchangedDocuments bool
}

// runsAtOneCall is how many runs at a time may share one call of Lacuna Signer a second: half of the calls are for signing,
// so that each run has one in 20 seconds. With fewer a run can end before its turn comes.
const runsAtOneCall = 10

// share refuses a rate of which too little is left for each run.
func (b *block) share(rate, runs int) {
	if b.written() && runs > rate*runsAtOneCall {
		b.fault("RequestsPerSecond", "is less than a tenth of Pipeline:MaxConcurrency, so that runs can end before they may call Lacuna Signer",
			"raise it, or lower Pipeline:MaxConcurrency")
	}
}

// Configured reports whether there is a Lacuna Signer to work with.
func (s Signer) Configured() bool { return s.Endpoint != "" && s.ApiKey != "" }

var (
	pollInterval   = bounds{min: 1, max: 3600, otherwise: 30}
	timeoutHours   = bounds{min: 1, max: 8760, otherwise: 168}
	apiFailures    = bounds{min: 1, max: 100, otherwise: 5}
	sweepInterval  = bounds{min: 60, max: 86400, otherwise: 300}
	signerRequests = bounds{min: 1, max: 1000, otherwise: 100}
)

const (
	minWebhookSecret  = 32
	giveEndpoint      = "set an address like https://signer.lacunasoftware.com"
	giveSignerKey     = "set application|secret, or the ARN of a secret in Secrets Manager that holds it"
	giveWebhookSecret = "set at least 32 characters, or the ARN of a secret in Secrets Manager that holds them"
)

// signer reads the section, all or nothing: where anything is written, Endpoint and ApiKey must be.
func (r reader) signer(b *block) Signer {
	s := Signer{
		Endpoint:                   strings.TrimRight(b.text("Endpoint", ""), "/"),
		ApiKey:                     Secret(b.text("ApiKey", "")),
		PollIntervalSeconds:        int(b.number("PollIntervalSeconds", pollInterval)),
		TimeoutHours:               int(b.number("TimeoutHours", timeoutHours)),
		MaxConsecutiveApiFailures:  int(b.number("MaxConsecutiveApiFailures", apiFailures)),
		FolderSweepIntervalSeconds: int(b.number("FolderSweepIntervalSeconds", sweepInterval)),
		WebhookSecret:              Secret(b.text("WebhookSecret", "")),
		RequestsPerSecond:          int(b.number("RequestsPerSecond", signerRequests)),
		SkipUnchangedDocuments:     b.flag("SkipUnchangedDocuments", false),
	}
	b.end()
	if !b.written() {
		return Signer{}
	}
	b.demand("Endpoint", s.Endpoint, badEndpoint(s.Endpoint), giveEndpoint)
	b.demand("ApiKey", string(s.ApiKey), badSignerKey(s.ApiKey), giveSignerKey)
	if message := badSecret(s.WebhookSecret, minWebhookSecret); message != "" {
		b.fault("WebhookSecret", message, giveWebhookSecret)
	}
	return s
}

// demand reports a key of a half-written section, or what is wrong with it.
func (b *block) demand(key, value, message, remedy string) {
	switch {
	case value == "":
		b.fault(key, "is missing, and work with Lacuna Signer needs both Signer:Endpoint and Signer:ApiKey", "set both, or "+removeSection)
	case message != "":
		b.fault(key, message, remedy)
	}
}

const maxEndpoint = 512 // bytes

// badEndpoint takes plain http only for this machine, where a fake answers: everything that is sent carries the key.
func badEndpoint(s string) string {
	u, err := url.Parse(s)
	switch {
	case len(s) > maxEndpoint:
		return "is longer than 512 bytes"
	case err != nil || u.Hostname() == "" || !isPort(u.Port()) || strings.ContainsAny(s, " \\"):
		return "is not an address"
	case u.User != nil:
		return "has a user in it, whom nobody asks for"
	case strings.ContainsAny(s, "?#"):
		return "has a query or a fragment"
	case u.Scheme == "https" || u.Scheme == "http" && isLoopback(u.Hostname()):
		return ""
	}
	return "is not https"
}

// isPort takes a port that is not said too.
func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return s == "" || err == nil && n > 0
}

func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && address.IsLoopback()
}

// badSignerKey adds the form of Lacuna Signer's keys to what any secret must be.
func badSignerKey(key Secret) string {
	if message := badSecret(key, minAPIKey); message != "" || key.Stored() {
		return message
	}
	application, secret, _ := strings.Cut(string(key), "|")
	if application == "" || secret == "" || strings.Contains(secret, "|") {
		return "is not application|secret"
	}
	return ""
}
