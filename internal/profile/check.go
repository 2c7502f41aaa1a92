package profile

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// Refusal is one reason why a profile is not accepted. Message and Remedy never quote a value, since a secret may stand
// where it does not belong.
type Refusal struct {
	Rule    int    // number of the rule; it never changes its meaning
	Key     string // as in the settings file, below the profile: Certificate:Kms:KeyId
	Message string // what is wrong, to be read after the key
	Remedy  string // what to do about it
}

// Check returns every reason to refuse p, in the order of the rules, or nil. It expects a Canonical profile.
func (p Profile) Check() []Refusal {
	var refusals []Refusal
	for _, r := range rules {
		if r.broken(p) {
			refusals = append(refusals, Refusal{Rule: r.number, Key: r.key, Message: r.message, Remedy: r.remedy})
		}
	}
	return refusals
}

// maxText is the most characters that a text shown in a signature may have.
const maxText = 256

type rule struct {
	number          int
	key             string
	broken          func(Profile) bool
	message, remedy string
}

// The sources that the product knows and this service does not have yet. They have names so that each is refused by a
// sentence of its own.
const (
	cloudHsm      Source = "CloudHsm"
	pkcs11        Source = "Pkcs11"
	windowsStore  Source = "WindowsStore"
	azureKeyVault Source = "AzureKeyVault"

	xmlNFe Format = "XmlNFe"
)

// rules is the one table of what a profile may not be. Numbers below 100 are those of the product's own table of
// refusals; from 100 on stands what is not available yet, from 200 on what only this service has. Two rules may share a
// number where the product has one rule for two keys.
var rules = []rule{
	{1, "Name", func(p Profile) bool { return !ValidName(p.Name) },
		"is not 1 to 40 lowercase letters, digits and hyphens with a letter or a digit at both ends", `choose a name like "contracts"`},
	{2, "Format", func(p Profile) bool { return p.Method == Local && p.Format == Auto && p.Name != Default },
		`is missing, and only the profile "default" goes by the file's extension`, "set Pades, Cades or Xades"},
	{3, "Format", func(p Profile) bool { return p.Format != Auto && p.Format != xmlNFe && !p.Format.Known() },
		"is not a format", "set Pades, Cades or Xades"},
	{3, "Method", func(p Profile) bool { return !slices.Contains([]Method{Local, LacunaSigner, SignerFolder}, p.Method) },
		"is not a method", "set Local"},
	{3, "Certificate:Source", func(p Profile) bool { return p.Certificate != nil && !known(p.Certificate.Source) },
		"is not a certificate source", "set Kms or Pfx"},
	{4, "Certificate", func(p Profile) bool { return p.Method == Local && p.Certificate == nil },
		"is missing, and a Local profile signs with its certificate's key", "add a Certificate block with Source Kms or Pfx"},
	{19, "PreserveFileExtension", func(p Profile) bool { return p.PreserveFileExtension && p.Format != Cades && p.Format != Xades },
		"is only for the formats Cades and Xades", "set it to false, or set Format to Cades or Xades"},
	{20, "SaveAsPem", func(p Profile) bool { return p.SaveAsPem && p.Format != Cades },
		"is only for the format Cades", "set it to false, or set Format to Cades"},
	{35, "Enabled", func(p Profile) bool { return p.Name == Default && !p.Enabled },
		`is false, and the profile "default" cannot be disabled`, "set it to true"},

	{100, "Method", func(p Profile) bool { return p.Method == LacunaSigner },
		"is LacunaSigner: sending documents to a person is not available yet", "set Local"},
	{101, "Method", func(p Profile) bool { return p.Method == SignerFolder },
		"is SignerFolder: signing what waits at Lacuna Signer is not available yet", "set Local"},
	{102, "Format", func(p Profile) bool { return p.Format == xmlNFe },
		"is XmlNFe, which is not available", "set Xades"},
	{103, "Encrypt", func(p Profile) bool { return p.Encrypt },
		"is true: encrypting outputs is not available yet", "set it to false"},
	{104, "ValidateCertificate", func(p Profile) bool { return p.ValidateCertificate },
		"is true: checking chain and revocation before signing is not available yet", "set it to false or leave it out"},
	{105, "Certificate:Source", uses(cloudHsm), "is CloudHsm: " + laterSource, kmsOrPfx},
	{106, "Certificate:Source", uses(pkcs11), "is Pkcs11: " + laterSource, kmsOrPfx},
	{107, "Certificate:Source", uses(windowsStore), "is WindowsStore: a function has none", kmsOrPfx},
	{108, "Certificate:Source", uses(azureKeyVault), "is AzureKeyVault: " + laterSource, kmsOrPfx},

	{200, "Certificate:Kms", func(p Profile) bool { return is(p, Kms) && p.Certificate.Kms == nil },
		"is missing, and Source is Kms", "add a Kms block with KeyId and Certificate"},
	{201, "Certificate:Kms", func(p Profile) bool { return is(p, Pfx) && p.Certificate.Kms != nil },
		"stands beside Source Pfx and would not be used", "remove it, or set Source to Kms"},
	{202, "Certificate:Kms:KeyId", kms(func(k KmsKey) bool { return k.KeyID == "" }), "is missing", nameKey},
	{203, "Certificate:Kms:KeyId", kms(func(k KmsKey) bool { return k.KeyID != "" && !isKey(k.KeyID) }),
		"does not name a KMS key that you manage", nameKey},
	{204, "Certificate:Kms:Certificate", kms(func(k KmsKey) bool { return k.Certificate == "" }), "is missing", giveCertificate},
	{205, "Certificate:Kms:Certificate", kms(func(k KmsKey) bool { return hasPrivateKey(k.Certificate) }),
		"holds a private key, which must not stand in the settings", "take the key out, and treat it as disclosed"},
	{206, "Certificate:Kms:Certificate", kms(badCertificate), "cannot be read", giveCertificate},
	{207, "Certificate:Pfx", func(p Profile) bool { return is(p, Pfx) && p.Certificate.Pfx == nil },
		"is missing, and Source is Pfx", "add a Pfx block with Location and Password"},
	{208, "Certificate:Pfx", func(p Profile) bool { return is(p, Kms) && p.Certificate.Pfx != nil },
		"stands beside Source Kms and would not be used", "remove it, or set Source to Pfx"},
	{209, "Certificate:Pfx:Location", pfx(func(k PfxKey) bool { return k.Location == "" }), "is missing", giveLocation},
	{210, "Certificate:Pfx:Location", pfx(func(k PfxKey) bool { return k.Location != "" && !IsSecret(k.Location) && !isObject(k.Location) }),
		"is neither the ARN of a secret nor s3://bucket/key", giveLocation},
	{211, "Certificate:Pfx:Password", pfx(func(k PfxKey) bool { return k.Password == "" }), "is missing", storePassword},
	{212, "Certificate:Pfx:Password", pfx(func(k PfxKey) bool { return k.Password != "" && !IsSecret(k.Password) }),
		"is not the ARN of a secret, and a password must not stand in the settings", storePassword},
	{213, "Signature:Digest", func(p Profile) bool { return p.Signature.Digest != SHA256 && p.Signature.Digest != SHA512 },
		"is not a digest that AD-RB allows here", "set SHA-256 or SHA-512"},
	{214, "Signature:SubFilter", func(p Profile) bool {
		return p.Signature.SubFilter != SubFilterETSI && p.Signature.SubFilter != SubFilterPBAD
	}, "is not a kind of PDF signature that AD-RB allows", "set ETSI.CAdES.detached or PBAD.PAdES"},
	{215, "Signature:Field", func(p Profile) bool { return tooLong(p.Signature.Field) }, longText, shorten},
	{215, "Signature:Name", func(p Profile) bool { return tooLong(p.Signature.Name) }, longText, shorten},
	{215, "Signature:Reason", func(p Profile) bool { return tooLong(p.Signature.Reason) }, longText, shorten},
	{215, "Signature:Location", func(p Profile) bool { return tooLong(p.Signature.Location) }, longText, shorten},
	{215, "Signature:ContactInfo", func(p Profile) bool { return tooLong(p.Signature.ContactInfo) }, longText, shorten},
}

