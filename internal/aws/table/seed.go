package table

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

// Limits of the import. A transaction has 100 actions and 4 MB; the mark is one action.
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

// ImportProfiles writes the profiles of the settings into a table that never had an import, all and a mark or none, and
// reports whether it did. The mark outlives the profiles: what an operator deleted does not come back. It returns
// fault.SettingsInvalid for more than MaxImport profiles, for two of one name, and for more bytes than fit.
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
	if err := s.transact(ctx, []item{mark}, items); err == nil {
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

func encodeProfiles(profiles []profile.Profile) (items []item, _ error) {
	if len(profiles) > MaxImport {
		return nil, fault.New(fault.SettingsInvalid, "%d profiles are more than the %d that can be imported at once", len(profiles), MaxImport)
	}
	names, size := map[string]bool{}, 0
	for _, p := range profiles {
		if !profile.ValidName(p.Name) || names[p.Name] {
			return nil, fault.New(fault.SettingsInvalid, "two profiles are called %q, or none can be", p.Name)
		}
		names[p.Name] = true
		settings, err := json.Marshal(p)
		if err != nil {
			return nil, fmt.Errorf("encode profile %s: %w", p.Name, err)
		}
		if size += len(settings); size > maxImportBytes {
			return nil, fault.New(fault.SettingsInvalid, "the profiles have more than %d bytes; name certificates by s3://bucket/key", maxImportBytes)
		}
		i, err := attributevalue.MarshalMap(profileRecord{PK: profilesPK, SK: p.Name, Version: 1, Settings: string(settings)})
		if err != nil {
			return nil, fmt.Errorf("encode profile %s: %w", p.Name, err)
		}
		items = append(items, i)
	}
	return items, nil
}
