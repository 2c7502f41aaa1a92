package main

import (
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/jsii-runtime-go"
)

// Limits of IAM. A role's own policy holds what its function always needs. What the settings name can be a hundred keys:
// it goes into policies beside it.
const (
	statementBytes = 1500 // of resources or aliases in one statement, so that statements fit into policies without gaps
	policyBytes    = 5500 // of 6144 characters; the rest is for what deployment fills in
	maxPolicies    = 10   // beside a role, unless the account's quota is raised
)

// newRole writes a function's role out. No policy of AWS is in it: the usual one may write to every log group.
func (s *service) newRole(id string, f function, logs awslogs.LogGroup) awsiam.Role {
	role := awsiam.NewRole(s.stack, &id, &awsiam.RoleProps{
		Description: jsii.String("What the function " + f.name + " may do"),
		AssumedBy:   awsiam.NewServicePrincipal(jsii.String("lambda.amazonaws.com"), nil),
	})
	// The ARN of a log group ends in :*, its streams: the function makes one for each execution environment.
	role.AddToPolicy(allow("Logs", *logs.LogGroupArn(), "logs:CreateLogStream", "logs:PutLogEvents").statement())
	for _, g := range append(f.grants(s), s.joinNetwork()...) {
		role.AddToPolicy(g.statement())
		acceptPatterns(role, g)
	}
	if f.named != nil {
		attach(role, f.named(s))
	}
	return role
}

// attach adds what the settings name to a role.
func attach(role awsiam.Role, grants []grant) {
	packs := pack(grants)
	if len(packs) > maxPolicies {
		awscdk.Annotations_Of(role).AddError(jsii.String(fmt.Sprintf("the settings name more keys, objects and secrets than a "+
			"role can hold: they fill %d policies, and a role has %d; remove profiles, or give objects shorter names",
			len(packs), maxPolicies)))
	}
	for i, p := range packs {
		policy := awsiam.NewManagedPolicy(role, jsii.String(fmt.Sprintf("Named%d", i+1)), &awsiam.ManagedPolicyProps{
			Description: jsii.String("Keys, objects and secrets that the settings name"),
		})
		for _, g := range p {
			policy.AddStatements(g.statement())
			acceptPatterns(policy, g)
		}
		role.AddManagedPolicy(policy)
	}
}

// pack divides grants between as few policies as their order allows.
func pack(grants []grant) [][]grant {
	var packs [][]grant
	size := policyBytes
	for _, g := range grants {
		n := g.size()
		if size+n > policyBytes {
			packs, size = append(packs, nil), 0
		}
		last := len(packs) - 1
		packs[last], size = append(packs[last], g), size+n
	}
	return packs
}

// size is about how long a statement is in its policy.
func (g grant) size() int {
	text, err := json.Marshal([]any{g.id, g.actions, g.resources, g.conditions})
	if err != nil {
		panic(err) // texts, lists and maps of texts can be encoded
	}
	const frame = len(`{"Sid":,"Effect":"Allow","Action":,"Resource":,"Condition":},`)
	return len(text) + frame
}

// portions divides texts into lists that fit into one statement each.
func portions(texts []string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for len(texts) > 0 {
			n := 1
			for n < len(texts) && len(strings.Join(texts[:n+1], `","`)) <= statementBytes {
				n++
			}
			if !yield(texts[:n]) {
				return
			}
			texts = texts[n:]
		}
	}
}
