package profile_test

import (
	"strings"
	"testing"

	"bulksigner/internal/profile"
)

func TestFolderTaken(t *testing.T) {
	t.Parallel()
	got := profile.FolderTaken("ledgers")
	message, remedy := got.In(profile.Portuguese)
	if got.Rule != 12 || got.Key != "SignerFolder:Id" || !strings.Contains(got.Message, `"ledgers"`) || got.Remedy == "" ||
		!strings.Contains(message, `"ledgers"`) || remedy == "" {
		t.Errorf("FolderTaken = %v, want rule 12 naming the other profile in both languages", got)
	}
}

func TestRefusalsOfASave(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		got  profile.Refusal
		rule int
		key  string
	}{
		{"name taken", profile.NameTaken, 1, "Name"},
		{"certificate without CPF", profile.WithoutHolder, 17, "Certificate"},
	}
	for _, tt := range tests {
		if tt.got.Rule != tt.rule || tt.got.Key != tt.key {
			t.Errorf("%s: %v, want rule %d for %s", tt.name, tt.got, tt.rule, tt.key)
		}
	}
}

func TestCheckFolders(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		from    func() profile.Profile
		changes func(*profile.Profile)
		rule    int
		key     string
	}{
		{"takes files", withKms, func(*profile.Profile) {}, 0, ""},
		{"takes files for a person", withParticipant, func(*profile.Profile) {}, 0, ""},
		{"takes no files", withFolder, func(*profile.Profile) {}, 15, "Method"},
		{"takes no files and is disabled", withFolder, func(p *profile.Profile) { p.Enabled = false }, 15, "Method"},
		{"disabled", withKms, func(p *profile.Profile) { p.Enabled = false }, 35, "Enabled"},
		{"default, of which Check says it", withKms, func(p *profile.Profile) { p.Name, p.Enabled = profile.Default, false }, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := tt.from()
			tt.changes(&p)
			if got := p.CheckFolders(false); got != nil {
				t.Errorf("without folders, CheckFolders = %v, want nil", got)
			}
			got := p.CheckFolders(true)
			if tt.rule == 0 {
				if got != nil {
					t.Errorf("CheckFolders = %v, want nil", got)
				}
				return
			}
			if len(got) != 1 || got[0].Rule != tt.rule || got[0].Key != tt.key {
				t.Errorf("CheckFolders = %v, want rule %d for %s", got, tt.rule, tt.key)
			}
		})
	}
}
