package revocation

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

const (
	maxRedirects = 3
	maxHeaders   = 64 << 10
)

// guard makes the client that asks. It has neither cookies nor connections that stay open: those would keep goroutines.
func guard(client *http.Client, allowPrivate bool) *http.Client {
	c := &http.Client{Transport: new(http.Transport), CheckRedirect: redirect}
	if client != nil {
		c.Timeout = client.Timeout
	}
	if client != nil && client.Transport != nil {
		c.Transport = client.Transport
	}
	t, ok := c.Transport.(*http.Transport)
	switch {
	case ok && allowPrivate:
		c.Transport = brief(t.Clone())
	case ok:
		c.Transport = brief(public(t))
	case !allowPrivate:
		c.Transport = unguarded{}
	}
	return c
}

func brief(t *http.Transport) *http.Transport {
	t.DisableKeepAlives, t.MaxResponseHeaderBytes = true, maxHeaders
	return t
}

// unguarded stands for a transport that cannot be kept from private addresses.
type unguarded struct{}

// RoundTrip refuses every request.
func (unguarded) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("the client's transport is not one of net/http: its addresses cannot be checked")
}

// public is a transport that reaches public addresses alone. It takes from t how TLS is spoken and nothing that chooses
// where a connection goes.
func public(t *http.Transport) *http.Transport {
	// Control sees the address that a name was resolved to, for each attempt: a name cannot change its mind afterwards.
	dialer := &net.Dialer{Timeout: 10 * time.Second, Control: onlyPublic}
	p := &http.Transport{DialContext: dialer.DialContext, TLSHandshakeTimeout: 10 * time.Second}
	if t.TLSClientConfig != nil {
		p.TLSClientConfig = t.TLSClientConfig.Clone()
	}
	return p
}

// redirect follows a few redirects within the web. Where they lead to is looked at when it is dialed.
func redirect(next *http.Request, earlier []*http.Request) error {
	if len(earlier) > maxRedirects {
		return fmt.Errorf("more than %d redirects", maxRedirects)
	}
	return plain(next.URL)
}

func onlyPublic(_, address string, _ syscall.RawConn) error {
	a, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("read the address that is dialed: %w", err)
	}
	if !isPublic(a.Addr()) {
		return errors.New("the address is not a public one")
	}
	return nil
}

// reserved are the parts of both address spaces that lead to this machine, to its network, or nowhere.
var reserved = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
	"192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3",
	"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
)

var (
	global6 = netip.MustParsePrefix("2000::/3")     // all public addresses of IPv6 are in it
	nat64   = netip.MustParsePrefix("64:ff9b::/96") // an IPv4 address in its last four bytes
)

func prefixes(list ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(list))
	for i, s := range list {
		all[i] = netip.MustParsePrefix(s)
	}
	return all
}

// isPublic reports whether an address is one of the public internet's, also where IPv4 is written as IPv6.
func isPublic(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if nat64.Contains(a) {
		b := a.As16()
		a = netip.AddrFrom4([4]byte(b[12:]))
	}
	if a.Is6() && !global6.Contains(a) {
		return false
	}
	return a.IsValid() && !slices.ContainsFunc(reserved, func(p netip.Prefix) bool { return p.Contains(a) })
}
