package table

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Bounds of what is tried again here, above the SDK's own retries: about three seconds at most.
const (
	tries     = 10
	firstWait = 20 * time.Millisecond
	lastWait  = 640 * time.Millisecond
)

// The reasons for which a transaction is canceled although its conditions may hold.
var passing = []string{"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}

// again calls a write until it did not merely meet another transaction. Such a meeting says nothing about the
// condition, so it must never look like a lost race.
func again(ctx context.Context, write func() error) error {
	for n := range tries - 1 {
		err := write()
		if !conflicted(err) {
			return err
		}
		if werr := pause(ctx, n); werr != nil {
			return fmt.Errorf("%w, and no time to try again: %w", err, werr)
		}
	}
	return write()
}

// pause waits before the next try, longer each time and never twice alike, so that those who met part.
func pause(ctx context.Context, n int) error {
	t := time.NewTimer(rand.N(min(firstWait<<n, lastWait)))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// conflicted reports whether a write met another transaction, or a transaction met a limit of the table: the SDK
// repeats a throttled call but not a transaction that was canceled by a throttle.
func conflicted(err error) bool {
	if _, ok := errors.AsType[*types.TransactionConflictException](err); ok {
		return true
	}
	return !lost(err) && slices.ContainsFunc(reasons(err), func(r string) bool { return slices.Contains(passing, r) })
}

// lost reports whether a condition did not hold.
func lost(err error) bool {
	if _, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		return true
	}
	return slices.Contains(reasons(err), "ConditionalCheckFailed")
}

// reasons are why a transaction was canceled, action by action.
func reasons(err error) (codes []string) {
	canceled, ok := errors.AsType[*types.TransactionCanceledException](err)
	if !ok {
		return nil
	}
	for _, r := range canceled.CancellationReasons {
		codes = append(codes, aws.ToString(r.Code))
	}
	return codes
}
