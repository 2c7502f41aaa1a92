package table

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"bulksigner/internal/aws/schema"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// refusedAttr stands in the record of an object version that makes no job for now, in place of the job.
const refusedAttr = "refused"

// Refuse notes that an object version makes no job for now, and reports whether that is news. TakeIn takes such a version
// in all the same, once it is asked to.
func (s *Store) Refuse(ctx context.Context, o job.Object, c fault.Code) (first bool, err error) {
	at := arrivalPlace(o)
	err = s.put(ctx, item{
		schema.PK:   &types.AttributeValueMemberS{Value: at.pk},
		schema.SK:   &types.AttributeValueMemberS{Value: at.sk},
		refusedAttr: &types.AttributeValueMemberS{Value: string(c)},
	}, absent())
	if lost(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("note that version %s waits: %w", o.VersionID, err)
	}
	return true, nil
}
