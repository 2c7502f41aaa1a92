package api

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/aws/aws-lambda-go/events"
	"github.com/awslabs/aws-lambda-go-api-proxy/core"
	"github.com/awslabs/aws-lambda-go-api-proxy/httpadapter"

	"bulksigner/internal/fault"
)

// Handler is what Lambda calls for a request of API Gateway's HTTP API, payload 2.0.
type Handler func(ctx context.Context, e events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error)

// Gateway serves h behind API Gateway, under any stage and any base path of a custom domain. What cannot become a request
// is answered as a problem too: of an error, API Gateway would make a 500 that says nothing.
func Gateway(h http.Handler) Handler {
	proxy := httpadapter.NewV2(h)
	return func(ctx context.Context, e events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		ctx = fromGateway(ctx, e.RequestContext.RequestID, e.RequestContext.HTTP.SourceIP)
		e, err := prepare(e)
		if err != nil {
			return turnAway(ctx, err)
		}
		resp, err := proxy.ProxyWithContext(ctx, e)
		if err != nil {
			return turnAway(ctx, err)
		}
		if e.RequestContext.HTTP.Method == http.MethodHead {
			resp.Body, resp.IsBase64Encoded = "", false
		}
		return carriable(resp), nil
	}
}

// prepare makes an event that the adapter can turn into a request. What it cannot turn into one it prints and answers as
// our failure; therefore it is not given any such thing.
func prepare(e events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPRequest, error) {
	if e.IsBase64Encoded {
		b, err := base64.StdEncoding.DecodeString(e.Body)
		if err != nil {
			return e, fault.Wrap(fault.RequestInvalid, err, "the body is not the base64 that it is said to be")
		}
		e.Body, e.IsBase64Encoded = string(b), false
	}
	e.RawPath = escape(route(e))
	// Nothing is routed by host, and the adapter would have to parse it.
	e.RequestContext.DomainName = "api"
	if _, err := http.NewRequest(e.RequestContext.HTTP.Method, "https://api"+e.RawPath+"?"+e.RawQueryString, nil); err != nil {
		return e, fault.New(fault.RequestInvalid, "the method or the query is not well-formed")
	}
	return e, nil
}

// apiRoot begins every route.
const apiRoot = "/api/"

// route takes off the path what API Gateway leaves before it: the name of a stage that is not $default, and the base path
// of a custom domain, which no field of the event tells.
func route(e events.APIGatewayV2HTTPRequest) string {
	path := e.RawPath
	if path == "" {
		path = e.RequestContext.HTTP.Path
	}
	if rest, ok := strings.CutPrefix(path, "/"+e.RequestContext.Stage); ok && e.RequestContext.Stage != "" && strings.HasPrefix(rest, apiRoot) {
		return rest
	}
	custom := e.RequestContext.DomainName != "" && !strings.Contains(e.RequestContext.DomainName, ".execute-api.")
	if at := strings.Index(path, apiRoot); custom && at > 0 && !ofPage(path) {
		return path[at:]
	}
	return path
}

// pageRoots begin the paths of the operators' pages. Something that a page is about may be called api, so that such a path is
// no route under a base path, and a base path must not begin like one of them.
var pageRoots = []string{"assets", "events", "input", "jobs", "login", "logout", "preferences", "profiles", "system", "upload", "verify"}

// ofPage reports whether a path is that of a page.
func ofPage(path string) bool {
	root, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return slices.Contains(pageRoots, root)
}

// escape writes a path as it stands in a URL. It may come in already escaped, or decoded.
func escape(path string) string {
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	decoded, err := url.PathUnescape(path)
	if err != nil {
		return (&url.URL{Path: path}).EscapedPath()
	}
	return (&url.URL{Path: decoded, RawPath: path}).EscapedPath()
}

// carriable puts every document into base64, also one that happens to be text. The answer travels as a JSON string, in
// which escapes can make text six times as long: more than Lambda carries.
func carriable(resp events.APIGatewayV2HTTPResponse) events.APIGatewayV2HTTPResponse {
	if resp.IsBase64Encoded || resp.Headers["Content-Disposition"] == "" {
		return resp
	}
	resp.Body, resp.IsBase64Encoded = base64.StdEncoding.EncodeToString([]byte(resp.Body)), true
	return resp
}

// turnAway answers a request that cannot reach the handler.
func turnAway(ctx context.Context, err error) (events.APIGatewayV2HTTPResponse, error) {
	r := (&http.Request{}).WithContext(ctx)
	w := core.NewProxyResponseWriterV2()
	secure(w.Header())
	write(w, r.WithContext(identified(r)), err)
	return w.GetProxyResponse()
}
