package table_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

// some are two profiles, one of which has a name that begins like the other's.
func some() []profile.Profile {
	p := profile.New("contracts")
	p.Format, p.Signature.Reason = profile.Cades, "Aprovação"
	p.Certificate = &profile.Certificate{Source: profile.Kms, Kms: &profile.KmsKey{KeyID: "alias/contracts", Certificate: "s3://certificates/contracts.pem"}}
	q := profile.New("contracts-2")
	q.Enabled, q.Verify = false, false
	return []profile.Profile{p, q}
}

// imported is a profile as it is after its import.
func imported(p profile.Profile) profile.Profile {
	p.Version = 1
	return p
}

func seeded(t *testing.T, f fixture, profiles ...profile.Profile) {
	t.Helper()
	if ok, err := f.ImportProfiles(t.Context(), profiles, now); err != nil || !ok {
		t.Fatalf("ImportProfiles = %t, %v", ok, err)
	}
}

func TestImportedProfilesAreRead(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		if begun, err := f.Seeded(t.Context()); err != nil || !begun.IsZero() {
			t.Errorf("Seeded before = %v, %v, want never", begun, err)
		}
		in := some()
		seeded(t, f, in...)
		want := []profile.Profile{imported(in[0]), imported(in[1])}
		got, err := f.Profiles().List(t.Context())
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("List = %v (-want +got):\n%s", err, diff)
		}
		one, err := f.Profiles().Get(t.Context(), "contracts")
		if diff := cmp.Diff(want[0], one); diff != "" || err != nil {
			t.Errorf("Get = %v (-want +got):\n%s", err, diff)
		}
		if begun, err := f.Seeded(t.Context()); err != nil || !begun.Equal(now) {
			t.Errorf("Seeded = %v, %v, want %v", begun, err, now)
		}
	})
}

func TestNothingElseIsAProfile(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		seeded(t, f, some()...)
		if err := f.Profiles().Degrade(t.Context(), "contracts", profile.Degradation{Code: "x"}); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"", "none", "contract", "#SEED", "contracts#DEGRADED", "a\x00b"} {
			if _, err := f.Profiles().Get(t.Context(), name); !errors.Is(err, fault.ProfileNotFound) {
				t.Errorf("Get(%q) = %v, want %v", name, err, fault.ProfileNotFound)
			}
		}
		if err := f.Profiles().Degrade(t.Context(), "#SEED", profile.Degradation{}); !errors.Is(err, fault.ProfileNotFound) {
			t.Errorf("Degrade = %v, want %v", err, fault.ProfileNotFound)
		}
	})
}

func TestADegradationStandsBesideItsProfile(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		seeded(t, f, some()...)
		profiles := f.Profiles()
		expired := profile.Degradation{Code: "certificate.expired", Reason: "since Monday", Since: now}
		later := expired
		later.Since = now.Add(time.Hour)
		gone := profile.Degradation{Code: "key.not-found", Since: now.Add(2 * time.Hour)}
		steps := []struct {
			name string
			do   func() error
			want profile.Degradation
		}{
			{"nothing is wrong", func() error { return profiles.Restore(t.Context(), "contracts") }, profile.Degradation{}},
			{"it cannot sign", func() error { return profiles.Degrade(t.Context(), "contracts", expired) }, expired},
			{"the same again keeps its time", func() error { return profiles.Degrade(t.Context(), "contracts", later) }, expired},
			{"another reason", func() error { return profiles.Degrade(t.Context(), "contracts", gone) }, gone},
			{"that of another profile", func() error { return profiles.Degrade(t.Context(), "contracts-2", expired) }, gone},
			{"one without a profile", func() error { return profiles.Degrade(t.Context(), "contracts-3", expired) }, gone},
			{"it can sign", func() error { return profiles.Restore(t.Context(), "contracts") }, profile.Degradation{}},
		}
		for _, s := range steps {
			if err := s.do(); err != nil {
				t.Fatalf("%s: %v", s.name, err)
			}
			got, err := profiles.Get(t.Context(), "contracts")
			if diff := cmp.Diff(s.want, got.Degraded); diff != "" || err != nil || got.Version != 1 {
				t.Errorf("%s: version %d, %v (-want +got):\n%s", s.name, got.Version, err, diff)
			}
		}
		all, err := profiles.List(t.Context())
		if err != nil || len(all) != 2 || all[0].Degraded != (profile.Degradation{}) || all[1].Degraded != expired {
			t.Errorf("List = %v, %v, want the second degraded", all, err)
		}
	})
}

