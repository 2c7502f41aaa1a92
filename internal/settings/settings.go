// Package settings reads the settings file and the environment and checks them as a whole.
//
// # The file
//
// One JSON file, bundled with each function, at most 1 MiB, without comments. Every key has a default except those
// marked *. Keys are matched whatever their case; a key that is unknown, stands there twice or belongs to something that
// the service does not have is a fault. The literal null means the default. A list has at most 100 entries.
//
//	{
//	  "Signing": {
//	    "Profiles": [
//	      {
//	        "Name": "contracts",                   * 1 to 40 lowercase letters, digits, hyphens; unique
//	        "Enabled": true,                       false takes no new work; never on "default"
//	        "Method": "Local",                     or LacunaSigner, SignerFolder; both need the section Signer
//	        "Format": "Pades",                     * Pades, Cades, Xades; optional on "default": by extension
//	        "Verify": true,                        check each signature after it was made
//	        "RequirePolicy": true,                 demand AD-RB when checking; false unless Method is Local
//	        "Encrypt": false,                      seal the output; needs Encryption; never with SignerFolder
//	        "ValidateCertificate": true,           chain and revocation before signing; needs TrustAnchors
//	        "PreserveFileExtension": false,        Cades, Xades: name.signed.ext
//	        "SaveAsPem": false,                    Cades: PEM instead of DER
//	        "Certificate": {                       * but not with LacunaSigner
//	          "Source": "Kms",                     Kms, CloudHsm or, by default, Pfx
//	          "Kms": {                             with Source Kms
//	            "KeyId": "alias/contracts",        * key id, alias, or the ARN of either
//	            "Certificate": "s3://bucket/key"   * or PEM, or base64 of DER; the chain follows the certificate
//	          },
//	          "Pfx": {                             with Source Pfx, instead of Kms
//	            "Location": "s3://bucket/key",     * or the ARN of a secret that holds the PKCS#12 file
//	            "Password": "arn:aws:secretsmanager:..."  * the ARN of a secret; never the password itself
//	          },
//	          "CloudHsm": {                        with Source CloudHsm, instead of Kms: any PKCS#11 token
//	            "ModulePath": "/opt/hsm/lib.so",   * the token's library in the function
//	            "Slot": 0,
//	            "Thumbprint": "0A1B...",           * SHA-1 of the certificate, which is on the token too
//	            "Pin": "arn:aws:secretsmanager:...", * the ARN of a secret; never the PIN itself
//	            "Sessions": 4                      the most signatures at a time in one process, up to 64
//	          }
//	        },
//	        "Signer": {                            LacunaSigner: the person who signs, at Lacuna Signer
//	          "Name": "Ana",                       *
//	          "Email": "ana@example.com",          *
//	          "Identifier": "529.982.247-25"       * CPF, with or without punctuation
//	        },
//	        "SignerFolder": {                      SignerFolder: the folder there whose documents are signed
//	          "Id": "0194f3c2-...",                * GUID; no two profiles may have the same
//	          "Name": ""                           for people to read
//	        },
//	        "Signature": {                         with Local alone
//	          "Digest": "SHA-256",                 or SHA-512
//	          "SubFilter": "ETSI.CAdES.detached",  Pades: or PBAD.PAdES; up to Seal all are for Pades
//	          "Field": "",                         an empty signature field to fill
//	          "Name": "", "Reason": "", "Location": "", "ContactInfo": "",
//	          "Seal": {                            without it the signature is invisible
//	            "Page": 1,                         2 is the next, -1 the last
//	            "Left": 0, "Bottom": 0,            points on the page as it is displayed
//	            "Width": 200, "Height": 60,        * unless Field names a field with a place of its own
//	            "Text": "",                        {name} is who signed, {time} when; "" says both
//	            "Image": ""                        or a PNG or JPEG file at s3://bucket/key
//	          },
//	          "Detached": false,                   Cades: name.p7s, and its content beside it
//	          "Nested": false,                     Cades: an input that is signed already is content, not co-signed
//	          "Element": ""                        Xades: local name of the element to sign, or the whole document
//	        }
//	      }
//	    ],
//	    "Certificate": {},                         instead of Profiles: the key of a derived profile "default"
//	    "TrustAnchors": ["icp-brasil.pem"],        PEM, PEM files beside this one, or s3://bucket/key
//	    "RevocationOutage": "Refuse",              or Warn: sign although nobody says whether a certificate is revoked
//	    "MaxXmlBytes": 5242880,                    1024 to 5 MiB: the largest XML document that is signed
//	    "KeyRequestsPerSecond": 500                1 to 20000, for all functions together
//	  },
//	  "Signer": {                                  without it: no work with Lacuna Signer
//	    "Endpoint": "https://signer.lacunasoftware.com",  * https; http only for this machine
//	    "ApiKey": "arn:aws:secretsmanager:...",    * the ARN of a secret, or application|secret, at least 16 characters
//	    "PollIntervalSeconds": 30,                 1 to 3600: how often documents that wait for a person are asked about
//	    "TimeoutHours": 168,                       1 to 8760: how long a document may wait for its person
//	    "MaxConsecutiveApiFailures": 5,            1 to 100: of one document; one more fails its job
//	    "FolderSweepIntervalSeconds": 300,         60 to 86400: how often the folders of profiles are listed
//	    "WebhookSecret": "",                       the ARN of a secret, or at least 32 characters; "": no notifications
//	    "RequestsPerSecond": 100,                  1 to 1000, for all functions together; at least a tenth of MaxConcurrency
//	    "SkipUnchangedDocuments": false            do not read a document again while its list says that it is as it was
//	  },
//	  "Storage": {
//	    "Inputs": [                                without any: one folder "default" that watches the whole bucket
//	      {
//	        "Name": "default",                     as profile names; unique; not "uploads"
//	        "Prefix": "in/contracts/",             * ends in a slash; "" watches everything; not below uploads/
//	        "Profile": "contracts",                "default" if it is not said; not SignerFolder, which takes no files
//	        "IgnoredExtensions": [], "IgnoredPrefixes": []  added to those of WatchedFolder
//	      }
//	    ],
//	    "ReconcileMinutes": 60                     15 to 1440: how often files that no event reported are looked for
//	  },
//	  "WatchedFolder": {
//	    "IgnoredExtensions": [".tmp", ".part", ".crdownload", ".swp"],
//	    "IgnoredPrefixes": [".", "~$"]
//	  },
//	  "Pipeline": {
//	    "MaxConcurrency": 10,                      2 to 1000
//	    "RejectAlreadyProcessedFileNames": true    unless the earlier job of that name failed or was canceled
//	  },
//	  "Encryption": {                              BSENC; what follows Enabled is checked only where that is true
//	    "Enabled": false,
//	    "Password": "arn:aws:secretsmanager:...",  * the ARN of a secret, or at least 12 characters
//	    "Salt": "...",                             * base64 of 16 to 1024 random bytes, kept for as long as any output is
//	    "Iterations": 600000,                      10000 to 10 million
//	    "MaxBytes": 104857600                      1024 to 512 MiB: the largest output that is encrypted
//	  },
//	  "Auth": {
//	    "ApiKey": "arn:aws:secretsmanager:...",    * for the API: the ARN of a secret, or at least 16 characters
//	    "ApiKeyHeader": "X-API-Key"
//	  },
//	  "Upload": { "Enabled": true, "MaxBytes": 104857600 },  1024 to 1 GiB
//	  "RateLimiting": {                            requests that one client address may send, or else 429
//	    "Enabled": true,
//	    "Upload": { "PermitsPerWindow": 30, "WindowSeconds": 60, "QueueLimit": 0 },  1 to a million; 1 to 3600; 0 alone
//	    "Actions": { "PermitsPerWindow": 60, "WindowSeconds": 60 },                  what changes jobs or the pipeline
//	    "SignerNotification": { "PermitsPerWindow": 30000, "WindowSeconds": 60 }
//	  },
//	  "Metrics": { "RequireApiKey": true },        for /api/metrics
//	  "Readiness": { "RequireApiKey": false },     for /api/ready
//	  "Statistics": { "Enabled": true }            keep the times of completed jobs
//	}
//
// An output is named after its input: report.signed.pdf, nota.signed.xml, data.bin.p7m, data.bin.p7s beside data.bin
// where it is Detached, data.bin.pem with SaveAsPem, and name.signed.ext with PreserveFileExtension. With Encrypt each of
// them ends in .enc, data.bin beside a signature too. A new password or salt does not open what the old one has sealed.
//
// Where the prefixes of two folders nest, a file belongs to the longer one.
//
// A LacunaSigner profile needs ValidateCertificate set to false, and a SignerFolder profile Verify too: both are true
// unless they are set, and there is nothing for them to do. A SignerFolder profile needs no Format, which Lacuna Signer
// chooses, and is never "default". A service of SignerFolder profiles alone needs no folder under Storage.
//
// The section Signer is whole or absent, whether a profile uses it or not: any key in it, in the file or the environment,
// makes Endpoint and ApiKey needed. SkipUnchangedDocuments relies on what Lacuna Signer does not promise: that a document's
// date changes whenever its flow does.
//
// # The environment
//
// A variable stands over the file's value. Its name is the key with two underscores for each colon, and list entries are
// numbered from 0: Auth__ApiKey, Storage__Inputs__0__Name. An entry may be changed or the next one added, but none left
// out. Only variables that begin with the name of a section and two underscores are looked at.
//
// # Faults
//
// Load reports everything that is wrong at once. Each fault names its key, the variable that set it and a remedy, and
// quotes no value. What is fetched later is not looked at here: whether keys, secrets and objects exist and fit each
// other is found when they are first used.
package settings

