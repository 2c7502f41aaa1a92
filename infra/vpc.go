package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awsec2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/jsii-runtime-go"
)

// Measures of a new VPC. Two zones outlive the loss of one. One NAT gateway serves both: what needs the internet waits in its
// queue for as long as that gateway's zone is away.
const (
	vpcRange    = "10.0.0.0/16"
	vpcZones    = 2
	natGateways = 1
)

// newVPC makes a VPC of which only the functions' requests go out: to the services of AWS through endpoints, and to the
// internet through a NAT gateway if there is one.
func (s *service) newVPC() *network {
	subnets := []*awsec2.SubnetConfiguration{
		{Name: jsii.String(functionSubnets), SubnetType: awsec2.SubnetType_PRIVATE_ISOLATED, CidrMask: jsii.Number(20)},
	}
	nat := 0
	if s.options.Network.NAT {
		nat, subnets[0].SubnetType = natGateways, awsec2.SubnetType_PRIVATE_WITH_EGRESS
		subnets = append(subnets, &awsec2.SubnetConfiguration{
			Name: jsii.String("Public"), SubnetType: awsec2.SubnetType_PUBLIC, CidrMask: jsii.Number(28), MapPublicIpOnLaunch: jsii.Bool(false),
		})
	}
	vpc := awsec2.NewVpc(s.stack, jsii.String("Vpc"), &awsec2.VpcProps{
		IpAddresses: awsec2.IpAddresses_Cidr(jsii.String(vpcRange)), MaxAzs: jsii.Number(vpcZones), NatGateways: jsii.Number(nat),
		SubnetConfiguration: &subnets,
	})
	made := &network{vpc: vpc, subnets: &awsec2.SubnetSelection{SubnetGroupName: jsii.String(functionSubnets)}}
	functions := s.newFunctionGroup(vpc)
	made.groups = []awsec2.ISecurityGroup{functions}
	s.newEndpoints(vpc, functions)
	s.newFlowLog(vpc)
	s.say("VpcId", vpc.VpcId())
	return made
}

// newFunctionGroup lets functions ask and nobody ask them. Authorities offer their lists and answers by plain HTTP: they are
// signed.
func (s *service) newFunctionGroup(vpc awsec2.Vpc) awsec2.SecurityGroup {
	group := awsec2.NewSecurityGroup(s.stack, jsii.String("FunctionGroup"), &awsec2.SecurityGroupProps{
		Vpc: vpc, Description: jsii.String("Functions of " + s.options.Stack), AllowAllOutbound: jsii.Bool(false),
	})
	group.AddEgressRule(awsec2.Peer_AnyIpv4(), awsec2.Port_Tcp(jsii.Number(443)), jsii.String("Services of AWS and Lacuna Signer"), nil)
	if s.options.Network.NAT {
		group.AddEgressRule(awsec2.Peer_AnyIpv4(), awsec2.Port_Tcp(jsii.Number(80)), jsii.String("Certificate authorities"), nil)
	}
	return group
}

// newEndpoints lets the functions reach the services of AWS without the internet. Lambda writes the functions' own lines to
// CloudWatch Logs from outside of the VPC; the endpoint for it is for what writes by itself, such as an extension.
func (s *service) newEndpoints(vpc awsec2.Vpc, functions awsec2.SecurityGroup) {
	where := &[]*awsec2.SubnetSelection{{SubnetGroupName: jsii.String(functionSubnets)}}
	for _, e := range []struct {
		id, name string
		service  awsec2.GatewayVpcEndpointAwsService
	}{
		{"S3Endpoint", "s3", awsec2.GatewayVpcEndpointAwsService_S3()},
		{"TableEndpoint", "dynamodb", awsec2.GatewayVpcEndpointAwsService_DYNAMODB()},
	} {
		made := vpc.AddGatewayEndpoint(&e.id, &awsec2.GatewayVpcEndpointOptions{Service: e.service, Subnets: where})
		made.AddToPolicy(s.ourAccountAlone(e.name))
	}
	group := s.newEndpointGroup(vpc, functions)
	for _, e := range []struct {
		id, name string
		service  awsec2.InterfaceVpcEndpointAwsService
	}{
		{"QueueEndpoint", "sqs", awsec2.InterfaceVpcEndpointAwsService_SQS()},
		{"KeyEndpoint", "kms", awsec2.InterfaceVpcEndpointAwsService_KMS()},
		{"SecretEndpoint", "secretsmanager", awsec2.InterfaceVpcEndpointAwsService_SECRETS_MANAGER()},
		{"LogEndpoint", "logs", awsec2.InterfaceVpcEndpointAwsService_CLOUDWATCH_LOGS()},
	} {
		made := vpc.AddInterfaceEndpoint(&e.id, &awsec2.InterfaceVpcEndpointOptions{
			Service: e.service, Subnets: (*where)[0], SecurityGroups: &[]awsec2.ISecurityGroup{group}, Open: jsii.Bool(false),
		})
		made.AddToPolicy(s.ourAccountAlone(e.name))
	}
}

// newEndpointGroup lets the functions ask the endpoints, and nobody else.
func (s *service) newEndpointGroup(vpc awsec2.Vpc, functions awsec2.SecurityGroup) awsec2.SecurityGroup {
	group := awsec2.NewSecurityGroup(s.stack, jsii.String("EndpointGroup"), &awsec2.SecurityGroupProps{
		Vpc: vpc, Description: jsii.String("Endpoints of " + s.options.Stack), AllowAllOutbound: jsii.Bool(false),
	})
	group.AddIngressRule(functions, awsec2.Port_Tcp(jsii.Number(443)), jsii.String("Functions of "+s.options.Stack), nil)
	return group
}

// newFlowLog keeps who talked to whom in the VPC, and what was refused.
func (s *service) newFlowLog(vpc awsec2.Vpc) {
	logs := s.newLogGroup("NetworkLogs")
	role := awsiam.NewRole(s.stack, jsii.String("NetworkLogsRole"), &awsiam.RoleProps{
		Description: jsii.String("Writes the flow log of the VPC"),
		AssumedBy: awsiam.NewServicePrincipal(jsii.String("vpc-flow-logs.amazonaws.com"), &awsiam.ServicePrincipalOpts{
			Conditions: &map[string]any{"StringEquals": map[string]any{"aws:SourceAccount": s.stack.Account()}},
		}),
	})
	role.AddToPolicy(allow("Logs", *logs.LogGroupArn(), "logs:CreateLogStream", "logs:PutLogEvents", "logs:DescribeLogStreams").statement())
	flows := awsec2.NewCfnFlowLog(s.stack, jsii.String("FlowLog"), &awsec2.CfnFlowLogProps{
		ResourceId: vpc.VpcId(), ResourceType: jsii.String("VPC"), TrafficType: jsii.String("ALL"),
		LogDestinationType: jsii.String("cloud-watch-logs"), LogGroupName: logs.LogGroupName(), DeliverLogsPermissionArn: role.RoleArn(),
	})
	flows.Node().AddDependency(role)
}
