package revocation_test

import (
	"bytes"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/revocation"
)

var (
	oidDelta    = asn1.ObjectIdentifier{2, 5, 29, 27}
	oidIDP      = asn1.ObjectIdentifier{2, 5, 29, 28}
	oidFreshest = asn1.ObjectIdentifier{2, 5, 29, 46}
	oidIssuer   = asn1.ObjectIdentifier{2, 5, 29, 29}
	oidUnheard  = asn1.ObjectIdentifier{2, 16, 76, 1, 99}
)

func tlv(tag byte, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	if len(body) < 128 {
		return append([]byte{tag, byte(len(body))}, body...)
	}
	if len(body) < 256 {
		return append([]byte{tag, 0x81, byte(len(body))}, body...)
	}
	return append([]byte{tag, 0x82, byte(len(body) >> 8), byte(len(body))}, body...)
}

// point is a distribution point by its address, as an issuing distribution point has it.
func point(addresses ...string) []byte {
	var names [][]byte
	for _, a := range addresses {
		names = append(names, tlv(0x86, []byte(a)))
	}
	return tlv(0xA0, tlv(0xA0, names...))
}

// with adds an extension to a list.
func with(id asn1.ObjectIdentifier, critical bool, value []byte) func(*x509.RevocationList) {
	return func(l *x509.RevocationList) {
		l.ExtraExtensions = append(l.ExtraExtensions, pkix.Extension{Id: id, Critical: critical, Value: value})
	}
}

func scoped(parts ...[]byte) func(*x509.RevocationList) {
	return with(oidIDP, true, tlv(0x30, parts...))
}

// entryWith is an entry of another certificate, with an extension of its own.
func entryWith(id asn1.ObjectIdentifier, critical bool, value []byte) x509.RevocationListEntry {
	e := revoked(99, now.Add(-time.Hour), 0)
	e.ExtraExtensions = []pkix.Extension{{Id: id, Critical: critical, Value: value}}
	return e
}

func between(from, until time.Duration) func(*x509.RevocationList) {
	return func(l *x509.RevocationList) { l.ThisUpdate, l.NextUpdate = now.Add(from), now.Add(until) }
}

