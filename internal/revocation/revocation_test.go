package revocation_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/crypto/ocsp"

	"bulksigner/internal/fault"
	"bulksigner/internal/revocation"
)

// The order of the sources, over a real connection, and that the first usable answer ends the search.
func TestSources(t *testing.T) {
	t.Parallel()
	ca := newRoot(t)
	clean, dirty := ca.list(t, nil), ca.list(t, nil, revoked(42, now, 1))
	yes, unknown := good(42), good(42)
	unknown.Status = ocsp.Unknown
	pages := map[string][]byte{
		"/good": ca.answer(t, yes, nil), "/unknown": ca.answer(t, unknown, nil), "/later": ocsp.TryLaterErrorResponse,
		"/clean": clean, "/dirty": dirty, "/html": []byte("<html>"), "/long": make([]byte, revocation.MaxList+1),
	}
	tests := []struct {
		name              string
		responders, lists string
		want              revocation.State
		source            string
		asked             string // with how often
	}{
		{"responder first", "/good", "/dirty", revocation.Good, "/good", "/good 1 /dirty 0"},
		{"responder without an opinion", "/unknown", "/dirty", revocation.Revoked, "/dirty", "/unknown 1 /dirty 1"},
		{"responders in turn", "/gone /later /good", "/dirty", revocation.Good, "/good", "/gone 1 /later 1 /good 1 /dirty 0"},
		{"no responder", "", "/clean", revocation.Good, "/clean", "/clean 1"},
		{"404, then the second list", "", "/gone /dirty", revocation.Revoked, "/dirty", "/gone 1 /dirty 1"},
		{"HTML, then the second list", "", "/html /clean", revocation.Good, "/clean", "/html 1 /clean 1"},
		{"too long, then the second list", "", "/long /clean", revocation.Good, "/clean", "/long 1 /clean 1"},
		{"the first list counts", "", "/clean /dirty", revocation.Good, "/clean", "/clean 1 /dirty 0"},
		{"named twice, asked once", "", "/gone /gone", revocation.Unknown, "", "/gone 1"},
		{"no more than a few", "", "/1 /2 /3 /4 /clean", revocation.Unknown, "", "/4 1 /clean 0"},
		{"none at all", "", "", revocation.Unknown, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			for path, body := range pages {
				s.put(path, body)
			}
			leaf := ca.leaf(t, 42, s.addresses(tt.responders), append([]string{"ldap://x/y"}, s.addresses(tt.lists)...))
			got, err := newChecker(revocation.Options{}).Check(t.Context(), leaf, ca.cert, now)
			checkState(t, got, err, tt.want, "")
			if tt.source != "" && got.Source != s.URL+tt.source {
				t.Errorf("source %s, want %s", got.Source, tt.source)
			}
			for want := strings.Fields(tt.asked); len(want) > 0; want = want[2:] {
				if n := fmt.Sprint(s.asked(want[0])); n != want[1] {
					t.Errorf("%s was asked %s times, want %s", want[0], n, want[1])
				}
			}
		})
	}
}

// addresses are those of a site's paths.
func (s *site) addresses(paths string) []string {
	all := strings.Fields(paths)
	for i := range all {
		all[i] = s.URL + all[i]
	}
	return all
}

func TestUnaskableAddresses(t *testing.T) {
	t.Parallel()
	ca := newRoot(t)
	asked := 0
	count := roundTrip(func(*http.Request) (*http.Response, error) {
		asked++
		return nil, errors.New("nobody should be asked")
	})
	leaf := ca.leaf(t, 42, []string{"ldap://x", "file:///etc/passwd", "http://", "http://user@x/", "http://x/%zz"},
		[]string{"ldap://x/cn=y?certificateRevocationList", "//x/y", "ftp://x/y", "http://x/" + strings.Repeat("y", 2048)})
	got, err := through(count, revocation.Options{}).Check(t.Context(), leaf, ca.cert, now)
	checkState(t, got, err, revocation.Unknown, "names no source")
	if asked != 0 {
		t.Errorf("%d requests", asked)
	}
}

// An error page is no list, whatever its body holds.
func TestStatusCounts(t *testing.T) {
	t.Parallel()
	s, ca := newSite(t), newRoot(t)
	for _, status := range []int{http.StatusNonAuthoritativeInfo, http.StatusNotFound, http.StatusServiceUnavailable} {
		address := s.serve(fmt.Sprint("/", status), func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write(ca.list(t, nil))
		})
		got, err := newChecker(revocation.Options{}).Check(t.Context(), ca.leaf(t, 42, nil, []string{address}), ca.cert, now)
		checkState(t, got, err, revocation.Unknown, fmt.Sprint("status ", status))
	}
}

// A body that breaks off is no list.
func TestHalfAnAnswer(t *testing.T) {
	t.Parallel()
	s, ca := newSite(t), newRoot(t)
	address := s.serve("/half", func(w http.ResponseWriter, _ *http.Request) {
		body := ca.list(t, nil)
		w.Header().Set("Content-Length", fmt.Sprint(2*len(body)))
		_, _ = w.Write(body)
	})
	got, err := newChecker(revocation.Options{}).Check(t.Context(), ca.leaf(t, 42, nil, []string{address}), ca.cert, now)
	checkState(t, got, err, revocation.Unknown, "read the answer")
}

