package table_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/aws/table"
	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

// inFolder is a profile that is bound to a folder.
func inFolder(name, folderID string) profile.Profile {
	p := profile.New(name)
	p.Method, p.SignerFolder = profile.SignerFolder, &profile.Binding{ID: folderID, Name: "Contratos"}
	return p
}

// save writes a profile over a version and returns it as it is then.
func (f fixture) save(t *testing.T, p profile.Profile, from int64) profile.Profile {
	t.Helper()
	if err := f.SaveProfile(t.Context(), p, from); err != nil {
		t.Fatalf("SaveProfile(%s, %d) = %v", p.Name, from, err)
	}
	p.Version = from + 1
	return p
}

// holds demands who has which of the folders f1 to f3; "" is nobody.
func (f fixture) holds(t *testing.T, want ...string) {
	t.Helper()
	for n, name := range want {
		got, _ := plain(t, f.item(t, fmt.Sprint("FOLDER#f", n+1), "PROFILE"))["profile"].(string)
		if got != name {
			t.Errorf("folder f%d is bound to %q, want %q", n+1, got, name)
		}
	}
}

func TestAProfileAndItsFolderAreSavedTogether(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		local := profile.New("a")
		other := inFolder("a", "f3")
		other.Method = profile.Local // a folder beside another method binds nothing
		steps := []struct {
			name string
			p    profile.Profile
			want string // of f1, f2, f3
		}{
			{"a new profile takes its folder", inFolder("a", "f1"), "a,,"},
			{"the same once more", inFolder("a", "f1"), "a,,"},
			{"another folder lets the first go", inFolder("a", "f2"), ",a,"},
			{"another method lets it go", local, ",,"},
			{"a folder again", inFolder("a", "f1"), "a,,"},
			{"a folder that another method keeps", other, ",,"},
			{"for good", inFolder("a", "f3"), ",,a"},
		}
		for n, s := range steps {
			want := f.save(t, s.p, int64(n))
			f.holds(t, strings.Split(s.want, ",")...)
			got, err := f.Profiles().Get(t.Context(), "a")
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%s: Get = %v (-want +got):\n%s", s.name, err, diff)
			}
		}
	})
}

func TestAProfileIsNotSaved(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		f.save(t, inFolder("a", "f1"), 0)
		f.save(t, inFolder("b", "f2"), 0)
		f.save(t, profile.New("c"), 0)
		tests := []struct {
			name string
			p    profile.Profile
			from int64
			want error
		}{
			{"a new profile in another's folder", inFolder("d", "f1"), 0, fault.ProfileFolderTaken},
			{"a profile that moves into another's folder", inFolder("b", "f1"), 1, fault.ProfileFolderTaken},
			{"a profile that gets another's folder", inFolder("c", "f1"), 1, fault.ProfileFolderTaken},
			{"a new profile that is there", inFolder("c", "f3"), 0, fault.JobRaceLost},
			{"the same request again", inFolder("a", "f1"), 0, nil},
			{"a version that was", inFolder("b", "f3"), 2, fault.JobRaceLost},
			{"a version that was, in another's folder", inFolder("b", "f1"), 2, fault.JobRaceLost},
			{"a profile that is gone", profile.New("d"), 1, fault.ProfileNotFound},
			{"no name for a profile", profile.New("#SEED"), 0, fault.ProfileNotFound},
		}
		for _, tt := range tests {
			err := f.SaveProfile(t.Context(), tt.p, tt.from)
			if !errors.Is(err, tt.want) {
				t.Errorf("%s: SaveProfile = %v, want %v", tt.name, err, tt.want)
			}
			if tt.want == fault.ProfileFolderTaken && !strings.Contains(fault.DetailOf(err), `"a"`) {
				t.Errorf("%s: the detail %q does not name the other profile", tt.name, fault.DetailOf(err))
			}
		}
		f.holds(t, "a", "b", "")
		all, err := f.Profiles().List(t.Context())
		if err != nil || len(all) != 3 || all[0].Version+all[1].Version+all[2].Version != 3 {
			t.Errorf("List = %v, %v, want three at their first version", all, err)
		}
	})
}

func TestADeletedProfileLeavesNothing(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		f.save(t, inFolder("a", "f1"), 0)
		gone := profile.Degradation{Code: "signer-folder.not-found", Since: now, FolderID: "f1"}
		if err := f.Profiles().Degrade(t.Context(), "a", gone); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			name string
			from int64
			want error
		}{{"a", 2, fault.JobRaceLost}, {"a", 0, fault.JobRaceLost}, {"b", 1, fault.ProfileNotFound}, {"a", 1, nil}, {"a", 1, fault.ProfileNotFound}} {
			if err := f.DeleteProfile(t.Context(), tt.name, tt.from); !errors.Is(err, tt.want) {
				t.Errorf("DeleteProfile(%s, %d) = %v, want %v", tt.name, tt.from, err, tt.want)
			}
		}
		f.holds(t, "")
		if i := f.item(t, "PROFILES", "a#DEGRADED"); len(i) != 0 {
			t.Error("the degradation outlives its profile")
		}
		// A job that was at work may say afterwards what was wrong with it. That says nothing about a new profile.
		if err := f.Profiles().Degrade(t.Context(), "a", profile.Degradation{Code: "key.not-found", Since: now}); err != nil {
			t.Fatal(err)
		}
		want := f.save(t, inFolder("a", "f1"), 0)
		got, err := f.Profiles().Get(t.Context(), "a")
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("Get = %v (-want +got):\n%s", err, diff)
		}
	})
}

// between does something right before a transaction reaches the table.
type between struct {
	table.DB
	do func()
}

