// Package profile holds the rule sets by which documents get signed, and says what a save refuses.
//
// A profile names a method (who signs), a format, a key and the checks around them. Profiles are plain values: storing
// them, resolving their keys and signing belong to others.
//
// Check promises that a profile without refusals is complete and asks for nothing that the service does not have. It
// looks at the profile alone: that names are unique, that there are trust anchors, a Lacuna Signer and a password to
// encrypt with, that a folder has one profile, that a key exists and that it fits its certificate is for those who see more.
package profile

import (
	"slices"
	"time"
)

// Method says who signs.
type Method string

// The methods. Local signs with the profile's key; LacunaSigner sends the file to a person; SignerFolder signs what waits
// in a folder at Lacuna Signer.
const (
	Local        Method = "Local"
	LacunaSigner Method = "LacunaSigner"
	SignerFolder Method = "SignerFolder"
)

// Format is the format of a signature.
type Format string

// The formats. Auto, which only the default profile may have, follows the file's extension.
const (
	Auto  Format = ""
	Pades Format = "Pades"
	Cades Format = "Cades"
	Xades Format = "Xades"
)

// Formats lists what a profile may name.
var Formats = []Format{Pades, Cades, Xades}

// Known reports whether f names a format; Auto does not.
func (f Format) Known() bool { return slices.Contains(Formats, f) }

// Default is the profile that takes what names no other. It alone may leave its format open.
const Default = "default"

// Profile is one rule set.
type Profile struct {
	Name    string
	Enabled bool
	Method  Method
	Format  Format

	Verify  bool // check the signature after it was made
	Encrypt bool // seal the output in a BSENC envelope

	// ValidateCertificate asks for a check of chain and revocation before signing, against the service's trust anchors.
	ValidateCertificate bool

	RequirePolicy         bool // demand AD-RB when verifying
	PreserveFileExtension bool // name.signed.ext for Cades and Xades
	SaveAsPem             bool // PEM instead of DER for Cades

	Certificate *Certificate `json:",omitempty"`

	Signer       *Participant `json:",omitempty"` // whom a LacunaSigner profile sends its documents to
	SignerFolder *Binding     `json:",omitempty"` // whose waiting documents a SignerFolder profile signs
	Signature    Signature    // how a local signature looks

	// Version counts the saves. Resolved keys are cached by it.
	Version int64 `json:"-"`

	// Degraded is kept beside the profile, since it changes without a save.
	Degraded Degradation `json:"-"`
}

// Degradation says why and since when a profile cannot sign. The zero value says that it can.
type Degradation struct {
	Code   string // a fault code
	Reason string
	Since  time.Time
	// FolderID is the folder at Lacuna Signer that the reason speaks of, "" if of none: it counts only while it is bound.
	FolderID string
}
