package profile

import (
	"cmp"
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

var noSigner = refuse(9, "Method",
	sentence{"works with Lacuna Signer, and Signer:Endpoint and Signer:ApiKey are not set",
		"usa o Lacuna Signer, e Signer:Endpoint e Signer:ApiKey não estão definidos"},
	sentence{"set Signer:Endpoint and Signer:ApiKey, or set Local", "defina Signer:Endpoint e Signer:ApiKey, ou defina Local"})

// maxPerson is the most characters of what is said about a participant, and of a folder's name.
const maxPerson = 256

var guidForm = regexp.MustCompile(`^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// signerRules are the rules of profiles that work with Lacuna Signer. The digits of an identifier are not checked: Signer
// knows whom it knows.
var signerRules = []rule{
	{5, "Signer", func(p Profile) bool { return p.Method == LacunaSigner && p.Signer == nil },
		sentence{"is missing, and a LacunaSigner profile sends its documents to a person",
			"está ausente, e um perfil LacunaSigner envia seus documentos a uma pessoa"},
		sentence{"add a Signer block with Name, Email and Identifier", "acrescente um bloco Signer com Name, Email e Identifier"}},
	{5, "Signer:Name", participant(func(s Participant) bool { return s.Name == "" }), missing,
		sentence{"set the name of the person who signs", "informe o nome da pessoa que assina"}},
	{5, "Signer:Email", participant(func(s Participant) bool { return s.Email == "" }), missing, giveEmail},
	{5, "Signer:Identifier", participant(func(s Participant) bool { return s.Identifier == "" }), missing,
		sentence{"set the CPF of the person who signs", "informe o CPF da pessoa que assina"}},
	{6, "Signer:Email", participant(func(s Participant) bool { return s.Email != "" && !strings.Contains(s.Email, "@") }),
		sentence{"has no @", "não tem @"}, giveEmail},
	{7, "Certificate", func(p Profile) bool { return p.Method == LacunaSigner && p.Certificate != nil },
		sentence{"stands beside the method LacunaSigner, by which a person signs with a certificate of their own",
			"acompanha o método LacunaSigner, em que uma pessoa assina com o próprio certificado"},
		sentence{"remove it, or set Method to Local", "remova o bloco, ou defina Method como Local"}},
	{8, "ValidateCertificate", func(p Profile) bool { return p.Method == LacunaSigner && p.ValidateCertificate },
		sentence{"is true, as it is unless it is set, and a LacunaSigner profile has no certificate to validate",
			"é true, como é por padrão, e um perfil LacunaSigner não tem certificado para validar"},
		setFalse},

	{11, "SignerFolder", func(p Profile) bool { return p.Method == SignerFolder && p.SignerFolder == nil },
		sentence{"is missing, and a SignerFolder profile signs what waits in a folder",
			"está ausente, e um perfil SignerFolder assina o que aguarda em uma pasta"},
		sentence{"add a SignerFolder block with Id", "acrescente um bloco SignerFolder com Id"}},
	{11, "SignerFolder:Id", folder(func(b Binding) bool { return b.ID == "" }), missing, giveFolder},
	{13, "Method", func(p Profile) bool { return p.Method == SignerFolder && p.Name == Default },
		sentence{`is SignerFolder, which takes no files, and the profile "default" takes those that name no other`,
			`é SignerFolder, que não recebe arquivos, e o perfil "default" recebe os que não indicam outro`},
		sentence{"give the profile another name", "dê outro nome ao perfil"}},
	{14, "Verify", func(p Profile) bool { return p.Method == SignerFolder && p.Verify },
		sentence{"is true, as it is unless it is set, and Lacuna Signer checks what a SignerFolder profile signs",
			"é true, como é por padrão, e o Lacuna Signer confere o que um perfil SignerFolder assina"},
		setFalse},
	{14, "Encrypt", func(p Profile) bool { return p.Method == SignerFolder && p.Encrypt },
		sentence{"is true, and a SignerFolder profile has no outputs to encrypt",
			"é true, e um perfil SignerFolder não tem saídas para criptografar"},
		setFalse},
	{14, "ValidateCertificate", func(p Profile) bool { return p.Method == SignerFolder && p.ValidateCertificate },
		sentence{"is true, as it is unless it is set, and Lacuna Signer judges the certificate of a SignerFolder profile",
			"é true, como é por padrão, e é o Lacuna Signer que avalia o certificado de um perfil SignerFolder"},
		setFalse},

	{238, "Signer:Name", participant(func(s Participant) bool { return unfit(s.Name) }), badPerson, shorten},
	{238, "Signer:Email", participant(func(s Participant) bool { return unfit(s.Email) }), badPerson, giveEmail},
	{238, "Signer:Identifier", participant(func(s Participant) bool { return unfit(s.Identifier) }), badPerson,
		sentence{"set a CPF", "informe um CPF"}},
	{238, "SignerFolder:Name", folder(func(b Binding) bool { return unfit(b.Name) }), badPerson,
		sentence{"shorten it, or leave it out", "use um texto mais curto, ou omita o campo"}},
	{239, "Signer:Email", participant(badEmail), sentence{"is not one address", "não é um único endereço"}, giveEmail},
	{240, "SignerFolder:Id", folder(func(b Binding) bool { return b.ID != "" && !guidForm.MatchString(b.ID) }),
		sentence{"is not a GUID", "não é um GUID"}, giveFolder},
	{241, "Signer", func(p Profile) bool { return p.Method == SignerFolder && p.Signer != nil },
		otherMethod, sentence{"remove it, or set Method to LacunaSigner", "remova o bloco, ou defina Method como LacunaSigner"}},
	{241, "SignerFolder", func(p Profile) bool { return (p.Method == Local || p.Method == LacunaSigner) && p.SignerFolder != nil },
		otherMethod, sentence{"remove it, or set Method to SignerFolder", "remova o bloco, ou defina Method como SignerFolder"}},
	{242, "Signature", func(p Profile) bool { return p.Method.remote() && p.Signature.asks() },
		sentence{"says how a signature looks, which Lacuna Signer decides for this method",
			"diz como é a assinatura, e neste método quem decide isso é o Lacuna Signer"},
		sentence{"remove it, or set Method to Local", "remova o bloco, ou defina Method como Local"}},
}

// Sentences of these rules.
var (
	giveEmail  = sentence{"set an address like ana@example.com", "informe um endereço como ana@example.com"}
	giveFolder = sentence{"set the folder's id at Lacuna Signer, like 0194f3c2-5b1e-7c40-9d3a-6f2b8e1a4c57",
		"informe o id da pasta no Lacuna Signer, como 0194f3c2-5b1e-7c40-9d3a-6f2b8e1a4c57"}
	badPerson = sentence{"is longer than 256 characters, not text, or has control characters in it",
		"tem mais de 256 caracteres, não é texto ou contém caracteres de controle"}
	otherMethod = sentence{"stands beside another Method and would not be used", "acompanha outro Method e não seria usado"}
	setFalse    = sentence{"set it to false", "defina false"}
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
