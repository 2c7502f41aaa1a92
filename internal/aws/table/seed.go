package table

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

// Limits of the import. A transaction has 100 actions and 4 MB; the mark is one action, and so is each profile and each
// folder at Lacuna Signer that one is bound to.
const (
	MaxImport      = 99
	maxImportBytes = 3_500_000
)

// seedRecord is the mark of the import. ID tells a repeated request that it met its own first try.
type seedRecord struct {
	PK    string `dynamodbav:"pk"`
	SK    string `dynamodbav:"sk"`
	Since string `dynamodbav:"since"`
	ID    string `dynamodbav:"import"`
}

// ImportProfiles writes the profiles of the settings and their hold on folders at Lacuna Signer into a table that never
// had an import, all and a mark or none, and reports whether it did. The mark outlives the profiles: what an operator
// deleted does not come back. It returns fault.SettingsInvalid for more than MaxImport profiles and folders, for two of
// one name or in one folder, and for more bytes than fit.
func (s *Store) ImportProfiles(ctx context.Context, profiles []profile.Profile, now time.Time) (imported bool, err error) {
	// Whoever starts asks, and all but the first learn it from a read.
	if begun, err := s.seed(ctx); err != nil || begun.SK != "" {
		return false, err
	}
	items, err := encodeProfiles(profiles)
	if err != nil {
		return false, err
	}
	id := rand.Text()
	mark, err := attributevalue.MarshalMap(seedRecord{PK: profilesPK, SK: seedSK, Since: moment(now), ID: id})
	if err != nil {
		return false, fmt.Errorf("encode the seed: %w", err)
	}
	t := s.begin()
	t.put(mark, absent())
	for _, i := range items {
		t.put(i, always)
	}
	if err := t.commit(ctx); err == nil {
		return true, nil
	} else if !lost(err) {
		return false, fmt.Errorf("import the profiles: %w", err)
	}
	r, err := s.seed(ctx)
	return r.ID == id, err
}

// Seeded returns when the import happened, which is the installation's first day, or the zero time if it did not yet.
func (s *Store) Seeded(ctx context.Context) (time.Time, error) {
	r, err := s.seed(ctx)
	if err != nil {
		return time.Time{}, err
	}
	t, err := parseMoment(r.Since)
	if err != nil {
		return time.Time{}, fmt.Errorf("decode the seed: %w", err)
	}
	return t, nil
}

func (s *Store) seed(ctx context.Context) (r seedRecord, _ error) {
	i, err := s.get(ctx, profilesPK, seedSK)
	if err != nil {
		return r, fmt.Errorf("read the seed: %w", err)
	}
	if err := attributevalue.UnmarshalMap(i, &r); err != nil {
		return r, fmt.Errorf("decode the seed: %w", err)
	}
	return r, nil
}

// encodeProfiles makes the items of profiles and bindings that begin a table.
func encodeProfiles(profiles []profile.Profile) ([]item, error) {
	b := beginning{names: map[string]bool{}, folders: map[string]string{}}
	for _, p := range profiles {
		if err := b.add(p); err != nil {
			return nil, err
		}
	}
	if n := len(b.items); n > MaxImport {
		return nil, fault.New(fault.SettingsInvalid, "%d profiles and folders are more than the %d that can be imported at once", n, MaxImport)
	}
	return b.items, nil
}

// beginning collects what begins a table.
type beginning struct {
	items   []item
	names   map[string]bool
	folders map[string]string // which profile is bound to them
	size    int
}

func (b *beginning) add(p profile.Profile) error {
	if !profile.ValidName(p.Name) || b.names[p.Name] {
		return fault.New(fault.SettingsInvalid, "two profiles are called %q, or none can be", p.Name)
	}
	b.names[p.Name], p.Version = true, 1
	i, err := encodeProfile(p)
	if err != nil {
		return err
	}
	if b.size += len(textOf(i, settingsAttr)); b.size > maxImportBytes {
		return fault.New(fault.SettingsInvalid, "the profiles have more than %d bytes; name certificates by s3://bucket/key", maxImportBytes)
	}
	b.items = append(b.items, i)
	return b.bind(folderOf(p), p.Name)
}

func (b *beginning) bind(folderID, name string) error {
	if folderID == "" {
		return nil
	}
	if other, taken := b.folders[folderID]; taken {
		return fault.New(fault.SettingsInvalid, "the profiles %q and %q are bound to one folder at Lacuna Signer", other, name)
	}
	b.folders[folderID] = name
	i, err := encodeBinding(folderID, name)
	b.items = append(b.items, i)
	return err
}
