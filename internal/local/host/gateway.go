package host

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

// maxRequest is the largest body that an HTTP API takes. What a function takes is less, once it is encoded.
const maxRequest = 10 << 20

// DefaultStage is the stage that does not show in paths, and DefaultRoute takes the requests that no other route does.
const (
	DefaultStage = "$default"
	DefaultRoute = "$default"
)

// Gateway is an API Gateway HTTP API whose routes lead to functions, with payload format 2.0.
type Gateway struct {
	Invoker Invoker
	Routes  map[string]string // functions by route: DefaultRoute, or a method and a path, as in "POST /orders"
	Stage   string            // "" is DefaultStage; another one becomes the first segment of the path, as with API Gateway
}

// gatewayRequest is payload format 2.0.
type gatewayRequest struct {
	Version         string            `json:"version"`
	RouteKey        string            `json:"routeKey"`
	RawPath         string            `json:"rawPath"`
	RawQueryString  string            `json:"rawQueryString"`
	Cookies         []string          `json:"cookies,omitempty"`
	Headers         map[string]string `json:"headers"`
	Query           map[string]string `json:"queryStringParameters,omitempty"`
	Context         gatewayContext    `json:"requestContext"`
	Body            string            `json:"body,omitempty"`
	IsBase64Encoded bool              `json:"isBase64Encoded"`
}

type gatewayContext struct {
	AccountID    string      `json:"accountId"`
	APIID        string      `json:"apiId"`
	DomainName   string      `json:"domainName"`
	DomainPrefix string      `json:"domainPrefix"`
	HTTP         gatewayHTTP `json:"http"`
	RequestID    string      `json:"requestId"`
	RouteKey     string      `json:"routeKey"`
	Stage        string      `json:"stage"`
	Time         string      `json:"time"`
	TimeEpoch    int64       `json:"timeEpoch"`
}

type gatewayHTTP struct {
	Method    string `json:"method"`
	Path      string `json:"path"`
	Protocol  string `json:"protocol"`
	SourceIP  string `json:"sourceIp"`
	UserAgent string `json:"userAgent"`
}

// ServeHTTP turns a request into an event and the function's answer into a response.
func (g Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		say(w, http.StatusRequestEntityTooLarge, "Request Entity Too Large")
		return
	}
	if err != nil {
		say(w, http.StatusBadRequest, "Bad Request")
		return
	}
	route := g.route(r)
	function, ok := g.Routes[route]
	if !ok {
		say(w, http.StatusNotFound, "Not Found")
		return
	}
	payload, err := json.Marshal(g.request(r, route, body, time.Now()))
	if err != nil {
		slog.ErrorContext(r.Context(), "request not encoded", "err", err)
		say(w, http.StatusInternalServerError, "Internal Server Error")
		return
	}
	answer, err := g.Invoker.Invoke(r.Context(), function, payload)
	if err != nil {
		failed(w, r, function, err)
		return
	}
	respond(w, r, answer)
}

// route is the route of a request. A path must be the route's own to the letter: one with a slash more is another.
func (g Gateway) route(r *http.Request) string {
	if exact := r.Method + " " + r.URL.Path; g.Routes[exact] != "" {
		return exact
	}
	return DefaultRoute
}

// failed answers for a function that did not. What went wrong is for the log: the client learns that it did.
func failed(w http.ResponseWriter, r *http.Request, name string, err error) {
	function, died := errors.AsType[*FunctionError](err)
	switch {
	case errors.Is(err, ErrTooLarge):
		say(w, http.StatusRequestEntityTooLarge, "Request Entity Too Large")
		return
	case died && strings.Contains(string(function.Payload), "ResponseSizeTooLarge"):
		say(w, http.StatusBadGateway, "Bad Gateway")
	case died:
		say(w, http.StatusInternalServerError, "Internal Server Error")
	default:
		say(w, http.StatusServiceUnavailable, "Service Unavailable")
	}
	slog.WarnContext(r.Context(), "request failed", "function", name, "err", err)
}

// request is the event of a request. The path is decoded, and what follows a decoded question mark lost, as HTTP APIs do.
func (g Gateway) request(r *http.Request, route string, body []byte, now time.Time) gatewayRequest {
	stage, path := g.Stage, r.URL.Path
	if stage == "" {
		stage = DefaultStage
	}
	path, _, _ = strings.Cut(path, "?")
	if stage != DefaultStage {
		path = "/" + stage + path
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	e := gatewayRequest{
		Version: "2.0", RouteKey: route, RawPath: path, RawQueryString: r.URL.RawQuery,
		Cookies: cookies(r.Header), Headers: headers(r, host), Query: joined(r.URL.Query()),
		Context: gatewayContext{
			AccountID: account, APIID: "local", DomainName: r.Host, DomainPrefix: "local",
			HTTP:      gatewayHTTP{r.Method, path, r.Proto, host, r.UserAgent()},
			RequestID: uuid.NewString(), RouteKey: route, Stage: stage,
			Time: now.UTC().Format("02/Jan/2006:15:04:05 +0000"), TimeEpoch: now.UnixMilli(),
		},
	}
	if e.IsBase64Encoded = len(body) > 0 && !isText(r.Header, body); e.IsBase64Encoded {
		e.Body = base64.StdEncoding.EncodeToString(body)
	} else {
		e.Body = string(body)
	}
	return e
}

// isText reports whether a body goes into the event as it is: JSON and text do, everything else is base64.
func isText(h http.Header, body []byte) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || h.Get("Content-Encoding") != "" || !utf8.Valid(body) {
		return false
	}
	return strings.HasPrefix(kind, "text/") || kind == "application/json" || kind == "application/javascript" ||
		kind == "application/xml" || strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml")
}

// headers have lower-case names; several values of one name are joined by commas; cookies are elsewhere. Where a client
// says that it speaks for another, its own address comes last.
func headers(r *http.Request, client string) map[string]string {
	out := make(map[string]string, len(r.Header)+4)
	for name, values := range r.Header {
		if name != "Cookie" {
			out[strings.ToLower(name)] = strings.Join(values, ",")
		}
	}
	out["host"] = r.Host
	out["x-forwarded-for"] = strings.TrimPrefix(out["x-forwarded-for"]+", "+client, ", ")
	out["x-forwarded-proto"] = "http"
	out["x-amzn-trace-id"] = "Root=" + uuid.NewString()
	return out
}

func cookies(h http.Header) (out []string) {
	for _, line := range h.Values("Cookie") {
		for c := range strings.SplitSeq(line, ";") {
			out = append(out, strings.TrimSpace(c))
		}
	}
	return slices.DeleteFunc(out, func(c string) bool { return c == "" })
}

func joined(query map[string][]string) map[string]string {
	out := make(map[string]string, len(query))
	for name, values := range query {
		out[name] = strings.Join(values, ",")
	}
	return out
}
