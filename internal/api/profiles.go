package api

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

type profileInput struct {
	Name string `path:"name" doc:"The profile's name."`
}

type profileOutput struct {
	ETag string `header:"ETag" hidden:"true"`
	Body profileDetail
}

type profilesOutput struct {
	Body profileList
}

// profileList is all profiles.
type profileList struct {
	Profiles []profileDetail `json:"profiles" nullable:"false" doc:"By name."`
	_        struct{}        `json:"-" additionalProperties:"true"`
}

// profileDetail is a profile as far as it is told: neither whom it sends documents to nor where its key is.
type profileDetail struct {
	Name                  string          `json:"name"`
	Enabled               bool            `json:"enabled" doc:"Whether it takes new work."`
	InputFolder           *string         `json:"inputFolder" doc:"The watched folder whose files it signs; the first one, if there are several."`
	Format                *profile.Format `json:"format" doc:"Pades, Cades or Xades; null follows the file's extension. A SignerFolder profile leaves it to Lacuna Signer."`
	Method                profile.Method  `json:"method" enum:"Local,LacunaSigner,SignerFolder" doc:"Who signs: the profile's key what arrives as a file, a person at Lacuna Signer, or the profile's key what waits in a folder there."`
	CertificateSource     *profile.Source `json:"certificateSource" doc:"Kms, Pfx or CloudHsm; null without a key of ours."`
	Verify                bool            `json:"verify"`
	Encrypt               bool            `json:"encrypt"`
	ValidateCertificate   bool            `json:"validateCertificate"`
	RequirePolicy         bool            `json:"requirePolicy"`
	PreserveFileExtension bool            `json:"preserveFileExtension"`
	SaveAsPem             bool            `json:"saveAsPem"`
	SignerFolder          *boundFolder    `json:"signerFolder,omitempty" doc:"The folder at Lacuna Signer whose waiting documents a SignerFolder profile signs."`
	Signature             *signatureShape `json:"signature,omitempty" doc:"How the signatures of a Local profile look."`
	Degraded              bool            `json:"degraded" doc:"Whether it cannot sign, so that its jobs fail."`
	Degradation           *degradation    `json:"degradation,omitempty" doc:"Why it cannot sign."`
	TakesEffect           string          `json:"takesEffect,omitempty" enum:"next-job" doc:"In the answer to a save: from when it holds, which is the next job that is begun."`
	_                     struct{}        `json:"-" additionalProperties:"true"`
}

// boundFolder is a folder at Lacuna Signer.
type boundFolder struct {
	ID   string   `json:"id" format:"uuid"`
	Name *string  `json:"name" doc:"As it was when the folder was chosen."`
	_    struct{} `json:"-" additionalProperties:"true"`
}

// degradation is why a profile cannot sign.
type degradation struct {
	Code   fault.Code `json:"code"`
	Reason string     `json:"reason"`
	Since  *time.Time `json:"since"`
	_      struct{}   `json:"-" additionalProperties:"true"`
}

// addProfiles adds the routes that read profiles.
func (s *server) addProfiles(a huma.API) {
	huma.Register(a, protected(huma.Operation{
		OperationID: "listProfiles", Method: http.MethodGet, Path: "/api/profiles", Tags: []string{"Profiles"},
		Summary: "All profiles",
	}), s.listProfiles)
	huma.Register(a, protected(huma.Operation{
		OperationID: "getProfile", Method: http.MethodGet, Path: "/api/profiles/{name}", Tags: []string{"Profiles"},
		Summary: "One profile", Metadata: map[string]any{askedKey: true, spokenKey: true},
		Responses: savedResponse("200", "The profile.", "ETag"),
	}, fault.ProfileNotFound), s.getProfile)
}

func (s *server) listProfiles(ctx context.Context, _ *struct{}) (*profilesOutput, error) {
	all, err := s.Profiles.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the profiles: %w", err)
	}
	out := profileList{Profiles: make([]profileDetail, 0, len(all))}
	for _, p := range all {
		out.Profiles = append(out.Profiles, s.profileOf(p))
	}
	return &profilesOutput{out}, nil
}

func (s *server) getProfile(ctx context.Context, in *profileInput) (*profileOutput, error) {
	p, err := s.namedProfile(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	return &profileOutput{ETag: etagOf(p), Body: s.profileOf(p)}, nil
}

// namedProfile reads a profile. A name that no profile can have is not looked up.
func (s *server) namedProfile(ctx context.Context, name string) (profile.Profile, error) {
	if !profile.ValidName(name) {
		return profile.Profile{}, fault.New(fault.ProfileNotFound, "there is no such profile")
	}
	p, err := s.Profiles.Get(ctx, name)
	if err != nil {
		return profile.Profile{}, fmt.Errorf("read profile %s: %w", name, err)
	}
	return p, nil
}

func (s *server) profileOf(p profile.Profile) profileDetail {
	d := profileDetail{
		Name: p.Name, Enabled: p.Enabled, InputFolder: s.inputOf(p), Format: optional(p.Format), Method: p.Method,
		Verify: p.Verify, Encrypt: p.Encrypt, ValidateCertificate: p.ValidateCertificate, RequirePolicy: p.RequirePolicy,
		PreserveFileExtension: p.PreserveFileExtension, SaveAsPem: p.SaveAsPem,
	}
	if p.Certificate != nil && p.Method != profile.LacunaSigner {
		d.CertificateSource = optional(p.Certificate.Source)
	}
	if b := p.SignerFolder; b != nil && p.Method == profile.SignerFolder {
		d.SignerFolder = &boundFolder{ID: b.ID, Name: optional(b.Name)}
	}
	if p.Method == profile.Local {
		d.Signature = signatureOf(p.Signature)
	}
	if degraded(p) {
		d.Degraded = true
		d.Degradation = &degradation{Code: fault.Code(p.Degraded.Code), Reason: p.Degraded.Reason, Since: moment(p.Degraded.Since)}
	}
	return d
}

// inputOf finds the watched folder of a profile.
func (s *server) inputOf(p profile.Profile) *string {
	for _, in := range s.Settings.Storage.Inputs {
		if in.Profile == p.Name {
			return optional(in.Name)
		}
	}
	return nil
}

func degraded(p profile.Profile) bool { return p.Degraded != profile.Degradation{} }
