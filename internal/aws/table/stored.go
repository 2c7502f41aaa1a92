package table

import (
	"context"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"bulksigner/internal/job"
)

// How many jobs there are is kept in the very transactions that make and remove them, so that it is exact: figures which
// are flushed now and then lose what a killed run had counted, and nobody would ever set them right. That costs two write
// units of about thirty that a job takes. A transaction that meets another on one item is canceled and tried again, so that
// one item would slow everybody down: over 64 of them a thousand jobs a second, of which each holds its item for some ten
// milliseconds, meet another in one of six cases; thirty a second in one of two hundred.
const (
	storedCounter = "jobs_stored"
	storedShards  = 64
	noLabels      = "{}"
)

// storedPlace is one part of the number of jobs.
func storedPlace(shard int) place { return place{counterPartition(storedCounter, shard), noLabels} }

// storedShard is where a job is counted, by the random end of its id.
func storedShard(id job.ID) int {
	n, err := strconv.ParseUint(string(id[max(0, len(id)-2):]), 16, 8)
	if err != nil {
		return 0
	}
	return int(n) % storedShards
}

// count adds to the number of jobs.
func (t *transaction) count(id job.ID, n int) {
	at := storedPlace(storedShard(id))
	t.set(at.pk, at.sk, expression.Add(expression.Name(job.PartTotal), expression.Value(n)), always)
}

// stored is how many jobs there are.
func (s *Store) stored(ctx context.Context) (n int64, _ error) {
	places := make([]place, storedShards)
	for shard := range places {
		places[shard] = storedPlace(shard)
	}
	rows, err := s.items(ctx, places, false)
	if err != nil {
		return 0, fmt.Errorf("read the number of jobs: %w", err)
	}
	for _, i := range rows {
		var r struct {
			Total int64 `dynamodbav:"total"`
		}
		if err := attributevalue.UnmarshalMap(i, &r); err != nil {
			return 0, fmt.Errorf("decode the number of jobs: %w", err)
		}
		n += r.Total
	}
	return max(n, 0), nil
}
