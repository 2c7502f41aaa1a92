package emulator

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
)

// front sends each request to the service that it was signed for.
type front struct {
	objects http.Handler // nil: not started
	keys    http.Handler
	table   http.Handler
	rest    http.Handler
}

func newFront(rest string) (*front, error) {
	u, err := url.Parse(rest)
	if err != nil {
		return nil, fmt.Errorf("parse kumo's address: %w", err)
	}
	table := forward(u, nil)
	table.ModifyResponse = addChecksum
	return &front{rest: forward(u, nil), table: guard(table)}, nil
}

// ServeHTTP routes by service, and says so when that service was left out.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	service := serviceOf(r)
	h := f.handler(service)
	if h == nil {
		http.Error(w, "the local emulator was started without "+service, http.StatusNotImplemented)
		return
	}
	h.ServeHTTP(w, r)
}

func (f *front) handler(service string) http.Handler {
	switch service {
	case "s3":
		return f.objects
	case "kms":
		return f.keys
	case "dynamodb":
		return f.table
	default:
		return f.rest
	}
}

// serviceOf returns the service that a request was signed for. Of unsigned requests kumo gets its own paths; what is left is
// what browsers send to S3: preflights and POST forms.
func serviceOf(r *http.Request) string {
	if _, service, ok := Credential(r); ok {
		return service
	}
	for _, own := range []string{"/_runtime/", "/2015-03-31/", "/kumo/"} {
		if strings.HasPrefix(r.URL.Path, own) {
			return "lambda"
		}
	}
	if r.URL.Path == "/" {
		return "kumo"
	}
	return "s3"
}

// forward is a proxy to u, over a Unix socket if dial is given. The Host header is kept, because it is signed, and so is
// the absence of Accept-Encoding.
func forward(u *url.URL, dial func(context.Context, string, string) (net.Conn, error)) *httputil.ReverseProxy {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DisableCompression = true
	t.MaxIdleConnsPerHost = 64
	t.Proxy = nil // a proxy that the shell names must not see local requests
	if dial != nil {
		t.DialContext = dial
	}
	return &httputil.ReverseProxy{
		Transport:     t,
		FlushInterval: -1,
		ErrorHandler:  unreachable,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(u)
			r.Out.Host = r.In.Host
		},
	}
}

// unreachable answers for a service that stopped. Clients that went away themselves, as the Runtime API's do at a stop,
// are no news.
func unreachable(w http.ResponseWriter, _ *http.Request, err error) {
	http.Error(w, "the local emulator could not reach the service: "+err.Error(), http.StatusBadGateway)
}
