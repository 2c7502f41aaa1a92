package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsec2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"

	"bulksigner/internal/profile"
	"bulksigner/internal/settings"
)

// Network is the VPC that the functions run in: none, a new one, or parts of one that exists.
type Network struct {
	New bool // vpc=new
	NAT bool // nat: the new one reaches the internet; default whether the settings need it

	VPC            string   // vpcId
	Subnets        []string // subnetIds: of it, in which the functions run
	SecurityGroups []string // securityGroupIds: of it, that the functions have

	undecided bool // nat was not given
}

// Limits of Lambda.
const maxSubnets, maxSecurityGroups = 16, 5

var (
	newForm    = regexp.MustCompile(`^new$`)
	vpcForm    = regexp.MustCompile(`^vpc-[0-9a-f]{8,17}$`)
	subnetForm = regexp.MustCompile(`^subnet-[0-9a-f]{8,17}$`)
	groupForm  = regexp.MustCompile(`^sg-[0-9a-f]{8,17}$`)
)

// wanted reports whether there is a VPC at all.
func (n Network) wanted() bool { return n.New || n.VPC != "" }

// network reads the options of the VPC.
func (r *optionReader) network() Network {
	n := Network{
		New:            r.text("vpc", "", newForm) == "new",
		NAT:            r.flag("nat", false),
		VPC:            r.text("vpcId", "", vpcForm),
		Subnets:        r.list("subnetIds", subnetForm, maxSubnets),
		SecurityGroups: r.list("securityGroupIds", groupForm, maxSecurityGroups-1), // one more leads to an HSM
		undecided:      r.context("nat") == nil,
	}
	named := []bool{n.VPC != "", len(n.Subnets) > 0, len(n.SecurityGroups) > 0}
	switch some := slices.Contains(named, true); {
	case n.New && some:
		r.fault("vpc", "a VPC cannot be new while vpcId, subnetIds or securityGroupIds name one; leave vpc out, or the others")
	case some && slices.Contains(named, false):
		r.fault("vpcId", "vpcId, subnetIds and securityGroupIds describe an existing VPC together; give all three")
	}
	if !n.New && !n.undecided {
		r.fault("nat", "a NAT gateway is made for a new VPC alone; give vpc=new too, or leave nat out")
	}
	return n
}

// reachInternet decides whether a new VPC has a way to the internet, and refuses one without where every job would fail.
func (c *Config) reachInternet() error {
	n := &c.Options.Network
	if !n.New || n.NAT {
		return nil
	}
	signer, lists := worksWithSigner(c.Settings), slices.ContainsFunc(c.Settings.Signing.Profiles, asksAuthorities)
	if n.undecided {
		n.NAT = signer || lists
		return nil
	}
	var faults []error
	if signer {
		faults = append(faults, errors.New("context nat: Lacuna Signer is on the internet, and a VPC without NAT gateway does not "+
			"reach it; leave nat out, or the section Signer"))
	}
	if lists && c.Settings.Signing.RevocationOutage == settings.OutageRefuse {
		faults = append(faults, errors.New("context nat: profiles have ValidateCertificate, and the authorities that say what is "+
			"revoked are on the internet, so that every job would be refused; leave nat out, or set Signing:RevocationOutage to Warn"))
	}
	return errors.Join(faults...)
}

// asksAuthorities reports whether jobs of a profile ask whether certificates are revoked.
func asksAuthorities(p profile.Profile) bool { return p.ValidateCertificate }

// network is where the functions run.
type network struct {
	vpc     awsec2.IVpc
	subnets *awsec2.SubnetSelection
	groups  []awsec2.ISecurityGroup
	token   awsec2.ISecurityGroup // leads to the HSMs; nil without
}

// functionSubnets is the name of the subnets that functions run in, in a new VPC.
const functionSubnets = "Functions"

// newNetwork makes the VPC, or takes the one that the context names. It looks nothing up.
func (s *service) newNetwork() {
	switch n := s.options.Network; {
	case n.New:
		s.network = s.newVPC()
	case n.VPC != "":
		s.network = s.existingVPC(n)
	default:
		return
	}
	if s.options.Hsm.wanted {
		s.network.token = s.reachTokens()
	}
}

// existingVPC is a VPC of somebody else, with the endpoints and routes that it has.
func (s *service) existingVPC(n Network) *network {
	// The construct wants a zone for each subnet. Nothing that is made here asks for it, nor for the subnets' routes.
	zones := make([]string, len(n.Subnets))
	for i := range zones {
		zones[i] = fmt.Sprintf("zone-%d", i+1)
	}
	v := &network{vpc: awsec2.Vpc_FromVpcAttributes(s.stack, jsii.String("Vpc"), &awsec2.VpcAttributes{
		VpcId: &n.VPC, AvailabilityZones: jsii.Strings(zones...), PrivateSubnetIds: jsii.Strings(n.Subnets...),
	})}
	awscdk.Annotations_Of(v.vpc).AcknowledgeWarning(jsii.String("@aws-cdk/aws-ec2:noSubnetRouteTableId"), nil)
	v.subnets = &awsec2.SubnetSelection{Subnets: v.vpc.PrivateSubnets()}
	for _, id := range n.SecurityGroups {
		v.groups = append(v.groups, awsec2.SecurityGroup_FromSecurityGroupId(s.stack, jsii.String("Given-"+id), &id,
			&awsec2.SecurityGroupImportOptions{Mutable: jsii.Bool(false)}))
	}
	return v
}

// place puts a function into the VPC, if there is one.
func (s *service) place(f function, p *awslambda.FunctionProps) {
	if s.network == nil {
		return
	}
	groups := slices.Clone(s.network.groups)
	if f.tokens && s.network.token != nil {
		groups = append(groups, s.network.token)
	}
	p.Vpc, p.VpcSubnets, p.SecurityGroups = s.network.vpc, s.network.subnets, &groups
}

// joinNetwork lets Lambda attach a function to its subnets, which it does by the function's own role. The rights are those of
// the policy that AWS has for it, less the logs; the function's own calls bear its ARN, and are not meant.
func (s *service) joinNetwork() []grant {
	if s.network == nil {
		return nil
	}
	g := allow("JoinNetwork", "*", "ec2:CreateNetworkInterface", "ec2:DescribeNetworkInterfaces", "ec2:DescribeSubnets",
		"ec2:DeleteNetworkInterface", "ec2:AssignPrivateIpAddresses", "ec2:UnassignPrivateIpAddresses")
	g.conditions = map[string]any{"Null": map[string]any{"lambda:SourceFunctionArn": "true"}}
	return []grant{g.because("Lambda makes the interfaces under names that nobody knows before, and describing takes no name; the " +
		"condition keeps the function's own calls from it.")}
}

// fromHere are the conditions of requests by principals of this account.
func (s *service) fromHere() map[string]any {
	return map[string]any{"StringEquals": map[string]any{"aws:PrincipalAccount": s.stack.Account()}}
}

// ourAccountAlone lets principals of this account use an endpoint, on whatever they have a right to. Credentials of others
// that were smuggled in could carry data out by it.
func (s *service) ourAccountAlone(service string) awsiam.PolicyStatement {
	conditions := s.fromHere()
	return awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Sid:        jsii.String("OurAccountAlone"),
		Principals: &[]awsiam.IPrincipal{awsiam.NewAnyPrincipal()},
		Actions:    jsii.Strings(fmt.Sprintf("%s:*", service)),
		Resources:  jsii.Strings("*"),
		Conditions: &conditions,
	})
}
