package main_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	infra "bulksigner/infra"
)

// theirVPC and cluster are parts of contexts. The folder of a deployment is written @.
var (
	theirVPC = map[string]any{
		"vpcId": "vpc-0123456789abcdef0", "subnetIds": []any{"subnet-0123456789abcdef0", "subnet-0123456789abcdef1"},
		"securityGroupIds": "sg-0123456789abcdef0",
	}
	cluster = map[string]any{
		"hsmAddresses": "10.0.1.5,10.0.2.6", "hsmSecurityGroupId": "sg-0123456789abcdef1", "hsmCaCertificate": "@/anchors/root.pem",
		"hsmClientSha256": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
	}
)

// with joins contexts; the later one counts, and nil takes a key away.
func with(contexts ...map[string]any) map[string]any {
	all := map[string]any{}
	for _, c := range contexts {
		maps.Copy(all, c)
	}
	maps.DeleteFunc(all, func(_ string, v any) bool { return v == nil })
	return all
}

// unchecked makes a profile ask nobody about certificates.
func unchecked(profile any) any {
	profile.(map[string]any)["ValidateCertificate"] = false
	return profile
}

var joinNetwork = []string{"ec2:AssignPrivateIpAddresses", "ec2:CreateNetworkInterface", "ec2:DeleteNetworkInterface",
	"ec2:DescribeNetworkInterfaces", "ec2:DescribeSubnets", "ec2:UnassignPrivateIpAddresses"}

// TestFunctionsInNetwork: all functions are in the VPC, and may join it by what Lambda does and not by what they do. Only
// sign comes near to HSMs.
func TestFunctionsInNetwork(t *testing.T) {
	t.Parallel()
	const own, theirs = `["{FunctionGroup}"]`, `["sg-0123456789abcdef0"]`
	tests := map[string]struct {
		subnets string
		groups  map[string]string
		network bool
	}{
		"plain":    {},
		"isolated": {`["{VpcFunctionsSubnet1Subnet}","{VpcFunctionsSubnet2Subnet}"]`, map[string]string{"": own}, true},
		"network":  {`["{VpcFunctionsSubnet1Subnet}","{VpcFunctionsSubnet2Subnet}"]`, map[string]string{"": own}, true},
		"existing": {`["subnet-0123456789abcdef0","subnet-0123456789abcdef1"]`, map[string]string{"": theirs}, true},
		"token": {`["subnet-0123456789abcdef0","subnet-0123456789abcdef1"]`,
			map[string]string{"": theirs, "Sign": `["sg-0123456789abcdef0","{TokenGroup}"]`}, true},
	}
	for name, tt := range tests {
		s := stack(t, name)
		for id, f := range s.functions() {
			groups, ok := tt.groups[id]
			if !ok {
				groups = tt.groups[""]
			}
			if got := list(f, "VpcConfig", "SubnetIds"); got != tt.subnets {
				t.Errorf("%s: %s is in %s, want %s", name, id, got, tt.subnets)
			}
			if got := list(f, "VpcConfig", "SecurityGroupIds"); got != groups {
				t.Errorf("%s: %s has %s, want %s", name, id, got, groups)
			}
			checkJoins(t, name, id, tt.network, s.statements(id+"RoleDefaultPolicy", rolePolicies...))
		}
	}
}

// list writes a list of texts below two keys.
func list(r resource, outer, inner string) string {
	m, _ := r.Properties[outer].(map[string]any)
	if m == nil || m[inner] == nil {
		return ""
	}
	return `["` + strings.Join(texts(m[inner]), `","`) + `"]`
}

func checkJoins(t *testing.T, name, id string, want bool, statements []statement) {
	t.Helper()
	var got []string
	for _, st := range statements {
		if !slices.Contains(st.actions, "ec2:CreateNetworkInterface") {
			continue
		}
		if got = slices.Sorted(slices.Values(st.actions)); st.conditions != `{"Null":{"lambda:SourceFunctionArn":"true"}}` || len(st.resources) != 1 {
			t.Errorf("%s: %s joins under %s", name, id, st.conditions)
		}
	}
	if (got != nil) != want || want && !slices.Equal(got, joinNetwork) {
		t.Errorf("%s: %s may %v, want the rights to join: %v", name, id, got, want)
	}
}

