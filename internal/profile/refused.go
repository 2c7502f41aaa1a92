package profile

import "strings"

// RefusedKey says why a key of the product's profiles is not accepted here: what it asks for does not exist yet, or has
// another name on AWS. key is written as in a settings file, below the profile (Certificate:Pkcs11), in any case.
// It knows nothing of keys that the product does not have either.
func RefusedKey(key string) (Refusal, bool) {
	for _, r := range refusedKeys {
		if strings.EqualFold(r.key, key) {
			return r.refusal(), true
		}
	}
	return Refusal{}, false
}

// refusedKey is a rule that a key breaks by being there.
type refusedKey struct {
	number          int
	key             string
	message, remedy sentence
}

func (k refusedKey) refusal() Refusal { return refuse(k.number, k.key, k.message, k.remedy) }

// refusedKeys continues the numbers of rules: what a certificate block asks for has the number of its source.
var refusedKeys = []refusedKey{
	{28, "Certificate:Pin",
		sentence{"is a PIN, which must not stand in the settings", "é um PIN, que não deve ficar nas configurações"},
		sentence{"remove it, and treat the PIN as disclosed", "remova o campo e considere o PIN comprometido"}},
	{28, "Certificate:CloudHsm:PinEnvVar",
		sentence{"names a variable, which whoever may look at a function can read",
			"indica uma variável, que pode ser lida por quem consulta a função"},
		storePIN.after("use Pin: ", "use Pin: ")},
	{106, "Certificate:Pkcs11",
		sentence{"describes a token that is described as CloudHsm here", "descreve um token que aqui se descreve como CloudHsm"},
		useCloudHsm},
	{107, "Certificate:WindowsStore",
		sentence{"a function has no Windows certificate store", "uma função não tem o repositório de certificados do Windows"},
		kmsOrPfx},
	{108, "Certificate:AzureKeyVault", laterSource, kmsOrPfx},
	{109, "Approval", sentence{"approvals are not available yet", "as aprovações ainda não estão disponíveis"}, removeKey},
	{110, "CheckCnab240",
		sentence{"checking CNAB240 files is not available yet", "a verificação de arquivos CNAB240 ainda não está disponível"},
		removeKey},
	{110, "CheckCnab240PaymentDates",
		sentence{"checking CNAB240 files is not available yet", "a verificação de arquivos CNAB240 ainda não está disponível"},
		removeKey},
	{216, "Certificate:Pfx:Path",
		sentence{"names a file of a host, and a function has none", "indica um arquivo de um servidor, e uma função não tem nenhum"},
		giveLocation.after("use Location: ", "use Location: ")},
	{216, "Certificate:Pfx:Blob",
		sentence{"names an Azure blob, which is not available", "indica um blob do Azure, que não está disponível"},
		giveLocation.after("use Location: ", "use Location: ")},
	{217, "InputFolder", sentence{"is not how a folder finds its profile", "não é como uma pasta encontra seu perfil"},
		sentence{"name the profile in Storage:Inputs", "indique o perfil em Storage:Inputs"}},
}

var removeKey = sentence{"remove the key", "remova o campo"}
