package table

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// batch is the most items that one BatchGetItem takes.
const batch = 100

// place is where an item is.
type place struct{ pk, sk string }

// items reads items by their places, in no order. Those that do not exist are left out; a place may come twice.
func (s *Store) items(ctx context.Context, places []place, consistent bool) (found []item, _ error) {
	asked := make(map[place]bool, len(places)) // a key that comes twice is refused
	keys := make([]item, 0, len(places))
	for _, p := range places {
		if !asked[p] {
			asked[p] = true
			keys = append(keys, key(p.pk, p.sk))
		}
	}
	for chunk := range slices.Chunk(keys, batch) {
		some, err := s.chunk(ctx, types.KeysAndAttributes{Keys: chunk, ConsistentRead: &consistent})
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	return found, nil
}

// chunk reads up to 100 items, and asks again for what the table did not give at once.
func (s *Store) chunk(ctx context.Context, wanted types.KeysAndAttributes) (found []item, _ error) {
	for n := range tries {
		if n > 0 {
			if err := pause(ctx, n); err != nil {
				return nil, fmt.Errorf("wait to read %d other items: %w", len(wanted.Keys), err)
			}
		}
		out, err := s.db.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{s.table: wanted}})
		if err != nil {
			return nil, err
		}
		found = append(found, out.Responses[s.table]...)
		if wanted.Keys = out.UnprocessedKeys[s.table].Keys; len(wanted.Keys) == 0 {
			return found, nil
		}
	}
	return nil, fmt.Errorf("%d items remain unread after %d calls", len(wanted.Keys), tries)
}
