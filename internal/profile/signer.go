package profile

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// Participant is the person at Lacuna Signer who signs a profile's documents.
type Participant struct {
	Name       string
	Email      string
	Identifier string // CPF, digits only
}

// Binding is the folder at Lacuna Signer that a profile is bound to: that folder itself, none below it.
type Binding struct {
	ID   string // GUID, in lower case
	Name string // as it was when the folder was chosen
}

// remote reports whether the signature is made at Lacuna Signer, which decides how it looks.
func (m Method) remote() bool { return m == LacunaSigner || m == SignerFolder }

// punctuation is what people write between the digits of a CPF.
var punctuation = strings.NewReplacer(".", "", "-", "", "/", "", " ", "")

// canonical returns a copy, since others may hold p.
func (p *Participant) canonical() *Participant {
	if p == nil {
		return nil
	}
	return &Participant{
		Name:       strings.TrimSpace(p.Name),
		Email:      strings.TrimSpace(p.Email),
		Identifier: punctuation.Replace(strings.TrimSpace(p.Identifier)),
	}
}

func (b *Binding) canonical() *Binding {
	if b == nil {
		return nil
	}
	return &Binding{ID: strings.ToLower(strings.TrimSpace(b.ID)), Name: strings.TrimSpace(b.Name)}
}

// CheckSigner returns the reason to refuse p in a service that has a Lacuna Signer or has none, or nil. It is apart from
// Check, which sees the profile alone.
func (p Profile) CheckSigner(configured bool) []Refusal {
	if configured || !p.Method.remote() {
		return nil
	}
	return []Refusal{noSigner}
}

var noSigner = Refusal{9, "Method", "works with Lacuna Signer, and Signer:Endpoint and Signer:ApiKey are not set",
	"set Signer:Endpoint and Signer:ApiKey, or set Local"}

// FolderTaken is the reason to refuse a profile whose folder at Lacuna Signer the profile called other has. Only those
// who see both can find it.
func FolderTaken(other string) Refusal {
	return Refusal{12, "SignerFolder:Id", fmt.Sprintf("is the folder of the profile %q, and a folder has one profile", other),
		"choose another folder, or give that profile another"}
}

// maxPerson is the most characters of what is said about a participant, and of a folder's name.
const maxPerson = 256

