package profile

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Source says where a certificate's key is.
type Source string

// The sources. CloudHsm is any token with a PKCS#11 module; only functions that are built for it can open one.
const (
	Kms      Source = "Kms"
	Pfx      Source = "Pfx"
	CloudHsm Source = "CloudHsm"
)

// The sources that the product knows and this service does not have. They have names so that each is refused by a
// sentence of its own.
const (
	pkcs11        Source = "Pkcs11"
	windowsStore  Source = "WindowsStore"
	azureKeyVault Source = "AzureKeyVault"
)

var sources = []Source{Kms, Pfx, CloudHsm, pkcs11, windowsStore, azureKeyVault}

// Certificate names a certificate and its key.
type Certificate struct {
	Source   Source
	Kms      *KmsKey `json:",omitempty"`
	Pfx      *PfxKey `json:",omitempty"`
	CloudHsm *HsmKey `json:",omitempty"`
}

// KmsKey is an asymmetric key in AWS KMS and the certificate issued for it.
type KmsKey struct {
	KeyID       string // key id, key ARN, alias name or alias ARN
	Certificate string // PEM, base64 of DER, or s3://bucket/key; further certificates in it are the chain
}

// PfxKey is a PKCS#12 file.
type PfxKey struct {
	Location string // ARN of a secret that holds the file, or s3://bucket/key
	Password string // ARN of a secret that holds the password
}

// HsmKey is a key on a PKCS#11 token, beside its certificate.
type HsmKey struct {
	ModulePath string // the token's library, where the function has it
	Slot       int
	Thumbprint string // SHA-1 of the certificate, 40 hexadecimal digits in any case
	Pin        string // ARN of a secret that holds the PIN, never the PIN
	Sessions   int    // the most signatures at a time in one process; 0 is 4
}

// MaxSessions is the most sessions that a process may have on a token.
const MaxSessions = 64

const maxModulePath = 512

var thumbprintForm = regexp.MustCompile(`^[0-9a-fA-F]{40}$`)

// sourceRules are the rules of certificates. What the product says of its PKCS#11 tokens is said of CloudHsm under the
// product's number.
var sourceRules = []rule{
	{28, "Certificate:CloudHsm:ModulePath", hsm(func(k HsmKey) bool { return k.ModulePath == "" }), "is missing", giveModule},
	{28, "Certificate:CloudHsm:Thumbprint", hsm(func(k HsmKey) bool { return k.Thumbprint == "" }), "is missing", giveThumbprint},
	{28, "Certificate:CloudHsm:Pin", hsm(func(k HsmKey) bool { return k.Pin != "" && !IsSecret(k.Pin) }),
		"is not the ARN of a secret, and a PIN must not stand in the settings", storePIN},

	{200, "Certificate:Kms", func(p Profile) bool { return is(p, Kms) && p.Certificate.Kms == nil },
		"is missing, and Source is Kms", "add a Kms block with KeyId and Certificate"},
	{201, "Certificate:Kms", func(p Profile) bool { return is(p, Pfx, CloudHsm) && p.Certificate.Kms != nil },
		unusedBlock, "remove it, or set Source to Kms"},
	{202, "Certificate:Kms:KeyId", kms(func(k KmsKey) bool { return k.KeyID == "" }), "is missing", nameKey},
	{203, "Certificate:Kms:KeyId", kms(func(k KmsKey) bool { return k.KeyID != "" && !isKey(k.KeyID) }),
		"does not name a KMS key that you manage", nameKey},
	{204, "Certificate:Kms:Certificate", kms(func(k KmsKey) bool { return k.Certificate == "" }), "is missing", giveCertificate},
	{205, "Certificate:Kms:Certificate", kms(func(k KmsKey) bool { return hasPrivateKey(k.Certificate) }),
		"holds a private key, which must not stand in the settings", "take the key out, and treat it as disclosed"},
	{206, "Certificate:Kms:Certificate", kms(badCertificate), "cannot be read", giveCertificate},
	{207, "Certificate:Pfx", func(p Profile) bool { return is(p, Pfx) && p.Certificate.Pfx == nil },
		"is missing, and Source is Pfx", "add a Pfx block with Location and Password"},
	{208, "Certificate:Pfx", func(p Profile) bool { return is(p, Kms, CloudHsm) && p.Certificate.Pfx != nil },
		unusedBlock, "remove it, or set Source to Pfx"},
	{209, "Certificate:Pfx:Location", pfx(func(k PfxKey) bool { return k.Location == "" }), "is missing", giveLocation},
	{210, "Certificate:Pfx:Location", pfx(func(k PfxKey) bool { return k.Location != "" && !IsSecret(k.Location) && !isObject(k.Location) }),
		"is neither the ARN of a secret nor s3://bucket/key", giveLocation},
	{211, "Certificate:Pfx:Password", pfx(func(k PfxKey) bool { return k.Password == "" }), "is missing", storePassword},
	{212, "Certificate:Pfx:Password", pfx(func(k PfxKey) bool { return k.Password != "" && !IsSecret(k.Password) }),
		"is not the ARN of a secret, and a password must not stand in the settings", storePassword},
	{218, "Certificate:CloudHsm", func(p Profile) bool { return is(p, CloudHsm) && p.Certificate.CloudHsm == nil },
		"is missing, and Source is CloudHsm", "add a CloudHsm block with ModulePath, Slot, Thumbprint and Pin"},
	{219, "Certificate:CloudHsm", func(p Profile) bool { return is(p, Kms, Pfx) && p.Certificate.CloudHsm != nil },
		unusedBlock, "remove it, or set Source to CloudHsm"},
	{220, "Certificate:CloudHsm:ModulePath", hsm(func(k HsmKey) bool { return k.ModulePath != "" && !isModule(k.ModulePath) }),
		"is not the absolute path of a file", giveModule},
	{237, "Certificate:CloudHsm:Sessions", hsm(func(k HsmKey) bool { return k.Sessions < 0 || k.Sessions > MaxSessions }),
		"is out of bounds", fmt.Sprintf("set 1 to %d", MaxSessions)},
	{221, "Certificate:CloudHsm:Slot", hsm(func(k HsmKey) bool { return k.Slot < 0 }), "is negative", "set the number of the token's slot"},
	{222, "Certificate:CloudHsm:Thumbprint", hsm(func(k HsmKey) bool { return k.Thumbprint != "" && !thumbprintForm.MatchString(k.Thumbprint) }),
		"is not a SHA-1 thumbprint", giveThumbprint},
	{223, "Certificate:CloudHsm:Pin", hsm(func(k HsmKey) bool { return k.Pin == "" }), "is missing", storePIN},
}

