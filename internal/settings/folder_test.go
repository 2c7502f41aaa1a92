package settings_test

import (
	"strings"
	"testing"

	"bulksigner/internal/settings"
)

func TestFolder(t *testing.T) {
	t.Parallel()
	nested := settings.Settings{Storage: settings.Storage{Inputs: []settings.Input{
		{Name: "contracts", Prefix: "in/contracts/"}, {Name: "in", Prefix: "in/"}, {Name: "urgent", Prefix: "in/contracts/urgent/"},
	}}}
	whole := settings.Settings{Storage: settings.Storage{Inputs: []settings.Input{{Name: "all"}, {Name: "deep", Prefix: "a/"}}}}
	tests := []struct {
		name         string
		s            settings.Settings
		key          string
		folder, file string
		ok           bool
	}{
		{"one match", nested, "in/a.pdf", "in", "a.pdf", true},
		{"the longest match", nested, "in/contracts/a.pdf", "contracts", "a.pdf", true},
		{"longer still, with the rest's slashes", nested, "in/contracts/urgent/2026/a.pdf", "urgent", "2026/a.pdf", true},
		{"none", nested, "out/a.pdf", "", "", false},
		{"case counts", nested, "In/a.pdf", "", "", false},
		{"the marker of a folder", nested, "in/contracts/", "", "", false},
		{"everything", whole, "b/c.pdf", "all", "b/c.pdf", true},
		{"everything but what is nested", whole, "a/c.pdf", "deep", "c.pdf", true},
		{"uploads belong to none", whole, "uploads/1/c.pdf", "", "", false},
		{"what only begins like uploads", whole, "uploads.pdf", "all", "uploads.pdf", true},
		{"no key", whole, "", "", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in, file, ok := tt.s.Folder(tt.key)
			if in.Name != tt.folder || file != tt.file || ok != tt.ok {
				t.Errorf("Folder(%s) = %s, %s, %t, want %s, %s, %t", tt.key, in.Name, file, ok, tt.folder, tt.file, tt.ok)
			}
		})
	}
}

func TestIgnored(t *testing.T) {
	t.Parallel()
	in := settings.Input{IgnoredExtensions: []string{".bak"}, IgnoredPrefixes: []string{"draft-"}}
	s := settings.Settings{WatchedFolder: settings.WatchedFolder{IgnoredExtensions: []string{".tmp"}, IgnoredPrefixes: []string{".", "~$"}}}
	tests := []struct{ name, want string }{
		{"a.pdf", ""},
		{"a.tmp", "extension .tmp"},
		{"A.TMP", "extension .tmp"},
		{"a.pdf.bak", "extension .bak"},
		{"a.tmp.pdf", ""},
		{".hidden", "prefix ."},
		{"~$letter.docx", "prefix ~$"},
		{"draft-1.pdf", "prefix draft-"},
		{"Draft-1.pdf", ""},
		{".git/config", ""},
		{"sub/.hidden", "prefix ."},
		{"sub/a.tmp", "extension .tmp"},
		{"sub/", "it is a folder"},
	}
	for _, tt := range tests {
		reason, ignored := s.Ignored(in, tt.name)
		if reason != tt.want || ignored != (tt.want != "") {
			t.Errorf("Ignored(%s) = %q, %t, want %q", tt.name, reason, ignored, tt.want)
		}
	}
}

func TestPrefixes(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, prefix, want string }{
		{"whole bucket", "", ""},
		{"one element", "in/", ""},
		{"accents and spaces", "à assinar/2026/", ""},
		{"what only begins like uploads", "uploads-old/", ""},
		{"no slash at the end", "in", "does not end in a slash"},
		{"slash at the beginning", "/in/", "begins with a slash, as no key of a file does"},
		{"slash alone", "/", "begins with a slash, as no key of a file does"},
		{"uploads", "uploads/", "lies within uploads/, where the API puts its files"},
		{"below uploads", "uploads/in/", "lies within uploads/, where the API puts its files"},
		{"empty element", "in//a/", "has an element that is empty or made of dots"},
		{"dots", "in/../a/", "has an element that is empty or made of dots"},
		{"a dot", "./", "has an element that is empty or made of dots"},
		{"control character", "in\t/", "is longer than 512 bytes or has control characters"},
		{"too long", strings.Repeat("a", 512) + "/", "is longer than 512 bytes or has control characters"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := load(t, "{"+kms+","+apiKey+`,"Storage":{"Inputs":[{"Prefix":`+quote(t, tt.prefix)+`}]}}`)
			if tt.want == "" && err != nil {
				t.Errorf("prefix %q: %v", tt.prefix, err)
			}
			if tt.want == "" {
				return
			}
			if got := faults(t, err); len(got) != 1 || got[0].Key != "Storage:Inputs[0]:Prefix" || got[0].Message != tt.want {
				t.Errorf("prefix %q: %v, want %s", tt.prefix, got, tt.want)
			}
		})
	}
}

// A profile may be read disabled while a watched folder names it, but not be saved so, nor so that it takes no files.
func TestCheckSeesTheFolders(t *testing.T) {
	t.Parallel()
	hiring := strings.Replace(personProfile, `"default"`, `"hiring","Format":"Pades","Enabled":false`, 1)
	got, err := load(t, `{`+apiKey+`,`+signerSection+`,"Signing":{"Profiles":[`+hiring+`,`+folderProfile+`]},
		"Storage":{"Inputs":[{"Prefix":"in/","Profile":"Hiring"}]}}`)
	if err != nil {
		t.Fatal(err)
	}
	disabled, folder := got.Signing.Profiles[0], got.Signing.Profiles[1]
	if refusals := got.Check(disabled); len(refusals) != 1 || refusals[0].Rule != 35 {
		t.Errorf("disabled, Check = %v, want rule 35", refusals)
	}
	if refusals := got.Check(folder); refusals != nil {
		t.Errorf("a profile that no folder names, Check = %v, want nil", refusals)
	}
	folder.Name = "hiring"
	if refusals := got.Check(folder); len(refusals) != 1 || refusals[0].Rule != 15 {
		t.Errorf("taking no files, Check = %v, want rule 15", refusals)
	}
}

func TestFilesNeedAProfile(t *testing.T) {
	t.Parallel()
	contracts := `{` + apiKey + `,"Signing":{"TrustAnchors":["root.pem"],"Profiles":[{"Name":"contracts","Format":"Pades","Certificate":
		{"Source":"Kms","Kms":{"KeyId":"alias/a","Certificate":"s3://bucket/a.pem"}}}]}`
	tests := []struct{ name, storage, key string }{
		{"no folders", ``, "Storage:Inputs"},
		{"a folder that names none", `,"Storage":{"Inputs":[{"Prefix":"in/"}]}`, "Storage:Inputs[0]:Profile"},
		{"a folder that names it", `,"Storage":{"Inputs":[{"Prefix":"in/","Profile":"contracts"}]}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := load(t, contracts+tt.storage+`}`)
			if tt.key == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if got := faults(t, err); len(got) != 1 || got[0].Key != tt.key {
				t.Errorf("faults = %v, want one for %s", got, tt.key)
			}
		})
	}
}
