package main

import (
	"bulksigner/internal/aws/schema"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/jsii-runtime-go"
)

// newTable makes the one table. It is the truth of the service, so it is protected against deletion and stays when the
// stack goes, unless the context says otherwise, and can be set back to any second of the last 35 days.
//
// An index that is added later is not readable until it is filled: it takes a deployment of its own, before the one whose
// functions ask it. CloudFormation adds one index per deployment at most.
func (s *service) newTable() awsdynamodb.TableV2 {
	indexes := make([]*awsdynamodb.GlobalSecondaryIndexPropsV2, len(schema.Indexes))
	for i, x := range schema.Indexes {
		indexes[i] = &awsdynamodb.GlobalSecondaryIndexPropsV2{
			IndexName:        jsii.String(x.Name),
			PartitionKey:     attribute(x.PK),
			SortKey:          attribute(x.SK),
			ProjectionType:   awsdynamodb.ProjectionType_INCLUDE,
			NonKeyAttributes: jsii.Strings(x.Projected...),
		}
	}
	return awsdynamodb.NewTableV2(s.stack, jsii.String("Table"), &awsdynamodb.TablePropsV2{
		PartitionKey:           attribute(schema.PK),
		SortKey:                attribute(schema.SK),
		TimeToLiveAttribute:    jsii.String(schema.TTL),
		GlobalSecondaryIndexes: &indexes,
		Billing:                awsdynamodb.Billing_OnDemand(nil),
		DeletionProtection:     jsii.Bool(!s.options.Gone),
		RemovalPolicy:          s.removal(),
		PointInTimeRecoverySpecification: &awsdynamodb.PointInTimeRecoverySpecification{
			PointInTimeRecoveryEnabled: jsii.Bool(true),
			RecoveryPeriodInDays:       jsii.Number(35),
		},
	})
}

// watchTable raises an alarm when requests to the table or an index of it were throttled. The functions ask again by
// themselves, so that a few are nothing. DynamoDB counts an index apart.
func (s *service) watchTable() {
	var metrics []awscloudwatch.IMetric
	for _, name := range []string{"ReadThrottleEvents", "WriteThrottleEvents"} {
		metrics = append(metrics, s.ofTable(name, ""))
		for _, x := range schema.Indexes {
			metrics = append(metrics, s.ofTable(name, x.Name))
		}
	}
	s.alarm(alarm{
		id: "TableThrottled", says: "DynamoDB throttles requests to the table or its indexes.",
		section: "the-table-is-throttled", panel: servicesPanel, metric: together("TableThrottled", 5, metrics...), atLeast: 10,
	})
}

// ofTable is a metric of the table, or of one of its indexes.
func (s *service) ofTable(name, index string) awscloudwatch.IMetric {
	dimensions := map[string]*string{"TableName": s.table.TableName()}
	if index != "" {
		dimensions["GlobalSecondaryIndexName"] = &index
	}
	return counted("AWS/DynamoDB", name, sum(5), dimensions)
}

func attribute(name string) *awsdynamodb.Attribute {
	return &awsdynamodb.Attribute{Name: &name, Type: awsdynamodb.AttributeType_STRING}
}

// changeItems lets a function read and write items one by one and in transactions, which need the right to each of their
// parts, and read and delete all that is under one key. Scanning is in no role, and no transaction checks an item that it
// does not write.
func (s *service) changeItems() grant {
	g := s.writeItems()
	g.actions = append(g.actions, "dynamodb:DeleteItem", "dynamodb:Query")
	return g
}

// writeItems lets a function read and write items that it knows by their keys.
func (s *service) writeItems() grant {
	return allow("Items", *s.table.TableArn(), "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem")
}

// listJobs lets a function go through the indexes, and read the jobs that it finds there by the page.
func (s *service) listJobs() []grant {
	return []grant{s.readIndexes(schema.Indexes...), s.readPages()}
}

func (s *service) readIndexes(indexes ...schema.Index) grant {
	g := grant{id: "Indexes", actions: []string{"dynamodb:Query"}}
	for _, x := range indexes {
		g.resources = append(g.resources, *s.table.TableArn()+"/index/"+x.Name)
	}
	return g
}

// readPages lets a function read many items that it knows by their keys.
func (s *service) readPages() grant {
	return allow("Pages", *s.table.TableArn(), "dynamodb:BatchGetItem")
}
