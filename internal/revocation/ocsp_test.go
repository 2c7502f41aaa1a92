package revocation_test

import (
	"bytes"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/ocsp"

	"bulksigner/internal/revocation"
)

func TestAnswer(t *testing.T) {
	t.Parallel()
	root, other := newRoot(t), newRoot(t)
	ca := root.under(t, 2)
	twin := &authority{other.cert, ca.key} // another authority with the same key
	namesake := other.under(t, 2)
	delegate := ca.delegate(t, nil)
	plain := func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth} }
	anything := func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageAny} }
	old := func(c *x509.Certificate) { c.NotAfter = now.Add(-revocation.Skew - time.Second) }
	new := func(c *x509.Certificate) { c.NotBefore = now.Add(revocation.Skew + time.Second) }
	critical := func(c *x509.Certificate) {
		c.ExtraExtensions = append(c.ExtraExtensions, pkix.Extension{Id: oidUnheard, Critical: true, Value: []byte{5, 0}})
	}
	answer := func(change func(*ocsp.Response)) []byte {
		r := good(42)
		change(&r)
		return ca.answer(t, r, nil)
	}
	times := func(this, next time.Duration) []byte {
		return answer(func(r *ocsp.Response) { r.ThisUpdate, r.NextUpdate = now.Add(this), now.Add(next) })
	}
	endless := func(age time.Duration) []byte {
		return answer(func(r *ocsp.Response) { r.ThisUpdate, r.NextUpdate = now.Add(-age), time.Time{} })
	}
	revokedAt := func(at time.Time, reason int) []byte {
		return answer(func(r *ocsp.Response) { r.Status, r.RevokedAt, r.RevocationReason = ocsp.Revoked, at, reason })
	}
	tests := []struct {
		name string
		body []byte
		want revocation.State // Unknown: no usable answer
		why  string           // in the cause
	}{
		{"good", answer(func(*ocsp.Response) {}), revocation.Good, ""},
		{"issuer's certificate is there, too", ca.answer(t, good(42), ca), revocation.Good, ""},
		{"by a delegate", ca.answer(t, good(42), delegate), revocation.Good, ""},
		{"named with SHA-256", answer(func(r *ocsp.Response) { r.IssuerHash = 5 }), revocation.Good, ""},
		{"without an end, new", endless(time.Hour), revocation.Good, ""},
		{"just over", times(-time.Hour, -revocation.Skew), revocation.Good, ""},
		{"clocks differ a little", times(revocation.Skew, time.Hour), revocation.Good, ""},
		{"revoked", revokedAt(now.Add(-time.Hour), ocsp.KeyCompromise), revocation.Revoked, ""},
		{"on hold", revokedAt(now.Add(-time.Hour), ocsp.CertificateHold), revocation.Revoked, ""},
		{"revoked at this very moment", revokedAt(now, 0), revocation.Revoked, ""},
		{"revoked later", revokedAt(now.Add(time.Second), 0), revocation.Good, ""},

		{"unknown", answer(func(r *ocsp.Response) { r.Status = ocsp.Unknown }), 0, "does not know"},
		{"of another certificate", ca.answer(t, good(43), nil), 0, "no response matching"},
		{"of another authority's certificate", twin.answer(t, good(42), nil), 0, "another certificate"},
		{"by a delegate for another purpose", ca.answer(t, good(42), ca.delegate(t, plain)), 0, "not one for OCSP"},
		{"by a delegate for any purpose", ca.answer(t, good(42), ca.delegate(t, anything)), 0, "not one for OCSP"},
		{"by a delegate with a rule of its own", ca.answer(t, good(42), ca.delegate(t, critical)), 0, "not one for OCSP"},
		{"by an old delegate", ca.answer(t, good(42), ca.delegate(t, old)), 0, "not valid now"},
		{"by a delegate to come", ca.answer(t, good(42), ca.delegate(t, new)), 0, "not valid now"},
		{"by another authority's delegate", ca.answer(t, good(42), other.delegate(t, nil)), 0, "not issued"},
		{"by a namesake's delegate", ca.answer(t, good(42), namesake.delegate(t, nil)), 0, "not issued"},
		{"by another authority", ca.answer(t, good(42), other), 0, "not issued"},
		{"by a namesake", (&authority{ca.cert, namesake.key}).answer(t, good(42), nil), 0, "signature"},
		{"by the certificate itself", selfAnswer(t, ca), 0, "not one for OCSP"},
		{"out of date", times(-time.Hour, -revocation.Skew-time.Second), 0, "out of date"},
		{"from the future", times(revocation.Skew+time.Second, time.Hour), 0, "not yet"},
		{"ends before it begins", times(0, -time.Second), 0, "before it begins"},
		{"without an end, old", endless(time.Hour + revocation.Skew + time.Second), 0, "out of date"},
		{"signed with SHA-1", answer(func(r *ocsp.Response) { r.SignatureAlgorithm = x509.ECDSAWithSHA1 }), 0, "not trusted"},
		{"try later", ocsp.TryLaterErrorResponse, 0, "try later"},
		{"unauthorized", ocsp.UnauthorizedErrorResponse, 0, "unauthorized"},
		{"bytes after the end", append(answer(func(*ocsp.Response) {}), 0), 0, "trailing"},
		{"too long", make([]byte, revocation.MaxAnswer+1), 0, "more than"},
		{"HTML", []byte("<!DOCTYPE html>"), 0, "read the OCSP answer"},
		{"nothing", nil, 0, "read the OCSP answer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			leaf := ca.leaf(t, 42, []string{responderURL}, nil)
			got, err := canned{responderURL: tt.body}.checker().Check(t.Context(), leaf, ca.cert, now)
			checkState(t, got, err, tt.want, tt.why)
		})
	}
}

