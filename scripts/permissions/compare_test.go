package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/local/ledger"
)

const input, table = "arn:aws:s3:::bulksigner-input/*", "arn:aws:dynamodb:sa-east-1:000000000000:table/bulksigner"

// TestCompare: each difference, in both directions, is a fault, and what agrees is none.
func TestCompare(t *testing.T) {
	t.Parallel()
	read := ledger.Right{Who: "sign", Action: "s3:GetObject", On: "arn:aws:s3:::bulksigner-input/contracts/*"}
	mayRead, mayWrite := grant{"sign", "s3:GetObject", input}, grant{"sign", "dynamodb:PutItem", table}
	logs := exception{action: "dynamodb:PutItem", reason: "r"}
	by := func(who string) ledger.Right { r := read; r.Who = who; return r }
	tests := []struct {
		name       string
		asked      []ledger.Right
		granted    []grant
		exceptions []exception
		want       string // in the fault; empty: there is none
	}{
		{"agrees", []ledger.Right{read}, []grant{mayRead}, nil, ""},
		{"asked for and not granted", []ledger.Right{read}, []grant{mayWrite}, []exception{logs}, "missing: sign asked for s3:GetObject"},
		{"granted on another resource", []ledger.Right{read}, []grant{{"sign", "s3:GetObject", "arn:aws:s3:::bulksigner-output/*"}}, nil, "missing: sign"},
		{"granted to another function", []ledger.Right{read}, []grant{{"api", "s3:GetObject", input}, {"sign", "dynamodb:PutItem", table}}, []exception{logs}, "missing: sign"},
		{"granted and never asked for", []ledger.Right{read}, []grant{mayRead, mayWrite}, nil, "unused: sign may dynamodb:PutItem on the table"},
		{"never asked for, with a reason", []ledger.Right{read}, []grant{mayRead, mayWrite}, []exception{logs}, ""},
		{"a reason for another function", []ledger.Right{read}, []grant{mayRead, mayWrite}, []exception{{function: "api", action: "dynamodb:PutItem"}}, "unused: sign"},
		{"a reason for another place", []ledger.Right{read}, []grant{mayRead, mayWrite}, []exception{{action: "dynamodb:PutItem", place: "queue `work`"}}, "unused: sign"},
		{"a reason for what is used", []ledger.Right{read}, []grant{mayRead}, []exception{{action: "s3:GetObject"}}, "out of date: the exception for every function s3:GetObject"},
		{"a reason for what is not granted", []ledger.Right{read}, []grant{mayRead}, []exception{logs}, "out of date"},
		{"asked for and withheld", []ledger.Right{read, {Who: "sign", Action: "s3:ListBucket", On: "arn:aws:s3:::bulksigner-input"}}, []grant{mayRead}, nil, ""},
		{"asked for, and withheld elsewhere", []ledger.Right{read, {Who: "sign", Action: "s3:ListBucket", On: "arn:aws:s3:::bulksigner-output"}}, []grant{mayRead}, nil, "missing: sign asked for s3:ListBucket"},
		{"the queue of a function", []ledger.Right{by("sign.queue")}, []grant{mayRead}, nil, ""},
		{"whoever has no role", []ledger.Right{read, by(""), by("bucket-events")}, []grant{mayRead}, nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			asked := map[ledger.Right]int{}
			for _, r := range tt.asked {
				asked[r]++
			}
			err := compare(asked, tt.granted, tt.exceptions, []exception{{action: "s3:ListBucket", place: "the input bucket"}}).fault()
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("the fault is %v, want %q", err, tt.want)
			}
		})
	}
}

func TestMatches(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true}, {"a", "a", true}, {"a", "ab", false}, {"ab", "a", false}, {"a*", "a", true}, {"*", "anything", true},
		{"a*c", "abbc", true}, {"a*c", "abcd", false}, {"a-??????", "a-AbCdEf", true}, {"a-??????", "a-AbCdE", false},
		{"b/uploads/*", "b/uploads/*", true}, {"b/uploads/*", "b/contracts/*", false}, {"b/*", "b/uploads/*", true},
	} {
		if got := matches(tt.pattern, tt.text); got != tt.want {
			t.Errorf("%q matches %q: %t", tt.pattern, tt.text, got)
		}
	}
}

