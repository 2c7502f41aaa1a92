package main

import (
	"regexp"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
	"github.com/cdklabs/cdk-nag-go/cdknag/v2"
)

// Review checks everything under scope against the AwsSolutions rules at synthesis. What breaks a rule without a written
// reason stops the deployment.
func Review(scope constructs.Construct) {
	awscdk.Aspects_Of(scope).Add(cdknag.NewAwsSolutionsChecks(&cdknag.NagPackProps{Verbose: jsii.Bool(true)}), nil)
}

// accept keeps a construct from a rule, for a reason: from all that the rule finds in it, or from the findings named.
func accept(c constructs.IConstruct, rule, reason string, findings ...any) {
	s := &cdknag.NagPackSuppression{Id: &rule, Reason: &reason}
	if len(findings) > 0 {
		s.AppliesTo = &findings
	}
	cdknag.NagSuppressions_AddResourceSuppressions(c, &[]*cdknag.NagPackSuppression{s}, jsii.Bool(true))
}

// acceptPatterns accepts the patterns of a grant that gives its reason, and nothing else of the role.
func acceptPatterns(role constructs.IConstruct, g grant) {
	for _, r := range g.resources {
		if g.reason != "" && strings.Contains(r, "*") {
			accept(role, "AwsSolutions-IAM5", g.id+": "+g.reason, finding(r))
		}
	}
}

// token is how the CDK writes a part of a text that is filled in at deployment.
var token = regexp.MustCompile(`\$\{Token\[[^]]*\]\}`)

// finding describes the rule's finding about a resource, where such a part reads <AWS::Region> or the like.
func finding(resource string) any {
	parts := token.Split(resource, -1)
	for i, p := range parts {
		parts[i] = regexp.QuoteMeta(p)
	}
	return map[string]any{"regex": "/^Resource::" + strings.Join(parts, "<[^>]+>") + "$/"}
}