// TransactWriteItems comes second.
func (b *between) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	b.do()
	return b.DB.TransactWriteItems(ctx, in, o...)
}

func TestAProfileThatMovesMeanwhileIsLeftAlone(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		f.save(t, inFolder("b", "f2"), 0)
		f.save(t, inFolder("a", "f1"), 0)
		version := int64(1)
		s := table.New(&between{f.db, func() {
			f.save(t, inFolder("a", fmt.Sprint("f", 1+2*(version%2))), version)
			version++
		}}, f.name)
		tests := map[string]func() error{
			"deleted":                   func() error { return s.DeleteProfile(t.Context(), "a", version) },
			"saved":                     func() error { return s.SaveProfile(t.Context(), profile.New("a"), version) },
			"saved in another's folder": func() error { return s.SaveProfile(t.Context(), inFolder("a", "f2"), version) },
		}
		for name, change := range tests {
			if err := change(); !errors.Is(err, fault.JobRaceLost) {
				t.Errorf("%s: err = %v, want %v", name, err, fault.JobRaceLost)
			}
			if p, err := f.Profiles().Get(t.Context(), "a"); err != nil || p.Version != version {
				t.Errorf("%s: the profile is at version %d, %v, want %d", name, p.Version, err, version)
			}
		}
		f.holds(t, "", "b", "a")
	})
}

// Of simultaneous saves in one folder the store admits one, and all others learn whose it is.
func TestOfManyProfilesOneGetsAFolder(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		if b.name == "moto" {
			return // see overtaking
		}
		f := open(t, b)
		const profiles = 200
		errs := concurrently(profiles, func(n int) error { return f.SaveProfile(t.Context(), inFolder(fmt.Sprint("p", n), "f1"), 0) })
		winner := slices.Index(errs, nil)
		if winner < 0 {
			t.Fatal("nobody got the folder")
		}
		name := fmt.Sprint("p", winner)
		f.holds(t, name)
		told := 0
		for _, err := range errs {
			if errors.Is(err, fault.ProfileFolderTaken) && strings.Contains(fault.DetailOf(err), fmt.Sprintf("%q", name)) {
				told++
			}
		}
		if told != profiles-1 {
			t.Errorf("%d were told that %s has the folder, want %d", told, name, profiles-1)
		}
	})
}

func TestADegradationCountsWhileItsFolderIsBound(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		gone := func(folderID string) profile.Degradation {
			return profile.Degradation{Code: "signer-folder.not-found", Reason: "gone", Since: now, FolderID: folderID}
		}
		f.save(t, inFolder("a", "f1"), 0)
		steps := []struct {
			name string
			do   func() error
			want profile.Degradation
		}{
			{"its folder is gone", func() error { return f.Profiles().Degrade(t.Context(), "a", gone("f1")) }, gone("f1")},
			{"it is bound to another", func() error { return f.SaveProfile(t.Context(), inFolder("a", "f2"), 1) }, profile.Degradation{}},
			{"that one is gone too", func() error { return f.Profiles().Degrade(t.Context(), "a", gone("f2")) }, gone("f2")},
			{"it has no folder", func() error { return f.SaveProfile(t.Context(), profile.New("a"), 2) }, profile.Degradation{}},
			{"it has the folder again", func() error { return f.SaveProfile(t.Context(), inFolder("a", "f2"), 3) }, gone("f2")},
		}
		for _, s := range steps {
			if err := s.do(); err != nil {
				t.Fatalf("%s: %v", s.name, err)
			}
			one, err := f.Profiles().Get(t.Context(), "a")
			if diff := cmp.Diff(s.want, one.Degraded); diff != "" || err != nil {
				t.Errorf("%s: Get = %v (-want +got):\n%s", s.name, err, diff)
			}
			all, err := f.Profiles().List(t.Context())
			if err != nil || len(all) != 1 || all[0].Degraded != s.want {
				t.Errorf("%s: List = %v, %v", s.name, all, err)
			}
		}
	})
}

// calls counts the batches that are read.
type calls struct {
	table.DB
	batches int
}

// BatchGetItem counts.
func (c *calls) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	c.batches++
	return c.DB.BatchGetItem(ctx, in, o...)
}

func TestBoundProfilesAreFoundByFolder(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		in := append([]profile.Profile{profile.New("local")}, inFolders(49)...)
		in[1].Enabled = false
		seeded(t, f, in...)
		bad := profile.Degradation{Code: "key.not-found", Since: now}
		if err := f.Profiles().Degrade(t.Context(), "p7", bad); err != nil {
			t.Fatal(err)
		}
		in[8].Degraded = bad
		want, folders := map[string]profile.Profile{}, []string{"none", "nobody", "f0", "f0"}
		for n, p := range in[1:] {
			want[fmt.Sprint("f", n)] = imported(p)
			folders = append(folders, fmt.Sprint("f", n), fmt.Sprint("unbound", n))
		}
		// What a binding leads to says itself which folder it has.
		f.put(t, map[string]types.AttributeValue{"pk": text("FOLDER#none"), "sk": text("PROFILE"), "profile": text("p3")})
		db := &calls{DB: f.db}
		s := table.New(db, f.name)
		got, err := s.Bound(t.Context(), folders[:101])
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("Bound = %v (-want +got):\n%s", err, diff)
		}
		if db.batches != 2 {
			t.Errorf("%d batches were read, want 2", db.batches)
		}
		for _, none := range [][]string{nil, {"none"}, {"nobody"}} {
			if got, err := s.Bound(t.Context(), none); len(got) != 0 || err != nil {
				t.Errorf("Bound(%v) = %v, %v, want none", none, got, err)
			}
		}
	})
}
