package local_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/local/emulator"
)

// cloud reaches the emulated services as anybody would.
func cloud() aws.Config {
	return aws.Config{
		Region: emulator.Region, BaseEndpoint: aws.String(service.EmulatorURL()),
		Credentials: credentials.NewStaticCredentialsProvider(emulator.AccessKey, emulator.SecretKey, ""),
	}
}

func TestAJobIsMovedBackInTime(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, id, status string
		since            string
		want             string // of since; "": it is refused
	}{
		{"one that waits", "j1", "AwaitingSigner", "2026-11-30T12:00:00.000Z", "2026-11-29T12:00:00.000Z"},
		{"one that does not", "j2", "Queued", "2026-11-30T12:00:00.000Z", ""},
		{"one that nobody knows", "j3", "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			db := dynamodb.NewFromConfig(cloud())
			before := map[string]string{"pk": "JOB#" + tt.id, "sk": "JOB", "status": tt.status, "since": tt.since,
				"statusPk": "STATUS#" + tt.status + "#0", "statusSk": tt.since + "#" + tt.id, "fileName": "a.pdf"}
			if tt.status != "" {
				put(t, db, before)
			}
			err := service.MoveBack(t.Context(), tt.id, 24*time.Hour)
			if refused := err != nil; refused != (tt.want == "") {
				t.Fatalf("MoveBack = %v, want refused %t", err, tt.want == "")
			}
			if tt.status == "" {
				return
			}
			if tt.want != "" {
				before["since"], before["statusSk"] = tt.want, tt.want+"#"+tt.id
			}
			if diff := cmp.Diff(before, get(t, db, "JOB#"+tt.id)); diff != "" {
				t.Errorf("item (-want +got):\n%s", diff)
			}
		})
	}
}

func put(t *testing.T, db *dynamodb.Client, item map[string]string) {
	t.Helper()
	m, err := attributevalue.MarshalMap(item)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("bulksigner"), Item: m}); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, db *dynamodb.Client, pk string) (item map[string]string) {
	t.Helper()
	key, err := attributevalue.MarshalMap(map[string]string{"pk": pk, "sk": "JOB"})
	if err != nil {
		t.Fatal(err)
	}
	out, err := db.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("bulksigner"), Key: key})
	if err != nil {
		t.Fatal(err)
	}
	if err := attributevalue.UnmarshalMap(out.Item, &item); err != nil {
		t.Fatal(err)
	}
	return item
}

// TestQueues: what a queue does with a message that fails is what it does in the deployment.
func TestQueues(t *testing.T) {
	t.Parallel()
	client := sqs.NewFromConfig(cloud())
	for name, want := range map[string]map[string]string{
		"bulksigner-work":   {"VisibilityTimeout": "1800", "receives": `"maxReceiveCount":5`},
		"bulksigner-checks": {"VisibilityTimeout": "450", "receives": `"maxReceiveCount":8`},
	} {
		url, err := client.GetQueueUrl(t.Context(), &sqs.GetQueueUrlInput{QueueName: &name})
		if err != nil {
			t.Fatal(err)
		}
		out, err := client.GetQueueAttributes(t.Context(), &sqs.GetQueueAttributesInput{
			QueueUrl: url.QueueUrl, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameAll},
		})
		if err != nil {
			t.Fatal(err)
		}
		got := out.Attributes
		if got["VisibilityTimeout"] != want["VisibilityTimeout"] || !strings.Contains(got["RedrivePolicy"], want["receives"]) ||
			!strings.Contains(got["RedrivePolicy"], name+"-dead") {
			t.Errorf("%s is visible again after %s s, and then %s, want %v", name, got["VisibilityTimeout"], got["RedrivePolicy"], want)
		}
	}
}

func TestAChecksMessageWakesSweep(t *testing.T) {
	t.Parallel()
	client := sqs.NewFromConfig(cloud())
	url, err := client.GetQueueUrl(t.Context(), &sqs.GetQueueUrlInput{QueueName: aws.String("bulksigner-checks")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: url.QueueUrl, MessageBody: aws.String("look at this")}); err != nil {
		t.Fatal(err)
	}
	logged(t, "sweep", "look at this")
}
