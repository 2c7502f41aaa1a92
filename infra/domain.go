package main

import (
	"regexp"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscertificatemanager"
	"github.com/aws/jsii-runtime-go"
)

// Domain is the name of one's own that the HTTP API is called by.
type Domain struct {
	Name        string // domainName; default none, the name that the gateway has
	Certificate string // certificateArn: for that name, of Certificate Manager in the stack's region
}

var (
	domainForm      = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$`)
	certificateForm = regexp.MustCompile(`^arn:aws[a-z-]*:acm:[a-z0-9-]+:[0-9]{12}:certificate/[a-zA-Z0-9-]{1,64}$`)
)

const maxDomain = 253

// domain reads the options of the domain.
func (r *optionReader) domain() Domain {
	d := Domain{r.text("domainName", "", domainForm), r.text("certificateArn", "", certificateForm)}
	if (d.Name == "") != (d.Certificate == "") {
		r.fault("domainName", "domainName and certificateArn belong together: the certificate is shown under that name; give both or neither")
	}
	if len(d.Name) > maxDomain {
		r.fault("domainName", "it has more characters than a name can have; give a shorter one")
	}
	return d
}

// origin is where the API and its pages are, as browsers name it. The gateway's own name is not to be had once it is closed.
func (s *service) origin() *string {
	if d := s.options.Domain.Name; d != "" {
		return jsii.String("https://" + d)
	}
	return s.http.ApiEndpoint()
}

// offer says under which name the API is called. Under a name of one's own nobody reaches it by the gateway's: what stands in
// front of that name, such as a firewall, cannot be passed by.
func (s *service) offer() {
	d := s.options.Domain
	if d.Name == "" {
		s.say("ApiUrl", s.stage.Url())
		return
	}
	name := awsapigatewayv2.NewDomainName(s.stack, jsii.String("Domain"), &awsapigatewayv2.DomainNameProps{
		DomainName:     &d.Name,
		Certificate:    awscertificatemanager.Certificate_FromCertificateArn(s.stack, jsii.String("Certificate"), &d.Certificate),
		EndpointType:   awsapigatewayv2.EndpointType_REGIONAL,
		SecurityPolicy: awsapigatewayv2.SecurityPolicy_TLS_1_2,
	})
	awsapigatewayv2.NewApiMapping(s.stack, jsii.String("DomainMapping"), &awsapigatewayv2.ApiMappingProps{
		Api: s.http, DomainName: name, Stage: s.stage,
	})
	s.say("ApiUrl", jsii.String(*s.origin()+"/"))
	s.say("DomainTarget", name.RegionalDomainName())
	s.say("DomainTargetZone", name.RegionalHostedZoneId())
}
