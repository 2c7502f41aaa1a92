package table

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"bulksigner/internal/aws/schema"
	"bulksigner/internal/profile"
)

const (
	bindingSK   = "PROFILE"
	profileAttr = "profile"
)

// bindingRecord says which profile signs what waits in a folder at Lacuna Signer: a folder has one. The profile has the
// folder as well, and both are written together.
type bindingRecord struct {
	PK      string `dynamodbav:"pk"`
	SK      string `dynamodbav:"sk"`
	Profile string `dynamodbav:"profile"`
}

func bindingPlace(folderID string) place { return place{"FOLDER#" + folderID, bindingSK} }

// folderOf is the folder at Lacuna Signer that a profile is bound to, or "".
func folderOf(p profile.Profile) string {
	if p.Method != profile.SignerFolder || p.SignerFolder == nil {
		return ""
	}
	return p.SignerFolder.ID
}

func encodeBinding(folderID, name string) (item, error) {
	at := bindingPlace(folderID)
	i, err := attributevalue.MarshalMap(bindingRecord{PK: at.pk, SK: at.sk, Profile: name})
	if err != nil {
		return nil, fmt.Errorf("encode the binding of profile %s: %w", name, err)
	}
	return i, nil
}

func decodeBinding(i item) (r bindingRecord, _ error) {
	if err := attributevalue.UnmarshalMap(i, &r); err != nil {
		return r, fmt.Errorf("decode a folder's binding: %w", err)
	}
	return r, nil
}

// holder is the profile that a folder is bound to, or "".
func (s *Store) holder(ctx context.Context, folderID string) (string, error) {
	at := bindingPlace(folderID)
	i, err := s.get(ctx, at.pk, at.sk)
	if err != nil {
		return "", fmt.Errorf("read a folder's binding: %w", err)
	}
	r, err := decodeBinding(i)
	return r.Profile, err
}

// bind takes a folder for a profile, unless another has it.
func (t *transaction) bind(folderID, name string) error {
	i, err := encodeBinding(folderID, name)
	if err != nil {
		return err
	}
	t.put(i, absent().Or(boundTo(name)))
	return nil
}

// release lets a folder go that a profile has. One that is not bound is no obstacle.
func (t *transaction) release(folderID, name string) {
	at := bindingPlace(folderID)
	t.remove(at.pk, at.sk, absent().Or(boundTo(name)))
}

func boundTo(name string) expression.ConditionBuilder {
	return expression.Name(profileAttr).Equal(expression.Value(name))
}

// Bound returns the profiles that folders at Lacuna Signer are bound to, by folder, with their degradations. Folders
// without one are left out. It costs one BatchGetItem for a hundred folders and one for fifty profiles that are bound to
// them.
func (s *Store) Bound(ctx context.Context, folderIDs []string) (map[string]profile.Profile, error) {
	names, err := s.holders(ctx, folderIDs)
	if err != nil {
		return nil, fmt.Errorf("read the bindings of %d folders: %w", len(folderIDs), err)
	}
	bound := make(map[string]profile.Profile, len(names))
	if len(names) == 0 {
		return bound, nil
	}
	found, err := s.profiles(ctx, names)
	if err != nil {
		return nil, fmt.Errorf("read the profiles of %d folders: %w", len(names), err)
	}
	for _, p := range found {
		// What was read a moment later may be bound to another folder.
		if folder := folderOf(p); names[folder] == p.Name {
			bound[folder] = p
		}
	}
	return bound, nil
}

// holders are the names of the profiles that folders are bound to, by folder.
func (s *Store) holders(ctx context.Context, folderIDs []string) (map[string]string, error) {
	places, folders := make([]place, len(folderIDs)), make(map[string]string, len(folderIDs))
	for n, id := range folderIDs {
		places[n] = bindingPlace(id)
		folders[places[n].pk] = id
	}
	rows, err := s.items(ctx, places, true)
	if err != nil {
		return nil, err
	}
	names := make(map[string]string, len(rows))
	for _, i := range rows {
		r, err := decodeBinding(i)
		if err != nil {
			return nil, err
		}
		names[folders[r.PK]] = r.Profile
	}
	return names, nil
}

// profiles reads the profiles that folders are bound to, with their degradations.
func (s *Store) profiles(ctx context.Context, names map[string]string) (found []profile.Profile, _ error) {
	var places []place
	for _, name := range names {
		places = append(places, place{profilesPK, name}, place{profilesPK, name + degradedSuffix})
	}
	rows, err := s.items(ctx, places, true)
	if err != nil {
		return nil, err
	}
	// In the order of the partition, in which a degradation follows its profile.
	slices.SortFunc(rows, func(a, b item) int { return cmp.Compare(textOf(a, schema.SK), textOf(b, schema.SK)) })
	for _, i := range rows {
		if found, err = appendProfile(found, i); err != nil {
			return nil, err
		}
	}
	return found, nil
}
