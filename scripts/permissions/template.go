package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"bulksigner/internal/local/emulator"
)

// resource is one of a template, as far as it is read here.
type resource struct {
	Type       string
	Properties struct {
		Role              any
		Roles             []any
		PolicyDocument    document
		ManagedPolicyArns []any
		Policies          []struct{ PolicyDocument document } // of a role, inside of it
	}
}

type document struct{ Statement []statement }

type statement struct {
	Effect           string
	Action, Resource any
}

// readGrants reads from a template what the role of each function grants.
func readGrants(data []byte) ([]grant, error) {
	var t struct{ Resources map[string]resource }
	if err := json.Unmarshal(data, &t); err != nil {
		return nil, fmt.Errorf("read the template: %w", err)
	}
	var all []grant
	for id, f := range t.Resources {
		if f.Type != "AWS::Lambda::Function" {
			continue
		}
		role := referred(f.Properties.Role)
		if t.Resources[role].Type != "AWS::IAM::Role" {
			return nil, fmt.Errorf("the role of function %s cannot be told: %v", id, f.Properties.Role)
		}
		granted, err := grantsOf(t.Resources, role, strings.ToLower(plain(id)))
		if err != nil {
			return nil, err
		}
		all = append(all, granted...)
	}
	if len(all) == 0 {
		return nil, errors.New("the template grants nothing to any function")
	}
	slices.SortFunc(all, func(a, b grant) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return slices.Compact(all), nil
}

// grantsOf reads the policies of a role: those inside of it, those that name it, and those that it names. What a policy
// grants that is not in the template nobody could tell.
func grantsOf(resources map[string]resource, role, function string) (all []grant, _ error) {
	named := map[string]bool{}
	for _, p := range resources[role].Properties.ManagedPolicyArns {
		if id := referred(p); resources[id].Type != "AWS::IAM::ManagedPolicy" {
			return nil, fmt.Errorf("the role of %s has the policy %s, which is not in the template", function, text(p))
		}
		named[referred(p)] = true
	}
	for _, p := range resources[role].Properties.Policies {
		all = append(all, p.PolicyDocument.grants(function)...)
	}
	for id, p := range resources {
		names := slices.ContainsFunc(p.Properties.Roles, func(r any) bool { return referred(r) == role })
		if (p.Type == "AWS::IAM::Policy" || p.Type == "AWS::IAM::ManagedPolicy") && (names || named[id]) {
			all = append(all, p.Properties.PolicyDocument.grants(function)...)
		}
	}
	return all, nil
}

// grants is what a policy allows to a function.
func (d document) grants(function string) (all []grant) {
	for _, s := range d.Statement {
		if s.Effect != "Allow" {
			continue
		}
		for _, action := range texts(s.Action) {
			for _, on := range texts(s.Resource) {
				all = append(all, grant{function, action, on})
			}
		}
	}
	return all
}

// referred is the logical id that a value refers to.
func referred(v any) string {
	m, _ := v.(map[string]any)
	if ref, ok := m["Ref"].(string); ok {
		return ref
	}
	if get, ok := m["Fn::GetAtt"].([]any); ok && len(get) > 0 {
		id, _ := get[0].(string)
		return id
	}
	return ""
}

var hash = regexp.MustCompile(`(Resource)?[0-9A-F]{8}$`)

// plain is a logical id without its hash.
func plain(id string) string { return hash.ReplaceAllString(id, "") }

// texts writes one value or a list of them as they are in the run on one machine.
func texts(v any) []string {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = text(e)
	}
	return out
}

// made are the resources of the stack under the ARNs that they have in the run.
var made = map[string]string{
	"Table": ownARN("dynamodb", "table/bulksigner"),
	"Work":  ownARN("sqs", "bulksigner-work"), "DeadLetters": ownARN("sqs", "bulksigner-work-dead"),
	"Checks": ownARN("sqs", "bulksigner-checks"), "DeadChecks": ownARN("sqs", "bulksigner-checks-dead"),
}

func ownARN(service, name string) string {
	return "arn:aws:" + service + ":" + emulator.Region + ":" + emulator.Account + ":" + name
}

var pseudo = map[string]string{
	"AWS::Partition": "aws", "AWS::Region": emulator.Region, "AWS::AccountId": emulator.Account, "AWS::URLSuffix": "amazonaws.com",
}

// text writes one value. What the run does not have keeps the name of its construct.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case map[string]any:
		if join, ok := v["Fn::Join"].([]any); ok && len(join) == 2 {
			separator, _ := join[0].(string)
			return strings.Join(texts(join[1]), separator)
		}
		id := referred(v)
		if known, ok := pseudo[id]; ok {
			return known
		}
		if known, ok := made[plain(id)]; ok {
			return known
		}
		return "{" + plain(id) + "}"
	}
	return fmt.Sprint(v)
}