import (
	"crypto/x509"
	"slices"

	"bulksigner/internal/profile"
)

// Settings is the whole configuration, checked, with defaults in place.
type Settings struct {
	Signing       Signing
	Signer        Signer // the zero value where there is none
	Storage       Storage
	WatchedFolder WatchedFolder
	Pipeline      Pipeline
	Encryption    Encryption
	Auth          Auth
	Upload        Upload
	RateLimiting  RateLimiting
	Metrics       Metrics
	Readiness     Readiness
	Statistics    Statistics

	origins origins // for Report; nil says that everything is a default
}

// Signing says by which rules and keys documents get signed.
type Signing struct {
	Certificate          *profile.Certificate // of the derived profile; nil if profiles are configured
	Profiles             []profile.Profile    // never empty: the derived profile stands here too
	TrustAnchors         []string             // as configured: PEM, files to bundle beside the settings file, objects
	Anchors              []*x509.Certificate  // the roots that TrustAnchors have or bundle; signatures are verified against them
	AnchorObjects        []string             // s3://bucket/key of the other roots, to be fetched and read by ParseAnchors
	RevocationOutage     string               // OutageRefuse or OutageWarn
	MaxXmlBytes          int64                // the largest XML document that is signed
	KeyRequestsPerSecond int                  // what all functions together may ask of one key
}

