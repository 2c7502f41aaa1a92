package api_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/api"
	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

// newProfile is a profile that can be saved, with everything that a KMS profile can have.
const newProfile = `{"name":"new","format":"pades","encrypt":true,"certificate":{"source":"kms","kms":{"keyId":"alias/contracts","certificate":" s3://certificates/contracts.pem\n"}},
	"signature":{"digest":"SHA-512","subFilter":"PBAD.PAdES","field":"F","name":"N","reason":"R","location":"L","contactInfo":"C",
	"seal":{"page":-1,"left":1.5,"bottom":2,"width":3,"height":4,"text":"{name}","image":"s3://images/seal.png"}}}`

func TestCreateProfile(t *testing.T) {
	t.Parallel()
	s := newService(t)
	r := s.send(t, "POST", "/api/profiles", newProfile)
	if etag, location := r.Header.Get("ETag"), r.Header.Get("Location"); etag != `"1"` || location != "profiles/new" {
		t.Errorf("ETag %s, Location %s", etag, location)
	}
	wantJSON(t, r, 201, `{"name":"new","enabled":true,"inputFolder":null,"format":"Pades","method":"Local","certificateSource":"Kms","verify":true,"encrypt":true,
		"validateCertificate":true,"requirePolicy":true,"preserveFileExtension":false,"saveAsPem":false,
		"signature":{"digest":"SHA-512","subFilter":"PBAD.PAdES","field":"F","name":"N","reason":"R","location":"L","contactInfo":"C",
		"seal":{"page":-1,"left":1.5,"bottom":2,"width":3,"height":4,"text":"{name}","image":"s3://images/seal.png"},"detached":false,"nested":false,"element":""},
		"degraded":false,"takesEffect":"next-job"}`)
	want := profile.New("new")
	want.Format, want.Encrypt = profile.Pades, true
	want.Certificate = &profile.Certificate{Source: profile.Kms, Kms: &profile.KmsKey{KeyID: "alias/contracts", Certificate: "s3://certificates/contracts.pem"}}
	want.Signature = profile.Signature{Digest: profile.SHA512, SubFilter: profile.SubFilterPBAD, Field: "F", Name: "N", Reason: "R", Location: "L", ContactInfo: "C",
		Seal: &profile.Seal{Page: -1, Left: 1.5, Bottom: 2, Width: 3, Height: 4, Text: "{name}", Image: "s3://images/seal.png"}}
	if d := cmp.Diff([]profile.Profile{want}, s.saved); d != "" {
		t.Errorf("saved (-want +got):\n%s", d)
	}
}

