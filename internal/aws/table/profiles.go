package table

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"bulksigner/internal/aws/schema"
	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

// What stands in the partition of profiles besides them. No profile can be called like that.
const (
	profilesPK     = "PROFILES"
	seedSK         = "#SEED"
	degradedSuffix = "#DEGRADED"
)

// settingsAttr is a profile but for its name and version, as JSON.
const settingsAttr = "settings"

// Attributes of a degradation that are compared.
const (
	codeAttr   = "code"
	reasonAttr = "reason"
	folderAttr = "folderId"
)

// maxProfileItems is the most items that are read as profiles and their degradations.
const maxProfileItems = 2000

type profileRecord struct {
	PK       string `dynamodbav:"pk"`
	SK       string `dynamodbav:"sk"`
	Version  int64  `dynamodbav:"version"`
	Settings string `dynamodbav:"settings"` // JSON
}

// degradationRecord has no attribute that may be left out: a comparison with one that is not there always differs.
type degradationRecord struct {
	PK       string `dynamodbav:"pk"`
	SK       string `dynamodbav:"sk"`
	Code     string `dynamodbav:"code"`
	Reason   string `dynamodbav:"reason"`
	Since    string `dynamodbav:"since"`
	FolderID string `dynamodbav:"folderId"`
}

// Profiles is the part of the table that holds the profiles.
type Profiles struct{ store *Store }

// Profiles opens the profiles of the table.
func (s *Store) Profiles() Profiles { return Profiles{s} }

// Get reads a profile and its degradation, consistently. It returns fault.ProfileNotFound if there is none.
func (p Profiles) Get(ctx context.Context, name string) (profile.Profile, error) {
	if !profile.ValidName(name) {
		return profile.Profile{}, fault.New(fault.ProfileNotFound, "no profile can have this name")
	}
	// Nothing else sorts between a profile and its degradation.
	both := expression.Key(schema.SK).Between(expression.Value(name), expression.Value(name+degradedSuffix))
	found, err := p.read(ctx, expression.Key(schema.PK).Equal(expression.Value(profilesPK)).And(both))
	if err != nil {
		return profile.Profile{}, fmt.Errorf("read profile %s: %w", name, err)
	}
	if len(found) == 0 {
		return profile.Profile{}, fault.New(fault.ProfileNotFound, "there is no profile %s", name)
	}
	return found[0], nil
}

// List reads all profiles with their degradations, consistently, in the order of their names.
func (p Profiles) List(ctx context.Context) ([]profile.Profile, error) {
	found, err := p.read(ctx, expression.Key(schema.PK).Equal(expression.Value(profilesPK)))
	if err != nil {
		return nil, fmt.Errorf("list the profiles: %w", err)
	}
	return found, nil
}

func (p Profiles) read(ctx context.Context, k expression.KeyConditionBuilder) (found []profile.Profile, _ error) {
	e, err := expression.NewBuilder().WithKeyCondition(k).Build()
	if err != nil {
		return nil, fmt.Errorf("build the query: %w", err)
	}
	pages := dynamodb.NewQueryPaginator(p.store.db, &dynamodb.QueryInput{
		TableName: &p.store.table, ConsistentRead: aws.Bool(true),
		KeyConditionExpression: e.KeyCondition(), ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
	})
	for items := 0; pages.HasMorePages(); {
		out, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		if items += len(out.Items); items > maxProfileItems {
			return nil, fmt.Errorf("there are more than %d items", maxProfileItems)
		}
		for _, i := range out.Items {
			if found, err = appendProfile(found, i); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

// appendProfile adds a row of the partition: a profile, or the degradation of the one before, which sorts right after it.
// A degradation whose profile is gone says nothing, nor does one that speaks of a folder which the profile has left, the
// seed's mark or what a newer release put there.
func appendProfile(found []profile.Profile, i item) ([]profile.Profile, error) {
	sk := textOf(i, schema.SK)
	if profile.ValidName(sk) {
		p, err := decodeProfile(i)
		return append(found, p), err
	}
	if n := len(found); n > 0 && found[n-1].Name+degradedSuffix == sk {
		d, err := decodeDegradation(i)
		if d.FolderID == "" || d.FolderID == folderOf(found[n-1]) {
			found[n-1].Degraded = d
		}
		return found, err
	}
	return found, nil
}

// textOf is a text of an item, or "" where there is none.
func textOf(i item, name string) string {
	v, _ := i[name].(*types.AttributeValueMemberS)
	if v == nil {
		return ""
	}
	return v.Value
}

func decodeProfile(i item) (profile.Profile, error) {
	var r profileRecord
	if err := attributevalue.UnmarshalMap(i, &r); err != nil {
		return profile.Profile{}, fmt.Errorf("decode a profile: %w", err)
	}
	p := profile.New(r.SK) // what an older release did not write has its default
	if err := json.Unmarshal([]byte(r.Settings), &p); err != nil {
		return profile.Profile{}, fmt.Errorf("decode the settings of profile %s: %w", r.SK, err)
	}
	p.Name, p.Version = r.SK, r.Version
	return p, nil
}

func decodeDegradation(i item) (profile.Degradation, error) {
	var r degradationRecord
	if err := attributevalue.UnmarshalMap(i, &r); err != nil {
		return profile.Degradation{}, fmt.Errorf("decode a degradation: %w", err)
	}
	since, err := parseMoment(r.Since)
	if err != nil {
		return profile.Degradation{}, fmt.Errorf("decode the time of %s: %w", r.SK, err)
	}
	return profile.Degradation{Code: r.Code, Reason: r.Reason, Since: since, FolderID: r.FolderID}, nil
}

// Degrade notes that a profile cannot sign. The same note made again changes nothing, so that it keeps telling since when.
func (p Profiles) Degrade(ctx context.Context, name string, d profile.Degradation) error {
	if !profile.ValidName(name) {
		return fault.New(fault.ProfileNotFound, "no profile can have this name")
	}
	i, err := attributevalue.MarshalMap(degradationRecord{
		PK: profilesPK, SK: name + degradedSuffix, Code: d.Code, Reason: d.Reason, Since: moment(d.Since), FolderID: d.FolderID,
	})
	if err != nil {
		return fmt.Errorf("encode the degradation of profile %s: %w", name, err)
	}
	news := expression.Or(
		absent(),
		expression.Name(codeAttr).NotEqual(expression.Value(d.Code)),
		expression.Name(reasonAttr).NotEqual(expression.Value(d.Reason)),
		expression.Name(folderAttr).NotEqual(expression.Value(d.FolderID)),
	)
	if err := p.store.put(ctx, i, news); err != nil && !lost(err) {
		return fmt.Errorf("degrade profile %s: %w", name, err)
	}
	return nil
}

// Restore takes the note of Degrade away, if there is one.
func (p Profiles) Restore(ctx context.Context, name string) error {
	if err := p.store.remove(ctx, profilesPK, name+degradedSuffix); err != nil {
		return fmt.Errorf("restore profile %s: %w", name, err)
	}
	return nil
}
