package main_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	inputObjects  = "arn:aws:s3:::bulksigner-input-ACCOUNT-REGION/*"
	outputObjects = "arn:aws:s3:::bulksigner-output-ACCOUNT-REGION/*"
	ownKeys       = "arn:aws:kms:REGION:ACCOUNT:key/*"
	keysAbroad    = "arn:aws:kms:us-east-1:444455556666:key/*"
)

var (
	items         = []string{"dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem"}
	itemsAndPages = append([]string{"dynamodb:BatchGetItem"}, items...)
)

// TestTokens: a key on a token needs its PIN, which nobody but sign knows, and nothing of KMS.
func TestTokens(t *testing.T) {
	t.Parallel()
	got := rights(stack(t, "token").statements("SignRole", rolePolicies...))
	if diff := cmp.Diff([]string{"secretsmanager:GetSecretValue"}, got[pin]); diff != "" {
		t.Errorf("on the PIN (-want +got):\n%s", diff)
	}
	for resource, actions := range got {
		if slices.ContainsFunc(actions, func(a string) bool { return strings.HasPrefix(a, "kms:") }) {
			t.Errorf("sign may %v on %s, want no key of KMS", actions, resource)
		}
	}
	for _, s := range stack(t, "token").statements("", rolePolicies...) {
		if slices.Contains(s.resources, pin) && !strings.HasPrefix(s.policy, "SignRole") {
			t.Errorf("%s knows the PIN", s.policy)
		}
	}
}

const ownKey = "arn:aws:kms:REGION:ACCOUNT:key/" + keyID

func bucketOf(part string) string { return "arn:aws:s3:::bulksigner-" + part + "put-ACCOUNT-REGION" }

func certificate(name string) string { return "arn:aws:s3:::certificates/" + name + ".pem" }

// TestPatterns: no action is a pattern, no resource is everything, and all keys of an account are named only together with
// the aliases that are meant. What the context allows is its own affair.
func TestPatterns(t *testing.T) {
	t.Parallel()
	for name := range deployments {
		for _, s := range stack(t, name).statements("", rolePolicies...) {
			if s.effect != "Allow" {
				t.Errorf("%s: %s %s is a %s", name, s.policy, s.sid, s.effect)
			}
			for _, a := range s.actions {
				if strings.Contains(a, "*") {
					t.Errorf("%s: %s %s allows %s", name, s.policy, s.sid, a)
				}
			}
			for _, r := range s.resources {
				byAlias := strings.Contains(r, ":key/*") && strings.Contains(s.conditions, `"ForAnyValue:StringEquals":{"kms:ResourceAliases":[`)
				objects := strings.HasPrefix(r, "arn:aws:s3:::") && strings.HasSuffix(r, "/*")
				chosen := name == "allowed" && strings.HasPrefix(s.sid, "Allowed") // by the context, each with a reason
				if strings.Contains(r, "*") && !byAlias && !objects && !chosen && s.sid != "JoinNetwork" {
					t.Errorf("%s: %s %s is about %s", name, s.policy, s.sid, r)
				}
			}
		}
	}
}

func TestSigningIsNarrow(t *testing.T) {
	t.Parallel()
	own := []any{"RSASSA_PKCS1_V1_5_SHA_256", "RSASSA_PKCS1_V1_5_SHA_512", "ECDSA_SHA_256", "ECDSA_SHA_512"}
	tests := map[string]struct {
		algorithms []any
		statements int
	}{
		"plain":  {own, 3}, // keys named, an alias here, an alias abroad
		"signer": {append(slices.Clone(own), "RSASSA_PKCS1_V1_5_SHA_384", "ECDSA_SHA_384"), 1},
	}
	for name, tt := range tests {
		signing := slices.DeleteFunc(stack(t, name).statements("", rolePolicies...), func(st statement) bool {
			return !slices.Contains(st.actions, "kms:Sign")
		})
		for _, st := range signing {
			checkSigning(t, st, map[string]any{"kms:MessageType": "DIGEST", "kms:SigningAlgorithm": tt.algorithms})
		}
		if len(signing) != tt.statements {
			t.Errorf("%s: %d statements sign, want %d", name, len(signing), tt.statements)
		}
	}
}

func checkSigning(t *testing.T, st statement, want map[string]any) {
	t.Helper()
	var c struct {
		StringEquals map[string]any
		Aliases      map[string][]string `json:"ForAnyValue:StringEquals"`
	}
	if err := json.Unmarshal([]byte(st.conditions), &c); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, c.StringEquals); diff != "" {
		t.Errorf("%s of %s signs under (-want +got):\n%s", st.sid, st.policy, diff)
	}
	aliases := map[string][]string{ownKeys: {"alias/contracts"}, keysAbroad: {"alias/abroad"}}[st.resources[0]]
	if got := c.Aliases["kms:ResourceAliases"]; !slices.Equal(got, aliases) {
		t.Errorf("%s signs with the keys of %v, want %v", st.sid, got, aliases)
	}
	if !strings.HasPrefix(st.policy, "SignRole") {
		t.Errorf("%s lets another function than sign ask a key", st.policy)
	}
}

