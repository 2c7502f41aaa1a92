package api

import (
	"strings"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

// maxProfile is the largest profile that is read: what fills it is a chain of certificates.
const maxProfile = 128 << 10

// profileForm is a profile as it is written. It takes all that a read gives, so that a profile can be read, changed and
// sent back. What is left out, or null, has the value that it has in a settings file.
type profileForm struct {
	Name                  *string          `json:"name,omitempty" nullable:"true" doc:"1 to 40 lowercase letters, digits and hyphens. It never changes: beside a path it may be left out."`
	Enabled               *bool            `json:"enabled,omitempty" nullable:"true" doc:"Whether it takes new work; true if it is left out."`
	InputFolder           *string          `json:"inputFolder,omitempty" nullable:"true" doc:"As a read gives it, or left out: the settings say which folder has which profile."`
	Format                *string          `json:"format,omitempty" nullable:"true" doc:"Pades, Cades or Xades. Only the profile default may leave it out, and SignerFolder profiles, whose format Lacuna Signer chooses."`
	Method                *string          `json:"method,omitempty" nullable:"true" doc:"Local, LacunaSigner or SignerFolder; Local if it is left out."`
	CertificateSource     *string          `json:"certificateSource,omitempty" nullable:"true" doc:"Not used: certificate says it."`
	Verify                *bool            `json:"verify,omitempty" nullable:"true" doc:"Whether signatures are checked after they were made; true if it is left out."`
	Encrypt               *bool            `json:"encrypt,omitempty" nullable:"true" doc:"Whether outputs are sealed; false if it is left out."`
	ValidateCertificate   *bool            `json:"validateCertificate,omitempty" nullable:"true" doc:"Whether the certificate's chain and revocation are checked before signing; true if it is left out."`
	RequirePolicy         *bool            `json:"requirePolicy,omitempty" nullable:"true" doc:"Whether AD-RB is demanded when signatures are checked; if it is left out, true for Local alone."`
	PreserveFileExtension *bool            `json:"preserveFileExtension,omitempty" nullable:"true" doc:"Whether outputs of Cades and Xades end like their inputs; false if it is left out."`
	SaveAsPem             *bool            `json:"saveAsPem,omitempty" nullable:"true" doc:"Whether outputs of Cades are PEM; false if it is left out."`
	Certificate           *certificateForm `json:"certificate,omitempty" doc:"The key, which no read gives. Left out, it stays as it is stored if the method needs one."`
	Signer                *participantForm `json:"signer,omitempty" doc:"Whom a LacunaSigner profile sends documents to, which no read gives. Left out, it stays as it is stored."`
	SignerFolder          *bindingForm     `json:"signerFolder,omitempty" doc:"The folder at Lacuna Signer whose waiting documents a SignerFolder profile signs. Left out, it stays as it is stored."`
	Signature             *signatureForm   `json:"signature,omitempty" doc:"How the signatures of a Local profile look."`
	Degraded              *bool            `json:"degraded,omitempty" nullable:"true" doc:"Not used."`
	Degradation           *degradationForm `json:"degradation,omitempty" doc:"Not used."`
	TakesEffect           *string          `json:"takesEffect,omitempty" nullable:"true" doc:"Not used."`
}

// degradationForm is what a read gives of a degradation.
type degradationForm struct {
	_ struct{} `json:"-" additionalProperties:"true"`
}

// certificateForm names a certificate and its key. Secrets are named by their ARNs and never sent.
type certificateForm struct {
	Source   *string  `json:"source,omitempty" nullable:"true" doc:"Kms, Pfx or CloudHsm; Pfx if it is left out."`
	Kms      *kmsForm `json:"kms,omitempty"`
	Pfx      *pfxForm `json:"pfx,omitempty"`
	CloudHsm *hsmForm `json:"cloudHsm,omitempty"`
}

// kmsForm is a key in AWS KMS.
type kmsForm struct {
	KeyID       *string `json:"keyId,omitempty" nullable:"true" doc:"The key's id or alias, or the ARN of either."`
	Certificate *string `json:"certificate,omitempty" nullable:"true" doc:"PEM, base64 of DER, or s3://bucket/key; the chain follows the certificate."`
}

// pfxForm is a PKCS#12 file.
type pfxForm struct {
	Location *string `json:"location,omitempty" nullable:"true" doc:"The ARN of a secret that holds the file, or s3://bucket/key."`
	Password *string `json:"password,omitempty" nullable:"true" doc:"The ARN of a secret that holds the password; never the password."`
}

// hsmForm is a key on a PKCS#11 token.
type hsmForm struct {
	ModulePath *string `json:"modulePath,omitempty" nullable:"true" doc:"The token's library in the function."`
	Slot       *int32  `json:"slot,omitempty" nullable:"true"`
	Thumbprint *string `json:"thumbprint,omitempty" nullable:"true" doc:"The SHA-1 digest of the certificate, in hexadecimal."`
	Pin        *string `json:"pin,omitempty" nullable:"true" doc:"The ARN of a secret that holds the PIN; never the PIN."`
	Sessions   *int32  `json:"sessions,omitempty" nullable:"true" doc:"The most signatures at a time in one process."`
}

// participantForm is a person at Lacuna Signer.
type participantForm struct {
	Name       *string `json:"name,omitempty" nullable:"true"`
	Email      *string `json:"email,omitempty" nullable:"true"`
	Identifier *string `json:"identifier,omitempty" nullable:"true" doc:"The CPF, with or without punctuation."`
}

// bindingForm is a folder at Lacuna Signer.
type bindingForm struct {
	ID   *string `json:"id,omitempty" nullable:"true" doc:"A GUID, as /api/signer/folders gives it."`
	Name *string `json:"name,omitempty" nullable:"true" doc:"For people to read."`
}

// profile makes the profile that a form describes.
func (f *profileForm) profile(name string) profile.Profile {
	p := profile.New(name)
	give(&p.Enabled, f.Enabled)
	give((*string)(&p.Method), f.Method)
	give((*string)(&p.Format), f.Format)
	give(&p.Verify, f.Verify)
	give(&p.Encrypt, f.Encrypt)
	give(&p.ValidateCertificate, f.ValidateCertificate)
	p.RequirePolicy = p.Method.RequiresPolicy()
	give(&p.RequirePolicy, f.RequirePolicy)
	give(&p.PreserveFileExtension, f.PreserveFileExtension)
	give(&p.SaveAsPem, f.SaveAsPem)
	p.Certificate = f.Certificate.certificate()
	if f.Signer != nil {
		p.Signer = &profile.Participant{Name: value(f.Signer.Name), Email: value(f.Signer.Email), Identifier: value(f.Signer.Identifier)}
	}
	if f.SignerFolder != nil {
		p.SignerFolder = &profile.Binding{ID: value(f.SignerFolder.ID), Name: value(f.SignerFolder.Name)}
	}
	f.Signature.apply(&p.Signature)
	return p.Canonical()
}

// give sets what is given and leaves the default otherwise.
func give[T any](field, given *T) {
	if given != nil {
		*field = *given
	}
}

func (f *certificateForm) certificate() *profile.Certificate {
	if f == nil {
		return nil
	}
	c := &profile.Certificate{Source: profile.Pfx}
	give((*string)(&c.Source), f.Source)
	if k := f.Kms; k != nil {
		c.Kms = &profile.KmsKey{KeyID: value(k.KeyID), Certificate: strings.TrimSpace(value(k.Certificate))}
	}
	if k := f.Pfx; k != nil {
		c.Pfx = &profile.PfxKey{Location: value(k.Location), Password: value(k.Password)}
	}
	if k := f.CloudHsm; k != nil {
		c.CloudHsm = &profile.HsmKey{
			ModulePath: value(k.ModulePath), Slot: int(value(k.Slot)), Thumbprint: value(k.Thumbprint), Pin: value(k.Pin),
			Sessions: int(value(k.Sessions)),
		}
	}
	return c
}

// parseProfile reads a profile that was sent. What the product's profiles have and these do not is refused by its own
// sentence, before a schema can only say that it does not know the field.
func (s *server) parseProfile(in actionInput) (*profileForm, error) {
	if err := in.isJSON(); err != nil {
		return nil, err
	}
	parsed, err := parseJSON(in.RawBody)
	if err != nil {
		return nil, err
	}
	if refused := refusedKeys("", parsed); len(refused) > 0 {
		return nil, &profile.Refused{Refusals: refused}
	}
	var f profileForm
	if err := s.checks.profile.fit(parsed, in.RawBody, &f); err != nil {
		return nil, err
	}
	return &f, nil
}

// refusedKeys finds the fields that a profile cannot have here. The folder that feeds it is looked at elsewhere, since a
// read gives it.
func refusedKeys(path string, v any) (refused []profile.Refusal) {
	object, _ := v.(map[string]any)
	for _, name := range sortedKeys(object) {
		key := strings.TrimPrefix(path+":"+name, ":")
		if r, known := profile.RefusedKey(key); known && !strings.EqualFold(key, inputFolderKey) {
			refused = append(refused, r)
			continue
		}
		if strings.Count(key, ":") < 3 { // no key is deeper
			refused = append(refused, refusedKeys(key, object[name])...)
		}
	}
	return refused
}

const inputFolderKey = "InputFolder"

// checkFolder refuses a folder that is not the profile's: the settings say which folder has which profile.
func (s *server) checkFolder(f *profileForm, name string) error {
	fed := s.inputOf(profile.Profile{Name: name})
	if f.InputFolder == nil || fed != nil && *fed == *f.InputFolder {
		return nil
	}
	r, known := profile.RefusedKey(inputFolderKey)
	if !known {
		return fault.New(fault.RequestInvalid, "inputFolder is not the folder that the settings give the profile")
	}
	return &profile.Refused{Refusals: []profile.Refusal{r}}
}