// What happens to a document while nobody can say whether a certificate is revoked: it is not signed, or it is signed and
// the log says so.
const (
	OutageRefuse = "Refuse"
	OutageWarn   = "Warn"
)

// Check returns every reason not to save p in a service with these settings, or nil. It expects a Canonical profile. Load
// is milder in one thing: a profile in the file may be disabled while a watched folder names it.
func (s Settings) Check(p profile.Profile) []profile.Refusal {
	watched := slices.ContainsFunc(s.Storage.Inputs, func(in Input) bool { return in.Profile == p.Name })
	return slices.Concat(p.Check(), p.CheckTrust(len(s.Signing.TrustAnchors)), p.CheckSigner(s.Signer.Configured()),
		p.CheckEncryption(s.Encryption.Enabled), p.CheckFolders(watched))
}

// Storage says where files arrive.
type Storage struct {
	Inputs           []Input // empty only where every profile is SignerFolder, so that there is nobody to sign a file
	ReconcileMinutes int     // how often the prefixes are listed for files that no event reported
}

// Input is a watched folder: a prefix in the input bucket.
type Input struct {
	Name              string
	Prefix            string // "" or ending in a slash
	Profile           string // name of a configured profile
	IgnoredExtensions []string
	IgnoredPrefixes   []string
}

// WatchedFolder says what no watched folder takes in.
type WatchedFolder struct {
	IgnoredExtensions []string
	IgnoredPrefixes   []string
}

// Pipeline bounds the work.
type Pipeline struct {
	MaxConcurrency                  int  // the most jobs at the same time
	RejectAlreadyProcessedFileNames bool // unless the earlier job failed or was canceled
}

// Auth says who may use the API.
type Auth struct {
	ApiKey       Secret // may be empty where API was not needed
	ApiKeyHeader string
}

// Upload bounds what the API takes in.
type Upload struct {
	Enabled  bool
	MaxBytes int64
}

// Metrics says who may read the metrics.
type Metrics struct{ RequireApiKey bool }

// Readiness says who may ask whether the service is ready.
type Readiness struct{ RequireApiKey bool }

// Statistics says whether the times of completed jobs are kept.
type Statistics struct{ Enabled bool }
