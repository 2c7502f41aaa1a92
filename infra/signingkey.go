package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/jsii-runtime-go"
)

// SigningKey is a key of KMS that the stack makes. It outlives the stack: signatures can be verified without it, but a
// certificate cannot be moved to another.
type SigningKey struct {
	Spec      string // newSigningKey: its kind; default none
	Custodian string // signingKeyCustodian: role that signs requests for certificates with it; default none
}

// keySpecs are the kinds of keys that can be made, with the algorithms that sign with them.
var keySpecs = map[string]awskms.KeySpec{
	"RSA_2048": awskms.KeySpec_RSA_2048, "RSA_4096": awskms.KeySpec_RSA_4096, "ECC_NIST_P256": awskms.KeySpec_ECC_NIST_P256,
}

var (
	specForm = regexp.MustCompile(`^(RSA_2048|RSA_4096|ECC_NIST_P256)$`)
	roleForm = regexp.MustCompile(`^arn:aws[a-z-]*:iam::[0-9]{12}:role/[A-Za-z0-9+=,.@_/-]{1,512}$`)
)

// signingKey reads the options of a new key.
func (r *optionReader) signingKey() SigningKey {
	k := SigningKey{r.text("newSigningKey", "", specForm), r.text("signingKeyCustodian", "", roleForm)}
	if k.Custodian != "" && k.Spec == "" {
		r.fault("signingKeyCustodian", "the stack makes no key that it could look after; give newSigningKey too, or leave it out")
	}
	return k
}

// isRSA reports whether the stack makes a key of RSA.
func (k SigningKey) isRSA() bool { return strings.HasPrefix(k.Spec, "RSA_") }

// algorithms are those of the functions that a kind of key signs by.
func (k SigningKey) algorithms(all []string) []string {
	if strings.HasPrefix(k.Spec, "ECC_") {
		return []string{"ECDSA_SHA_256"} // the one that a key on P-256 has
	}
	return slices.DeleteFunc(slices.Clone(all), func(a string) bool { return !strings.HasPrefix(a, "RSASSA_PKCS1_") })
}

// newSigningKey makes a key that only sign has sign, and whoever requests certificates for it.
func (s *service) newSigningKey() {
	k := s.options.SigningKey
	if k.Spec == "" {
		return
	}
	made := awskms.NewKey(s.stack, jsii.String("SigningKey"), &awskms.KeyProps{
		Description:   jsii.String("Signs documents of " + s.options.Stack),
		Alias:         jsii.String("alias/" + s.options.Stack + "-signing"),
		KeySpec:       keySpecs[k.Spec],
		KeyUsage:      awskms.KeyUsage_SIGN_VERIFY,
		Policy:        s.signingKeyPolicy(k),
		RemovalPolicy: awscdk.RemovalPolicy_RETAIN,
	})
	s.say("SigningKeyArn", made.KeyArn())
}

// signingKeyPolicy leaves the administration to the account's own policies, and signing to nobody that is not named here: no
// policy of IAM can add to it, since it is not among what the account is given, nor can a grant.
func (s *service) signingKeyPolicy(k SigningKey) awsiam.PolicyDocument {
	account := awsiam.NewAccountRootPrincipal()
	sign, api := s.role(signFunction), s.role(apiFunction)
	signers, readers := []awsiam.IPrincipal{sign}, []awsiam.IPrincipal{sign, api}
	if k.Custodian != "" {
		custodian := awsiam.NewArnPrincipal(&k.Custodian)
		signers, readers = append(signers, custodian), append(readers, custodian)
	}
	conditions := s.signing()
	conditions["kms:SigningAlgorithm"] = k.algorithms(conditions["kms:SigningAlgorithm"].([]string))
	policy := awsiam.NewPolicyDocument(nil)
	policy.AddStatements(
		keyStatement("Administer", nil, []awsiam.IPrincipal{account}, "kms:DescribeKey", "kms:EnableKey", "kms:DisableKey",
			"kms:ScheduleKeyDeletion", "kms:CancelKeyDeletion", "kms:GetKeyPolicy", "kms:PutKeyPolicy", "kms:ListKeyPolicies",
			"kms:UpdateKeyDescription", "kms:CreateAlias", "kms:UpdateAlias", "kms:DeleteAlias", "kms:TagResource", "kms:UntagResource",
			"kms:ListResourceTags", "kms:GetKeyRotationStatus", "kms:ListGrants"),
		keyStatement("SignDigests", map[string]any{"StringEquals": conditions}, signers, "kms:Sign"),
		keyStatement("ReadPublicKey", nil, readers, "kms:GetPublicKey"),
	)
	return policy
}

func keyStatement(id string, conditions map[string]any, who []awsiam.IPrincipal, actions ...string) awsiam.PolicyStatement {
	p := &awsiam.PolicyStatementProps{Sid: &id, Principals: &who, Actions: jsii.Strings(actions...), Resources: jsii.Strings("*")}
	if conditions != nil {
		p.Conditions = &conditions
	}
	return awsiam.NewPolicyStatement(p)
}

// role is the role of a function, as a principal.
func (s *service) role(f function) awsiam.IPrincipal { return awsiam.NewArnPrincipal(s.roles[f.name]) }
