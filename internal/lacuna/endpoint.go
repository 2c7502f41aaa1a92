package lacuna

import (
	"net/netip"
	"net/url"
	"strings"

	"bulksigner/internal/fault"
)

// endpoint is what addresses begin with: scheme, host and perhaps a part of a path, without a slash at the end.
type endpoint struct {
	base string
	err  error // why there is none
}

func parseEndpoint(s string) endpoint {
	u, err := url.Parse(strings.TrimRight(s, "/"))
	if err != nil || u.Hostname() == "" || !private(u) || !bare(u) {
		// The setting is not quoted: it may hold credentials.
		return endpoint{err: fault.New(fault.SignerNotConfigured, "the endpoint is no address of https, or of http on this machine")}
	}
	return endpoint{base: u.String()}
}

// private reports whether nobody can read the API key on the way.
func private(u *url.URL) bool {
	return u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname())
}

func loopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback() || strings.EqualFold(host, "localhost")
}

// bare reports whether a path can be appended to u.
func bare(u *url.URL) bool {
	return u.User == nil && u.RawQuery == "" && !u.ForceQuery && u.Fragment == ""
}

// origin is what must not change for the API key to go along.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}
