package profile_test

import (
	"strings"
	"testing"

	"bulksigner/internal/profile"
)

func TestLanguageFor(t *testing.T) {
	t.Parallel()
	const en, pt = profile.English, profile.Portuguese
	tests := []struct {
		name, accept string
		want         profile.Language
	}{
		{"nothing", "", en},
		{"Portuguese", "pt-BR", pt},
		{"in any case", "PT-br", pt},
		{"Portuguese of anywhere", "pt", pt},
		{"Portuguese of Portugal", "pt-PT", pt},
		{"English", "en-GB", en},
		{"a browser in Brazil", "pt-BR,pt;q=0.9,en-US;q=0.8,en;q=0.7", pt},
		{"a browser elsewhere", "en-US,en;q=0.9,pt-BR;q=0.8", en},
		{"the weight counts, not the place", "en;q=0.3, pt;q=0.8", pt},
		{"the first of equals", "pt, en", pt},
		{"the first of equals in three places", "en;q=0.500, pt;q=0.5", en},
		{"others are passed over", "de-DE, fr;q=0.9, pt;q=0.1", pt},
		{"none that there is", "de-DE, fr;q=0.9", en},
		{"any", "*", en},
		{"any before Portuguese", "pt;q=0.5, *", en},
		{"any after Portuguese", "pt, *;q=0.5", pt},
		{"not at all", "pt;q=0", en},
		{"not at all in three places", "pt;q=0.000, de", en},
		{"spaces and tabulators", " \tpt-BR ; Q=1.000\t, en", pt},
		{"weight out of range", "pt;q=2, en;q=0.1", en},
		{"weight that is no number", "pt;q=NaN", en},
		{"weight too fine", "pt;q=0.9999", en},
		{"no weight where one should be", "pt;", en},
		{"another parameter", "pt;level=1", en},
		{"what only begins like it", "ptx, pt_BR", en},
		{"empty elements", ",,pt,", pt},
		{"longest", strings.Repeat(" ", 4094) + "pt", pt},
		{"too long", strings.Repeat(" ", 4095) + "pt", en},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := profile.LanguageFor(tt.accept); got != tt.want {
				t.Errorf("LanguageFor(%.60q) = %s, want %s", tt.accept, got, tt.want)
			}
		})
	}
}

// FuzzLanguageFor holds that any header gives a language that there is.
func FuzzLanguageFor(f *testing.F) {
	f.Add("pt-BR,pt;q=0.9,en-US;q=0.8,en;q=0.7")
	f.Add("*;q=0.5, pt;q=")
	f.Fuzz(func(t *testing.T, accept string) {
		switch got := profile.LanguageFor(accept); {
		case got != profile.English && got != profile.Portuguese:
			t.Errorf("LanguageFor(%q) = %s, want a language", accept, got)
		case got == profile.Portuguese && !strings.Contains(strings.ToLower(accept), "pt"):
			t.Errorf("LanguageFor(%q) = %s, which nobody asked for", accept, got)
		}
	})
}
