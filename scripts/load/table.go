package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"bulksigner/internal/aws/schema"
	"bulksigner/internal/local"
)

// segments are the parts in which the table is read. The emulator answers each at once, and no answer may be too large.
const segments = 32

// count counts the table's items by the word that their partition key begins with.
func count(ctx context.Context, s *local.Service) (map[string]int, error) {
	by := map[string]int{}
	err := keys(ctx, s, func(pk, _ string) error {
		by[wordOf(pk)]++
		return nil
	})
	return by, err
}

// wordOf is JOB of JOB#0198….
func wordOf(pk string) string {
	word, _, _ := strings.Cut(pk, "#")
	return word
}

// keys reads the keys of all items.
func keys(ctx context.Context, s *local.Service, each func(pk, sk string) error) error {
	db := dynamodb.NewFromConfig(s.Config())
	table, err := tableOf(ctx, db)
	if err != nil {
		return err
	}
	for n := range segments {
		pages := dynamodb.NewScanPaginator(db, &dynamodb.ScanInput{
			TableName: &table, Segment: aws.Int32(int32(n)), TotalSegments: aws.Int32(segments),
			ProjectionExpression:     aws.String("#pk, #sk"),
			ExpressionAttributeNames: map[string]string{"#pk": schema.PK, "#sk": schema.SK},
		})
		for pages.HasMorePages() {
			p, err := pages.NextPage(ctx)
			if err != nil {
				return fmt.Errorf("read the table: %w", err)
			}
			for _, item := range p.Items {
				if err := each(text(item[schema.PK]), text(item[schema.SK])); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func text(v types.AttributeValue) string {
	s, _ := v.(*types.AttributeValueMemberS)
	if s == nil {
		return ""
	}
	return s.Value
}

// tableOf names the service's table: there is no other one.
func tableOf(ctx context.Context, db *dynamodb.Client) (string, error) {
	out, err := db.ListTables(ctx, &dynamodb.ListTablesInput{})
	if err != nil {
		return "", fmt.Errorf("list the tables: %w", err)
	}
	if len(out.TableNames) != 1 {
		return "", errors.New("the emulator has not one table")
	}
	return out.TableNames[0], nil
}

// traces are the items that a job leaves behind.
var traces = []string{"JOB", "OBJECT", "NAME", "TIMINGS", "EVENTS"}

// wipe removes what jobs left behind, so that the next rate begins as the first one did: the emulator goes through its whole
// table for each query.
func wipe(ctx context.Context, s *local.Service) error {
	db := dynamodb.NewFromConfig(s.Config())
	table, err := tableOf(ctx, db)
	if err != nil {
		return err
	}
	return keys(ctx, s, func(pk, sk string) error {
		if !slices.Contains(traces, wordOf(pk)) {
			return nil
		}
		_, err := db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &table, Key: map[string]types.AttributeValue{
			schema.PK: &types.AttributeValueMemberS{Value: pk}, schema.SK: &types.AttributeValueMemberS{Value: sk},
		}})
		if err != nil {
			return fmt.Errorf("delete an item: %w", err)
		}
		return nil
	})
}
