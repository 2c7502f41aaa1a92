package table

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// SaveProfile writes a profile over its version from, 0 for a new one, as the version after that. In the same
// transaction it takes the folder at Lacuna Signer that the profile names, and lets go the one that it leaves. It returns
// fault.JobRaceLost if the stored profile has another version, fault.ProfileNotFound if it is gone, and
// fault.ProfileFolderTaken, naming the other profile, if that one has the folder. A stored profile that says the same at
// the version that this one would have is no other: a repeated request met its first try. What a profile says is not
// checked.
func (s *Store) SaveProfile(ctx context.Context, p profile.Profile, from int64) error {
	t, p, err := s.saving(ctx, p, from)
	if err != nil {
		return err
	}
	if err = t.commit(ctx); lost(err) {
		return s.unsaved(ctx, p, from, err)
	}
	if err != nil {
		return fmt.Errorf("save profile %s: %w", p.Name, err)
	}
	return nil
}

// saving makes the transaction of SaveProfile.
func (s *Store) saving(ctx context.Context, p profile.Profile, from int64) (*transaction, profile.Profile, error) {
	if !profile.ValidName(p.Name) {
		return nil, p, fault.New(fault.ProfileNotFound, "no profile can have this name")
	}
	left := ""
	if from > 0 {
		old, err := s.profileAt(ctx, p.Name, from)
		if err != nil {
			return nil, p, err
		}
		left = folderOf(old)
	}
	p.Version = from + 1
	i, err := encodeProfile(p)
	if err != nil {
		return nil, p, err
	}
	t := s.begin()
	if from > 0 { // what a newer release put beside the settings stays
		t.set(profilesPK, p.Name, expression.Set(expression.Name(versionAttr), expression.Value(i[versionAttr])).
			Set(expression.Name(settingsAttr), expression.Value(i[settingsAttr])), atVersion(from))
	} else {
		t.put(i, absent())
		t.remove(profilesPK, p.Name+degradedSuffix, always) // of an earlier profile with this name
	}
	folder := folderOf(p)
	if folder != "" {
		err = t.bind(folder, p.Name)
	}
	if left != "" && left != folder {
		t.release(left, p.Name)
	}
	return t, p, err
}

// unsaved says why a profile was not saved, or that it was: what is stored at its version is what it says.
func (s *Store) unsaved(ctx context.Context, p profile.Profile, from int64, met error) error {
	stored, err := s.profileRecord(ctx, p.Name)
	if err != nil {
		return fmt.Errorf("save profile %s: %w", p.Name, errors.Join(met, err))
	}
	settings, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("encode profile %s: %w", p.Name, err)
	}
	if stored.Version == p.Version && stored.Settings == string(settings) {
		return nil
	}
	if folder := folderOf(p); stored.Version == from && folder != "" {
		other, err := s.holder(ctx, folder)
		if err != nil {
			return fmt.Errorf("save profile %s: %w", p.Name, errors.Join(met, err))
		}
		if other != "" && other != p.Name {
			return fault.Wrap(fault.ProfileFolderTaken, met, "the folder is that of the profile %q, and a folder has one profile", other)
		}
	}
	return fault.Wrap(fault.JobRaceLost, met, "profile %s is not at version %d", p.Name, from)
}

// DeleteProfile takes a profile away that is at version from, with its degradation, the note of when its certificate ends
// and its hold on a folder, in one transaction. It returns fault.JobRaceLost if it has another version and
// fault.ProfileNotFound if there is none.
func (s *Store) DeleteProfile(ctx context.Context, name string, from int64) error {
	p, err := s.profileAt(ctx, name, from)
	if err != nil {
		return err
	}
	t := s.begin()
	t.remove(profilesPK, name, atVersion(from))
	t.remove(profilesPK, name+degradedSuffix, always)
	t.remove(passPrefix+job.CertificatePass(name), stateSK, always)
	if folder := folderOf(p); folder != "" {
		t.release(folder, name)
	}
	if err = t.commit(ctx); lost(err) {
		return s.undeleted(ctx, name, from, err)
	}
	if err != nil {
		return fmt.Errorf("delete profile %s: %w", name, err)
	}
	return nil
}

// undeleted decides about a profile that was not deleted by a request: by its lost first try or by somebody else it was.
func (s *Store) undeleted(ctx context.Context, name string, from int64, met error) error {
	stored, err := s.profileRecord(ctx, name)
	if err != nil {
		return fmt.Errorf("delete profile %s: %w", name, errors.Join(met, err))
	}
	if stored.Version == 0 {
		return nil
	}
	return fault.Wrap(fault.JobRaceLost, met, "profile %s is not at version %d", name, from)
}

// atVersion demands that an item has a version, or is not there where the version is 0.
func atVersion(version int64) expression.ConditionBuilder {
	if version == 0 {
		return absent()
	}
	return expression.Name(versionAttr).Equal(expression.Value(version))
}

// profileAt reads a profile that must be at a version.
func (s *Store) profileAt(ctx context.Context, name string, version int64) (profile.Profile, error) {
	p, err := s.Profiles().Get(ctx, name)
	if err == nil && p.Version != version {
		return p, fault.New(fault.JobRaceLost, "profile %s is at version %d, not at %d", name, p.Version, version)
	}
	return p, err
}

// profileRecord reads a profile as it is stored. One that does not exist has version 0.
func (s *Store) profileRecord(ctx context.Context, name string) (r profileRecord, _ error) {
	i, err := s.get(ctx, profilesPK, name)
	if err != nil {
		return r, fmt.Errorf("read profile %s: %w", name, err)
	}
	if err := attributevalue.UnmarshalMap(i, &r); err != nil {
		return r, fmt.Errorf("decode profile %s: %w", name, err)
	}
	return r, nil
}

func encodeProfile(p profile.Profile) (item, error) {
	settings, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("encode profile %s: %w", p.Name, err)
	}
	i, err := attributevalue.MarshalMap(profileRecord{PK: profilesPK, SK: p.Name, Version: p.Version, Settings: string(settings)})
	if err != nil {
		return nil, fmt.Errorf("encode profile %s: %w", p.Name, err)
	}
	return i, nil
}
