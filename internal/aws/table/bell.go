package table

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
)

const (
	checkSK = "CHECK"
	rangAt  = "rang"
	bellPK  = "BELL"
)

// checkWaits is how long a check counts as waiting: its message may be lost, and must not silence a document for longer.
const checkWaits = time.Minute

// checkRecord says that a check of a document waits. ID tells a repeated request that it met its own first try.
type checkRecord struct {
	PK        string `dynamodbav:"pk"`
	SK        string `dynamodbav:"sk"`
	Rang      string `dynamodbav:"rang"`
	ID        string `dynamodbav:"id"`
	ExpiresAt int64  `dynamodbav:"expiresAt"`
}

func checkPlace(documentID string) place { return place{documentPrefix + documentID, checkSK} }

// Ring notes that a check of a document waits, and reports whether none waited before, or one for more than a minute.
// Where it is fresh the check is to be queued; if that fails, Unring, so that a later bell is not swallowed.
func (s *Store) Ring(ctx context.Context, documentID string, now time.Time) (fresh bool, err error) {
	at, id := checkPlace(documentID), rand.Text()
	i, err := attributevalue.MarshalMap(checkRecord{
		PK: at.pk, SK: at.sk, Rang: moment(now), ID: id, ExpiresAt: now.Add(checkWaits + time.Second - 1).Unix(),
	})
	if err != nil {
		return false, fmt.Errorf("encode the check of document %s: %w", documentID, err)
	}
	old := expression.Name(rangAt).LessThanEqual(expression.Value(moment(now.Add(-checkWaits))))
	err = s.put(ctx, i, absent().Or(old))
	if lost(err) {
		return s.rung(ctx, documentID, id, err)
	}
	if err != nil {
		return false, fmt.Errorf("note the check of document %s: %w", documentID, err)
	}
	return true, nil
}

// rung decides about a bell that met another: after a lost reply that other one is itself.
func (s *Store) rung(ctx context.Context, documentID, id string, met error) (bool, error) {
	at := checkPlace(documentID)
	i, err := s.get(ctx, at.pk, at.sk)
	if err != nil {
		return false, fmt.Errorf("read the check of document %s: %w", documentID, errors.Join(met, err))
	}
	var r checkRecord
	if err := attributevalue.UnmarshalMap(i, &r); err != nil {
		return false, fmt.Errorf("decode the check of document %s: %w", documentID, err)
	}
	return r.ID == id, nil
}

// Unring takes away the mark that a check of a document waits, if there is one.
func (s *Store) Unring(ctx context.Context, documentID string) error {
	at := checkPlace(documentID)
	if err := s.remove(ctx, at.pk, at.sk); err != nil {
		return fmt.Errorf("take away the check of document %s: %w", documentID, err)
	}
	return nil
}

// bellRecord says when the last notification arrived.
type bellRecord struct {
	PK   string `dynamodbav:"pk"`
	SK   string `dynamodbav:"sk"`
	Rang string `dynamodbav:"rang"`
}

// Bell notes that a notification arrived, unless a later one is noted already. It is one item that all write: whoever
// calls sees to it that this happens now and then and not each time.
func (s *Store) Bell(ctx context.Context, at time.Time) error {
	i, err := attributevalue.MarshalMap(bellRecord{PK: bellPK, SK: stateSK, Rang: moment(at)})
	if err != nil {
		return fmt.Errorf("encode the last notification: %w", err)
	}
	older := expression.Name(rangAt).LessThan(expression.Value(moment(at)))
	if err := s.put(ctx, i, absent().Or(older)); err != nil && !lost(err) {
		return fmt.Errorf("note the last notification: %w", err)
	}
	return nil
}

// LastBell is when the last notification arrived, as far as it was noted; zero if none was.
func (s *Store) LastBell(ctx context.Context) (time.Time, error) {
	i, err := s.get(ctx, bellPK, stateSK)
	if err != nil {
		return time.Time{}, fmt.Errorf("read the last notification: %w", err)
	}
	var r bellRecord
	if err := attributevalue.UnmarshalMap(i, &r); err != nil {
		return time.Time{}, fmt.Errorf("decode the last notification: %w", err)
	}
	t, err := parseMoment(r.Rang)
	if err != nil {
		return time.Time{}, fmt.Errorf("decode the time of the last notification: %w", err)
	}
	return t, nil
}
