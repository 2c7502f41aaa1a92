package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"

	"bulksigner/internal/settings"
)

// notificationsPath is where Lacuna Signer sends its notifications.
const notificationsPath = "/api/signer/notifications"

// Notifications a second that reach the function, and how many may come at once. Above them Lacuna Signer reads 429, and
// sends again later.
const (
	notificationsPerSecond = 50
	notificationsAtOnce    = 100
)

var notifyFunction = function{
	name:     "notify",
	purpose:  "Takes notifications of Lacuna Signer and queues checks of the documents that they name",
	memoryMB: 256,
	seconds:  20, // it answers within 10 by itself, and then writes what it counted
	wanted:   func(s settings.Settings) bool { return worksWithSigner(s) && s.Signer.WebhookSecret != "" },
	checks:   true,
	grants:   notifyGrants,
	named:    func(s *service) []grant { return s.readSecrets("Bearer", s.needs.webhook) },
	connect:  takeNotifications,
}

// notifyGrants: anybody can send it something, so it has no key for Lacuna Signer, cannot reach the work queue and sees no
// index. It reads bindings and writes marks.
func notifyGrants(s *service) []grant {
	return []grant{
		allow("Marks", *s.table.TableArn(), "dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:PutItem",
			"dynamodb:UpdateItem", "dynamodb:DeleteItem"),
		allow("QueueChecks", *s.checks.QueueArn(), "sqs:SendMessage"),
	}
}

// takeNotifications gives the function one route of the HTTP API, with a rate of its own: a flood of notifications takes
// nothing from those who call the API. The stage names the route in its settings, so that the route must be there before.
func takeNotifications(s *service, f awslambda.Function) {
	routes := s.http.AddRoutes(&awsapigatewayv2.AddRoutesOptions{
		Path:        jsii.String(notificationsPath),
		Methods:     &[]awsapigatewayv2.HttpMethod{awsapigatewayv2.HttpMethod_POST},
		Integration: invoke("Notifications", f),
	})
	for _, r := range *routes {
		accept(r, "AwsSolutions-APIG4", "The function compares the bearer of Lacuna Signer itself, in constant time: an authorizer "+
			"would be one more function to invoke for the same comparison.")
		s.stage.Node().AddDependency(r)
	}
	s.stage.Node().DefaultChild().(awsapigatewayv2.CfnStage).SetRouteSettings(map[string]any{
		"POST " + notificationsPath: map[string]any{
			"ThrottlingRateLimit": notificationsPerSecond, "ThrottlingBurstLimit": notificationsAtOnce,
		},
	})
	s.watchEnds("Notify", f)
	s.alarm(alarm{
		id: "NotificationsRefused", says: "Notifications come without the bearer of Signer:WebhookSecret, and are answered 401.",
		section: "notifications-are-refused", panel: signerPanel,
		metric: s.own("signer_notifications_total", sum(15), "outcome", "unauthorized"), atLeast: 5,
	})
}
