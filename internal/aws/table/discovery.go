package table

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

const (
	actionPrefix = "ACTION#"
	seenSK       = "SEEN"
)

// seenFor is how long it is remembered that a document was read back. One that waits longer is read once more.
const seenFor = 30 * 24 * time.Hour

// discoveryPlace is where it stands that a document's flow action has had a job. A document without an action has a
// place of its own.
func discoveryPlace(documentID, actionID string) place {
	return place{documentPrefix + documentID, actionPrefix + cmp.Or(actionID, job.NoAction)}
}

// Discover writes a new SignerFolder job and the record of its document and action, both or neither. It returns
// fault.JobRaceLost if the pair has had a job or there is a job with this id. After any other error the write may have
// landed.
func (s *Store) Discover(ctx context.Context, j job.Job) error {
	if j.Remote.DocumentID == "" {
		return fmt.Errorf("job %s has no document", j.ID)
	}
	err := s.birth(j, about(j)).commit(ctx)
	if lost(err) {
		return fault.Wrap(fault.JobRaceLost, err, "the document's action has had a job before")
	}
	if err != nil {
		return fmt.Errorf("take up job %s: %w", j.ID, err)
	}
	return nil
}

// Discovered returns the latest job of a document's action, or "" if it has had none. The job can be gone.
func (s *Store) Discovered(ctx context.Context, documentID, actionID string) (job.ID, error) {
	id, err := s.follow(ctx, discoveryPlace(documentID, actionID))
	if err != nil {
		return "", fmt.Errorf("read the jobs of document %s: %w", documentID, err)
	}
	return id, nil
}

// seenRecord has the time as Lacuna Signer tells it, to its last digit: it is compared for being the same.
type seenRecord struct {
	PK        string `dynamodbav:"pk"`
	SK        string `dynamodbav:"sk"`
	Changed   string `dynamodbav:"changed"`
	ExpiresAt int64  `dynamodbav:"expiresAt"`
}

func seenPlace(documentID string) place { return place{documentPrefix + documentID, seenSK} }

// See notes when a document that was read back had last changed. It is forgotten after 30 days.
func (s *Store) See(ctx context.Context, documentID string, updatedAt time.Time) error {
	at := seenPlace(documentID)
	i, err := attributevalue.MarshalMap(seenRecord{
		PK: at.pk, SK: at.sk, Changed: updatedAt.UTC().Format(time.RFC3339Nano), ExpiresAt: s.now().Add(seenFor).Unix(),
	})
	if err != nil {
		return fmt.Errorf("encode what was seen of document %s: %w", documentID, err)
	}
	if err := s.replace(ctx, i); err != nil {
		return fmt.Errorf("note what was seen of document %s: %w", documentID, err)
	}
	return nil
}

// Seen tells of documents when they had last changed as they were last read back; those not known are left out. An older
// answer than the newest does no harm, since then the times differ and the document is read once more.
func (s *Store) Seen(ctx context.Context, documentIDs []string) (map[string]time.Time, error) {
	places, documents := make([]place, len(documentIDs)), make(map[string]string, len(documentIDs))
	for n, id := range documentIDs {
		places[n] = seenPlace(id)
		documents[places[n].pk] = id
	}
	rows, err := s.items(ctx, places, false)
	if err != nil {
		return nil, fmt.Errorf("read what was seen of %d documents: %w", len(documentIDs), err)
	}
	seen := make(map[string]time.Time, len(rows))
	for _, i := range rows {
		var r seenRecord
		if err := attributevalue.UnmarshalMap(i, &r); err != nil {
			return nil, fmt.Errorf("decode what was seen of a document: %w", err)
		}
		changed, err := time.Parse(time.RFC3339Nano, r.Changed)
		if err != nil {
			return nil, fmt.Errorf("decode when a document had changed: %w", err)
		}
		if s.now().Unix() < r.ExpiresAt {
			seen[documents[r.PK]] = changed
		}
	}
	return seen, nil
}