var guidForm = regexp.MustCompile(`^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// signerRules are the rules of profiles that work with Lacuna Signer. The digits of an identifier are not checked: Signer
// knows whom it knows.
var signerRules = []rule{
	{5, "Signer", func(p Profile) bool { return p.Method == LacunaSigner && p.Signer == nil },
		"is missing, and a LacunaSigner profile sends its documents to a person", "add a Signer block with Name, Email and Identifier"},
	{5, "Signer:Name", participant(func(s Participant) bool { return s.Name == "" }), "is missing", "set the name of the person who signs"},
	{5, "Signer:Email", participant(func(s Participant) bool { return s.Email == "" }), "is missing", giveEmail},
	{5, "Signer:Identifier", participant(func(s Participant) bool { return s.Identifier == "" }), "is missing", "set the CPF of the person who signs"},
	{6, "Signer:Email", participant(func(s Participant) bool { return s.Email != "" && !strings.Contains(s.Email, "@") }), "has no @", giveEmail},
	{7, "Certificate", func(p Profile) bool { return p.Method == LacunaSigner && p.Certificate != nil },
		"stands beside the method LacunaSigner, by which a person signs with a certificate of their own", "remove it, or set Method to Local"},
	{8, "ValidateCertificate", func(p Profile) bool { return p.Method == LacunaSigner && p.ValidateCertificate },
		"is true, as it is unless it is set, and a LacunaSigner profile has no certificate to validate", setFalse},

	{11, "SignerFolder", func(p Profile) bool { return p.Method == SignerFolder && p.SignerFolder == nil },
		"is missing, and a SignerFolder profile signs what waits in a folder", "add a SignerFolder block with Id"},
	{11, "SignerFolder:Id", folder(func(b Binding) bool { return b.ID == "" }), "is missing", giveFolder},
	{13, "Method", func(p Profile) bool { return p.Method == SignerFolder && p.Name == Default },
		`is SignerFolder, which takes no files, and the profile "default" takes those that name no other`, "give the profile another name"},
	{14, "Verify", func(p Profile) bool { return p.Method == SignerFolder && p.Verify },
		"is true, as it is unless it is set, and Lacuna Signer checks what a SignerFolder profile signs", setFalse},
	{14, "Encrypt", func(p Profile) bool { return p.Method == SignerFolder && p.Encrypt },
		"is true, and a SignerFolder profile has no outputs to encrypt", setFalse},
	{14, "ValidateCertificate", func(p Profile) bool { return p.Method == SignerFolder && p.ValidateCertificate },
		"is true, as it is unless it is set, and Lacuna Signer judges the certificate of a SignerFolder profile", setFalse},

	{238, "Signer:Name", participant(func(s Participant) bool { return unfit(s.Name) }), badPerson, shorten},
	{238, "Signer:Email", participant(func(s Participant) bool { return unfit(s.Email) }), badPerson, giveEmail},
	{238, "Signer:Identifier", participant(func(s Participant) bool { return unfit(s.Identifier) }), badPerson, "set a CPF"},
	{238, "SignerFolder:Name", folder(func(b Binding) bool { return unfit(b.Name) }), badPerson, "shorten it, or leave it out"},
	{239, "Signer:Email", participant(badEmail), "is not one address", giveEmail},
	{240, "SignerFolder:Id", folder(func(b Binding) bool { return b.ID != "" && !guidForm.MatchString(b.ID) }), "is not a GUID", giveFolder},
	{241, "Signer", func(p Profile) bool { return p.Method == SignerFolder && p.Signer != nil },
		otherMethod, "remove it, or set Method to LacunaSigner"},
	{241, "SignerFolder", func(p Profile) bool { return (p.Method == Local || p.Method == LacunaSigner) && p.SignerFolder != nil },
		otherMethod, "remove it, or set Method to SignerFolder"},
	{242, "Signature", func(p Profile) bool { return p.Method.remote() && p.Signature.asks() },
		"says how a signature looks, which Lacuna Signer decides for this method", "remove it, or set Method to Local"},
}

// Sentences of these rules.
const (
	giveEmail   = "set an address like ana@example.com"
	giveFolder  = "set the folder's id at Lacuna Signer, like 0194f3c2-5b1e-7c40-9d3a-6f2b8e1a4c57"
	badPerson   = "is longer than 256 characters, not text, or has control characters in it"
	otherMethod = "stands beside another Method and would not be used"
	setFalse    = "set it to false"
)

func participant(broken func(Participant) bool) func(Profile) bool {
	return func(p Profile) bool { return p.Method == LacunaSigner && p.Signer != nil && broken(*p.Signer) }
}

func folder(broken func(Binding) bool) func(Profile) bool {
	return func(p Profile) bool {
		return p.Method == SignerFolder && p.SignerFolder != nil && broken(*p.SignerFolder)
	}
}

func unfit(s string) bool { return tooLong(s, maxPerson) || strings.ContainsFunc(s, unicode.IsControl) }

// badEmail leaves what is missing, too long or without an @ to rules of their own.
func badEmail(s Participant) bool {
	name, host, ok := strings.Cut(s.Email, "@")
	if !ok || unfit(s.Email) {
		return false
	}
	return name == "" || host == "" || strings.Contains(host, "@") || strings.ContainsFunc(s.Email, unicode.IsSpace)
}

// asks reports whether anything was said of how the signature looks.
func (s Signature) asks() bool {
	s.Digest, s.SubFilter = cmp.Or(s.Digest, plain.Digest), cmp.Or(s.SubFilter, plain.SubFilter)
	return s != plain
}

// localRules makes rules silent for the methods by which Lacuna Signer makes the signature.
func localRules(rules []rule) []rule {
	local := make([]rule, len(rules))
	for i, r := range rules {
		local[i] = r
		local[i].broken = func(p Profile) bool { return !p.Method.remote() && r.broken(p) }
	}
	return local
}
