package main_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRoles holds everything that each function may do: resources, and on each the actions.
func TestRoles(t *testing.T) {
	t.Parallel()
	publicKeys := []string{"kms:GetPublicKey"}
	sign := []string{"kms:GetPublicKey", "kms:Sign"}
	logs := []string{"logs:CreateLogStream", "logs:PutLogEvents"}
	secret, read := []string{"secretsmanager:GetSecretValue"}, []string{"s3:GetObject"}
	indexes := []string{"dynamodb:Query"}
	tests := map[string]map[string][]string{
		"SignRole": {
			"{SignLogs}":   logs,
			"{Table}":      items,
			"{Work}":       {"sqs:ChangeMessageVisibility", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"},
			inputObjects:   {"s3:DeleteObject", "s3:GetObject", "s3:GetObjectVersion"},
			outputObjects:  {"s3:AbortMultipartUpload", "s3:GetObject", "s3:PutObject"},
			bucketOf("in"): {"s3:ListBucket"}, bucketOf("out"): {"s3:ListBucket"},
			ownKey: sign, keyARN: sign, ownKeys: sign, keysAbroad: sign,
			certificate("by-id"): read, certificate("by-arn"): read, certificate("by-alias"): read, certificate("abroad"): read,
			certificate("roots"): read, "arn:aws:s3:::seals/logo.png": read,
			"arn:aws:s3:::containers/memos.p12": read,
			letters:                             secret, lettersPass + "-??????": secret,
		},
		"RecoverRole": {
			"{RecoverLogs}": logs,
			"{Table}":       items, "{Table}/index/byStatus": indexes, "{Table}/index/byDay": indexes,
			"{Work}":       {"sqs:GetQueueAttributes", "sqs:SendMessage"},
			"{DeadTicks}":  {"sqs:SendMessage"},
			bucketOf("in"): {"s3:ListBucket"},
			inputObjects:   read,
		},
		"ApiRole": {
			"{ApiLogs}": logs,
			"{Table}":   itemsAndPages, "{Table}/index/byStatus": indexes, "{Table}/index/byDay": indexes,
			"arn:aws:s3:::bulksigner-input-ACCOUNT-REGION/uploads/*": {"s3:PutObject"},
			inputObjects: read, bucketOf("in"): {"s3:ListBucket"},
			outputObjects: read, bucketOf("out"): {"s3:ListBucket"},
			"{Work}":        {"sqs:GetQueueAttributes", "sqs:SendMessage"},
			"{DeadLetters}": {"sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"},
			ownKey:          publicKeys, keyARN: publicKeys, ownKeys: publicKeys, keysAbroad: publicKeys,
			certificate("by-id"): read, certificate("by-arn"): read, certificate("by-alias"): read, certificate("abroad"): read,
			certificate("roots"): read, "arn:aws:s3:::containers/memos.p12": read,
			apiKey: secret, letters: secret, lettersPass + "-??????": secret,
		},
		"RecoverSchedulerRole": {"{Recover}": {"lambda:InvokeFunction"}, "{DeadTicks}": {"sqs:SendMessage"}},
	}
	checkRoles(t, stack(t, "plain"), tests)
}

// TestRolesAtSigner: each function has what it needs of Lacuna Signer, and only notify knows the bearer.
func TestRolesAtSigner(t *testing.T) {
	t.Parallel()
	logs := []string{"logs:CreateLogStream", "logs:PutLogEvents"}
	secret, read, send := []string{"secretsmanager:GetSecretValue"}, []string{"s3:GetObject"}, []string{"sqs:SendMessage"}
	consume := []string{"sqs:ChangeMessageVisibility", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"}
	invoke, indexes := []string{"lambda:InvokeFunction"}, []string{"dynamodb:Query"}
	publicKeys, sign := []string{"kms:GetPublicKey"}, []string{"kms:GetPublicKey", "kms:Sign"}
	tests := map[string]map[string][]string{
		"SignRole": {
			"{SignLogs}": logs, "{Table}": items, "{Work}": consume,
			inputObjects:   {"s3:DeleteObject", "s3:GetObject", "s3:GetObjectVersion"},
			outputObjects:  {"s3:AbortMultipartUpload", "s3:GetObject", "s3:PutObject"},
			bucketOf("in"): {"s3:ListBucket"}, bucketOf("out"): {"s3:ListBucket"},
			ownKey: sign, keyARN: sign, certificate("by-id"): read, certificate("found"): read,
			"arn:aws:s3:::containers/memos.p12": read, "arn:aws:s3:::containers/local.p12": read,
			letters: secret, lettersPass + "-??????": secret, localPass: secret, signerKey: secret, sealing: secret,
		},
		"PollRole": {
			"{PollLogs}": logs, "{Table}": {"dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"}, "{Table}/index/byStatus": indexes, signerKey: secret,
			"{Work}": {"sqs:GetQueueAttributes", "sqs:SendMessage"}, "{DeadTicks}": send,
		},
		"SweepRole": {
			"{SweepLogs}": logs, "{Table}": itemsAndPages, "{Work}": send, "{DeadTicks}": send, "{Checks}": consume, signerKey: secret,
			certificate("found"): read, "arn:aws:s3:::containers/memos.p12": read, letters: secret, lettersPass + "-??????": secret,
		},
		"RecoverRole": {
			"{RecoverLogs}": logs, "{Table}": items, "{Table}/index/byStatus": indexes, "{Table}/index/byDay": indexes,
			"{Work}": {"sqs:GetQueueAttributes", "sqs:SendMessage"}, bucketOf("in"): {"s3:ListBucket"}, inputObjects: read,
			"{DeadTicks}": send,
		},
		"ApiRole": {
			"{ApiLogs}": logs, "{Table}": itemsAndPages, "{Table}/index/byStatus": indexes, "{Table}/index/byDay": indexes,
			"arn:aws:s3:::bulksigner-input-ACCOUNT-REGION/uploads/*": {"s3:PutObject"},
			inputObjects: read, bucketOf("in"): {"s3:ListBucket"},
			outputObjects: read, bucketOf("out"): {"s3:ListBucket"}, "{Work}": {"sqs:GetQueueAttributes", "sqs:SendMessage"},
			"{Checks}":      {"sqs:GetQueueAttributes", "sqs:SendMessage"},
			"{DeadLetters}": {"sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"},
			"{DeadChecks}":  {"sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"},
			ownKey:          publicKeys, keyARN: publicKeys, certificate("by-id"): read, certificate("found"): read,
			"arn:aws:s3:::containers/memos.p12": read, "arn:aws:s3:::containers/local.p12": read,
			apiKey: secret, signerKey: secret, letters: secret, lettersPass + "-??????": secret, localPass: secret,
		},
		"NotifyRole": {
			"{NotifyLogs}": logs, "{Checks}": send, bearer: secret,
			"{Table}": {"dynamodb:BatchGetItem", "dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"},
		},
		"RecoverSchedulerRole": {"{Recover}": invoke, "{DeadTicks}": send},
		"PollSchedulerRole":    {"{Poll}": invoke, "{DeadTicks}": send},
		"SweepSchedulerRole":   {"{Sweep}": invoke, "{DeadTicks}": send},
	}
	checkRoles(t, stack(t, "signer"), tests)
}

// checkRoles compares all roles of a stack with what they may do.
func checkRoles(t *testing.T, s template, tests map[string]map[string][]string) {
	t.Helper()
	for role, want := range tests {
		if diff := cmp.Diff(want, rights(s.statements(role, rolePolicies...))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", role, diff)
		}
	}
	if got := slices.Sorted(maps.Keys(s.named("AWS::IAM::Role"))); len(got) != len(tests) {
		t.Errorf("roles are %v, want %d", got, len(tests))
	}
	for id, r := range s.named("AWS::IAM::Role") {
		if got := r.at("ManagedPolicyArns"); strings.Contains(got, ":iam::aws:") || r.at("Policies") != "" {
			t.Errorf("%s has policies that nobody wrote out: %s", id, got)
		}
	}
}

// rights are the actions that statements allow, by resource.
func rights(statements []statement) map[string][]string {
	all := map[string][]string{}
	for _, s := range statements {
		for _, r := range s.resources {
			all[r] = append(all[r], s.actions...)
		}
	}
	for r := range all {
		slices.Sort(all[r])
		all[r] = slices.Compact(all[r])
	}
	return all
}
