package workflow_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow/workflowtest"
)

// keeper is a store of profiles whose saves are kept in the world.
type keeper struct {
	*workflowtest.World
	taken string // the profile that has every folder
	busy  bool
}

func (k *keeper) SaveProfile(_ context.Context, p profile.Profile, from int64) error {
	if k.taken != "" && p.SignerFolder != nil {
		return fault.New(fault.ProfileFolderTaken, "profile %s signs in this folder", k.taken)
	}
	if k.Profile(p.Name).Version != from {
		return fault.New(fault.JobRaceLost, "it moved")
	}
	k.SetProfile(p)
	return nil
}

func (k *keeper) DeleteProfile(_ context.Context, name string, from int64) error {
	if k.Profile(name).Version != from {
		return fault.New(fault.JobRaceLost, "it moved")
	}
	return nil
}

func (k *keeper) Busy(context.Context, string) (bool, error) { return k.busy, nil }

func newKeeperScene(t *testing.T) (*remoteScene, *keeper) {
	t.Helper()
	s := newRemoteScene(t)
	k := &keeper{World: s.World}
	s.w.Keeper, s.w.Judge, s.w.Feeds = k, profile.Profile.Check, func(string) (string, bool) { return "", false }
	return s, k
}

var (
	kmsBlock = &profile.Certificate{Source: profile.Kms, Kms: &profile.KmsKey{KeyID: "alias/a", Certificate: "s3://certificates/c.pem"}}
	bound    = &profile.Binding{ID: "0f8fad5b-d9cb-469f-a165-70867728950e", Name: "Pasta"}
)

func local(name string) profile.Profile {
	return profile.Profile{Name: name, Enabled: true, Method: profile.Local, Format: profile.Pades, Verify: true, Certificate: kmsBlock,
		Signature: profile.Signature{Digest: profile.SHA256, SubFilter: "ETSI.CAdES.detached"}}
}

func TestSaveProfile(t *testing.T) {
	t.Parallel()
	folder := profile.Profile{Name: "q", Enabled: true, Method: profile.SignerFolder, Certificate: kmsBlock, SignerFolder: bound}
	tests := []struct {
		name    string
		prepare func(s *remoteScene, k *keeper)
		save    profile.Profile
		from    int64
		code    fault.Code
	}{
		{"a new one", nil, local("q"), 0, ""},
		{"a name that is taken", nil, local("p"), 0, fault.ProfileExists},
		{"one that was read before another save", nil, local("p"), 7, fault.ProfileChanged},
		{"one that is not there", nil, local("q"), 1, fault.ProfileNotFound},
		{"one that breaks a rule", nil, profile.Profile{Name: "q", Method: profile.Local}, 0, fault.ProfileInvalid},
		{"a key that cannot be opened", func(s *remoteScene, _ *keeper) { s.Keys.Fail = fault.New(fault.CertificateMismatch, "no") }, local("q"), 0, fault.CertificateMismatch},
		{"a folder", nil, folder, 0, ""},
		{"a folder that another profile has", func(_ *remoteScene, k *keeper) { k.taken = "other" }, folder, 0, fault.ProfileFolderTaken},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, k := newKeeperScene(t)
				if tt.prepare != nil {
					tt.prepare(s, k)
				}
				before := s.Profile(tt.save.Name)
				got, err := s.w.SaveProfile(t.Context(), tt.save, tt.from)
				if fault.CodeOf(err) != tt.code {
					t.Fatalf("SaveProfile = %v, want %q", err, tt.code)
				}
				if err == nil && got.Version != tt.from+1 || err != nil && s.Profile(tt.save.Name).Version != before.Version {
					t.Errorf("version %d is saved after %v", s.Profile(tt.save.Name).Version, err)
				}
			})
		})
	}
}

func TestTheOtherBlockIsCleared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, _ := newKeeperScene(t)
		ctx := t.Context()
		p, err := s.w.SaveProfile(ctx, local("q"), 0)
		if err != nil {
			t.Fatal(err)
		}
		p.Method, p.SignerFolder, p.Verify, p.Signature = profile.SignerFolder, bound, false, profile.Signature{}
		p.Certificate = nil // stays as it is stored
		if p, err = s.w.SaveProfile(ctx, p, 1); err != nil || p.Certificate == nil || p.SignerFolder == nil {
			t.Fatalf("onto the folder = %+v, %v", p, err)
		}
		p.Method, p.Signer, p.Format = profile.LacunaSigner, &participant, profile.Pades
		if p, err = s.w.SaveProfile(ctx, p, 2); err != nil || p.Certificate != nil || p.SignerFolder != nil || p.Signer == nil {
			t.Fatalf("onto a person = %+v, %v", p, err)
		}
		p.Method = profile.Local
		_, err = s.w.SaveProfile(ctx, p, 3)
		if refused, ok := errors.AsType[*profile.Refused](err); !ok || refused.Refusals[0].Rule != 4 {
			t.Errorf("back to a key that was cleared = %v, want rule 4", err)
		}
	})
}

func TestDeleteProfile(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		profile string
		from    int64
		prepare func(s *remoteScene, k *keeper)
		code    fault.Code
	}{
		{"one without jobs", "p", 0, nil, ""},
		{"one with jobs", "p", 0, func(_ *remoteScene, k *keeper) { k.busy = true }, fault.ProfileInUse},
		{"one that a folder names", "p", 0, func(s *remoteScene, _ *keeper) {
			s.w.Feeds = func(string) (string, bool) { return "inbox", true }
		}, fault.ProfileInUse},
		{"the default", profile.Default, 0, nil, fault.ProfileInUse},
		{"one that is not there", "nobody", 1, nil, fault.ProfileNotFound},
		{"one that was saved since", "p", -1, nil, fault.ProfileChanged},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, k := newKeeperScene(t)
				if tt.prepare != nil {
					tt.prepare(s, k)
				}
				from := s.Profile(tt.profile).Version + tt.from
				if err := s.w.DeleteProfile(t.Context(), tt.profile, from); fault.CodeOf(err) != tt.code {
					t.Errorf("DeleteProfile = %v, want %q", err, tt.code)
				}
			})
		})
	}
}

func TestSignerFolders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, _ := newKeeperScene(t)
		if _, err := s.w.SignerFolders(t.Context(), "x"); err != nil {
			t.Errorf("SignerFolders = %v", err)
		}
		s.signer.Refuse["find folders"] = &job.SignerError{Op: "find folders", Status: 503, Transient: true}
		if _, err := s.w.SignerFolders(t.Context(), "x"); !errors.Is(err, fault.SignerUnreachable) || fault.DetailOf(err) == "" {
			t.Errorf("SignerFolders without Signer = %v", err)
		}
	})
}

func TestAProfileIsMadeOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, _ := newKeeperScene(t)
		var told journal
		s.w.Journal = &told
		p, err := s.w.SaveProfile(t.Context(), local("q"), 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.w.SaveProfile(t.Context(), local("q"), 0); !errors.Is(err, fault.ProfileExists) {
			t.Errorf("the same again = %v, want %v", err, fault.ProfileExists)
		}
		if _, err := s.w.SaveProfile(t.Context(), p, 1); err != nil {
			t.Errorf("a save without a change = %v", err)
		}
		if len(told) != 1 || told[0] != job.EventProfileCreated {
			t.Errorf("operators are told %v, want the creation alone", told)
		}
	})
}
