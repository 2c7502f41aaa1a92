package profile

import "slices"

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

var noAnchors = Refusal{236, "ValidateCertificate", "is true, as it is unless it is set, and there are no trust anchors to validate against",
	"list the roots in Signing:TrustAnchors, or set it to false"}

type rule struct {
	number          int
	key             string
	broken          func(Profile) bool
	message, remedy string
}

func (r rule) refusal() Refusal {
	return Refusal{Rule: r.number, Key: r.key, Message: r.message, Remedy: r.remedy}
}

// rules is the one table of what a profile may not be. Numbers below 100 are those of the product's own table of
// refusals; from 100 on stands what is not available yet, from 200 on what only this service has. Two rules may share a
// number where the product has one rule for two keys. 100, 101, 104, 105, 111 and 112 stood for what has become available.
var rules = slices.Concat(profileRules, signerRules, laterRules, sourceRules, localRules(signatureRules), localRules(sealRules))

const xmlNFe Format = "XmlNFe"

// needsFormat is false where Lacuna Signer chooses the format.
func (p Profile) needsFormat() bool { return p.Method == Local || p.Method == LacunaSigner }

var profileRules = []rule{
	{1, "Name", func(p Profile) bool { return !ValidName(p.Name) },
		"is not 1 to 40 lowercase letters, digits and hyphens with a letter or a digit at both ends", `choose a name like "contracts"`},
	{2, "Format", func(p Profile) bool { return p.needsFormat() && p.Format == Auto && p.Name != Default },
		`is missing, and only the profile "default" goes by the file's extension`, "set Pades, Cades or Xades"},
	{3, "Format", func(p Profile) bool { return p.Format != Auto && p.Format != xmlNFe && !p.Format.Known() },
		"is not a format", "set Pades, Cades or Xades"},
	{3, "Method", func(p Profile) bool { return !slices.Contains([]Method{Local, LacunaSigner, SignerFolder}, p.Method) },
		"is not a method", "set Local, LacunaSigner or SignerFolder"},
	{3, "Certificate:Source", func(p Profile) bool { return p.Certificate != nil && !is(p, sources...) },
		"is not a certificate source", "set Kms, Pfx or CloudHsm"},
	{4, "Certificate", func(p Profile) bool { return p.Method == Local && p.Certificate == nil },
		"is missing, and a Local profile signs with its certificate's key", addCertificate},
	{4, "Certificate", func(p Profile) bool { return p.Method == SignerFolder && p.Certificate == nil },
		"is missing, and a SignerFolder profile signs with its certificate's key", addCertificate},
	{19, "PreserveFileExtension", func(p Profile) bool { return p.PreserveFileExtension && p.Format != Cades && p.Format != Xades },
		"is only for the formats Cades and Xades", "set it to false, or set Format to Cades or Xades"},
	{20, "SaveAsPem", func(p Profile) bool { return p.SaveAsPem && p.Format != Cades }, onlyCades, falseOrCades},
	{35, "Enabled", func(p Profile) bool { return p.Name == Default && !p.Enabled },
		`is false, and the profile "default" cannot be disabled`, "set it to true"},
}

var laterRules = []rule{
	{102, "Format", func(p Profile) bool { return p.Format == xmlNFe },
		"is XmlNFe, which is not available", "set Xades"},
	{103, "Encrypt", func(p Profile) bool { return p.Encrypt && p.Method != SignerFolder }, // where it will never be
		"is true: encrypting outputs is not available yet", "set it to false"},
	{106, "Certificate:Source", uses(pkcs11), "is Pkcs11, which is CloudHsm here", useCloudHsm},
	{107, "Certificate:Source", uses(windowsStore), "is WindowsStore: a function has none", kmsOrPfx},
	{108, "Certificate:Source", uses(azureKeyVault), "is AzureKeyVault: " + laterSource, kmsOrPfx},
}

// Sentences of these rules, and of the keys that are refused for the same reasons.
const (
	addCertificate = "add a Certificate block with Source Kms, Pfx or CloudHsm"

	laterSource = "this certificate source is not available yet"
	kmsOrPfx    = "keep the key in AWS KMS (Kms), or the PKCS#12 file in Secrets Manager or S3 (Pfx)"
	useCloudHsm = "set Source to CloudHsm and add a CloudHsm block with ModulePath, Slot, Thumbprint and Pin"
)
