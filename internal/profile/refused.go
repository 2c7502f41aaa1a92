package profile

import "strings"

// RefusedKey says why a key of the product's profiles is not accepted here: what it asks for does not exist yet, or has
// another name on AWS. key is written as in a settings file, below the profile (Certificate:Pkcs11), in any case.
// It knows nothing of keys that the product does not have either.
func RefusedKey(key string) (Refusal, bool) {
	for _, r := range refusedKeys {
		if strings.EqualFold(r.Key, key) {
			return r, true
		}
	}
	return Refusal{}, false
}

// refusedKeys continues the numbers of rules: what a certificate block asks for has the number of its source.
var refusedKeys = []Refusal{
	{28, "Certificate:Pin", "is a PIN, which must not stand in the settings", "remove it, and treat the PIN as disclosed"},
	{28, "Certificate:CloudHsm:PinEnvVar", "names a variable, which whoever may look at a function can read", "use Pin: " + storePIN},
	{106, "Certificate:Pkcs11", "describes a token that is described as CloudHsm here", useCloudHsm},
	{107, "Certificate:WindowsStore", "a function has no Windows certificate store", kmsOrPfx},
	{108, "Certificate:AzureKeyVault", laterSource, kmsOrPfx},
	{109, "Approval", "approvals are not available yet", removeKey},
	{110, "CheckCnab240", "checking CNAB240 files is not available yet", removeKey},
	{110, "CheckCnab240PaymentDates", "checking CNAB240 files is not available yet", removeKey},
	{216, "Certificate:Pfx:Path", "names a file of a host, and a function has none", "use Location: " + giveLocation},
	{216, "Certificate:Pfx:Blob", "names an Azure blob, which is not available", "use Location: " + giveLocation},
	{217, "InputFolder", "is not how a folder finds its profile", "name the profile in Storage:Inputs"},
}

const removeKey = "remove the key"