// TestVersionsStay: a version of a document is nothing that a function can lose.
func TestVersionsStay(t *testing.T) {
	t.Parallel()
	for name := range deployments {
		s := stack(t, name)
		for _, st := range s.statements("", rolePolicies...) {
			if slices.Contains(st.actions, "s3:DeleteObjectVersion") {
				t.Errorf("%s: %s %s may delete a version", name, st.policy, st.sid)
			}
		}
		for _, policy := range []string{"InputPolicy", "OutputPolicy"} {
			if name == "existing" && policy == "InputPolicy" {
				continue // its owner's
			}
			i := slices.IndexFunc(s.statements(policy, resourcePolicies...), func(st statement) bool {
				return st.effect == "Deny" && slices.Contains(st.actions, "s3:DeleteObjectVersion") &&
					strings.Count(st.conditions, "Role") == len(s.functions()) && len(st.resources) == 2
			})
			if i < 0 {
				t.Errorf("%s: %s does not deny the functions' roles the deletion of versions", name, policy)
			}
		}
	}
}

func TestOnlyTLS(t *testing.T) {
	t.Parallel()
	s := stack(t, "signer")
	for _, policy := range []string{"InputPolicy", "OutputPolicy", "WorkPolicy", "DeadLettersPolicy", "ChecksPolicy", "DeadChecksPolicy"} {
		ok := slices.ContainsFunc(s.statements(policy, resourcePolicies...), func(st statement) bool {
			return st.effect == "Deny" && strings.Contains(st.conditions, `{"Bool":{"aws:SecureTransport":"false"}}`)
		})
		if !ok {
			t.Errorf("%s admits requests without TLS", policy)
		}
	}
}

// TestWhoWritesToQueues: the input bucket of this account, and nobody else by the queue's own policy.
func TestWhoWritesToQueues(t *testing.T) {
	t.Parallel()
	for _, st := range stack(t, "signer").statements("", "AWS::SQS::QueuePolicy") {
		if st.effect == "Deny" {
			continue
		}
		source := `"aws:SourceArn":{"Fn::Join":["",["arn:",{"Ref":"AWS::Partition"},":s3:::bulksigner-input-"`
		if st.policy != "WorkPolicy" || !slices.Equal(st.actions, []string{"sqs:SendMessage"}) || !strings.Contains(st.conditions, source) ||
			!strings.Contains(st.conditions, `"aws:SourceAccount":{"Ref":"AWS::AccountId"}`) {
			t.Errorf("%s %s allows %v under %s", st.policy, st.sid, st.actions, st.conditions)
		}
	}
}

func TestBucketKeyServesS3Alone(t *testing.T) {
	t.Parallel()
	s := stack(t, "options")
	tests := map[string][]string{
		"SignRole":    {"kms:Decrypt", "kms:GenerateDataKey"},
		"RecoverRole": {"kms:Decrypt"},
		"ApiRole":     {"kms:Decrypt", "kms:GenerateDataKey"},
	}
	for role, want := range tests {
		for _, st := range s.statements(role, rolePolicies...) {
			if !slices.Contains(st.resources, "{BucketKey}") {
				continue
			}
			if !slices.Equal(st.actions, want) || !strings.Contains(st.conditions, "kms:ViaService") {
				t.Errorf("%s may %v under %s, want %v through S3", role, st.actions, st.conditions, want)
			}
			delete(tests, role)
		}
	}
	if len(tests) > 0 {
		t.Errorf("these roles cannot use the buckets' key: %v", tests)
	}
}

// TestPoliciesFit: IAM takes 10240 characters in a role and 6144 in a policy beside it, of which there may be ten.
func TestPoliciesFit(t *testing.T) {
	t.Parallel()
	s := stack(t, "many")
	for id, r := range s.Resources {
		limit := map[string]int{"AWS::IAM::Policy": 10240, "AWS::IAM::ManagedPolicy": 6144}[r.Type]
		if limit == 0 {
			continue
		}
		data, err := json.Marshal(r.Properties["PolicyDocument"])
		if err != nil {
			t.Fatal(err)
		}
		// Longer than it will be: the parts that deployment fills in are written out in full.
		if len(data) > limit {
			t.Errorf("%s has %d characters, want at most %d", id, len(data), limit)
		}
	}
	roles := rights(s.statements("SignRole", rolePolicies...))
	keys := 0
	for r := range roles {
		if strings.Contains(r, ":key/0000") {
			keys++
		}
	}
	if keys != 66 || len(roles[ownKeys]) != 2 {
		t.Errorf("sign may use %d keys by name and %v by alias, want 66 and two actions", keys, roles[ownKeys])
	}
}