// TestRolesInNetwork holds everything that the functions of a service in a VPC may do, and what comes with it.
func TestRolesInNetwork(t *testing.T) {
	t.Parallel()
	logs := []string{"logs:CreateLogStream", "logs:PutLogEvents"}
	read, secret, send := []string{"s3:GetObject"}, []string{"secretsmanager:GetSecretValue"}, []string{"sqs:SendMessage"}
	ring := []string{"sqs:GetQueueAttributes", "sqs:SendMessage"}
	take := []string{"sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"}
	indexes := []string{"dynamodb:Query"}
	tests := map[string]map[string][]string{
		"SignRole": {
			"{SignLogs}": logs, "{Table}": items, "*": joinNetwork, letters: secret, lettersPass + "-??????": secret,
			"{Work}":       {"sqs:ChangeMessageVisibility", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"},
			inputObjects:   {"s3:DeleteObject", "s3:GetObject", "s3:GetObjectVersion"},
			outputObjects:  {"s3:AbortMultipartUpload", "s3:GetObject", "s3:PutObject"},
			bucketOf("in"): {"s3:ListBucket"}, bucketOf("out"): {"s3:ListBucket"},
		},
		"RecoverRole": {
			"{RecoverLogs}": logs, "{Table}": items, "{Table}/index/byStatus": indexes, "{Table}/index/byDay": indexes,
			"{Work}": ring, bucketOf("in"): {"s3:ListBucket"}, inputObjects: read, "{DeadTicks}": send, "*": joinNetwork,
		},
		"ApiRole": {
			"{ApiLogs}": logs, "{Table}": itemsAndPages, "{Table}/index/byStatus": indexes, "{Table}/index/byDay": indexes,
			"arn:aws:s3:::bulksigner-input-ACCOUNT-REGION/uploads/*": {"s3:PutObject"},
			inputObjects: read, bucketOf("in"): {"s3:ListBucket"}, outputObjects: read, bucketOf("out"): {"s3:ListBucket"},
			"{Work}": ring, "{DeadLetters}": take, apiKey: secret, letters: secret, lettersPass + "-??????": secret, "*": joinNetwork,
		},
		"RecoverSchedulerRole": {"{Recover}": {"lambda:InvokeFunction"}, "{DeadTicks}": send},
		"NetworkLogsRole":      {"{NetworkLogs}": {"logs:CreateLogStream", "logs:DescribeLogStreams", "logs:PutLogEvents"}},
	}
	checkRoles(t, stack(t, "isolated"), tests)
}

// TestWayOut: a VPC has a NAT gateway if something that the service needs is on the internet, and only then.
func TestWayOut(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{"isolated": 0, "network": 1} {
		s := stack(t, name)
		if got := len(s.named("AWS::EC2::NatGateway")); got != want {
			t.Errorf("%s has %d NAT gateways, want %d", name, got, want)
		}
		if got := len(s.named("AWS::EC2::InternetGateway")); got != want {
			t.Errorf("%s has %d internet gateways, want %d", name, got, want)
		}
		for id, r := range s.named("AWS::EC2::Subnet") {
			check(t, id, r, map[string]string{"MapPublicIpOnLaunch": "false"})
		}
		check(t, name, s.one(t, "AWS::EC2::FlowLog", "FlowLog"), map[string]string{
			"ResourceId": "{Vpc}", "TrafficType": "ALL", "LogGroupName": "{NetworkLogs}", "DeliverLogsPermissionArn": "{NetworkLogsRole}",
		})
	}
}

// TestSecurityGroups: nobody asks the functions; they ask, and only they may ask the endpoints.
func TestSecurityGroups(t *testing.T) {
	t.Parallel()
	for name, ports := range map[string][]string{"isolated": {"443"}, "network": {"443", "80"}} {
		s := stack(t, name)
		functions := s.one(t, "AWS::EC2::SecurityGroup", "FunctionGroup")
		var got []string
		for _, rule := range functions.Properties["SecurityGroupEgress"].([]any) {
			got = append(got, text(rule.(map[string]any)["ToPort"]))
		}
		if slices.Sort(got); !slices.Equal(got, ports) {
			t.Errorf("%s: functions may ask on the ports %v, want %v", name, got, ports)
		}
		ingress := s.named("AWS::EC2::SecurityGroupIngress")
		if in := functions.at("SecurityGroupIngress"); in != "" || len(ingress) != 1 {
			t.Errorf("%s: functions can be asked by %s, and there are %d more rules", name, in, len(ingress))
		}
		for id, r := range ingress {
			check(t, id, r, map[string]string{
				"GroupId": "{EndpointGroup}", "SourceSecurityGroupId": "{FunctionGroup}", "FromPort": "443", "ToPort": "443", "CidrIp": "",
			})
		}
	}
}

// TestEndpoints: each service that the functions ask is reached inside of the VPC, and by nobody of another account.
func TestEndpoints(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"isolated", "network"} {
		all := stack(t, name).named("AWS::EC2::VPCEndpoint")
		want := map[string][2]string{
			"VpcS3Endpoint": {"Gateway", "s3"}, "VpcTableEndpoint": {"Gateway", "dynamodb"}, "VpcQueueEndpoint": {"Interface", "sqs"},
			"VpcKeyEndpoint": {"Interface", "kms"}, "VpcSecretEndpoint": {"Interface", "secretsmanager"}, "VpcLogEndpoint": {"Interface", "logs"},
		}
		if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(all))); diff != "" {
			t.Errorf("%s: endpoints (-want +got):\n%s", name, diff)
		}
		for id, e := range all {
			kind, service := want[id][0], want[id][1]
			if e.at("VpcEndpointType") != kind || !strings.HasSuffix(e.at("ServiceName"), "."+service) {
				t.Errorf("%s: %s is a %s to %s", name, id, e.at("VpcEndpointType"), e.at("ServiceName"))
			}
			if kind == "Interface" {
				check(t, id, e, map[string]string{"PrivateDnsEnabled": "true"})
				if groups := texts(e.Properties["SecurityGroupIds"]); !slices.Equal(groups, []string{"{EndpointGroup}"}) {
					t.Errorf("%s: %s has %v", name, id, groups)
				}
			}
			statements := e.Properties["PolicyDocument"].(map[string]any)["Statement"].([]any)
			st := parseStatement(id, statements[0].(map[string]any))
			if len(statements) != 1 || !slices.Equal(st.actions, []string{service + ":*"}) ||
				st.conditions != `{"StringEquals":{"aws:PrincipalAccount":{"Ref":"AWS::AccountId"}}}` {
				t.Errorf("%s: %s admits %v under %s", name, id, st.actions, st.conditions)
			}
		}
	}
}

