package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/jsii-runtime-go"
)

// grant is one statement of a role: these actions, on these resources, if all conditions hold.
type grant struct {
	id         string
	actions    []string
	resources  []string
	conditions map[string]any
	reason     string // why a resource is a pattern, if one is
}

// because gives the reason for a pattern. A pattern without one stops the synthesis.
func (g grant) because(reason string) grant {
	g.reason = reason
	return g
}

func (g grant) statement() awsiam.PolicyStatement {
	props := &awsiam.PolicyStatementProps{
		Sid: &g.id, Actions: jsii.Strings(g.actions...), Resources: jsii.Strings(g.resources...),
	}
	if g.conditions != nil {
		props.Conditions = &g.conditions
	}
	return awsiam.NewPolicyStatement(props)
}

// allow grants actions on one resource.
func allow(id, resource string, actions ...string) grant {
	return grant{id: id, actions: actions, resources: []string{resource}}
}

// each grants one action on what the settings name: nothing if they name nothing, several statements if they name much.
func each(id string, resources []string, conditions map[string]any, action string) []grant {
	var grants []grant
	for part := range portions(resources) {
		grants = append(grants, grant{
			id: fmt.Sprintf("%s%d", id, len(grants)+1), actions: []string{action}, resources: part, conditions: conditions,
		})
	}
	return grants
}

// The ways in which the functions sign: RSA PKCS#1 v1.5 and ECDSA, over digests that AD-RB allows. Lacuna Signer, which
// chooses the digest of what it has signed, may choose one more.
var (
	signingAlgorithms = []string{
		"RSASSA_PKCS1_V1_5_SHA_256", "RSASSA_PKCS1_V1_5_SHA_512", "ECDSA_SHA_256", "ECDSA_SHA_512",
	}
	signerAlgorithms = []string{"RSASSA_PKCS1_V1_5_SHA_384", "ECDSA_SHA_384"}
)

// signWithKeys lets a function sign digests with the keys of the settings.
func (s *service) signWithKeys() []grant { return s.onKeys("Sign", "kms:Sign", s.signing()) }

// signing are the conditions of signing. A role that signs whole messages, or in another way, could be made to sign what no
// policy of ICP-Brasil covers.
func (s *service) signing() map[string]any {
	algorithms := signingAlgorithms
	if worksWithSigner(s.settings) {
		algorithms = slices.Concat(signingAlgorithms, signerAlgorithms)
	}
	return map[string]any{"kms:MessageType": "DIGEST", "kms:SigningAlgorithm": algorithms}
}

// readPublicKeys lets a function compare keys with their certificates.
func (s *service) readPublicKeys() []grant {
	return slices.Concat(
		s.onKeys("PublicKey", "kms:GetPublicKey", nil),
		s.onAllowedKeys("AllowedPublicKey", "kms:GetPublicKey", nil),
		s.readObjects("Certificates", s.needs.certificates),
	)
}

// readContainers lets a function open PKCS#12 files.
func (s *service) readContainers() []grant {
	return slices.Concat(
		s.readObjects("Containers", s.needs.containers),
		s.readSecrets("Secrets", s.needs.signing),
		s.readAllowed(),
	)
}

// readAnchors lets a function read what signatures are verified against.
func (s *service) readAnchors() []grant { return s.readObjects("Anchors", s.needs.anchors) }

// onKeys grants one action on every key that the settings name. A policy cannot name a key by its alias: it names all keys
// of the alias's account and region, on condition that the key has this alias. The alias of the request does not serve,
// since Sign is asked by the key's ARN.
func (s *service) onKeys(id, action string, equals map[string]any) []grant {
	var arns []string
	for _, k := range s.needs.keys {
		if k.id != "" {
			arns = append(arns, s.keyPlace(k.place)+":key/"+k.id)
		}
	}
	grants := each(id, arns, conditions(equals, nil), action)
	aliases := byPlace(s.needs.keys)
	for _, place := range slices.Sorted(maps.Keys(aliases)) {
		for part := range portions(aliases[place]) {
			g := allow(fmt.Sprintf("%sByAlias%d", id, len(grants)+1), s.keyPlace(place)+":key/*", action)
			g.conditions = conditions(equals, part)
			grants = append(grants, g.because("A policy cannot name a key by its alias; the condition does."))
		}
	}
	return grants
}

func conditions(equals map[string]any, aliases []string) map[string]any {
	all := map[string]any{}
	if equals != nil {
		all["StringEquals"] = equals
	}
	if aliases != nil {
		all["ForAnyValue:StringEquals"] = map[string]any{"kms:ResourceAliases": aliases}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

func (s *service) keyPlace(place string) string {
	if place != "" {
		return place
	}
	return fmt.Sprintf("arn:%s:kms:%s:%s", *s.stack.Partition(), *s.stack.Region(), *s.stack.Account())
}

// readObjects lets a function read single objects that the settings name, in whatever bucket.
func (s *service) readObjects(id string, objects []string) []grant {
	arns := make([]string, len(objects))
	for i, o := range objects {
		arns[i] = s.s3(o)
	}
	return each(id, arns, nil, "s3:GetObject")
}

// readSecrets lets a function read secrets that the settings name. A secret under a key of the customer's also needs that
// key's policy to admit the role.
func (s *service) readSecrets(id string, arns []string) []grant {
	patterns := make([]string, len(arns))
	for i, a := range arns {
		patterns[i] = secretPattern(a)
	}
	return each(id, patterns, nil, "secretsmanager:GetSecretValue")
}

// s3 is the ARN of a bucket, or of bucket/key.
func (s *service) s3(name string) string {
	return *s.stack.FormatArn(&awscdk.ArnComponents{
		Service: jsii.String("s3"), Region: jsii.String(""), Account: jsii.String(""), Resource: &name,
	})
}
