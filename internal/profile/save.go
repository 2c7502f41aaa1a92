package profile

// Refusals that are found by whoever saves a profile, and sees more than it alone.
var (
	// NameTaken is the reason to refuse a new profile whose name another has, in whatever case.
	NameTaken = refuse(1, "Name", sentence{"is the name of another profile", "é o nome de outro perfil"},
		sentence{"choose another", "escolha outro"})

	// WithoutHolder is the reason to refuse a new SignerFolder profile whose certificate has no CPF.
	WithoutHolder = refuse(17, "Certificate",
		sentence{"has no CPF, and a SignerFolder profile signs for the person whose CPF its certificate has",
			"não tem CPF, e um perfil SignerFolder assina pela pessoa cujo CPF está no certificado"},
		sentence{"choose a certificate that has the CPF of its holder, or set Method to Local",
			"escolha um certificado que tenha o CPF do titular, ou defina Method como Local"})
)

// FolderTaken is the reason to refuse a profile whose folder at Lacuna Signer the profile called other has.
func FolderTaken(other string) Refusal {
	return refuse(12, "SignerFolder:Id",
		sentence{"is the folder of the profile %q, and a folder has one profile", "é a pasta do perfil %q, e uma pasta tem um só perfil"}.with(other),
		sentence{"choose another folder, or give that profile another", "escolha outra pasta, ou dê outra àquele perfil"})
}

// CheckFolders returns the reason to refuse p in a service whose watched folders give it files, or do not, or nil. It is
// apart from Check, which sees the profile alone.
func (p Profile) CheckFolders(watched bool) []Refusal {
	switch {
	case !watched || p.Name == Default: // of which Check says as much
		return nil
	case p.Method == SignerFolder:
		return []Refusal{takesNoFiles}
	case !p.Enabled:
		return []Refusal{watchedDisabled}
	}
	return nil
}

var (
	takesNoFiles = refuse(15, "Method",
		sentence{"is SignerFolder, which takes no files, and a watched folder of Storage:Inputs gives its files to this profile",
			"é SignerFolder, que não recebe arquivos, e uma pasta de Storage:Inputs entrega seus arquivos a este perfil"},
		sentence{"name another profile in Storage:Inputs, or choose another Method",
			"indique outro perfil em Storage:Inputs, ou escolha outro Method"})
	watchedDisabled = refuse(35, "Enabled",
		sentence{"is false, and a watched folder of Storage:Inputs gives its files to this profile",
			"é false, e uma pasta de Storage:Inputs entrega seus arquivos a este perfil"},
		sentence{"name another profile in Storage:Inputs, or set it to true",
			"indique outro perfil em Storage:Inputs, ou defina true"})
)
