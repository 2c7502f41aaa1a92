package main

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/jsii-runtime-go"

	"bulksigner/internal/aws/schema"
)

// restoredVariable tells the functions to which moment their table was set back. They pause before they believe it.
const restoredVariable = "TABLE_RESTORED"

// ourTable is the one table: a restored one that the context names, or the stack's own. A restored table belongs to whoever
// restored it, so that the stack can neither change nor delete it; the one that the stack had stays where it is.
func (s *service) ourTable() awsdynamodb.ITableV2 {
	if s.options.Table == "" {
		return s.newTable()
	}
	names := make([]string, len(schema.Indexes))
	for i, x := range schema.Indexes {
		names[i] = x.Name
	}
	return awsdynamodb.TableV2_FromTableAttributes(s.stack, jsii.String("RestoredTable"), &awsdynamodb.TableAttributesV2{
		TableName: &s.options.Table, GlobalIndexes: jsii.Strings(names...),
	})
}

// moment reads a time as it is given to DynamoDB for a restore.
func (r *optionReader) moment(key string) string {
	s := r.text(key, "", nil)
	if s == "" {
		return ""
	}
	if _, err := time.Parse(time.RFC3339, s); err != nil {
		r.fault(key, "it must be the moment to which the table was set back, like 2026-07-15T12:00:00Z")
	}
	return s
}

// checkTable refuses a table of which nobody says what it holds: a table that was restored must start paused.
func (r *optionReader) checkTable(o Options) {
	if o.Table != "" && o.Restored == "" {
		r.fault("table", "say in restored to which moment the table was set back, so that the service starts paused; "+
			"a table that was not restored is the stack's own, and needs no name")
	}
}
