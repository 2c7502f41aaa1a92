package profile_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/profile"
)

func TestIn(t *testing.T) {
	t.Parallel()
	p := withKms()
	p.Format = profile.Auto
	r := p.Check()[0]
	const english = `is missing, and only the profile "default" goes by the file's extension; set Pades, Cades or Xades`
	for l, want := range map[profile.Language]string{
		profile.Portuguese: `está ausente, e só o perfil "default" segue a extensão do arquivo; defina Pades, Cades ou Xades`,
		profile.English:    english,
		"de-DE":            english,
		"":                 english,
	} {
		if message, remedy := r.In(l); message+"; "+remedy != want {
			t.Errorf("In(%q) = %s; %s, want %s", l, message, remedy, want)
		}
	}
	if r.Message+"; "+r.Remedy != english {
		t.Errorf("Message and Remedy = %s; %s, want English", r.Message, r.Remedy)
	}
	if message, remedy := (profile.Refusal{Message: "is wrong", Remedy: "right it"}).In(profile.Portuguese); message != "is wrong" || remedy != "right it" {
		t.Errorf("a refusal without Portuguese says %s; %s, want its English", message, remedy)
	}
}

// words are what both languages must have in common: keys, values and names, which have a capital letter, a digit or a sign
// that no word has.
var words = regexp.MustCompile(`"[^"]*"|\{\w+\}|[^\s,;()"]*[A-Z0-9%@/|{}][^\s,;()"]*`)

func fixed(text string) []string {
	found := map[string]bool{}
	for _, w := range words.FindAllString(text, -1) {
		found[strings.TrimRight(w, ".:")] = true
	}
	return slices.Sorted(maps.Keys(found))
}

// Every refusal says the same in both languages, and means the same keys and values.
func TestEveryRefusalIsInBothLanguages(t *testing.T) {
	t.Parallel()
	portuguese := map[string]string{}
	for _, r := range profile.Table() {
		message, remedy := r.In(profile.Portuguese)
		for english, translated := range map[string]string{r.Message: message, r.Remedy: remedy} {
			if english == "" || translated == "" || english == translated || strings.Contains(english+translated, "%!") {
				t.Errorf("rule %d, %s: %q and %q, want one sentence in each language", r.Rule, r.Key, english, translated)
			}
			if diff := cmp.Diff(fixed(english), fixed(translated)); diff != "" {
				t.Errorf("rule %d, %s: words that stay (-English +Portuguese):\n%s", r.Rule, r.Key, diff)
			}
			if other, said := portuguese[english]; said && other != translated {
				t.Errorf("%q is %q and %q, want one of the two", english, other, translated)
			}
			portuguese[english] = translated
		}
	}
}

// Every row of the table in the code is broken by a row of the table in the tests.
func TestEveryRuleIsTried(t *testing.T) {
	t.Parallel()
	type row struct {
		rule         int
		key, message string
	}
	tried := map[row]bool{}
	for _, tt := range refusals {
		p := tt.from()
		tt.breaks(&p)
		for _, r := range p.Check() {
			tried[row{r.Rule, r.Key, r.Message}] = true
		}
	}
	for _, r := range profile.Rules() {
		if !tried[row{r.Rule, r.Key, r.Message}] {
			t.Errorf("rule %d, %s, which %s, is broken by no test", r.Rule, r.Key, r.Message)
		}
	}
}
