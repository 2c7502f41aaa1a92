package console

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

// profileRead is a profile as far as the API tells it: neither where its key is nor whom its documents go to.
type profileRead struct {
	Name                string         `json:"name"`
	Enabled             bool           `json:"enabled"`
	Format              profile.Format `json:"format"`
	Method              profile.Method `json:"method"`
	CertificateSource   profile.Source `json:"certificateSource"`
	Verify              bool           `json:"verify"`
	Encrypt             bool           `json:"encrypt"`
	ValidateCertificate bool           `json:"validateCertificate"`
	RequirePolicy       bool           `json:"requirePolicy"`
	SignerFolder        *signerFolder  `json:"signerFolder"`
	Degradation         *struct {
		Code   fault.Code `json:"code"`
		Reason string     `json:"reason"`
		Since  *time.Time `json:"since"`
	} `json:"degradation"`
}

// LowTrust reports whether nobody checks what the profile signs.
func (p profileRead) LowTrust() bool { return !p.Verify && p.Method != profile.SignerFolder }

// IsDefault reports whether the profile takes what names no other.
func (p profileRead) IsDefault() bool { return p.Name == profile.Default }

// Page is the profile's page.
func (p profileRead) Page() string { return "/profiles/" + url.PathEscape(p.Name) }

// profilesPage is the list. Inputs are the names of the watched folders, by the profile that signs their files.
type profilesPage struct {
	Profiles []profileRead `json:"profiles"`
	Inputs   map[string][]string
}

func (s *server) addProfiles(mux *http.ServeMux) {
	mux.HandleFunc("GET /profiles", s.page((*visit).profiles))
	mux.HandleFunc("GET /profiles/_new", s.page((*visit).newProfile))
	mux.HandleFunc("POST /profiles/_new", s.page((*visit).saveProfile))
	mux.HandleFunc("GET /profiles/_folders", s.page((*visit).signerFolders))
	mux.HandleFunc("GET /profiles/{name}", s.page((*visit).profile))
	mux.HandleFunc("POST /profiles/{name}", s.page((*visit).saveProfile))
	mux.HandleFunc("GET /profiles/{name}/certificate", s.page((*visit).presentCertificate))
	mux.HandleFunc("GET /profiles/{name}/delete", s.page((*visit).askDeleteProfile))
	mux.HandleFunc("POST /profiles/{name}/delete", s.page((*visit).deleteProfile))
}

func (v *visit) profiles() (err error) {
	var page profilesPage
	if err := v.api.get("/api/profiles", &page); err != nil {
		return err
	}
	if page.Inputs, err = v.inputsByProfile(); err != nil {
		return err
	}
	return v.render(http.StatusOK, "profiles", page)
}

// inputsByProfile reads which watched folders the settings give to each profile.
func (v *visit) inputsByProfile() (map[string][]string, error) {
	var all struct {
		Settings []struct {
			Key   string `json:"key"`
			Value any    `json:"value"`
		} `json:"settings"`
	}
	if err := v.api.get("/api/settings", &all); err != nil {
		return nil, err
	}
	names, folders := map[string]string{}, map[string][]string{}
	for _, s := range all.Settings { // a folder's name stands before its profile
		value, isText := s.Value.(string)
		if !isText || !strings.HasPrefix(s.Key, "Storage:Inputs[") {
			continue
		}
		if input, ok := strings.CutSuffix(s.Key, ":Name"); ok {
			names[input] = value
		}
		if input, ok := strings.CutSuffix(s.Key, ":Profile"); ok {
			folders[value] = append(folders[value], names[input])
		}
	}
	return folders, nil
}

// profilePath is the API's path of the profile that the visit is about.
func (v *visit) profilePath() string { return "/api/profiles/" + url.PathEscape(v.r.PathValue("name")) }

// readProfile reads the profile that the visit is about: as it is told, field by field, and its version.
func (v *visit) readProfile() (p *profileRead, fields map[string]any, version string, err error) {
	var raw json.RawMessage
	header, err := v.api.exchange(http.MethodGet, v.profilePath(), nil, nil, &raw)
	if err != nil {
		return nil, nil, "", err
	}
	p = &profileRead{}
	if err = json.Unmarshal(raw, p); err == nil {
		err = json.Unmarshal(raw, &fields)
	}
	if err != nil {
		return nil, nil, "", fmt.Errorf("read a profile: %w", err)
	}
	return p, fields, header.Get("ETag"), nil
}

// profileDeletion is the question before a profile is deleted.
type profileDeletion struct {
	Stored  *profileRead
	Version string
	Inputs  []string // the watched folders that name it, so that it cannot be deleted
	Problem *problem // why it was not deleted
}

func (v *visit) askDeleteProfile() error { return v.showDeletion(nil) }

func (v *visit) showDeletion(refused *problem) error {
	p, _, version, err := v.readProfile()
	if err != nil {
		return err
	}
	inputs, err := v.inputsByProfile()
	if err != nil {
		return err
	}
	return v.show(refused, "profile-delete", profileDeletion{p, version, inputs[p.Name], refused})
}

// deleteProfile deletes the version that the question was about, and no later one.
func (v *visit) deleteProfile() error {
	if err := v.readForm(); err != nil {
		return err
	}
	condition := map[string]string{"If-Match": v.r.PostForm.Get("version")}
	_, err := v.api.exchange(http.MethodDelete, v.profilePath(), condition, nil, nil)
	if refused, ok := refusalOf(err); ok {
		return v.showDeletion(refused)
	}
	if err != nil {
		return err
	}
	return v.done("/profiles", "profile.deleted", v.r.PathValue("name"))
}
