package api_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

func bodyOf(t testing.TB, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// profilesOfAll are profiles of every method, with everything that must not be told.
func profilesOfAll() map[string]profile.Profile {
	local, remote, folder := profile.New("contracts"), profile.New("people"), profile.New("folder")
	local.Method, local.Format, local.Enabled, local.Verify = profile.Local, profile.Cades, true, true
	local.PreserveFileExtension, local.SaveAsPem, local.RequirePolicy, local.ValidateCertificate = true, true, true, true
	local.Certificate = &profile.Certificate{Source: profile.Pfx, Pfx: &profile.PfxKey{Location: "s3://hidden/hidden.pfx", Password: "arn:hidden"}}
	remote.Method, remote.Format, remote.Enabled, remote.Verify, remote.ValidateCertificate, remote.RequirePolicy = profile.LacunaSigner, profile.Pades, false, false, false, false
	remote.Signer = &profile.Participant{Name: "Hidden Person", Email: "hidden@example.com", Identifier: "75502846369"}
	folder.Method, folder.Format, folder.Enabled, folder.Verify, folder.ValidateCertificate, folder.RequirePolicy = profile.SignerFolder, profile.Auto, true, false, false, false
	folder.Certificate = &profile.Certificate{Source: profile.Kms, Kms: &profile.KmsKey{KeyID: "alias/hidden"}}
	folder.SignerFolder = &profile.Binding{ID: boundID, Name: "Automatic signature"}
	folder.Degraded = profile.Degradation{Code: string(fault.SignerFolderGone), Reason: "the folder is gone", Since: now}
	return versioned(map[string]profile.Profile{"contracts": local, "people": remote, "folder": folder})
}

const (
	localProfile = `{"name":"contracts","enabled":true,"inputFolder":"in","format":"Cades","method":"Local","certificateSource":"Pfx",
		"verify":true,"encrypt":false,"validateCertificate":true,"requirePolicy":true,"preserveFileExtension":true,"saveAsPem":true,
		"signature":{"digest":"SHA-256","subFilter":"ETSI.CAdES.detached","field":"","name":"","reason":"","location":"","contactInfo":"","detached":false,"nested":false,"element":""},"degraded":false}`
	remoteProfile = `{"name":"people","enabled":false,"inputFolder":null,"format":"Pades","method":"LacunaSigner","certificateSource":null,
		"verify":false,"encrypt":false,"validateCertificate":false,"requirePolicy":false,"preserveFileExtension":false,"saveAsPem":false,"degraded":false}`
	folderProfile = `{"name":"folder","enabled":true,"inputFolder":null,"format":null,"method":"SignerFolder","certificateSource":"Kms",
		"verify":false,"encrypt":false,"validateCertificate":false,"requirePolicy":false,"preserveFileExtension":false,"saveAsPem":false,
		"signerFolder":{"id":"a1d7c5b2-40f9-4e0c-8f26-5b9b1f3e7c88","name":"Automatic signature"},"degraded":true,
		"degradation":{"code":"signer-folder.not-found","reason":"the folder is gone","since":"2026-03-04T05:06:07.089Z"}}`
)

func TestProfiles(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.profiles = profilesOfAll()
	wantJSON(t, s.send(t, "GET", "/api/profiles", ""), 200, `{"profiles":[`+localProfile+`,`+folderProfile+`,`+remoteProfile+`]}`)
	for name, want := range map[string]string{"contracts": localProfile, "people": remoteProfile, "folder": folderProfile} {
		wantJSON(t, s.send(t, "GET", "/api/profiles/"+name, ""), 200, want)
	}
	clear(s.profiles)
	wantJSON(t, s.send(t, "GET", "/api/profiles", ""), 200, `{"profiles":[]}`)
}

func TestProfilesHideKeysAndPeople(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.profiles = profilesOfAll()
	for _, path := range []string{"", "/contracts", "/people", "/folder"} {
		b := bodyOf(t, s.send(t, "GET", "/api/profiles"+path, ""))
		if strings.Contains(strings.ToLower(b), "hidden") || strings.Contains(b, "75502846369") {
			t.Errorf("%s tells what is to be hidden: %s", path, b)
		}
	}
}

// A profile that a path names and that is not there is not found; one that an upload names is the upload's mistake.
func TestProfileNotFound(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, name := range []string{"nothing", "Contracts", "a%2Fb", "%00", strings.Repeat("a", 41)} {
		wantProblem(t, s.send(t, "GET", "/api/profiles/"+name, ""), 404, fault.ProfileNotFound)
	}
	wantProblem(t, s.send(t, "POST", "/api/files?profile=nothing", fileForm("a.pdf", []byte("x")), "Content-Type", formType), 400, fault.ProfileNotFound)
	if n := s.asked()["Profile"]; n != 2 {
		t.Errorf("looked up %d names, want the 2 that a profile can have", n)
	}
	d, _ := documentOf(t, s)
	for at, status := range map[string]string{"get /api/profiles/{name}": "404", "post /api/files": "400", "post /api/jobs/{id}/retry": "404"} {
		method, path, _ := strings.Cut(at, " ")
		if _, ok := d.Paths[path][method].Responses[status].Content["application/problem+json"].Examples[string(fault.ProfileNotFound)]; !ok {
			t.Errorf("%s is not described to answer %s with %s", at, status, fault.ProfileNotFound)
		}
	}
}

func TestProfilesWhenTheTableFails(t *testing.T) {
	t.Parallel()
	for method, path := range map[string]string{"Profiles": "", "Profile": "/contracts"} {
		s := newService(t)
		s.fail[method] = fmt.Errorf("read: %w", fault.New(fault.Throttled, "the table is busy"))
		wantProblem(t, s.send(t, "GET", "/api/profiles"+path, ""), 503, fault.Throttled)
	}
}
