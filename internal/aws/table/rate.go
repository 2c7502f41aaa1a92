package table

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"bulksigner/internal/aws/schema"
)

const (
	permitsAttr = "permits"
	// maxClientBytes is how much of a client's name tells it from others; a key has a limit.
	maxClientBytes = 256
	// rateLinger keeps a window for clocks that are behind.
	rateLinger = time.Minute
)

// Allow counts a request of a client in the window that now is in, and returns 0 if the policy has a permit left for it,
// or after what time it may ask again. A request that is refused is not counted; one whose answer is lost can count twice.
func (s *Store) Allow(ctx context.Context, policy, client string, permits int, window time.Duration, now time.Time) (retryAfter time.Duration, err error) {
	if window <= 0 {
		return 0, fmt.Errorf("the policy %s has a window of %s", policy, window)
	}
	begin := now.UTC().Truncate(window)
	end := begin.Add(window)
	if permits < 1 {
		return end.Sub(now), nil
	}
	client = strings.ToValidUTF8(client[:min(len(client), maxClientBytes)], "")
	count := expression.Name(permitsAttr)
	_, err = s.update(ctx, "RATE#"+policy+"#"+client, moment(begin),
		expression.Add(count, expression.Value(1)).Set(expression.Name(schema.TTL), expression.Value(end.Add(rateLinger).Unix())),
		count.AttributeNotExists().Or(count.LessThan(expression.Value(permits))))
	if lost(err) {
		return end.Sub(now), nil
	}
	if err != nil {
		return 0, fmt.Errorf("count a request under the policy %s: %w", policy, err)
	}
	return 0, nil
}
