package profile

import (
	"regexp"
	"unicode/utf8"
)

// Digest is the digest algorithm of a signature.
type Digest string

// The digests that AD-RB allows.
const (
	SHA256 Digest = "SHA-256"
	SHA512 Digest = "SHA-512"
)

// The values of SubFilter, which only a PDF signature has.
const (
	SubFilterETSI = "ETSI.CAdES.detached"
	SubFilterPBAD = "PBAD.PAdES"
)

// Signature says how a local signature looks.
type Signature struct {
	Digest Digest

	// Of a PDF signature.
	SubFilter   string // SubFilterETSI or SubFilterPBAD
	Field       string // name of an empty signature field to fill; empty makes a new one
	Name        string
	Reason      string
	Location    string
	ContactInfo string
	Seal        *Seal `json:",omitempty"` // nil: the signature is invisible

	// Of a Cades signature.
	Detached bool // the content is not inside of the signature, but published beside it under its own name
	Nested   bool // an input that is a CMS signature already is content like any other, and not co-signed

	// Element is the local name of the element that a Xades signature is for, as infNFe in an NF-e; it is referred to by
	// its Id. Empty means the whole document.
	Element string
}

// Limits of texts, in characters.
const (
	maxText    = 256 // what a signature states
	maxElement = 256
)

// elementForm is NCName of Namespaces in XML 1.0: a name without a prefix.
var elementForm = regexp.MustCompile(`^[` + nameStart + `][` + nameStart + nameMore + `]*$`)

const (
	nameStart = `A-Z_a-z\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{2FF}\x{370}-\x{37D}\x{37F}-\x{1FFF}\x{200C}-\x{200D}` +
		`\x{2070}-\x{218F}\x{2C00}-\x{2FEF}\x{3001}-\x{D7FF}\x{F900}-\x{FDCF}\x{FDF0}-\x{FFFD}\x{10000}-\x{EFFFF}`
	nameMore = `0-9.\x{B7}\x{300}-\x{36F}\x{203F}-\x{2040}-`
)

var signatureRules = []rule{
	{213, "Signature:Digest", func(p Profile) bool { return p.Signature.Digest != SHA256 && p.Signature.Digest != SHA512 },
		sentence{"is not a digest that AD-RB allows here", "não é um algoritmo de resumo que a AD-RB permite aqui"},
		sentence{"set SHA-256 or SHA-512", "defina SHA-256 ou SHA-512"}},
	{214, "Signature:SubFilter", func(p Profile) bool {
		return p.Signature.SubFilter != SubFilterETSI && p.Signature.SubFilter != SubFilterPBAD
	}, sentence{"is not a kind of PDF signature that AD-RB allows", "não é um tipo de assinatura PDF que a AD-RB permite"},
		sentence{"set ETSI.CAdES.detached or PBAD.PAdES", "defina ETSI.CAdES.detached ou PBAD.PAdES"}},
	{215, "Signature:Field", func(p Profile) bool { return tooLong(p.Signature.Field, maxText) }, longText, shorten},
	{215, "Signature:Name", func(p Profile) bool { return tooLong(p.Signature.Name, maxText) }, longText, shorten},
	{215, "Signature:Reason", func(p Profile) bool { return tooLong(p.Signature.Reason, maxText) }, longText, shorten},
	{215, "Signature:Location", func(p Profile) bool { return tooLong(p.Signature.Location, maxText) }, longText, shorten},
	{215, "Signature:ContactInfo", func(p Profile) bool { return tooLong(p.Signature.ContactInfo, maxText) }, longText, shorten},

	{224, "Signature:Detached", func(p Profile) bool { return p.Signature.Detached && p.Format != Cades }, onlyCades, falseOrCades},
	{225, "Signature:Detached", func(p Profile) bool { return p.Signature.Detached && p.PreserveFileExtension },
		sentence{"stands beside PreserveFileExtension: the signature alone would have the name of a signed document",
			"acompanha PreserveFileExtension: a assinatura sozinha teria o nome de um documento assinado"},
		sentence{"set one of the two to false", "defina um dos dois como false"}},
	{226, "Signature:Nested", func(p Profile) bool { return p.Signature.Nested && p.Format != Cades }, onlyCades, falseOrCades},
	{227, "Signature:Element", func(p Profile) bool { return p.Signature.Element != "" && p.Format != Xades },
		sentence{"is only for the format Xades", "vale só para o formato Xades"},
		sentence{"leave it out, or set Format to Xades", "omita o campo, ou defina Format como Xades"}},
	{228, "Signature:Element", func(p Profile) bool { return p.Signature.Element != "" && !isElement(p.Signature.Element) },
		sentence{"is not the local name of an XML element", "não é o nome local de um elemento XML"},
		sentence{"set a name without prefix, like infNFe, or leave it out to sign the whole document",
			"informe um nome sem prefixo, como infNFe, ou omita o campo para assinar o documento inteiro"}},
}

// Sentences of these rules.
var (
	longText     = sentence{"is longer than 256 characters, or not text", "tem mais de 256 caracteres ou não é texto"}
	shorten      = sentence{"shorten it", "use um texto mais curto"}
	onlyCades    = sentence{"is only for the format Cades", "vale só para o formato Cades"}
	falseOrCades = sentence{"set it to false, or set Format to Cades", "defina false, ou defina Format como Cades"}
)

func tooLong(s string, characters int) bool {
	return !utf8.ValidString(s) || utf8.RuneCountInString(s) > characters
}

func isElement(s string) bool { return !tooLong(s, maxElement) && elementForm.MatchString(s) }
