package profile

import (
	"bytes"
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
	{28, "Certificate:CloudHsm:ModulePath", hsm(func(k HsmKey) bool { return k.ModulePath == "" }), missing, giveModule},
	{28, "Certificate:CloudHsm:Thumbprint", hsm(func(k HsmKey) bool { return k.Thumbprint == "" }), missing, giveThumbprint},
	{28, "Certificate:CloudHsm:Pin", hsm(func(k HsmKey) bool { return k.Pin != "" && !IsSecret(k.Pin) }),
		sentence{"is not the ARN of a secret, and a PIN must not stand in the settings",
			"não é o ARN de um segredo, e um PIN não deve ficar nas configurações"},
		storePIN},

	{200, "Certificate:Kms", func(p Profile) bool { return is(p, Kms) && p.Certificate.Kms == nil },
		sentence{"is missing, and Source is Kms", "está ausente, e Source é Kms"},
		sentence{"add a Kms block with KeyId and Certificate", "acrescente um bloco Kms com KeyId e Certificate"}},
	{201, "Certificate:Kms", func(p Profile) bool { return is(p, Pfx, CloudHsm) && p.Certificate.Kms != nil },
		unusedBlock, sentence{"remove it, or set Source to Kms", "remova o bloco, ou defina Source como Kms"}},
	{202, "Certificate:Kms:KeyId", kms(func(k KmsKey) bool { return k.KeyID == "" }), missing, nameKey},
	{203, "Certificate:Kms:KeyId", kms(func(k KmsKey) bool { return k.KeyID != "" && !isKey(k.KeyID) }),
		sentence{"does not name a KMS key that you manage", "não indica uma chave do KMS gerenciada por você"}, nameKey},
	{204, "Certificate:Kms:Certificate", kms(func(k KmsKey) bool { return k.Certificate == "" }), missing, giveCertificate},
	{205, "Certificate:Kms:Certificate", kms(func(k KmsKey) bool { return hasPrivateKey(k.Certificate) }),
		sentence{"holds a private key, which must not stand in the settings",
			"contém uma chave privada, que não deve ficar nas configurações"},
		sentence{"take the key out, and treat it as disclosed", "retire a chave e considere-a comprometida"}},
	{206, "Certificate:Kms:Certificate", kms(badCertificate), sentence{"cannot be read", "não pode ser lido"}, giveCertificate},
	{207, "Certificate:Pfx", func(p Profile) bool { return is(p, Pfx) && p.Certificate.Pfx == nil },
		sentence{"is missing, and Source is Pfx", "está ausente, e Source é Pfx"},
		sentence{"add a Pfx block with Location and Password", "acrescente um bloco Pfx com Location e Password"}},
	{208, "Certificate:Pfx", func(p Profile) bool { return is(p, Kms, CloudHsm) && p.Certificate.Pfx != nil },
		unusedBlock, sentence{"remove it, or set Source to Pfx", "remova o bloco, ou defina Source como Pfx"}},
	{209, "Certificate:Pfx:Location", pfx(func(k PfxKey) bool { return k.Location == "" }), missing, giveLocation},
	{210, "Certificate:Pfx:Location", pfx(func(k PfxKey) bool { return k.Location != "" && !IsSecret(k.Location) && !isObject(k.Location) }),
		sentence{"is neither the ARN of a secret nor s3://bucket/key", "não é o ARN de um segredo nem s3://bucket/key"}, giveLocation},
	{211, "Certificate:Pfx:Password", pfx(func(k PfxKey) bool { return k.Password == "" }), missing, storePassword},
	{212, "Certificate:Pfx:Password", pfx(func(k PfxKey) bool { return k.Password != "" && !IsSecret(k.Password) }),
		sentence{"is not the ARN of a secret, and a password must not stand in the settings",
			"não é o ARN de um segredo, e uma senha não deve ficar nas configurações"},
		storePassword},
	{218, "Certificate:CloudHsm", func(p Profile) bool { return is(p, CloudHsm) && p.Certificate.CloudHsm == nil },
		sentence{"is missing, and Source is CloudHsm", "está ausente, e Source é CloudHsm"},
		sentence{"add a CloudHsm block with ModulePath, Slot, Thumbprint and Pin",
			"acrescente um bloco CloudHsm com ModulePath, Slot, Thumbprint e Pin"}},
	{219, "Certificate:CloudHsm", func(p Profile) bool { return is(p, Kms, Pfx) && p.Certificate.CloudHsm != nil },
		unusedBlock, sentence{"remove it, or set Source to CloudHsm", "remova o bloco, ou defina Source como CloudHsm"}},
	{220, "Certificate:CloudHsm:ModulePath", hsm(func(k HsmKey) bool { return k.ModulePath != "" && !isModule(k.ModulePath) }),
		sentence{"is not the absolute path of a file", "não é o caminho absoluto de um arquivo"}, giveModule},
	{237, "Certificate:CloudHsm:Sessions", hsm(func(k HsmKey) bool { return k.Sessions < 0 || k.Sessions > MaxSessions }),
		sentence{"is out of bounds", "está fora dos limites"}, sentence{"set 1 to %d", "defina de 1 a %d"}.with(MaxSessions)},
	{221, "Certificate:CloudHsm:Slot", hsm(func(k HsmKey) bool { return k.Slot < 0 }), sentence{"is negative", "é negativo"},
		sentence{"set the number of the token's slot", "informe o número do slot do token"}},
	{222, "Certificate:CloudHsm:Thumbprint", hsm(func(k HsmKey) bool { return k.Thumbprint != "" && !thumbprintForm.MatchString(k.Thumbprint) }),
		sentence{"is not a SHA-1 thumbprint", "não é uma impressão digital SHA-1"}, giveThumbprint},
	{223, "Certificate:CloudHsm:Pin", hsm(func(k HsmKey) bool { return k.Pin == "" }), missing, storePIN},
}

// Sentences of these rules.
var (
	unusedBlock = sentence{"stands beside another Source and would not be used", "acompanha outro Source e não seria usado"}
	nameKey     = sentence{"set the key's id, its alias (alias/name), or the ARN of either",
		"informe o id da chave, seu alias (alias/name) ou o ARN de um dos dois"}
	giveCertificate = sentence{"set PEM, base64 of DER, or s3://bucket/key, with the chain after the certificate",
		"informe PEM, base64 de DER ou s3://bucket/key, com a cadeia depois do certificado"}
	giveLocation = sentence{"set the ARN of a secret that holds the PKCS#12 file, or s3://bucket/key",
		"informe o ARN de um segredo que contém o arquivo PKCS#12, ou s3://bucket/key"}
	storePassword = sentence{"store the password in Secrets Manager and set the ARN of that secret",
		"guarde a senha no Secrets Manager e informe o ARN desse segredo"}
	giveModule = sentence{"set the path of the token's PKCS#11 library in the function, like /opt/cloudhsm/lib/libcloudhsm_pkcs11.so",
		"informe o caminho da biblioteca PKCS#11 do token na função, como /opt/cloudhsm/lib/libcloudhsm_pkcs11.so"}
	giveThumbprint = sentence{"set the 40 hexadecimal digits of the certificate's SHA-1 digest, without spaces or colons",
		"informe os 40 dígitos hexadecimais do resumo SHA-1 do certificado, sem espaços nem dois-pontos"}
	storePIN = sentence{"store the PIN in Secrets Manager and set the ARN of that secret",
		"guarde o PIN no Secrets Manager e informe o ARN desse segredo"}
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