// selfAnswer is what a thief of a signer's key would like to say.
func selfAnswer(t *testing.T, ca *authority) []byte {
	thief := &authority{key: newKey(t)}
	thief.cert = ca.sign(t, template(42, "MARIA DE TESTE"), thief.key.Public())
	return ca.answer(t, good(42), thief)
}

func TestAnswerProves(t *testing.T) {
	t.Parallel()
	ca, at := newRoot(t), now.Add(-time.Minute)
	r := good(42)
	r.Status, r.RevokedAt, r.RevocationReason = ocsp.Revoked, at, ocsp.Superseded
	leaf := ca.leaf(t, 42, []string{responderURL}, nil)
	got, err := canned{responderURL: ca.answer(t, r, nil)}.checker().Check(t.Context(), leaf, ca.cert, now)
	want := revocation.Status{
		State: revocation.Revoked, Source: responderURL, ThisUpdate: r.ThisUpdate, NextUpdate: r.NextUpdate,
		Reason: revocation.Superseded, RevokedAt: at,
	}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v (-want +got)\n%s", err, d)
	}
}

// A delegate without the issuer's word that it needs no check is checked, if its certificate says where.
func TestDelegateThatIsChecked(t *testing.T) {
	t.Parallel()
	ca := newRoot(t)
	asks := func(lists ...string) *authority {
		return ca.delegate(t, func(c *x509.Certificate) { c.ExtraExtensions, c.CRLDistributionPoints = nil, lists })
	}
	leaf := ca.leaf(t, 42, []string{responderURL}, nil)
	excused := ca.delegate(t, func(c *x509.Certificate) { c.CRLDistributionPoints = []string{listURL} })
	tests := []struct {
		name     string
		delegate *authority
		list     []byte
		want     revocation.State
		why      string
	}{
		{"names nothing", asks(), nil, revocation.Good, ""},
		{"good", asks(listURL), ca.list(t, nil), revocation.Good, ""},
		{"revoked", asks(listURL), ca.list(t, nil, revoked(900, now.Add(-time.Hour), 1)), revocation.Unknown, "responder's certificate is revoked"},
		{"revoked, and needs no check", excused, ca.list(t, nil, revoked(900, now.Add(-time.Hour), 1)), revocation.Good, ""},
		{"unclear", asks(listURL), nil, revocation.Unknown, "revocation of the responder"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := canned{responderURL: ca.answer(t, good(42), tt.delegate), listURL: tt.list}.checker()
			got, err := c.Check(t.Context(), leaf, ca.cert, now)
			checkState(t, got, err, tt.want, tt.why)
		})
	}
}

