package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// permission is one sentence about who may do what.
type permission struct {
	who, verb, what string // "sign", "may", "kms:Sign on key/1234"
}

// sentence says a permission that is there now, or no longer.
func (p permission) sentence(gone bool) string {
	if !gone {
		return p.who + " " + p.verb + " " + p.what
	}
	return p.who + " " + map[string]string{"may": "may no longer", "is denied": "is no longer denied"}[p.verb] + " " + p.what
}

// permissions are all that a stack gives, to functions and in the policies of resources.
func permissions(t template) map[permission]bool {
	all := map[permission]bool{}
	holders := holdersOf(t)
	for id, r := range t.Resources {
		switch r.Type {
		case "AWS::IAM::Policy", "AWS::IAM::ManagedPolicy":
			for _, role := range attached(t, id, r) {
				add(all, holders[role], "", r.Properties["PolicyDocument"])
			}
		case "AWS::IAM::Role":
			add(all, "", " the role of "+holders[id], r.Properties["AssumeRolePolicyDocument"])
			inside, _ := r.Properties["Policies"].([]any)
			for _, p := range inside {
				if policy, ok := p.(map[string]any); ok {
					add(all, holders[id], "", policy["PolicyDocument"])
				}
			}
			for _, m := range texts(list(r.Properties["ManagedPolicyArns"])) {
				if strings.HasPrefix(m, "arn:") {
					all[permission{holders[id], "may", "all that the policy " + m + " allows"}] = true
				}
			}
		case "AWS::Lambda::Permission":
			what := "invoke the function " + text(r.Properties["FunctionName"])
			if from, ok := r.Properties["SourceArn"]; ok {
				what += " for " + text(from)
			}
			all[permission{text(r.Properties["Principal"]), "may", what}] = true
		default:
			add(all, "", through(id, r.Type), r.Properties["PolicyDocument"])
			add(all, "", " the key "+plainID(id), r.Properties["KeyPolicy"])
		}
	}
	return all
}

// through says that a statement is no right by itself: the policy of an endpoint only narrows what may pass there.
func through(id, kind string) string {
	if kind == "AWS::EC2::VPCEndpoint" {
		return " what the endpoint " + plainID(id) + " leads to, given the right to it"
	}
	return ""
}

func list(v any) any {
	if v == nil {
		return []any{}
	}
	return v
}

// holdersOf names roles by the functions that have them.
func holdersOf(t template) map[string]string {
	names := map[string]string{}
	for id, r := range t.Resources {
		if r.Type == "AWS::IAM::Role" {
			names[id] = plainID(id)
		}
	}
	for id, r := range t.Resources {
		if r.Type != "AWS::Lambda::Function" {
			continue
		}
		for role := range names {
			if refersTo(r.Properties["Role"], role) {
				names[role] = strings.ToLower(plainID(id))
			}
		}
	}
	return names
}

// attached are the roles that have a policy: those that it names, and those that name it.
func attached(t template, id string, r resource) (roles []string) {
	for other, role := range t.Resources {
		if role.Type == "AWS::IAM::Role" && (refersTo(r.Properties["Roles"], other) || refersTo(role.Properties["ManagedPolicyArns"], id)) {
			roles = append(roles, other)
		}
	}
	return roles
}

// add reads the statements of a policy. Without a holder each statement names whom it speaks of.
func add(all map[permission]bool, holder, on string, policy any) {
	document, _ := policy.(map[string]any)
	statements, ok := document["Statement"].([]any)
	if one, single := document["Statement"].(map[string]any); single {
		statements, ok = []any{one}, true
	}
	if !ok {
		return
	}
	for _, s := range statements {
		if m, ok := s.(map[string]any); ok {
			addStatement(all, holder, on, m)
		}
	}
}

func addStatement(all map[permission]bool, holder, on string, s map[string]any) {
	verb := "may"
	if text(s["Effect"]) == "Deny" {
		verb = "is denied"
	}
	if holder == "" {
		holder = principal(s)
	}
	for _, action := range either(s, "Action", "NotAction") {
		resources := either(s, "Resource", "NotResource")
		if len(resources) == 0 {
			resources = []string{""}
		}
		for _, r := range resources {
			what := action
			if r != "" && on == "" {
				what += " on " + r
			} else if on != "" {
				what += " on" + on
			}
			all[permission{holder, verb, what + conditions(s["Condition"])}] = true
		}
	}
}

// either reads what a statement lists, or all but what it lists.
func either(s map[string]any, name, but string) []string {
	if v, ok := s[name]; ok {
		return texts(v)
	}
	if v, ok := s[but]; ok {
		return []string{"everything but " + strings.Join(texts(v), ", ")}
	}
	return nil
}

// principal names whom a statement of a resource's policy speaks of.
func principal(s map[string]any) string {
	for _, name := range []string{"Principal", "NotPrincipal"} {
		switch p := s[name].(type) {
		case string:
			return anybody(name, p)
		case map[string]any:
			var who []string
			for _, kind := range slices.Sorted(maps.Keys(p)) {
				who = append(who, texts(p[kind])...)
			}
			return anybody(name, strings.Join(who, ", "))
		}
	}
	return "somebody"
}

func anybody(name, who string) string {
	if who == "*" {
		who = "everybody"
	}
	if name == "NotPrincipal" {
		return "everybody but " + who
	}
	return who
}

// conditions writes the conditions of a statement behind it.
func conditions(v any) string {
	operators, _ := v.(map[string]any)
	var all []string
	for _, op := range slices.Sorted(maps.Keys(operators)) {
		keys, _ := operators[op].(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			values := texts(keys[key])
			slices.Sort(values)
			all = append(all, fmt.Sprintf("%s %s %s", key, op, strings.Join(values, " or ")))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return ", if " + strings.Join(all, " and ")
}

// permissionChanges are the sentences of what is given and of what is taken, in order.
func permissionChanges(was, is template) (given, taken []string) {
	before, after := permissions(was), permissions(is)
	for p := range after {
		if !before[p] {
			given = append(given, p.sentence(false))
		}
	}
	for p := range before {
		if !after[p] {
			taken = append(taken, p.sentence(true))
		}
	}
	slices.Sort(given)
	slices.Sort(taken)
	return given, taken
}
