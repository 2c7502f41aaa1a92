package emulator

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"bulksigner/internal/aws/schema"
)

// CreateTable makes the product's table as the deployment does: on demand, its indexes, its TTL.
func CreateTable(ctx context.Context, client *dynamodb.Client, name string) error {
	in := &dynamodb.CreateTableInput{
		TableName:            &name,
		BillingMode:          ddb.BillingModePayPerRequest,
		KeySchema:            keySchema(schema.PK, schema.SK),
		AttributeDefinitions: attributes(schema.PK, schema.SK),
	}
	for _, i := range schema.Indexes {
		in.AttributeDefinitions = append(in.AttributeDefinitions, attributes(i.PK, i.SK)...)
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, ddb.GlobalSecondaryIndex{
			IndexName:  aws.String(i.Name),
			KeySchema:  keySchema(i.PK, i.SK),
			Projection: projection(i.Projected),
		})
	}
	if _, err := client.CreateTable(ctx, in); err != nil {
		return fmt.Errorf("create table %s: %w", name, err)
	}
	_, err := client.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName:               &name,
		TimeToLiveSpecification: &ddb.TimeToLiveSpecification{AttributeName: aws.String(schema.TTL), Enabled: aws.Bool(true)},
	})
	if err != nil {
		return fmt.Errorf("set the TTL of table %s: %w", name, err)
	}
	return nil
}

func keySchema(pk, sk string) []ddb.KeySchemaElement {
	return []ddb.KeySchemaElement{
		{AttributeName: &pk, KeyType: ddb.KeyTypeHash},
		{AttributeName: &sk, KeyType: ddb.KeyTypeRange},
	}
}

func attributes(names ...string) (defs []ddb.AttributeDefinition) {
	for _, n := range names {
		defs = append(defs, ddb.AttributeDefinition{AttributeName: &n, AttributeType: ddb.ScalarAttributeTypeS})
	}
	return defs
}

func projection(names []string) *ddb.Projection {
	if len(names) == 0 {
		return &ddb.Projection{ProjectionType: ddb.ProjectionTypeKeysOnly}
	}
	return &ddb.Projection{ProjectionType: ddb.ProjectionTypeInclude, NonKeyAttributes: names}
}

// CreateBucket makes a bucket with versions, as both of the product's are.
func CreateBucket(ctx context.Context, client *s3.Client, name string) error {
	_, err := client.CreateBucket(ctx, &s3.CreateBucketInput{
		Bucket:                    &name,
		CreateBucketConfiguration: &types.CreateBucketConfiguration{LocationConstraint: types.BucketLocationConstraint(Region)},
	})
	if err != nil {
		return fmt.Errorf("create bucket %s: %w", name, err)
	}
	_, err = client.PutBucketVersioning(ctx, &s3.PutBucketVersioningInput{
		Bucket:                  &name,
		VersioningConfiguration: &types.VersioningConfiguration{Status: types.BucketVersioningStatusEnabled},
	})
	if err != nil {
		return fmt.Errorf("turn on the versions of bucket %s: %w", name, err)
	}
	return nil
}

// AllowUploads lets pages of any origin send files to a bucket, as the deployment does: what a page sends goes to a link, and
// the link is the right to send it.
func AllowUploads(ctx context.Context, client *s3.Client, bucket string) error {
	_, err := client.PutBucketCors(ctx, &s3.PutBucketCorsInput{Bucket: &bucket, CORSConfiguration: &types.CORSConfiguration{
		CORSRules: []types.CORSRule{{
			AllowedMethods: []string{"PUT"}, AllowedHeaders: []string{"Content-Type", "If-None-Match"}, AllowedOrigins: []string{"*"},
		}},
	}})
	if err != nil {
		return fmt.Errorf("let pages send files to bucket %s: %w", bucket, err)
	}
	return nil
}