// A form says of every source and method what a settings file says.
func TestProfileForms(t *testing.T) {
	t.Parallel()
	secret := "arn:aws:secretsmanager:sa-east-1:123456789012:secret:p-AbCdEf"
	with := func(change func(*profile.Profile)) profile.Profile {
		p := profile.New("p")
		change(&p)
		return p
	}
	tests := []struct {
		name, body string
		want       profile.Profile
	}{
		{"nothing said", `{"name":"p"}`, profile.New("p")},
		{"null is nothing said", `{"name":"p","enabled":null,"format":null,"certificate":null,"signature":{"seal":null,"digest":null},"signer":null,"requirePolicy":null}`, profile.New("p")},
		{"what a read gives and nobody needs", `{"name":"p","certificateSource":"Kms","degraded":true,"degradation":{"code":"x","reason":"y","since":null},"takesEffect":"next-job","inputFolder":null}`, profile.New("p")},
		{"flags", `{"name":"p","enabled":false,"verify":false,"validateCertificate":false,"requirePolicy":false,"preserveFileExtension":true,"saveAsPem":true}`,
			with(func(p *profile.Profile) {
				p.Enabled, p.Verify, p.ValidateCertificate, p.RequirePolicy, p.PreserveFileExtension, p.SaveAsPem = false, false, false, false, true, true
			})},
		{"a PKCS#12 file", `{"name":"p","certificate":{"pfx":{"location":"s3://keys/k","password":"` + secret + `"}}}`, with(func(p *profile.Profile) {
			p.Certificate = &profile.Certificate{Source: profile.Pfx, Pfx: &profile.PfxKey{Location: "s3://keys/k", Password: secret}}
		})},
		{"a token", `{"name":"p","certificate":{"source":"cloudhsm","cloudHsm":{"modulePath":"/lib/p.so","slot":2,"thumbprint":"ab","pin":"` + secret + `","sessions":8}}}`,
			with(func(p *profile.Profile) {
				p.Certificate = &profile.Certificate{Source: profile.CloudHsm, CloudHsm: &profile.HsmKey{ModulePath: "/lib/p.so", Slot: 2, Thumbprint: "ab", Pin: secret, Sessions: 8}}
			})},
		{"a person", `{"name":"p","method":"lacunasigner","signer":{"name":" Ana ","email":"ana@example.com","identifier":"529.982.247-25"}}`, with(func(p *profile.Profile) {
			p.Method, p.RequirePolicy = profile.LacunaSigner, false
			p.Signer = &profile.Participant{Name: "Ana", Email: "ana@example.com", Identifier: "52998224725"}
		})},
		{"a folder", `{"name":"p","method":"SignerFolder","signerFolder":{"id":"` + strings.ToUpper(boundID) + `","name":"F"}}`, with(func(p *profile.Profile) {
			p.Method, p.RequirePolicy = profile.SignerFolder, false
			p.SignerFolder = &profile.Binding{ID: boundID, Name: "F"}
		})},
		{"a seal on the first page", `{"name":"p","signature":{"seal":{},"detached":true,"nested":true,"element":"infNFe"}}`, with(func(p *profile.Profile) {
			p.Signature.Seal = &profile.Seal{Page: 1}
			p.Signature.Detached, p.Signature.Nested, p.Signature.Element = true, true, "infNFe"
		})},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			s.send(t, "POST", "/api/profiles", tt.body)
			if d := cmp.Diff([]profile.Profile{tt.want}, s.saved); d != "" {
				t.Errorf("saved (-want +got):\n%s", d)
			}
		})
	}
}

// What a read gives can be sent back, and changes nothing.
func TestProfileRoundTrip(t *testing.T) {
	t.Parallel()
	for name := range profilesOfAll() {
		s := newService(t)
		s.profiles = profilesOfAll()
		contracts := s.profiles["contracts"]
		contracts.Signature.Seal, contracts.SaveAsPem, contracts.PreserveFileExtension = &profile.Seal{Page: 2, Width: 1, Height: 1}, false, false
		contracts.Format = profile.Pades
		contracts.Certificate.Pfx.Password = "arn:aws:secretsmanager:sa-east-1:123456789012:secret:p-AbCdEf"
		folder := s.profiles["folder"]
		folder.Certificate.Kms.Certificate = "s3://keys/k"
		s.profiles["contracts"], s.profiles["folder"] = contracts, folder
		before := s.profiles[name]
		read := s.send(t, "GET", "/api/profiles/"+name, "")
		r := s.send(t, "PUT", "/api/profiles/"+name, bodyOf(t, read), "If-Match", read.Header.Get("ETag"))
		if r.StatusCode != 200 || r.Header.Get("ETag") != `"4"` {
			t.Fatalf("%s: %d %s", name, r.StatusCode, bodyOf(t, r))
		}
		before.Version, before.Degraded = 4, profile.Degradation{}
		if d := cmp.Diff(before, s.profiles[name]); d != "" {
			t.Errorf("%s changed (-want +got):\n%s", name, d)
		}
	}
}

func TestPreconditions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, path, match string
		status            int
		code              fault.Code
	}{
		{"the version that there is", "contracts", `"3"`, 0, ""},
		{"any version", "contracts", "*", 0, ""},
		{"an older version", "contracts", `"2"`, 412, fault.ProfileChanged},
		{"a version to come", "contracts", `"4"`, 412, fault.ProfileChanged},
		{"a weak tag", "contracts", `W/"3"`, 412, fault.ProfileChanged},
		{"a tag that is not ours", "contracts", `"x"`, 412, fault.ProfileChanged},
		{"the same number, written in another way", "contracts", `"03"`, 412, fault.ProfileChanged},
		{"version 0, which makes a profile", "contracts", `"0"`, 412, fault.ProfileChanged},
		{"a number that is too large", "contracts", `"99999999999999999999"`, 412, fault.ProfileChanged},
		{"none", "contracts", "", 428, fault.RequestInvalid},
		{"no quotes", "contracts", "3", 400, fault.RequestInvalid},
		{"two tags", "contracts", `"3", "4"`, 400, fault.RequestInvalid},
		{"no such profile", "nothing", `"3"`, 404, fault.ProfileNotFound},
		{"no such profile, in any version", "nothing", "*", 404, fault.ProfileNotFound},
		{"a name that none can have", "Contracts", "*", 404, fault.ProfileNotFound},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for method, success := range map[string]int{"PUT": 200, "DELETE": 204} {
				s := newService(t)
				r := s.send(t, method, "/api/profiles/"+tt.path, `{"format":"Pades","certificate":{"source":"Kms","kms":{"keyId":"alias/a","certificate":"s3://keys/k"}}}`, "If-Match", tt.match)
				if tt.status != 0 {
					wantProblem(t, r, tt.status, tt.code)
				} else if r.StatusCode != success {
					t.Errorf("%s = %d %s, want %d", method, r.StatusCode, bodyOf(t, r), success)
				}
			}
		})
	}
}

