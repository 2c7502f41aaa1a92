package revocation_test

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"bulksigner/internal/revocation"
)

func TestIsPublic(t *testing.T) {
	t.Parallel()
	const public = "8.8.8.8 200.160.2.3 1.0.0.1 100.63.255.255 100.128.0.0 172.15.255.255 172.32.0.0 192.167.255.255 " +
		"198.17.255.255 198.20.0.0 223.255.255.255 ::ffff:8.8.8.8 64:ff9b::808:808 2001:4860:4860::8888 2804:1b2::1 2600:1f00::1"
	const private = "0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 127.0.0.1 127.255.255.254 169.254.169.254 169.254.170.2 172.16.0.1 " +
		"172.31.255.255 192.0.0.170 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 " +
		"255.255.255.255 :: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:169.254.169.254 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe " +
		"64:ff9b:1::808:808 100::1 fe80::1 fe80::1%eth0 fec0::1 fc00::1 fd00:ec2::254 ff02::1 2001::1 2001:db8::1 " +
		"2002:7f00:1::1 3fff::1 4000::1"
	for list, want := range map[string]bool{public: true, private: false} {
		for _, s := range strings.Fields(list) {
			if got := revocation.IsPublic(netip.MustParseAddr(s)); got != want {
				t.Errorf("IsPublic(%s) = %v, want %v", s, got, want)
			}
		}
	}
	if revocation.IsPublic(netip.Addr{}) {
		t.Error("no address is public")
	}
}

// Whatever a client brings along, this machine is not reached unless private addresses are allowed.
func TestPrivateAddressesAreRefused(t *testing.T) {
	t.Parallel()
	s, ca := newSite(t), newRoot(t)
	address := s.put("/list.crl", ca.list(t, nil))
	byName := strings.Replace(address, "127.0.0.1", "localhost", 1)
	proxy := func(*http.Request) (*url.URL, error) { return url.Parse(s.URL) }
	tests := []struct {
		name   string
		client *http.Client
	}{
		{"no client", nil},
		{"plain client", &http.Client{}},
		{"client with a proxy", &http.Client{Transport: &http.Transport{Proxy: proxy}}},
		{"client with a dialer", &http.Client{Transport: &http.Transport{DialContext: (&net.Dialer{}).DialContext}}},
		{"client with TLS settings", &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS13}}}},
		{"client of another make", &http.Client{Transport: roundTrip(http.DefaultTransport.RoundTrip)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := revocation.New(tt.client, func() time.Time { return now }, revocation.Options{})
			got, err := c.Check(t.Context(), ca.leaf(t, 42, []string{address}, []string{address, byName}), ca.cert, now)
			checkState(t, got, err, revocation.Unknown, "address")
			if n := s.asked("/list.crl"); n != 0 {
				t.Errorf("the site was asked %d times", n)
			}
		})
	}
}

// A public address may redirect to a private one: what counts is what is dialed.
func TestRedirects(t *testing.T) {
	t.Parallel()
	ca := newRoot(t)
	s := newSite(t)
	s.put("/0", ca.list(t, nil))
	for _, hop := range []string{"1", "2", "3", "4"} {
		to := "/" + string(hop[0]-1)
		s.serve("/"+hop, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) })
	}
	s.serve("/file", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
	})
	s.serve("/user", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://u:p@localhost/", http.StatusFound)
	})
	tests := []struct {
		path string
		want revocation.State
		why  string
	}{
		{"/3", revocation.Good, ""},
		{"/4", revocation.Unknown, "more than 3 redirects"},
		{"/file", revocation.Unknown, "not one of HTTP"},
		{"/user", revocation.Unknown, "a user in it"},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			t.Parallel()
			got, err := newChecker(revocation.Options{}).Check(t.Context(), ca.leaf(t, 42, nil, []string{s.URL + tt.path}), ca.cert, now)
			checkState(t, got, err, tt.want, tt.why)
		})
	}
}

// The list itself is signed, so that a site needs no certificate that we trust; but it may not pass for one that has.
func TestTLS(t *testing.T) {
	t.Parallel()
	ca := newRoot(t)
	s := newTLSSite(t)
	leaf := ca.leaf(t, 42, nil, []string{s.put("/list.crl", ca.list(t, nil))})
	trusting := revocation.New(s.Client(), func() time.Time { return now }, revocation.Options{AllowPrivate: true})
	got, err := trusting.Check(t.Context(), leaf, ca.cert, now)
	checkState(t, got, err, revocation.Good, "")
	got, err = newChecker(revocation.Options{}).Check(t.Context(), leaf, ca.cert, now)
	checkState(t, got, err, revocation.Unknown, "certificate")
}

// The client that is handed in stays as it was.
func TestClientIsCopied(t *testing.T) {
	t.Parallel()
	transport := &http.Transport{}
	client := &http.Client{Transport: transport, Timeout: time.Minute}
	revocation.New(client, time.Now, revocation.Options{AllowPrivate: true})
	if client.Transport != transport || transport.DisableKeepAlives || client.CheckRedirect != nil {
		t.Error("New changed the client")
	}
}

// The time of a client holds beside our own.
func TestTimeOfTheClient(t *testing.T) {
	t.Parallel()
	ca, failed := newRoot(t), errors.New("refused")
	client := &http.Client{Timeout: time.Minute, Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		if _, ok := r.Context().Deadline(); !ok {
			t.Error("a request without an end")
		}
		return nil, failed
	})}
	c := revocation.New(client, func() time.Time { return now }, revocation.Options{AllowPrivate: true})
	_, err := c.Check(t.Context(), ca.leaf(t, 42, nil, []string{listURL}), ca.cert, now)
	if !errors.Is(err, failed) {
		t.Errorf("%v, want the transport's error in it", err)
	}
}
