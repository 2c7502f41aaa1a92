package table

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

const passPrefix = "PASS#"

// Attributes of a pass that are written one by one: a lease leaves the state alone, and both leave what they do not know.
const (
	ownerAttr  = "owner"
	untilAttr  = "until"
	fenceAttr  = "fence"
	stateAttr  = "state"
	nextAtAttr = "nextAt"
)

type passRecord struct {
	Owner  string `dynamodbav:"owner"`
	Until  string `dynamodbav:"until"`
	Fence  int64  `dynamodbav:"fence"`
	State  string `dynamodbav:"state"`
	NextAt string `dynamodbav:"nextAt"`
}

// Lease takes a pass for owner until a time and returns its state, or fault.JobRaceLost while somebody else has it. Who
// has it may take it again. Every lease raises the fence, so that SavePass by an earlier one is refused.
func (s *Store) Lease(ctx context.Context, name, owner string, now, until time.Time) (job.Pass, error) {
	update := expression.Set(expression.Name(ownerAttr), expression.Value(owner)).
		Set(expression.Name(untilAttr), expression.Value(moment(until))).
		Add(expression.Name(fenceAttr), expression.Value(1))
	free := expression.Or(
		expression.Name(untilAttr).AttributeNotExists(),
		expression.Name(untilAttr).LessThanEqual(expression.Value(moment(now))),
		expression.Name(ownerAttr).Equal(expression.Value(owner)),
	)
	i, err := s.update(ctx, passPrefix+name, stateSK, update, free)
	if lost(err) {
		return job.Pass{}, fault.Wrap(fault.JobRaceLost, err, "the pass %s is under way", name)
	}
	if err != nil {
		return job.Pass{}, fmt.Errorf("lease the pass %s: %w", name, err)
	}
	p, err := decodePass(name, i)
	if err != nil {
		return job.Pass{}, fmt.Errorf("decode the pass %s: %w", name, err)
	}
	return p, nil
}

// Pass reads the state of a pass consistently; of one that never was, everything is zero.
func (s *Store) Pass(ctx context.Context, name string) (job.Pass, error) {
	i, err := s.get(ctx, passPrefix+name, stateSK)
	if err != nil {
		return job.Pass{}, fmt.Errorf("read the pass %s: %w", name, err)
	}
	if len(i) == 0 {
		return job.Pass{}, nil
	}
	p, err := decodePass(name, i)
	if err != nil {
		return job.Pass{}, fmt.Errorf("decode the pass %s: %w", name, err)
	}
	return p, nil
}

func decodePass(name string, i item) (job.Pass, error) {
	var r passRecord
	if err := attributevalue.UnmarshalMap(i, &r); err != nil {
		return job.Pass{}, err
	}
	var at moments
	p := job.Pass{
		Name: name, Owner: r.Owner, Until: at.read(untilAttr, r.Until), Fence: r.Fence, State: r.State, NextAt: at.read(nextAtAttr, r.NextAt),
	}
	return p, at.err
}

// SavePass writes the state of a leased pass, when it is due next and when its lease ends: an earlier end gives it back.
// It returns fault.JobRaceLost if another lease came since.
func (s *Store) SavePass(ctx context.Context, p job.Pass) error {
	update := expression.Set(expression.Name(stateAttr), expression.Value(p.State)).
		Set(expression.Name(nextAtAttr), expression.Value(moment(p.NextAt))).
		Set(expression.Name(untilAttr), expression.Value(moment(p.Until)))
	_, err := s.update(ctx, passPrefix+p.Name, stateSK, update, expression.Name(fenceAttr).Equal(expression.Value(p.Fence)))
	if lost(err) {
		return fault.Wrap(fault.JobRaceLost, err, "the pass %s was leased again", p.Name)
	}
	if err != nil {
		return fmt.Errorf("save the pass %s: %w", p.Name, err)
	}
	return nil
}