// Sentences of these rules.
const (
	unusedBlock     = "stands beside another Source and would not be used"
	nameKey         = "set the key's id, its alias (alias/name), or the ARN of either"
	giveCertificate = "set PEM, base64 of DER, or s3://bucket/key, with the chain after the certificate"
	giveLocation    = "set the ARN of a secret that holds the PKCS#12 file, or s3://bucket/key"
	storePassword   = "store the password in Secrets Manager and set the ARN of that secret"
	giveModule      = "set the path of the token's PKCS#11 library in the function, like /opt/cloudhsm/lib/libcloudhsm_pkcs11.so"
	giveThumbprint  = "set the 40 hexadecimal digits of the certificate's SHA-1 digest, without spaces or colons"
	storePIN        = "store the PIN in Secrets Manager and set the ARN of that secret"
)

func is(p Profile, one ...Source) bool {
	return p.Certificate != nil && slices.Contains(one, p.Certificate.Source)
}

func uses(s Source) func(Profile) bool { return func(p Profile) bool { return is(p, s) } }

func kms(broken func(KmsKey) bool) func(Profile) bool {
	return func(p Profile) bool { return is(p, Kms) && p.Certificate.Kms != nil && broken(*p.Certificate.Kms) }
}

func pfx(broken func(PfxKey) bool) func(Profile) bool {
	return func(p Profile) bool { return is(p, Pfx) && p.Certificate.Pfx != nil && broken(*p.Certificate.Pfx) }
}

func hsm(broken func(HsmKey) bool) func(Profile) bool {
	return func(p Profile) bool {
		return is(p, CloudHsm) && p.Certificate.CloudHsm != nil && broken(*p.Certificate.CloudHsm)
	}
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

// isModule wants an absolute path, since the loader would search for anything else where it likes.
func isModule(s string) bool {
	return path.IsAbs(s) && path.Clean(s) == s && s != "/" && len(s) <= maxModulePath && utf8.ValidString(s) &&
		!strings.ContainsFunc(s, unicode.IsControl)
}