// TestTemplate reads what a role grants: inline policies and managed ones, lists and single values, ARNs in pieces.
func TestTemplate(t *testing.T) {
	t.Parallel()
	const template = `{"Resources":{
		"Sign12345678":{"Type":"AWS::Lambda::Function","Properties":{"Role":{"Fn::GetAtt":["SignRole12345678","Arn"]}}},
		"SignRole12345678":{"Type":"AWS::IAM::Role","Properties":{"ManagedPolicyArns":[{"Ref":"SignRoleNamed112345678"}],
			"Policies":[{"PolicyName":"Inside","PolicyDocument":{"Statement":[{"Effect":"Allow","Action":"dynamodb:PutItem","Resource":{"Fn::GetAtt":["Table12345678","Arn"]}}]}}]}},
		"SignRoleDefaultPolicy12345678":{"Type":"AWS::IAM::Policy","Properties":{"Roles":[{"Ref":"SignRole12345678"}],"PolicyDocument":{"Statement":[
			{"Effect":"Allow","Action":["dynamodb:GetItem","dynamodb:Query"],"Resource":{"Fn::GetAtt":["Table12345678","Arn"]}},
			{"Effect":"Deny","Action":"dynamodb:Scan","Resource":"*"}]}}},
		"SignRoleNamed112345678":{"Type":"AWS::IAM::ManagedPolicy","Properties":{"PolicyDocument":{"Statement":[
			{"Effect":"Allow","Action":"dynamodb:Query","Resource":[{"Fn::Join":["",[{"Fn::GetAtt":["Table12345678","Arn"]},"/index/byDay"]]},
				{"Fn::Join":["",["arn:",{"Ref":"AWS::Partition"},":kms:",{"Ref":"AWS::Region"},":",{"Ref":"AWS::AccountId"},":key/*"]]}]}]}}},
		"OtherPolicy12345678":{"Type":"AWS::IAM::Policy","Properties":{"Roles":[{"Ref":"Other"}],"PolicyDocument":{"Statement":[
			{"Effect":"Allow","Action":"s3:GetObject","Resource":"*"}]}}}}}`
	got, err := readGrants([]byte(template))
	want := []grant{
		{"sign", "dynamodb:PutItem", table},
		{"sign", "dynamodb:GetItem", table}, {"sign", "dynamodb:Query", table + "/index/byDay"}, {"sign", "dynamodb:Query", table},
		{"sign", "dynamodb:Query", "arn:aws:kms:sa-east-1:000000000000:key/*"},
	}
	if diff := cmp.Diff(asSet(want), asSet(got), cmp.AllowUnexported(grant{})); diff != "" || err != nil {
		t.Errorf("grants, %v (-want +got):\n%s", err, diff)
	}
	for name, bad := range map[string]string{"no JSON": "{", "nothing": `{"Resources":{}}`,
		"a policy from elsewhere": strings.Replace(template, `[{"Ref":"SignRoleNamed112345678"}]`, `["arn:aws:iam::aws:policy/AdministratorAccess"]`, 1),
		"a role from elsewhere":   `{"Resources":{"Sign":{"Type":"AWS::Lambda::Function","Properties":{"Role":"arn:aws:iam::1:role/r"}}}}`} {
		if _, err := readGrants([]byte(bad)); err == nil {
			t.Errorf("%s is read as a template", name)
		}
	}
}

func asSet(all []grant) map[grant]bool {
	set := map[grant]bool{}
	for _, g := range all {
		set[g] = true
	}
	return set
}

func TestThePageIsHeldToTheRun(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "page.md")
	found := compare(map[ledger.Right]int{{Who: "sign", Action: "s3:GetObject", On: "arn:aws:s3:::bulksigner-input/a"}: 3}, []grant{{"sign", "s3:GetObject", input}}, nil, nil)
	if err := settle(path, found.page(), true); err != nil {
		t.Fatal(err)
	}
	if err := settle(path, found.page(), false); err != nil {
		t.Error(err)
	}
	if text, _ := os.ReadFile(path); !strings.Contains(string(text), "| `s3:GetObject` | objects of the input bucket |") {
		t.Errorf("the page is\n%s", text)
	}
	found.used = nil
	if err := settle(path, found.page(), false); err == nil {
		t.Error("a page that differs is taken for the same")
	}
}