// TestNetworkRefusals: halves of a VPC, and one from which what every job needs is out of reach.
func TestNetworkRefusals(t *testing.T) {
	t.Parallel()
	local := configured(pfxProfile("letters", letters, lettersPass))
	quiet := configured(unchecked(pfxProfile("letters", letters, lettersPass)))
	lenient := configured(pfxProfile("letters", letters, lettersPass))
	lenient["Signing"].(map[string]any)["RevocationOutage"] = "Warn"
	tests := []struct {
		name     string
		context  map[string]any
		settings map[string]any
		want     []string
		nat      bool
	}{
		{"none", nil, local, nil, false},
		{"a new one whose jobs ask authorities", map[string]any{"vpc": "new"}, local, nil, true},
		{"a new one whose jobs ask nobody", map[string]any{"vpc": "new"}, quiet, nil, false},
		{"a new one with Lacuna Signer", map[string]any{"vpc": "new"}, atSigner(nil, personProfile("people")), nil, true},
		{"a way out without need", map[string]any{"vpc": "new", "nat": "true"}, quiet, nil, true},
		{"no way out, and no harm", map[string]any{"vpc": "new", "nat": false}, lenient, nil, false},
		{"an existing one", theirVPC, local, nil, false},
		{"no way to the authorities", map[string]any{"vpc": "new", "nat": "false"}, local, []string{"context nat: profiles have ValidateCertificate", "RevocationOutage to Warn"}, false},
		{"no way to Lacuna Signer", map[string]any{"vpc": "new", "nat": false}, atSigner(nil, personProfile("people")), []string{"context nat: Lacuna Signer is on the internet", "leave nat out"}, false},
		{"both", with(theirVPC, map[string]any{"vpc": "new"}), local, []string{"context vpc: a VPC cannot be new while", "leave vpc out"}, false},
		{"no subnets", with(theirVPC, map[string]any{"subnetIds": nil}), local, []string{"context vpcId: vpcId, subnetIds and securityGroupIds", "give all three"}, false},
		{"no groups", with(theirVPC, map[string]any{"securityGroupIds": nil}), local, []string{"give all three"}, false},
		{"subnets of nothing", with(theirVPC, map[string]any{"vpcId": nil}), local, []string{"give all three"}, false},
		{"a gateway in their VPC", with(theirVPC, map[string]any{"nat": true}), local, []string{"context nat: a NAT gateway is made for a new VPC alone"}, false},
		{"words", map[string]any{"vpc": "old", "nat": "perhaps", "vpcId": "mine", "subnetIds": []any{"a", 5}, "securityGroupIds": "sg-x"}, local,
			[]string{"context vpc: ", "context nat: it must be true or false", "context vpcId: ", "context subnetIds[0]: ", "context subnetIds[1]: ", "context securityGroupIds[0]: "}, false},
		{"too many", with(theirVPC, map[string]any{"subnetIds": strings.Repeat("subnet-12345678,", 16) + "subnet-12345678", "securityGroupIds": 7}), local,
			[]string{"context subnetIds: it must be a list of at most 16", "context securityGroupIds: it must be a list of at most 4"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			config, err := deployment{settings: tt.settings, context: tt.context}.config(t.TempDir())
			checkRefused(t, err, tt.want)
			if config.Options.Network.NAT != tt.nat {
				t.Errorf("a NAT gateway is made: %v, want %v", config.Options.Network.NAT, tt.nat)
			}
		})
	}
}

// checkRefused: an error has all the sentences that are wanted, or there is none of either.
func checkRefused(t *testing.T, err error, want []string) {
	t.Helper()
	if want != nil {
		contains(t, err, want...)
	} else if err != nil {
		t.Errorf("refused: %v", err)
	}
}

// optionsOf reads options of one context.
func optionsOf(context map[string]any) (infra.Options, error) {
	return infra.ReadOptions(func(key string) any { return context[key] })
}
