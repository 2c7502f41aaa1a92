package api_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/fault"
)

// The notifications that the project keeps come through as their table says.
func TestNotificationEvents(t *testing.T) {
	t.Parallel()
	tests := []struct {
		file   string
		status int
		code   fault.Code
		checks []string
	}{
		{"http-post-notification.json", 202, "", []string{agreement118 + " " + boundID}},
		{"http-post-notification-created.json", 202, "", []string{agreement118 + " " + boundID}},
		{"http-post-notification-concluded.json", 202, "", []string{agreement118}},
		{"http-post-notification-ignored.json", 204, "", nil},
		{"http-post-notification-unauthorized.json", 401, fault.SignerNotificationUnauthorized, nil},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(filepath.Join("..", "..", "events", tt.file))
			if err != nil {
				t.Fatal(err)
			}
			r := newReceiver(t)
			r.dispatched[agreement118] = id1
			got := invoke(t, r.ctx(t), r, b)
			if code := codeOf(t, got); got.StatusCode != tt.status || code != tt.code || code == "" && got.Body != "" {
				t.Errorf("answer = %d %s, want %d %s", got.StatusCode, got.Body, tt.status, tt.code)
			}
			if d := cmp.Diff(tt.checks, r.checked()); d != "" {
				t.Errorf("checks (-want +got):\n%s", d)
			}
		})
	}
}

// API Gateway hands over in base64 what it does not take for text; a stage and a base path stand before the path.
func TestNotificationsThroughTheGateway(t *testing.T) {
	t.Parallel()
	body := notificationNamed(t, "DocumentSigned")
	tests := []struct {
		name   string
		change func(*events.APIGatewayV2HTTPRequest)
		status int
	}{
		{"as text", func(*events.APIGatewayV2HTTPRequest) {}, 202},
		{"in base64", func(e *events.APIGatewayV2HTTPRequest) {
			e.Body, e.IsBase64Encoded = base64.StdEncoding.EncodeToString([]byte("\ufeff"+body)), true
		}, 202},
		{"under a stage", func(e *events.APIGatewayV2HTTPRequest) { e.RequestContext.Stage, e.RawPath = "prod", "/prod"+e.RawPath }, 202},
		{"under a base path", func(e *events.APIGatewayV2HTTPRequest) {
			e.RequestContext.DomainName, e.RawPath = "sign.example.com", "/signing"+e.RawPath
		}, 202},
		{"with a slash behind it", func(e *events.APIGatewayV2HTTPRequest) { e.RawPath += "/" }, 202},
		{"the header in another case", func(e *events.APIGatewayV2HTTPRequest) {
			delete(e.Headers, "authorization")
			e.Headers["AUTHORIZATION"] = "bearer " + secret
		}, 202},
		{"the header twice", func(e *events.APIGatewayV2HTTPRequest) {
			e.Headers["authorization"] += "," + e.Headers["authorization"]
		}, 401},
		{"the header in two spellings", func(e *events.APIGatewayV2HTTPRequest) { e.Headers["Authorization"] = "Bearer " + secret }, 401},
		{"no headers", func(e *events.APIGatewayV2HTTPRequest) { clear(e.Headers) }, 401},
		{"no body", func(e *events.APIGatewayV2HTTPRequest) { e.Body = "" }, 204},
		{"a GET, as after a redirect", func(e *events.APIGatewayV2HTTPRequest) { e.RequestContext.HTTP.Method, e.Body = "GET", "" }, 405},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newReceiver(t)
			in, err := json.Marshal(event("POST", "/api/signer/notifications", func(e *events.APIGatewayV2HTTPRequest) {
				e.Headers["authorization"], e.Headers["content-type"], e.Body = "Bearer "+secret, "application/json", body
				tt.change(e)
			}))
			if err != nil {
				t.Fatal(err)
			}
			if got := invoke(t, r.ctx(t), r, in); got.StatusCode != tt.status || len(r.checks) > 0 != (tt.status == 202) {
				t.Errorf("answer = %d %s, checks %v; want %d", got.StatusCode, got.Body, r.checks, tt.status)
			}
		})
	}
}
