package main_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	infra "bulksigner/infra"
)

// TestAllowed: what the context allows profiles to name is granted to those who open it, on the conditions of all keys.
func TestAllowed(t *testing.T) {
	t.Parallel()
	const byHand, tenants = "arn:aws:s3:::certificates/by-hand.pem", "arn:aws:s3:::tenants/certificates/*"
	const home, replicas = "arn:aws:kms:sa-east-1:111122223333:key/*", "arn:aws:kms:eu-west-1:111122223333:key/mrk-*"
	public, sign := []string{"kms:GetPublicKey"}, []string{"kms:GetPublicKey", "kms:Sign"}
	secret, read := []string{"secretsmanager:GetSecretValue"}, []string{"s3:GetObject"}
	open := map[string][]string{letters: secret, tenantSecrets: secret, byHand: read, tenants: read}
	tests := map[string]map[string][]string{
		"SignRole":    {keyARN: sign, keysAbroad: sign, home: sign, replicas: sign},
		"ApiRole":     {keyARN: public, keysAbroad: public, home: public, replicas: public},
		"SweepRole":   {},
		"PollRole":    nil,
		"RecoverRole": nil,
	}
	for role, keys := range tests {
		got := rights(stack(t, "allowed").statements(role, rolePolicies...))
		for arn := range open {
			want := open[arn]
			if keys == nil {
				want = nil
			}
			if diff := cmp.Diff(want, got[arn]); diff != "" {
				t.Errorf("%s on %s (-want +got):\n%s", role, arn, diff)
			}
		}
		for _, arn := range []string{keyARN, keysAbroad, home, replicas} {
			if diff := cmp.Diff(keys[arn], got[arn]); diff != "" {
				t.Errorf("%s on %s (-want +got):\n%s", role, arn, diff)
			}
		}
	}
}

// TestAllowedConditions: a pattern of aliases admits keys by their aliases, and no key signs but digests.
func TestAllowedConditions(t *testing.T) {
	t.Parallel()
	for _, st := range stack(t, "allowed").statements("", rolePolicies...) {
		if strings.HasPrefix(st.resources[0], "arn:aws:kms:sa-east-1:") && !strings.Contains(st.conditions, `"ForAnyValue:StringLike":{"kms:ResourceAliases":["alias/tenants/*"]}`) {
			t.Errorf("%s of %s is about all keys under %s", st.sid, st.policy, st.conditions)
		}
		if strings.Contains(strings.Join(st.actions, " "), "kms:Sign") && !strings.Contains(st.conditions, `"kms:MessageType":"DIGEST"`) {
			t.Errorf("%s of %s signs under %s", st.sid, st.policy, st.conditions)
		}
	}
}

func TestReadAllowed(t *testing.T) {
	t.Parallel()
	const key, other = "arn:aws:kms:sa-east-1:111122223333:key/0001", "arn:aws:kms:sa-east-1:111122223333:alias/a/b"
	because := func(arn, reason string) any { return map[string]any{"arn": arn, "reason": reason} }
	const all = "arn:aws:kms:sa-east-1:111122223333:key/*"
	tests := []struct {
		name  string
		key   string // of the context
		value any
		want  int
		says  string
	}{
		{"none", "profileKeys", nil, 0, ""},
		{"one on the command line", "profileKeys", key, 1, ""},
		{"two on the command line", "profileKeys", key + ", " + other, 2, ""},
		{"JSON on the command line", "profileKeys", `["` + key + `",{"arn":"` + all + `","reason":"all of them are ours"}]`, 2, ""},
		{"a list of a file", "profileKeys", []any{key, because(all, "all of them are ours")}, 2, ""},
		{"a pattern without a reason", "profileKeys", all, 0, "profileKeys[0]: \"" + all + "\" is a pattern: say why"},
		{"a pattern with a poor reason", "profileKeys", []any{key, because(all, "  because  ")}, 1, "profileKeys[1]"},
		{"a name and no ARN", "profileKeys", "alias/a", 0, "profileKeys[0]"},
		{"keys of everybody", "profileKeys", because("arn:aws:kms:sa-east-1:*:key/*", "of all accounts"), 0, "profileKeys"},
		{"keys of all accounts", "profileKeys", []any{because("arn:aws:kms:sa-east-1:*:key/*", "of all accounts")}, 0, "profileKeys[0]"},
		{"a secret", "profileSecrets", letters, 1, ""},
		{"a key is no secret", "profileSecrets", key, 0, "profileSecrets[0]"},
		{"an object", "profileObjects", "arn:aws:s3:::certificates/a b/ç.pem", 1, ""},
		{"a bucket", "profileObjects", "arn:aws:s3:::certificates", 0, "profileObjects[0]"},
		{"objects of all buckets", "profileObjects", []any{because("arn:aws:s3:::*/a.pem", "of all buckets")}, 0, "profileObjects[0]"},
		{"a variable", "profileObjects", "arn:aws:s3:::certificates/${aws:username}.pem", 0, "profileObjects[0]"},
		{"no JSON", "profileKeys", "[", 0, "profileKeys: it must be a list"},
		{"a number", "profileKeys", 5, 0, "profileKeys: it must be a list"},
		{"numbers", "profileKeys", []any{5}, 0, "profileKeys[0]: it must be an ARN"},
		{"more than arn and reason", "profileKeys", []any{map[string]any{"arn": key, "reason": "", "why": ""}}, 0, "profileKeys[0]: it must be"},
		{"too many", "profileKeys", strings.Repeat(key+",", 200) + key, 0, "profileKeys: it must be a list of at most 200"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o, err := infra.ReadOptions(func(key string) any {
				if key == tt.key {
					return tt.value
				}
				return nil
			})
			if n := len(o.ProfileKeys) + len(o.ProfileSecrets) + len(o.ProfileObjects); n != tt.want {
				t.Errorf("%d are allowed, want %d", n, tt.want)
			}
			if tt.says != "" {
				contains(t, err, "context "+tt.says)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}