func TestList(t *testing.T) {
	t.Parallel()
	ca, other := newRoot(t), newRoot(t)
	namesake := other // all roots have one name
	stranger := other.under(t, 2)
	text := func(der []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: "X509 CRL", Bytes: der}) }
	padded := func(size int) []byte {
		return append(text(ca.list(t, nil)), bytes.Repeat([]byte{'\n'}, size)...)[:size]
	}
	hour := func(n int) time.Time { return now.Add(time.Duration(n) * time.Hour) }
	mine := func(at time.Time, r revocation.Reason) []byte {
		return ca.list(t, nil, revoked(5, at, 0), revoked(42, at, r))
	}
	tests := []struct {
		name string
		body []byte
		want revocation.State // Unknown: no usable answer
		why  string           // in the cause
	}{
		{"empty list", ca.list(t, nil), revocation.Good, ""},
		{"others are on it", ca.list(t, nil, revoked(41, hour(-1), 1), revoked(4200, hour(-1), 1)), revocation.Good, ""},
		{"revoked", mine(hour(-1), 1), revocation.Revoked, ""},
		{"on hold", mine(hour(-1), 6), revocation.Revoked, ""},
		{"revoked at this very moment", mine(now, 1), revocation.Revoked, ""},
		{"revoked later", mine(now.Add(time.Second), 1), revocation.Good, ""},
		{"taken off the list", mine(hour(-1), 8), revocation.Good, ""},
		{"PEM", text(mine(hour(-1), 1)), revocation.Revoked, ""},
		{"PEM between blank lines", []byte("\n" + string(text(ca.list(t, nil))) + "\r\n"), revocation.Good, ""},
		{"the longest list", padded(revocation.MaxList), revocation.Good, ""},
		{"this distribution point's", ca.list(t, scoped(point("ldap://x", listURL))), revocation.Good, ""},
		{"of end certificates", ca.list(t, scoped(tlv(0x81, []byte{0xFF}))), revocation.Good, ""},
		{"everything else false", ca.list(t, scoped(tlv(0x82, []byte{0}), tlv(0x84, []byte{0}), tlv(0x85, []byte{0}))), revocation.Good, ""},
		{"names a delta", ca.list(t, with(oidFreshest, false, tlv(0x30))), revocation.Good, ""},
		{"unheard-of but harmless", ca.list(t, with(oidUnheard, false, nil), entryWith(oidUnheard, false, nil)), revocation.Good, ""},
		{"clocks differ a little", ca.list(t, between(revocation.Skew, time.Hour)), revocation.Good, ""},
		{"just over", ca.list(t, between(-time.Hour, -revocation.Skew)), revocation.Good, ""},

		{"out of date", ca.list(t, between(-time.Hour, -revocation.Skew-time.Second)), 0, "out of date"},
		{"from the future", ca.list(t, between(revocation.Skew+time.Second, time.Hour)), 0, "not yet"},
		{"has no end", withoutEnd(t, ca), 0, "until when"},
		{"signed by another key", namesake.list(t, nil), 0, "signature"},
		{"another authority's", stranger.list(t, nil), 0, "another authority"},
		{"changed on the way", bytes.Replace(mine(hour(-1), 1), []byte{2, 1, 42}, []byte{2, 1, 43}, 1), 0, "signature"},
		{"delta", ca.list(t, with(oidDelta, true, []byte{2, 1, 1})), 0, "delta"},
		{"delta that does not insist", ca.list(t, with(oidDelta, false, []byte{2, 1, 1})), 0, "delta"},
		{"another distribution point's", ca.list(t, scoped(point(listURL+"2"))), 0, "distribution point"},
		{"a directory's", ca.list(t, scoped(tlv(0xA0, tlv(0xA0, tlv(0xA4, tlv(0x30)))))), 0, "distribution point"},
		{"relative point", ca.list(t, scoped(tlv(0xA0, tlv(0xA1)))), 0, "distribution point"},
		{"of authorities", ca.list(t, scoped(tlv(0x82, []byte{0xFF}))), 0, "kind of certificate"},
		{"of attributes", ca.list(t, scoped(tlv(0x85, []byte{0xFF}))), 0, "attribute"},
		{"for some reasons", ca.list(t, scoped(tlv(0x83, []byte{1, 0x40}))), 0, "some reasons"},
		{"indirect", ca.list(t, scoped(tlv(0x84, []byte{0xFF}))), 0, "indirect"},
		{"two scopes", ca.list(t, func(l *x509.RevocationList) { scoped()(l); scoped()(l) }), 0, "twice"},
		{"scope with a flag of two bytes", ca.list(t, scoped(tlv(0x81, []byte{0, 0}))), 0, "scope is malformed"},
		{"scope with a flag of no value", ca.list(t, scoped(tlv(0x81, []byte{1}))), 0, "scope is malformed"},
		{"scope with more in it", ca.list(t, scoped(tlv(0x86))), 0, "scope is malformed"},
		{"scope with a broken point", ca.list(t, scoped(tlv(0xA0, tlv(0x30)))), 0, "scope is malformed"},
		{"scope with a broken name", ca.list(t, scoped(tlv(0xA0, tlv(0xA0, []byte{0x86, 9})))), 0, "scope is malformed"},
		{"critical and unheard of", ca.list(t, with(oidUnheard, true, nil)), 0, "unknown critical"},
		{"an entry of another issuer", ca.list(t, nil, entryWith(oidIssuer, true, tlv(0x30))), 0, "unknown critical"},
		{"critical and unheard of, behind the certificate's own entry", ca.list(t, nil, revoked(42, hour(-1), 1), entryWith(oidUnheard, true, nil)), 0, "unknown critical"},
		{"an entry without a time", listed(t, ca, tlv(0x30, tlv(2, []byte{9}))), 0, "malformed"},
		{"an entry with more in it", listed(t, ca, tlv(0x30, tlv(2, []byte{9}), when, tlv(0x30), tlv(5))), 0, "malformed"},
		{"an entry with something else in it", listed(t, ca, tlv(0x30, tlv(2, []byte{9}), when, tlv(0x31))), 0, "malformed"},
		{"a serial number in two forms", listed(t, ca, tlv(0x30, tlv(2, []byte{0, 42}), when)), 0, "malformed"},
		{"an extension without a name", listed(t, ca, tlv(0x30, tlv(2, []byte{9}), when, tlv(0x30, tlv(0x30)))), 0, "malformed"},
		{"an extension of no value", listed(t, ca, extendedEntry(reasonCode)), 0, "malformed"},
		{"an extension that is critical or not", listed(t, ca, extendedEntry(reasonCode, tlv(1, []byte{7}), tlv(4))), 0, "malformed"},
		{"a reason and more", listed(t, ca, extendedEntry(reasonCode, tlv(4, []byte{10, 1, 1, 0}))), 0, "malformed"},
		{"bytes behind the extensions", ca.reseal(t, ca.list(t, nil), func(b []byte) []byte { return append(b[:len(b):len(b)], 5, 0) }), 0, "malformed"},
		{"bytes behind the signature", tlv(0x30, inner(t, ca.list(t, nil)), tlv(5)), 0, "malformed"},
		{"too long by a byte", padded(revocation.MaxList + 1), 0, "more than"},
		{"HTML", []byte("<!DOCTYPE html><html><body>Manutenção</body></html>"), 0, "malformed"},
		{"nothing", nil, 0, "malformed"},
		{"bytes after the end", append(ca.list(t, nil), 0), 0, "malformed"},
		{"a certificate", ca.cert.Raw, 0, "malformed"},
		{"a certificate in PEM", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ca.cert.Raw}), 0, "PEM"},
		{"two lists in PEM", append(text(ca.list(t, nil)), text(ca.list(t, nil))...), 0, "PEM"},
		{"half a PEM", text(ca.list(t, nil))[:200], 0, "PEM"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, leaf := canned{listURL: tt.body}.checker(), ca.leaf(t, 42, nil, []string{listURL})
			got, err := c.Check(t.Context(), leaf, ca.cert, now)
			checkState(t, got, err, tt.want, tt.why)
		})
	}
}