func TestDeleteProfileInUse(t *testing.T) {
	t.Parallel()
	s := newService(t)
	wantProblem(t, s.send(t, "DELETE", "/api/profiles/default", "", "If-Match", "*"), 409, fault.ProfileInUse)
	if s.send(t, "DELETE", "/api/profiles/off", "", "If-Match", "*"); s.profiles["off"].Name != "" {
		t.Error("the profile is still there")
	}
}

func TestProfileRequests(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body, kind string
		status           int
		code             fault.Code
	}{
		{"no body", "", "", 400, fault.RequestInvalid},
		{"no JSON", "{", "", 400, fault.RequestInvalid},
		{"no object", "[]", "", 400, fault.RequestInvalid},
		{"said to be something else", newProfile, "text/plain", 400, fault.RequestInvalid},
		{"a field that is unknown", `{"name":"new","pattern":1}`, "", 400, fault.RequestInvalid},
		{"a field in another case", `{"Name":"new"}`, "", 400, fault.RequestInvalid},
		{"a field twice", `{"name":"new","name":"new"}`, "", 400, fault.RequestInvalid},
		{"a field twice, inside", `{"name":"new","certificate":{"kms":{"keyId":"a","keyId":"b"}}}`, "", 400, fault.RequestInvalid},
		{"a word for a flag", `{"name":"new","verify":"yes"}`, "", 400, fault.RequestInvalid},
		{"a number that is none", `{"name":"new","certificate":{"cloudHsm":{"slot":1e99}}}`, "", 400, fault.RequestInvalid},
		{"half a page", `{"name":"new","signature":{"seal":{"page":1.5}}}`, "", 400, fault.RequestInvalid},
		{"too large", `{"name":"` + strings.Repeat("a", api.MaxProfile) + `"}`, "", 413, fault.RequestTooLarge},
		{"a name that is taken", strings.Replace(newProfile, "new", "contracts", 1), "", 409, fault.ProfileExists},
		{"rules that are broken", `{}`, "", 422, fault.ProfileInvalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			wantProblem(t, s.send(t, "POST", "/api/profiles", tt.body, "Content-Type", tt.kind), tt.status, tt.code)
		})
	}
	s := newService(t)
	wantProblem(t, s.send(t, "PUT", "/api/profiles/contracts", newProfile, "If-Match", "*"), 400, fault.RequestInvalid)
	if len(s.saved) != 0 {
		t.Error("a profile was renamed")
	}
}

// FuzzProfile holds that a body of any content is saved or refused, and never our failure.
func FuzzProfile(f *testing.F) {
	for _, body := range []string{newProfile, `{"certificate":{"cloudHsm":{"slot":1e99}}}`, `{"approval":{}}`, `{"name":null,"signature":{"seal":{"left":1e308}}}`, "\xff", `[{}]`} {
		f.Add(body, "pt-BR", `"3"`)
	}
	s := newService(f)
	f.Fuzz(func(t *testing.T, body, language, match string) {
		s.furnish()
		for method, path := range map[string]string{"POST": "/api/profiles", "PUT": "/api/profiles/contracts"} {
			r := s.send(t, method, path, body, "Accept-Language", language, "If-Match", match)
			if r.StatusCode >= 500 || r.StatusCode < 200 {
				t.Errorf("%s = %d %s", method, r.StatusCode, bodyOf(t, r))
			}
		}
	})
}
