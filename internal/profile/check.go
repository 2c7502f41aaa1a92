package profile

import "slices"

// Check returns every reason to refuse p, in the order of the rules, or nil. It expects a Canonical profile.
func (p Profile) Check() []Refusal {
	var refusals []Refusal
	for _, r := range rules {
		if r.broken(p) {
			refusals = append(refusals, r.refusal())
		}
	}
	return refusals
}

// CheckTrust returns the reason to refuse p in a service that has so many trust anchors, or nil. It is apart from Check,
// which sees the profile alone. Where Check refuses any validation, more is not said.
func (p Profile) CheckTrust(anchors int) []Refusal {
	if !p.ValidateCertificate || p.Method.remote() || anchors > 0 {
		return nil
	}
	return []Refusal{noAnchors}
}

var noAnchors = refuse(236, "ValidateCertificate",
	sentence{"is true, as it is unless it is set, and there are no trust anchors to validate against",
		"é true, como é por padrão, e não há âncoras de confiança para a validação"},
	sentence{"list the roots in Signing:TrustAnchors, or set it to false", "liste as raízes em Signing:TrustAnchors, ou defina false"})

// CheckEncryption returns the reason to refuse p in a service that encrypts outputs or does not, or nil. It is apart from
// Check, which sees the profile alone and refuses Encrypt where there is nothing to encrypt.
func (p Profile) CheckEncryption(enabled bool) []Refusal {
	if enabled || !p.Encrypt || p.Method == SignerFolder {
		return nil
	}
	return []Refusal{noEncryption}
}

var noEncryption = refuse(18, "Encrypt", sentence{"is true, and Encryption:Enabled is false", "é true, e Encryption:Enabled é false"},
	sentence{"set it to false, or set Encryption:Enabled to true, beside Encryption:Password and Encryption:Salt",
		"defina false, ou defina Encryption:Enabled como true, junto de Encryption:Password e Encryption:Salt"})

type rule struct {
	number          int
	key             string
	broken          func(Profile) bool
	message, remedy sentence
}

func (r rule) refusal() Refusal { return refuse(r.number, r.key, r.message, r.remedy) }

// rules is the one table of what a profile may not be. Numbers below 100 are those of the product's own table of
// refusals; from 100 on stands what is not available yet, from 200 on what only this service has. Two rules may share a
// number where the product has one rule for two keys. 100, 101, 103, 104, 105, 111 and 112 stood for what has become
// available.
var rules = slices.Concat(profileRules, signerRules, laterRules, sourceRules, localRules(signatureRules), localRules(sealRules))

const xmlNFe Format = "XmlNFe"

// needsFormat is false where Lacuna Signer chooses the format.
func (p Profile) needsFormat() bool { return p.Method == Local || p.Method == LacunaSigner }

var profileRules = []rule{
	{1, "Name", func(p Profile) bool { return !ValidName(p.Name) },
		sentence{"is not 1 to 40 lowercase letters, digits and hyphens with a letter or a digit at both ends",
			"não tem de 1 a 40 letras minúsculas, algarismos e hifens, com uma letra ou um algarismo em cada ponta"},
		sentence{`choose a name like "contracts"`, `escolha um nome como "contracts"`}},
	{2, "Format", func(p Profile) bool { return p.needsFormat() && p.Format == Auto && p.Name != Default },
		sentence{`is missing, and only the profile "default" goes by the file's extension`,
			`está ausente, e só o perfil "default" segue a extensão do arquivo`},
		sentence{"set Pades, Cades or Xades", "defina Pades, Cades ou Xades"}},
	{3, "Format", func(p Profile) bool { return p.Format != Auto && p.Format != xmlNFe && !p.Format.Known() },
		sentence{"is not a format", "não é um formato"}, sentence{"set Pades, Cades or Xades", "defina Pades, Cades ou Xades"}},
	{3, "Method", func(p Profile) bool { return !slices.Contains([]Method{Local, LacunaSigner, SignerFolder}, p.Method) },
		sentence{"is not a method", "não é um método"},
		sentence{"set Local, LacunaSigner or SignerFolder", "defina Local, LacunaSigner ou SignerFolder"}},
	{3, "Certificate:Source", func(p Profile) bool { return p.Certificate != nil && !is(p, sources...) },
		sentence{"is not a certificate source", "não é uma origem de certificado"},
		sentence{"set Kms, Pfx or CloudHsm", "defina Kms, Pfx ou CloudHsm"}},
	{4, "Certificate", func(p Profile) bool { return p.Method == Local && p.Certificate == nil },
		sentence{"is missing, and a Local profile signs with its certificate's key",
			"está ausente, e um perfil Local assina com a chave do seu certificado"},
		addCertificate},
	{4, "Certificate", func(p Profile) bool { return p.Method == SignerFolder && p.Certificate == nil },
		sentence{"is missing, and a SignerFolder profile signs with its certificate's key",
			"está ausente, e um perfil SignerFolder assina com a chave do seu certificado"},
		addCertificate},
	{19, "PreserveFileExtension", func(p Profile) bool { return p.PreserveFileExtension && p.Format != Cades && p.Format != Xades },
		sentence{"is only for the formats Cades and Xades", "vale só para os formatos Cades e Xades"},
		sentence{"set it to false, or set Format to Cades or Xades", "defina false, ou defina Format como Cades ou Xades"}},
	{20, "SaveAsPem", func(p Profile) bool { return p.SaveAsPem && p.Format != Cades }, onlyCades, falseOrCades},
	{35, "Enabled", func(p Profile) bool { return p.Name == Default && !p.Enabled },
		sentence{`is false, and the profile "default" cannot be disabled`, `é false, e o perfil "default" não pode ser desativado`},
		sentence{"set it to true", "defina true"}},
}

var laterRules = []rule{
	{102, "Format", func(p Profile) bool { return p.Format == xmlNFe },
		sentence{"is XmlNFe, which is not available", "é XmlNFe, que não está disponível"}, sentence{"set Xades", "defina Xades"}},
	{106, "Certificate:Source", uses(pkcs11), sentence{"is Pkcs11, which is CloudHsm here", "é Pkcs11, que aqui se chama CloudHsm"},
		useCloudHsm},
	{107, "Certificate:Source", uses(windowsStore),
		sentence{"is WindowsStore: a function has none", "é WindowsStore: uma função não tem esse repositório"}, kmsOrPfx},
	{108, "Certificate:Source", uses(azureKeyVault), laterSource.after("is AzureKeyVault: ", "é AzureKeyVault: "), kmsOrPfx},
}

// Sentences of these rules, and of the keys that are refused for the same reasons.
var (
	missing        = sentence{"is missing", "está ausente"}
	addCertificate = sentence{"add a Certificate block with Source Kms, Pfx or CloudHsm",
		"acrescente um bloco Certificate com Source Kms, Pfx ou CloudHsm"}

	laterSource = sentence{"this certificate source is not available yet", "esta origem de certificado ainda não está disponível"}
	kmsOrPfx    = sentence{"keep the key in AWS KMS (Kms), or the PKCS#12 file in Secrets Manager or S3 (Pfx)",
		"guarde a chave no AWS KMS (Kms), ou o arquivo PKCS#12 no Secrets Manager ou no S3 (Pfx)"}
	useCloudHsm = sentence{"set Source to CloudHsm and add a CloudHsm block with ModulePath, Slot, Thumbprint and Pin",
		"defina Source como CloudHsm e acrescente um bloco CloudHsm com ModulePath, Slot, Thumbprint e Pin"}
)
