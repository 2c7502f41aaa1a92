package main_test

import (
	"slices"
	"strings"
	"testing"

	infra "bulksigner/infra"
)

const (
	restoredTable = "bulksigner-restored"
	restoredTo    = "2026-07-15T03:00:00Z"
)

func init() {
	deployments["restored"] = deployment{
		context:  map[string]any{"table": restoredTable, "restored": restoredTo},
		settings: atSigner(map[string]any{"WebhookSecret": bearer}, kmsProfile("by-id", keyID, "s3://certificates/by-id.pem")),
	}
}

func TestTheContextNamesARestoredTable(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		context map[string]any
		want    string // a sentence of the error
	}{
		{"a table and its moment", map[string]any{"table": restoredTable, "restored": restoredTo}, ""},
		{"a table that was restored under its own name", map[string]any{"restored": restoredTo}, ""},
		{"a table without a moment", map[string]any{"table": restoredTable}, "context table: say in restored"},
		{"a word for a moment", map[string]any{"table": restoredTable, "restored": "true"}, "context restored: it must be the moment"},
		{"an ARN", map[string]any{"table": "arn:aws:dynamodb:sa-east-1:111122223333:table/x", "restored": restoredTo}, "context table"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := infra.ReadOptions(func(key string) any { return tt.context[key] })
			if tt.want == "" && err == nil {
				return
			}
			if err == nil || tt.want == "" || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("ReadOptions = %v, want %q", err, tt.want)
			}
		})
	}
}

// TestARestoredTableTakesTheOnesPlace: every function works on it, and knows before its first read that it holds a past.
func TestARestoredTableTakesTheOnesPlace(t *testing.T) {
	t.Parallel()
	s := stack(t, "restored")
	if own := s.named("AWS::DynamoDB::GlobalTable"); len(own) > 0 {
		t.Errorf("the stack has a table of its own: %v", own)
	}
	for name, f := range s.named("AWS::Lambda::Function") {
		if got := f.at("Environment.Variables.TABLE_NAME"); got != restoredTable {
			t.Errorf("%s works on %q", name, got)
		}
		if got := f.at("Environment.Variables.TABLE_RESTORED"); got != restoredTo {
			t.Errorf("%s is told of the moment %q", name, got)
		}
	}
	const arn = "arn:aws:dynamodb:REGION:ACCOUNT:table/" + restoredTable
	var granted []string
	for _, p := range s.statements("", rolePolicies...) {
		if slices.ContainsFunc(p.actions, func(a string) bool { return strings.HasPrefix(a, "dynamodb:") }) {
			granted = append(granted, p.resources...)
		}
	}
	slices.Sort(granted)
	if got, want := slices.Compact(granted), []string{arn, arn + "/index/byDay", arn + "/index/byStatus"}; !slices.Equal(got, want) {
		t.Errorf("rights on tables are %v, want %v", got, want)
	}
	if plain := stack(t, "plain").one(t, "AWS::Lambda::Function", "Sign").at("Environment.Variables.TABLE_RESTORED"); plain != "" {
		t.Errorf("a table of the stack's own is called restored: %q", plain)
	}
}
