package local

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"bulksigner/internal/aws/schema"
)

// overdue is how long after its end recovery takes a claim for a dead run's.
const overdue = 30 * time.Second

// inFlight is how long what a killed process has asked the emulated services for may still be under way.
const inFlight = 2 * time.Second

// functionOf names the function that leases a pass or claims jobs.
var functionOf = map[string]string{"PASS#poll": "poll", "PASS#sweep": "sweep", "PASS#recover": "recover"}

// Outlive has time go by for the claims of jobs and the leases of passes whose runs have died: minutes, which nobody who
// watches wants to wait for. A claim is a dead run's if it is there while no invocation of its function is in hand. It
// returns how many it ended.
func (s *Service) Outlive(ctx context.Context, jobs []string) (ended int, err error) {
	held, err := s.held(ctx, jobs)
	if err != nil || len(held) == 0 {
		return 0, err
	}
	held = s.dead(held) // read first, asked then: who was at work at the reading is, or has let go
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-time.After(inFlight):
	}
	for _, h := range held {
		over, err := s.end(ctx, h)
		if err != nil {
			return ended, fmt.Errorf("end the claim of %s: %w", h.pk, err)
		}
		if over {
			ended++
		}
	}
	return ended, nil
}

// dead are those of which no run is at work.
func (s *Service) dead(all []holding) (dead []holding) {
	for _, h := range all {
		if s.host.InHand(h.function) == 0 {
			dead = append(dead, h)
		}
	}
	return dead
}

// holding is an item that a run holds until a time: a job under a claim, or a pass under a lease.
type holding struct {
	pk, sk       string
	function     string // whose run it is
	owner, until string // names of the attributes
	holder       string
}

// attributes are those of both kinds of items. A job has a claim, and a pass a lease.
type attributes struct {
	Claimer string `dynamodbav:"claimOwner"`
	Claimed string `dynamodbav:"claimUntil"`
	Leaser  string `dynamodbav:"owner"`
	Leased  string `dynamodbav:"until"`
}

// held reads which of the jobs, and of the passes, are held beyond the present.
func (s *Service) held(ctx context.Context, jobs []string) (held []holding, err error) {
	var all []holding
	for _, id := range jobs {
		all = append(all, holding{pk: "JOB#" + id, sk: "JOB", function: "sign", owner: "claimOwner", until: "claimUntil"})
	}
	for _, pk := range slices.Sorted(maps.Keys(functionOf)) {
		all = append(all, holding{pk: pk, sk: "STATE", function: functionOf[pk], owner: "owner", until: "until"})
	}
	now := time.Now().UTC().Format(moment)
	for _, h := range all {
		until, err := s.holder(ctx, &h)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", h.pk, err)
		}
		if h.holder != "" && until > now {
			held = append(held, h)
		}
	}
	return held, nil
}

// holder reads who has an item, and until when.
func (s *Service) holder(ctx context.Context, h *holding) (until string, err error) {
	out, err := s.table().GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(tableName), Key: h.key(), ConsistentRead: aws.Bool(true)})
	if err != nil {
		return "", err
	}
	var a attributes
	if err := attributevalue.UnmarshalMap(out.Item, &a); err != nil {
		return "", err
	}
	if h.owner == "owner" {
		h.holder = a.Leaser
		return a.Leased, nil
	}
	h.holder = a.Claimer
	return a.Claimed, nil
}

// end has a holding be overdue, unless another run has the item by now. It reports whether it did.
func (s *Service) end(ctx context.Context, h holding) (bool, error) {
	e, err := expression.NewBuilder().
		WithUpdate(expression.Set(expression.Name(h.until), expression.Value(time.Now().Add(-overdue).UTC().Format(moment)))).
		WithCondition(expression.Name(h.owner).Equal(expression.Value(h.holder))).
		Build()
	if err != nil {
		return false, err
	}
	_, err = s.table().UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: aws.String(tableName), Key: h.key(), UpdateExpression: e.Update(), ConditionExpression: e.Condition(),
		ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
	})
	if _, lost := errors.AsType[*types.ConditionalCheckFailedException](err); lost {
		return false, nil
	}
	return err == nil, err
}

func (h holding) key() map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		schema.PK: &types.AttributeValueMemberS{Value: h.pk}, schema.SK: &types.AttributeValueMemberS{Value: h.sk},
	}
}

func (s *Service) table() *dynamodb.Client { return dynamodb.NewFromConfig(s.emulator.Config()) }
