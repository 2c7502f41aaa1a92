package settings

import "time"

// Source says where a value in force came from.
type Source string

// The sources.
const (
	FromDefault     Source = "default"
	FromFile        Source = "file"
	FromEnvironment Source = "environment"
)

// Entry is one key that is in force.
type Entry struct {
	Key      string // Storage:Inputs[0]:Prefix
	Value    any    // bool, int, int64, string or []string; a secret is "***", or "" where there is none
	Source   Source
	Variable string // the environment variable that the value, or the first part of it, came from
	Note     string // what else there is to know
}

// masked stands for a secret, and for the ARN of one.
const masked = "***"

// Report lists the keys in force, in the order of the file. Keys of a section that is off are not in force, and profiles
// are in force as they are stored.
func (s Settings) Report() []Entry {
	r := &report{origins: s.origins}
	r.signing(s.Signing)
	r.signer(s.Signer)
	r.storage(s.Storage)
	r.add("WatchedFolder:IgnoredExtensions", s.WatchedFolder.IgnoredExtensions)
	r.add("WatchedFolder:IgnoredPrefixes", s.WatchedFolder.IgnoredPrefixes)
	r.add("Pipeline:MaxConcurrency", s.Pipeline.MaxConcurrency)
	r.add("Pipeline:RejectAlreadyProcessedFileNames", s.Pipeline.RejectAlreadyProcessedFileNames)
	r.encryption(s.Encryption)
	r.add("Auth:ApiKey", s.Auth.ApiKey)
	r.add("Auth:ApiKeyHeader", s.Auth.ApiKeyHeader)
	r.add("Upload:Enabled", s.Upload.Enabled)
	r.add("Upload:MaxBytes", s.Upload.MaxBytes)
	r.rateLimiting(s.RateLimiting)
	r.add("Metrics:RequireApiKey", s.Metrics.RequireApiKey)
	r.add("Readiness:RequireApiKey", s.Readiness.RequireApiKey)
	r.add("Statistics:Enabled", s.Statistics.Enabled)
	return r.entries
}

type report struct {
	origins origins
	entries []Entry
}

func (r *report) add(key string, value any) {
	e := Entry{Key: key, Value: shownValue(value), Source: FromDefault}
	if variable, set := r.origins[foldKey(key)]; set {
		e.Source, e.Variable = FromFile, variable
		if variable != "" {
			e.Source = FromEnvironment
		}
	}
	r.entries = append(r.entries, e)
}

// shownValue hides by type, so that no secret depends on being remembered here.
func shownValue(value any) any {
	hide := func(set bool) any {
		if set {
			return masked
		}
		return ""
	}
	switch v := value.(type) {
	case Secret:
		return hide(v != "")
	case Salt:
		return hide(len(v) > 0)
	case []string:
		return append([]string{}, v...) // an empty list, and not null, in JSON
	}
	return value
}

func (r *report) signing(s Signing) {
	r.add("Signing:Profiles", len(s.Profiles))
	r.entries[0].Note = "so many are in the settings, for a table that has none yet; in force are those of the table"
	r.add("Signing:TrustAnchors", s.TrustAnchors)
	r.add("Signing:RevocationOutage", s.RevocationOutage)
	r.add("Signing:MaxXmlBytes", s.MaxXmlBytes)
	r.add("Signing:KeyRequestsPerSecond", s.KeyRequestsPerSecond)
}

func (r *report) signer(s Signer) {
	r.add("Signer:Endpoint", s.Endpoint)
	r.add("Signer:ApiKey", s.ApiKey)
	if !s.Configured() {
		return
	}
	r.add("Signer:PollIntervalSeconds", s.PollIntervalSeconds)
	r.add("Signer:TimeoutHours", s.TimeoutHours)
	r.add("Signer:MaxConsecutiveApiFailures", s.MaxConsecutiveApiFailures)
	r.add("Signer:FolderSweepIntervalSeconds", s.FolderSweepIntervalSeconds)
	r.add("Signer:WebhookSecret", s.WebhookSecret)
	r.add("Signer:RequestsPerSecond", s.RequestsPerSecond)
	r.add("Signer:SkipUnchangedDocuments", s.SkipUnchangedDocuments)
}

func (r *report) storage(s Storage) {
	for i, in := range s.Inputs {
		key := index("Storage:Inputs", i)
		r.add(key+":Name", in.Name)
		r.add(key+":Prefix", in.Prefix)
		r.add(key+":Profile", in.Profile)
		r.add(key+":IgnoredExtensions", in.IgnoredExtensions)
		r.add(key+":IgnoredPrefixes", in.IgnoredPrefixes)
	}
	r.add("Storage:ReconcileMinutes", s.ReconcileMinutes)
}

func (r *report) encryption(e Encryption) {
	r.add("Encryption:Enabled", e.Enabled)
	if !e.Enabled {
		return
	}
	r.add("Encryption:Password", e.Password)
	r.add("Encryption:Salt", e.Salt)
	r.add("Encryption:Iterations", e.Iterations)
	r.add("Encryption:MaxBytes", e.MaxBytes)
}

func (r *report) rateLimiting(l RateLimiting) {
	r.add("RateLimiting:Enabled", l.Enabled)
	if !l.Enabled {
		return
	}
	r.policy("RateLimiting:Upload", l.Upload)
	r.policy("RateLimiting:Actions", l.Actions)
	r.policy("RateLimiting:SignerNotification", l.SignerNotification)
}

func (r *report) policy(key string, p Policy) {
	r.add(key+":PermitsPerWindow", p.Permits)
	r.add(key+":WindowSeconds", int(p.Window/time.Second))
	r.add(key+":QueueLimit", 0)
}