// extended adds extensions to the signed part of an OCSP answer.
func extended(t testing.TB, ca *authority, der []byte, list ...pkix.Extension) []byte {
	t.Helper()
	var outer struct {
		Status asn1.Enumerated
		Bytes  struct {
			Type asn1.ObjectIdentifier
			Body []byte
		} `asn1:"explicit,tag:0"`
	}
	unmarshal(t, der, &outer)
	outer.Bytes.Body = ca.reseal(t, outer.Bytes.Body, func(body []byte) []byte {
		return append(body[:len(body):len(body)], tlv(0xA1, marshal(t, list))...)
	})
	return marshal(t, outer)
}

// nonceIn is the nonce in a request.
func nonceIn(t testing.TB, request []byte) []byte {
	t.Helper()
	id := marshal(t, oidNonce)
	i := bytes.Index(request, id)
	if i < 0 {
		t.Error("the request has no nonce")
		return nil
	}
	var value []byte
	if _, err := asn1.Unmarshal(request[i+len(id):], &value); err != nil {
		t.Error(err)
	}
	return value
}

var oidNonce = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 2}

func TestNonce(t *testing.T) {
	t.Parallel()
	ca := newRoot(t)
	tests := []struct {
		name string
		list func(nonce []byte) []pkix.Extension
		want revocation.State
		why  string
	}{
		{"the same", func(n []byte) []pkix.Extension { return []pkix.Extension{{Id: oidNonce, Value: n}} }, revocation.Good, ""},
		{"left out", func([]byte) []pkix.Extension { return nil }, revocation.Good, ""},
		{"beside another extension", func(n []byte) []pkix.Extension {
			return []pkix.Extension{{Id: oidUnheard}, {Id: oidNonce, Value: n}}
		}, revocation.Good, ""},
		{"another", func([]byte) []pkix.Extension {
			return []pkix.Extension{{Id: oidNonce, Value: []byte{4, 1, 7}}}
		}, 0, "nonce"},
		{"of another type", func(n []byte) []pkix.Extension {
			return []pkix.Extension{{Id: oidNonce, Value: n[2:]}}
		}, 0, "nonce"},
		{"beside a critical extension", func(n []byte) []pkix.Extension {
			return []pkix.Extension{{Id: oidNonce, Value: n}, {Id: oidUnheard, Critical: true}}
		}, 0, "critical"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			address := s.serve("/ocsp", func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if _, parsed := ocsp.ParseRequest(body); err != nil || parsed != nil || r.Method != http.MethodPost ||
					r.Header.Get("Content-Type") != "application/ocsp-request" {
					t.Errorf("request %v %v %s %s", err, parsed, r.Method, r.Header)
				}
				der := ca.answer(t, good(42), nil)
				if list := tt.list(nonceIn(t, body)); list != nil {
					der = extended(t, ca, der, list...)
				}
				_, _ = w.Write(der)
			})
			got, err := newChecker(revocation.Options{}).Check(t.Context(), ca.leaf(t, 42, []string{address}, nil), ca.cert, now)
			checkState(t, got, err, tt.want, tt.why)
		})
	}
}

// Two statements under one number, of which a parser may take the first that comes.
func TestAmbiguousAnswer(t *testing.T) {
	t.Parallel()
	ca := newRoot(t)
	leaf := ca.leaf(t, 42, []string{responderURL}, nil)
	got, err := canned{responderURL: doubled(t, ca)}.checker().Check(t.Context(), leaf, ca.cert, now)
	checkState(t, got, err, revocation.Unknown, "several")
}

// doubled says the same thing twice in one answer.
func doubled(t *testing.T, ca *authority) []byte {
	t.Helper()
	var outer struct {
		Status asn1.Enumerated
		Bytes  struct {
			Type asn1.ObjectIdentifier
			Body []byte
		} `asn1:"explicit,tag:0"`
	}
	unmarshal(t, ca.answer(t, good(42), nil), &outer)
	outer.Bytes.Body = ca.reseal(t, outer.Bytes.Body, func(body []byte) []byte {
		var parts struct {
			Responder, Produced asn1.RawValue
			List                []asn1.RawValue
		}
		unmarshal(t, tlv(0x30, body), &parts)
		parts.List = append(parts.List, parts.List[0])
		var all asn1.RawValue
		unmarshal(t, marshal(t, parts), &all)
		return all.Bytes
	})
	return marshal(t, outer)
}