// roundTrip is a transport that is a function.
type roundTrip func(*http.Request) (*http.Response, error)

// RoundTrip answers.
func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestNotTheIssuer(t *testing.T) {
	t.Parallel()
	ca, namesake := newRoot(t), newRoot(t)
	leaf := ca.leaf(t, 42, nil, []string{listURL})
	alias := newAuthorityWith(t, namesake, template(2, "AC de outro nome"), ca.key)
	c := canned{listURL: ca.list(t, nil)}.checker()
	for _, issuer := range []*x509.Certificate{namesake.cert, alias.cert, leaf} {
		if got, err := c.Check(t.Context(), leaf, issuer, now); !errors.Is(err, fault.CertificateInvalid) || got.State != revocation.Unknown {
			t.Errorf("Check = %v, %v, want %s", got.State, err, fault.CertificateInvalid)
		}
	}
}

func TestEndOfContext(t *testing.T) {
	t.Parallel()
	ca := newRoot(t)
	leaf := ca.leaf(t, 42, nil, []string{listURL, otherListURL})
	asked := 0
	c := through(roundTrip(func(r *http.Request) (*http.Response, error) {
		asked++
		return nil, r.Context().Err()
	}), revocation.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got, err := c.Check(ctx, leaf, ca.cert, now)
	checkState(t, got, err, revocation.Unknown, "canceled")
	if !errors.Is(err, context.Canceled) || asked > 1 {
		t.Errorf("%v after %d requests, want a canceled context after one", err, asked)
	}
}

// An outage's detail may be shown to a client: it has no addresses in it.
func TestDetailIsForEverybody(t *testing.T) {
	t.Parallel()
	ca := newRoot(t)
	leaf := ca.leaf(t, 42, []string{responderURL}, []string{listURL})
	_, err := canned{}.checker().Check(t.Context(), leaf, ca.cert, now)
	want := "no usable answer about the certificate's revocation from 2 of 2 sources"
	if got := fault.DetailOf(err); got != want {
		t.Errorf("detail %q, want %q", got, want)
	}
	for _, address := range []string{responderURL, listURL} {
		if !strings.Contains(err.Error(), address) {
			t.Errorf("the log would not see %s in %q", address, err)
		}
	}
}

func TestChain(t *testing.T) {
	t.Parallel()
	root := newRoot(t)
	first := root.under(t, 7, listURL)
	leaf := first.leaf(t, 42, nil, []string{otherListURL})
	chain := []*x509.Certificate{leaf, first.cert, root.cert}
	deep := append(make([]*x509.Certificate, revocation.MaxChain), root.cert)
	none, leafRevoked := first.list(t, nil), first.list(t, nil, revoked(42, now, revocation.KeyCompromise))
	noneAbove, firstRevoked := root.list(t, nil), root.list(t, nil, revoked(7, now, revocation.CACompromise))
	tests := []struct {
		name   string
		chain  []*x509.Certificate
		lists  canned
		want   error
		detail string
	}{
		{"good", chain, canned{listURL: noneAbove, otherListURL: none}, nil, ""},
		{"a root alone", chain[2:], nil, nil, ""},
		{"leaf revoked", chain, canned{listURL: noneAbove, otherListURL: leafRevoked}, fault.CertificateRevoked,
			"the certificate was revoked on 2026-11-30T12:00:00Z (keyCompromise)"},
		{"authority revoked", chain, canned{listURL: firstRevoked, otherListURL: none}, fault.CertificateRevoked,
			"the certificate of authority 1 in its chain was revoked on 2026-11-30T12:00:00Z (cACompromise)"},
		{"authority revoked, leaf unclear", chain, canned{listURL: firstRevoked}, fault.CertificateRevoked, ""},
		{"leaf revoked, authority unclear", chain, canned{otherListURL: leafRevoked}, fault.CertificateRevoked, ""},
		{"leaf unclear", chain, canned{listURL: noneAbove}, fault.RevocationUnavailable, ""},
		{"authority unclear", chain, canned{otherListURL: none}, fault.RevocationUnavailable, ""},
		{"a link is missing", []*x509.Certificate{leaf, root.cert}, nil, fault.CertificateInvalid, ""},
		{"a broken link weighs more than an outage", []*x509.Certificate{first.cert, leaf, root.cert}, nil, fault.CertificateInvalid, ""},
		{"no root", chain[:2], canned{listURL: noneAbove, otherListURL: none}, fault.RevocationUnavailable, ""},
		{"nothing", nil, nil, fault.RevocationUnavailable, ""},
		{"too long", deep, nil, fault.RevocationUnavailable, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := tt.lists.checker().Chain(t.Context(), tt.chain, now)
			if tt.want == nil && err != nil || !errors.Is(err, tt.want) {
				t.Errorf("Chain = %v, want %v", err, tt.want)
			}
			if got := fault.DetailOf(err); tt.detail != "" && got != tt.detail {
				t.Errorf("detail %q, want %q", got, tt.detail)
			}
		})
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		fmt.Sprint(revocation.Unknown, revocation.Good, revocation.Revoked):                       "unknown good revoked",
		fmt.Sprint(revocation.Unspecified, revocation.PrivilegeWithdrawn, revocation.Reason(777)): "unspecified privilegeWithdrawn reason 777",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