// Sentences that more than one rule says.
const (
	laterSource     = "this certificate source is not available yet"
	kmsOrPfx        = "keep the key in AWS KMS (Kms), or the PKCS#12 file in Secrets Manager or S3 (Pfx)"
	nameKey         = "set the key's id, its alias (alias/name), or the ARN of either"
	giveCertificate = "set PEM, base64 of DER, or s3://bucket/key, with the chain after the certificate"
	giveLocation    = "set the ARN of a secret that holds the PKCS#12 file, or s3://bucket/key"
	storePassword   = "store the password in Secrets Manager and set the ARN of that secret"
	longText        = "is longer than 256 characters, or not text"
	shorten         = "shorten it"
)

func known(s Source) bool {
	return slices.Contains([]Source{Kms, Pfx, cloudHsm, pkcs11, windowsStore, azureKeyVault}, s)
}

func is(p Profile, s Source) bool { return p.Certificate != nil && p.Certificate.Source == s }

func uses(s Source) func(Profile) bool { return func(p Profile) bool { return is(p, s) } }

func kms(broken func(KmsKey) bool) func(Profile) bool {
	return func(p Profile) bool { return is(p, Kms) && p.Certificate.Kms != nil && broken(*p.Certificate.Kms) }
}

func pfx(broken func(PfxKey) bool) func(Profile) bool {
	return func(p Profile) bool { return is(p, Pfx) && p.Certificate.Pfx != nil && broken(*p.Certificate.Pfx) }
}

func hasPrivateKey(s string) bool { return strings.Contains(s, "PRIVATE KEY-----") }

// badCertificate leaves what is missing and what holds a private key to rules of their own.
func badCertificate(k KmsKey) bool {
	if k.Certificate == "" || hasPrivateKey(k.Certificate) || isObject(k.Certificate) {
		return false
	}
	_, err := ParseCertificates(bytes.TrimSpace([]byte(k.Certificate)))
	return err != nil
}

func tooLong(s string) bool { return !utf8.ValidString(s) || utf8.RuneCountInString(s) > maxText }
