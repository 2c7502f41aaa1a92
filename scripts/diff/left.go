package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
)

// removal says how something is removed that a removed stack left behind, %s being its name.
var removal = map[string]string{
	"AWS::DynamoDB::GlobalTable": "aws dynamodb update-table --table-name %[1]s --no-deletion-protection-enabled && aws dynamodb delete-table --table-name %[1]s",
	"AWS::S3::Bucket": "aws s3api list-object-versions --bucket %[1]s  # delete every version and marker of it (a lifecycle rule does), then\n" +
		"      aws s3api delete-bucket --bucket %[1]s",
	"AWS::Logs::LogGroup": "aws logs delete-log-group --log-group-name %[1]s",
	"AWS::KMS::Key":       "aws kms schedule-key-deletion --key-id %[1]s  # whatever it encrypted cannot be read any more",
	"AWS::SQS::Queue":     "aws sqs delete-queue --queue-url %[1]s",
}

// writeLeft prints what stays in the account when a stack is removed, and how to remove that too.
func writeLeft(w io.Writer, t template, names map[string]string) {
	ids := slices.SortedFunc(maps.Keys(t.Resources), func(a, b string) int {
		return cmp.Or(cmp.Compare(t.Resources[a].Type, t.Resources[b].Type), cmp.Compare(a, b))
	})
	ids = slices.DeleteFunc(ids, func(id string) bool { return !remains(t.Resources[id].DeletionPolicy) })
	if len(ids) == 0 {
		fmt.Fprintln(w, "Nothing stays when this stack is removed: whatever is in its table and buckets goes with it.")
		return
	}
	fmt.Fprintln(w, "This stays in the account, with what is in it, and costs what it costs. What removes it cannot be undone:")
	for _, id := range ids {
		r := t.Resources[id]
		name := cmp.Or(names[id], plainID(id))
		fmt.Fprintf(w, "\n  %s (%s): %s\n", plainID(id), kindOf(r.Type), name)
		if how, ok := removal[r.Type]; ok {
			fmt.Fprintf(w, "      "+how+"\n", name)
		}
	}
}
