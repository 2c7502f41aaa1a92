package table

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
)

// Attributes of the pipeline's state that say whose past the table holds. A restore makes a new table, which has the items
// of the old one, and with them the old one's name.
const (
	homeAttr     = "home"     // the table in which the state was written
	restoredAttr = "restored" // the moment of the past that the table was last set back to; absent if it never was
)

// mostAdoptions bounds how often an adoption that met another write decides afresh.
const mostAdoptions = 5

// pausedByRestore stands where an operator's name stands otherwise.
const pausedByRestore = "restore"

// homeRecord is what an adoption looks at.
type homeRecord struct {
	Version  int64  `dynamodbav:"version"`
	Home     string `dynamodbav:"home"`
	Restored string `dynamodbav:"restored"`
	PausedBy string `dynamodbav:"pausedBy"`
	PausedAt string `dynamodbav:"pausedAt"`
}

// Adopt makes the table the deployment's own, and pauses the pipeline if it holds a past: if its items were written in a
// table of another name, or if the deployment says that it was set back to a moment, and nobody has adopted it since that.
// It is for the start of every function, before anything else is read: what the table calls Queued may have been signed
// since. It reports whether it paused; a repeated write that met its own first try did.
//
// A pause is made once per restore, by one conditional write: a resume stays, however late another function starts. A table
// without any name, which is new or of an older release, is adopted as it is, unless the deployment says that it was
// restored.
func (s *Store) Adopt(ctx context.Context, restored string, now time.Time) (paused bool, _ error) {
	for range mostAdoptions {
		h, err := s.home(ctx)
		if err != nil {
			return false, err
		}
		switch {
		case h.Home == s.table && (restored == "" || restored == h.Restored):
			return paused && h.PausedBy == pausedByRestore && h.PausedAt == moment(now), nil
		case h.Home == "" && restored == "":
			paused, err = false, s.settle(ctx)
		default:
			paused, err = true, s.pauseRestored(ctx, h, restored, now)
		}
		if err == nil {
			return paused, nil
		}
		if !lost(err) {
			return false, fmt.Errorf("adopt the table: %w", err)
		}
	}
	return false, fmt.Errorf("adopt the table: others have written its state %d times meanwhile", mostAdoptions)
}

func (s *Store) home(ctx context.Context) (h homeRecord, _ error) {
	i, err := s.get(ctx, pipelinePK, stateSK)
	if err != nil {
		return h, fmt.Errorf("read whose table it is: %w", err)
	}
	if err := attributevalue.UnmarshalMap(i, &h); err != nil {
		return h, fmt.Errorf("decode whose table it is: %w", err)
	}
	return h, nil
}

// settle writes the table's name into a state that has none. The switch is not turned, so that its version stays.
func (s *Store) settle(ctx context.Context) error {
	name := expression.Name(homeAttr)
	_, err := s.update(ctx, pipelinePK, stateSK, expression.Set(name, expression.Value(s.table)), name.AttributeNotExists())
	return err
}

// pauseRestored pauses and adopts in one write. Of several functions that start, and of an operator who turns the switch
// meanwhile, one wins: all of them write the version after the one that was read.
func (s *Store) pauseRestored(ctx context.Context, h homeRecord, restored string, now time.Time) error {
	update := expression.Set(expression.Name(homeAttr), expression.Value(s.table)).
		Set(expression.Name(restoredAttr), expression.Value(restored)).
		Set(expression.Name(versionAttr), expression.Value(h.Version+1)).
		Set(expression.Name("paused"), expression.Value(true)).
		Set(expression.Name("pausedAt"), expression.Value(moment(now))).
		Set(expression.Name("pausedBy"), expression.Value(pausedByRestore)).
		Set(expression.Name("reason"), expression.Value(whyRestored(h, restored)))
	from := behind(h.Version + 1)
	if h.Version == 0 {
		from = expression.Name(versionAttr).AttributeNotExists()
	}
	_, err := s.update(ctx, pipelinePK, stateSK, update, from)
	return err
}

// whyRestored is the reason that operators read.
func whyRestored(h homeRecord, restored string) string {
	if restored != "" {
		return "The table was restored: it says what was so at " + restored + ". See Restoring the table in the operations manual."
	}
	return "The table holds what was written in the table " + h.Home + ". See Restoring the table in the operations manual."
}