func TestASettingThatIsNotStoredHasItsDefault(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		f.put(t, map[string]types.AttributeValue{
			"pk": text("PROFILES"), "sk": text("old"), "version": &types.AttributeValueMemberN{Value: "7"}, "settings": text(`{"Format":"Pades","Newer":1}`),
		})
		want := profile.New("old")
		want.Format, want.Version = profile.Pades, 7
		got, err := f.Profiles().Get(t.Context(), "old")
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("Get = %v (-want +got):\n%s", err, diff)
		}
	})
}

func TestTheImportHappensOnce(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		seeded(t, f, some()...)
		for _, name := range []string{"contracts", "contracts-2"} {
			_, err := f.db.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
				TableName: &f.name, Key: map[string]types.AttributeValue{"pk": text("PROFILES"), "sk": text(name)},
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if ok, err := f.ImportProfiles(t.Context(), some(), now.Add(time.Hour)); ok || err != nil {
			t.Errorf("the second import = %t, %v, want none", ok, err)
		}
		if all, err := f.Profiles().List(t.Context()); len(all) != 0 || err != nil {
			t.Errorf("List = %v, %v, want none: what was deleted came back", all, err)
		}
		if begun, err := f.Seeded(t.Context()); err != nil || !begun.Equal(now) {
			t.Errorf("Seeded = %v, %v, want the first import's %v", begun, err, now)
		}
	})
}

func TestOfManyImportsOneHappens(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		if b.name == "moto" {
			return // see overtaking
		}
		f := open(t, b)
		oneWins(t, concurrently(20, func(int) error {
			ok, err := f.ImportProfiles(t.Context(), some(), now)
			if err == nil && !ok {
				return fault.JobRaceLost
			}
			return err
		}))
	})
}

// inFolders are profiles that are each bound to a folder.
func inFolders(n int) (profiles []profile.Profile) {
	for i := range n {
		profiles = append(profiles, inFolder(fmt.Sprint("p", i), fmt.Sprint("f", i)))
	}
	return profiles
}

func TestAnImportHasLimits(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		numbered := func(n int) (profiles []profile.Profile) {
			for i := range n {
				profiles = append(profiles, profile.New(fmt.Sprintf("p-%02d", i)))
			}
			return profiles
		}
		heavy := numbered(60)
		for n := range heavy {
			heavy[n].Certificate = &profile.Certificate{Source: profile.Kms, Kms: &profile.KmsKey{Certificate: strings.Repeat("x", profile.MaxCertificates)}}
		}
		tests := []struct {
			name     string
			profiles []profile.Profile
			want     error
		}{
			{"none", nil, nil},
			{"as many as fit", numbered(99), nil},
			{"one more", numbered(100), fault.SettingsInvalid},
			{"as many as fit with their folders", inFolders(49), nil},
			{"one more folder", inFolders(50), fault.SettingsInvalid},
			{"two in one folder", []profile.Profile{inFolder("a", "f1"), inFolder("b", "f1")}, fault.SettingsInvalid},
			{"two of one name", append(numbered(2), profile.New("p-01")), fault.SettingsInvalid},
			{"no name for a profile", []profile.Profile{profile.New("#SEED")}, fault.SettingsInvalid},
			{"more bytes than a transaction has", heavy, fault.SettingsInvalid},
		}
		for _, tt := range tests {
			f := open(t, b)
			ok, err := f.ImportProfiles(t.Context(), tt.profiles, now)
			if !errors.Is(err, tt.want) || ok != (tt.want == nil) {
				t.Errorf("%s: ImportProfiles = %t, %v, want %v", tt.name, ok, err, tt.want)
			}
			all, err := f.Profiles().List(t.Context())
			if err != nil || tt.want != nil && len(all) > 0 || tt.want == nil && len(all) != len(tt.profiles) {
				t.Errorf("%s: %d profiles were stored, %v", tt.name, len(all), err)
			}
		}
	})
}
