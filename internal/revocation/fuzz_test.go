package revocation_test

import (
	"bytes"
	"crypto/x509"
	"math/big"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"

	"bulksigner/internal/revocation"
)

// What is read of a list is what crypto/x509 reads of it, entry by entry, and a look-up finds just that.
func FuzzList(f *testing.F) {
	ca := newRoot(f)
	f.Add(ca.list(f, nil))
	f.Add(ca.list(f, nil, revoked(42, now, 0), revoked(43, now, 8), entryWith(oidUnheard, false, []byte{5, 0})))
	f.Add(ca.list(f, scoped(point(listURL), tlv(0x81, []byte{0xFF})), revoked(1<<40, now, 1)))
	f.Add(ca.list(f, with(oidFreshest, false, tlv(0x30)), revoked(42, now.AddDate(50, 0, 0), 6)))
	f.Add(inPEM("X509 CRL", ca.list(f, nil)))
	f.Add([]byte("<html>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		head, entries, err := revocation.ParseList(data)
		if err != nil {
			return
		}
		want, err := x509.ParseRevocationList(head.Raw)
		if err != nil {
			t.Fatalf("crypto/x509 refuses what was read: %v", err)
		}
		if len(entries) != len(want.RevokedCertificateEntries) || !bytes.Equal(head.RawTBSRevocationList, want.RawTBSRevocationList) ||
			!bytes.Equal(head.Signature, want.Signature) || !bytes.Equal(head.RawIssuer, want.RawIssuer) ||
			!head.ThisUpdate.Equal(want.ThisUpdate) || !head.NextUpdate.Equal(want.NextUpdate) || len(head.Extensions) != len(want.Extensions) {
			t.Fatalf("%+v\nwant %+v", head, want)
		}
		for i, w := range want.RevokedCertificateEntries {
			e := revocation.Entry{Serial: w.SerialNumber.Text(16), At: w.RevocationTime, Reason: revocation.Reason(w.ReasonCode)}
			if g := entries[i]; g.Serial != e.Serial || !g.At.Equal(e.At) || g.Reason != e.Reason {
				t.Errorf("entry %d is %+v, want %+v", i, g, e)
			}
			checkLookUp(t, data, w.SerialNumber, e.Reason)
		}
	})
}

func checkLookUp(t *testing.T, data []byte, serial *big.Int, reason revocation.Reason) {
	t.Helper()
	s, err := revocation.LooksUp(data, serial)
	if err == nil && s.State != revocation.Revoked && reason != revocation.RemoveFromCRL {
		t.Errorf("%x is %s, and on the list", serial, s.State)
	}
}

// No answer makes the reader panic, and what it takes is about the certificate.
func FuzzAnswer(f *testing.F) {
	ca := newRoot(f)
	leaf, r := ca.leaf(f, 42, nil, nil), good(42)
	f.Add(ca.answer(f, r, nil))
	f.Add(ca.answer(f, r, ca.delegate(f, nil)))
	r.Status, r.RevokedAt, r.NextUpdate = ocsp.Revoked, now, time.Time{}
	f.Add(ca.answer(f, r, nil))
	f.Add(ocsp.TryLaterErrorResponse)
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := revocation.ReadAnswer(data, leaf, ca.cert, []byte("nonce"))
		if err == nil && got.SerialNumber.Cmp(leaf.SerialNumber) != 0 {
			t.Errorf("an answer about %d", got.SerialNumber)
		}
	})
}

// A list of the usual size, read and searched to its end.
func BenchmarkList(b *testing.B) {
	ca := newRoot(b)
	serial, _ := new(big.Int).SetString("7fffffffffffffffffffffffffffffff", 16)
	all := make([]x509.RevocationListEntry, 20_000)
	for i := range all {
		all[i] = x509.RevocationListEntry{SerialNumber: new(big.Int).Sub(serial, big.NewInt(int64(i))), RevocationTime: now, ReasonCode: 4}
	}
	body := ca.list(b, nil, all...)
	b.Run("ours", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			if s, err := revocation.LooksUp(body, serial); err != nil || s.State != revocation.Revoked {
				b.Fatal(s, err)
			}
		}
	})
	b.Run("crypto/x509", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := x509.ParseRevocationList(body); err != nil {
				b.Fatal(err)
			}
		}
	})
}