var (
	when       = tlv(0x17, []byte("261130110000Z"))
	reasonCode = tlv(6, []byte{0x55, 0x1D, 21})
)

// listed is a list with entries that no authority would make.
func listed(t *testing.T, ca *authority, entries ...[]byte) []byte {
	return ca.reseal(t, ca.list(t, nil), func(body []byte) []byte {
		i := bytes.LastIndex(body, []byte{0x17, 0x0D}) + 15 // behind the second time
		return slices.Concat(body[:i], tlv(0x30, entries...), body[i:])
	})
}

// extendedEntry is an entry with one extension.
func extendedEntry(parts ...[]byte) []byte {
	return tlv(0x30, tlv(2, []byte{9}), when, tlv(0x30, tlv(0x30, parts...)))
}

// inner is what a structure holds.
func inner(t *testing.T, der []byte) []byte {
	var v asn1.RawValue
	unmarshal(t, der, &v)
	return v.Bytes
}

// withoutEnd is a list that does not say when the next one comes.
func withoutEnd(t *testing.T, ca *authority) []byte {
	return ca.reseal(t, ca.list(t, nil), func(body []byte) []byte {
		const length = 15 // of a UTCTime
		from := bytes.LastIndex(body, []byte{0x17, 0x0D})
		return append(body[:from:from], body[from+length:]...)
	})
}

func TestListOfManyKinds(t *testing.T) {
	t.Parallel()
	root := newRoot(t)
	ca := root.under(t, 7, listURL)
	users, authorities := root.list(t, scoped(tlv(0x81, []byte{0xFF}))), root.list(t, scoped(tlv(0x82, []byte{0xFF})))
	got, err := canned{listURL: users}.checker().Check(t.Context(), ca.cert, root.cert, now)
	checkState(t, got, err, revocation.Unknown, "kind of certificate")
	got, err = canned{listURL: authorities}.checker().Check(t.Context(), ca.cert, root.cert, now)
	checkState(t, got, err, revocation.Good, "")
}

func TestListProves(t *testing.T) {
	t.Parallel()
	ca := newRoot(t)
	leaf, at := ca.leaf(t, 42, nil, []string{listURL}), now.Add(-time.Minute)
	body := ca.list(t, nil, revoked(42, at, revocation.KeyCompromise))
	want := revocation.Status{
		State: revocation.Revoked, Source: listURL, ThisUpdate: now.Add(-time.Hour), NextUpdate: now.Add(3 * time.Hour),
		Reason: revocation.KeyCompromise, RevokedAt: at,
	}
	c := canned{listURL: body}.checker()
	for _, tt := range []struct {
		state revocation.State
		at    time.Time
	}{{revocation.Revoked, now}, {revocation.Revoked, at}, {revocation.Good, at.Add(-time.Second)}} {
		got, err := c.Check(t.Context(), leaf, ca.cert, tt.at)
		if err != nil {
			t.Fatal(err)
		}
		want.State = tt.state
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("Check at %s (-want +got)\n%s", tt.at, d)
		}
	}
}

// An authority may drop what has expired, so that its list is silent about it.
func TestExpiredCertificate(t *testing.T) {
	t.Parallel()
	ca := newRoot(t)
	c := template(42, "MARIA DE TESTE")
	c.NotAfter, c.CRLDistributionPoints, c.OCSPServer = now.Add(-2*time.Hour), []string{listURL}, []string{responderURL}
	leaf, at := ca.sign(t, c, newKey(t).Public()), now.Add(-3*time.Hour)
	silent := canned{listURL: ca.list(t, nil), responderURL: ca.answer(t, good(42), nil)}
	got, err := silent.checker().Check(t.Context(), leaf, ca.cert, at)
	checkState(t, got, err, revocation.Unknown, "expired")
	listed := canned{listURL: ca.list(t, nil, revoked(42, at, 1))}
	got, err = listed.checker().Check(t.Context(), leaf, ca.cert, at)
	checkState(t, got, err, revocation.Revoked, "")
	got, err = listed.checker().Check(t.Context(), leaf, ca.cert, at.Add(-time.Second))
	checkState(t, got, err, revocation.Good, "")
}

// A list is only believed from an authority that may sign lists, with an algorithm that is trusted.
func TestListSigner(t *testing.T) {
	t.Parallel()
	c := template(1, "AC sem listas")
	a := newAuthority(t, nil, c)
	leaf, body := a.leaf(t, 42, nil, []string{listURL}), a.list(t, nil)
	c.KeyUsage = x509.KeyUsageCertSign
	other := a.sign(t, c, a.key.Public()) // the same authority, in a certificate that does not mention lists
	got, err := canned{listURL: body}.checker().Check(t.Context(), leaf, other, now)
	checkState(t, got, err, revocation.Unknown, "signature")

	weak := a.list(t, func(l *x509.RevocationList) { l.SignatureAlgorithm = x509.ECDSAWithSHA1 })
	got, err = canned{listURL: weak}.checker().Check(t.Context(), leaf, a.cert, now)
	checkState(t, got, err, revocation.Unknown, "not trusted")
}
