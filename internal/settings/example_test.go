package settings_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"bulksigner/internal/settings"
)

// The example is what whoever has not written a settings file yet begins with.
func TestTheExampleIsComplete(t *testing.T) {
	t.Parallel()
	if _, err := settings.Load(os.DirFS("../.."), "settings.example.json", nil, settings.API); err != nil {
		t.Error(err)
	}
}

var readmeProfile = regexp.MustCompile("(?s)```json\n(.*?)```")

// The profile that the manual shows may be added to the example as it stands.
func TestTheManualsProfileIsComplete(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := readmeProfile.FindSubmatch(readme)
	if shown == nil {
		t.Fatal("README.md shows no profile")
	}
	example, err := os.ReadFile("../../settings.example.json")
	if err != nil {
		t.Fatal(err)
	}
	profile := strings.Replace(string(shown[1]), `"contracts"`, `"contracts-2"`, 1) // the example has one of its name
	file := strings.Replace(string(example), `"Profiles": [`, `"Profiles": [`+profile+`,`, 1)
	got, err := load(t, file)
	if err != nil || len(got.Signing.Profiles) < 2 {
		t.Errorf("%d profiles, %v, want the manual's besides the example's", len(got.Signing.Profiles), err)
	}
}
