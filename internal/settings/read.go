package settings

import (
	"io/fs"
	"regexp"
	"slices"

	"bulksigner/internal/profile"
)

// reader turns the tree into Settings, section by section.
type reader struct {
	fsys fs.FS
	dir  string // where the settings file is, and what it names
	out  *collector
}

func (r reader) settings(root *block) Settings {
	var s Settings
	signer, encryption := root.block("Signer"), root.block("Encryption")
	s.Signer, s.Encryption = r.signer(signer), r.encryption(encryption)
	s.Signing = r.signing(root.block("Signing"), service{
		signer:   signer.written(),
		encrypts: s.Encryption.Enabled || encryption.isUnread("Enabled"),
	})
	s.Storage = r.storage(root.block("Storage"), s.Signing.Profiles)
	s.WatchedFolder = r.watchedFolder(root.block("WatchedFolder"))
	s.Pipeline = r.pipeline(root.block("Pipeline"))
	signer.share(s.Signer.RequestsPerSecond, s.Pipeline.MaxConcurrency)
	s.Auth = r.auth(root.block("Auth"))
	s.Upload = r.upload(root.block("Upload"))
	s.RateLimiting = r.rateLimiting(root.block("RateLimiting"))
	s.Metrics.RequireApiKey = root.block("Metrics").onlyFlag("RequireApiKey", true)
	s.Readiness.RequireApiKey = root.block("Readiness").onlyFlag("RequireApiKey", false)
	s.Statistics.Enabled = root.block("Statistics").onlyFlag("Enabled", true)
	root.end()
	return s
}

// The bounds of MaxConcurrency are those of an SQS event source. KeyRequestsPerSecond defaults to the lower one of the
// quotas that AWS has documented for RSA keys, 500 and lately 1000 a second. All keys of an account and Region share it.
var (
	keyRequests = bounds{min: 1, max: 20_000, otherwise: 500}
	reconcile   = bounds{min: 15, max: 24 * 60, otherwise: 60}
	concurrency = bounds{min: 2, max: 1000, otherwise: 10, special: 1,
		why: "is 1, and the platform's lowest maximum concurrency of an event source is 2"}
	xmlBytes    = bounds{min: 1024, max: 5 << 20, otherwise: 5 << 20}
	uploadBytes = bounds{min: 1024, max: 1 << 30, otherwise: 100 << 20}
)

// service is what profiles may use, by what was written, good or not: what is wrong with it has its own faults.
type service struct{ signer, encrypts bool }

func (r reader) signing(b *block, has service) Signing {
	s := Signing{
		TrustAnchors:         b.texts("TrustAnchors", nil),
		RevocationOutage:     b.oneOf("RevocationOutage", OutageRefuse, OutageWarn),
		MaxXmlBytes:          b.number("MaxXmlBytes", xmlBytes),
		KeyRequestsPerSecond: int(b.number("KeyRequestsPerSecond", keyRequests)),
	}
	s.Profiles = r.profiles(b, func(p profile.Profile) []profile.Refusal {
		all := slices.Concat(p.Check(), p.CheckSigner(has.signer), p.CheckEncryption(has.encrypts))
		if b.isUnread("TrustAnchors") { // whether there are any is not known then
			return all
		}
		return append(all, p.CheckTrust(len(s.TrustAnchors))...)
	})
	if c := b.block("Certificate"); c.node != nil {
		s.Certificate = certificate(c)
	}
	switch {
	case b.isUnread("Profiles"): // and nothing that follows from it
	case len(s.Profiles) == 0:
		s.Profiles = r.derived(b, s.Certificate)
		s.Certificate = s.Profiles[0].Certificate
	case s.Certificate != nil:
		b.fault("Certificate", "is for a service without Signing:Profiles and would not be used", "move it into the profile that it is for")
	}
	s.Anchors, s.AnchorObjects = r.anchors(b, s.TrustAnchors)
	b.end()
	return s
}

// derived makes the profile that nobody configured. Its certificate is known under a shorter key.
func (r reader) derived(b *block, c *profile.Certificate) []profile.Profile {
	p := profile.Derived(c).Canonical()
	for _, refusal := range p.Check() {
		if refusal.Key == "Certificate" {
			refusal.Message = "is missing, and so is Signing:Profiles: there is no key to sign with"
		}
		b.refuse(refusal)
	}
	return []profile.Profile{p}
}

func (r reader) watchedFolder(b *block) WatchedFolder {
	w := WatchedFolder{
		IgnoredExtensions: b.ignored("IgnoredExtensions", []string{".tmp", ".part", ".crdownload", ".swp"}),
		IgnoredPrefixes:   b.ignored("IgnoredPrefixes", []string{".", "~$"}),
	}
	b.end()
	return w
}

func (r reader) pipeline(b *block) Pipeline {
	p := Pipeline{
		MaxConcurrency:                  int(b.number("MaxConcurrency", concurrency)),
		RejectAlreadyProcessedFileNames: b.flag("RejectAlreadyProcessedFileNames", true),
	}
	b.end()
	return p
}

func (r reader) upload(b *block) Upload {
	u := Upload{Enabled: b.flag("Enabled", true), MaxBytes: b.number("MaxBytes", uploadBytes)}
	b.end()
	return u
}

// onlyFlag reads a section that has one key.
func (b *block) onlyFlag(key string, otherwise bool) bool {
	v := b.flag(key, otherwise)
	b.end()
	return v
}

const (
	minAPIKey  = 16
	giveAPIKey = "set at least 16 characters, or the ARN of a secret in Secrets Manager that holds them"
)

// headerName is a token of RFC 9110, section 5.6.2.
var headerName = regexp.MustCompile("^[a-zA-Z0-9!#$%&'*+.^_`|~-]{1,64}$")

func (r reader) auth(b *block) Auth {
	a := Auth{ApiKey: Secret(b.text("ApiKey", "")), ApiKeyHeader: b.text("ApiKeyHeader", "X-API-Key")}
	if message := badSecret(a.ApiKey, minAPIKey); message != "" {
		b.fault("ApiKey", message, giveAPIKey)
	}
	if !headerName.MatchString(a.ApiKeyHeader) {
		b.fault("ApiKeyHeader", "is not the name of an HTTP header", "set a name like X-API-Key")
	}
	b.end()
	return a
}
