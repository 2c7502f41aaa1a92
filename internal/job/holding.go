package job

import (
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

// Holding is a profile's certificate, as operators see it.
type Holding struct {
	Profile  string
	Enabled  bool
	Method   profile.Method
	Source   profile.Source
	Subject  string // the holder's name, without the number of CPF or CNPJ that stands beside it
	Issuer   string
	Serial   string    // hexadecimal
	Print    string    // SHA-1 of the certificate, hexadecimal; of a token's as the settings name it
	From, To time.Time // zero: the certificate was not read
	// Degraded says that the profile cannot sign, as its jobs found or as shows now, and Code why.
	Degraded bool
	Code     fault.Code
}

// certificatePass begins the names under which the ends of certificates are noted.
const certificatePass = "certificate:"

// CertificatePass is the pass under which it is noted when the certificate of a profile ends. It goes with the profile.
func CertificatePass(profile string) string { return certificatePass + profile }

// FolderState is what there is in a watched folder.
type FolderState struct {
	Files int
	More  bool // there may be more than were counted
}
