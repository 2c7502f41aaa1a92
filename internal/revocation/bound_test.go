package revocation_test

import (
	"bytes"
	"crypto/x509"
	"fmt"
	"testing"

	"bulksigner/internal/revocation"
)

func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	ca := newRoot(t)
	body := ca.list(t, nil)
	pages := canned{}
	address := func(i int) string { return fmt.Sprintf("http://lcr%d.teste.invalid/", i) }
	for i := range 20 {
		pages[address(i)] = body
	}
	entry := len(body) + 700 // with its key and what goes with it
	tests := []struct {
		name    string
		o       revocation.Options
		entries int
	}{
		{"by number", revocation.Options{CacheEntries: 3}, 3},
		{"by size", revocation.Options{CacheBytes: 4*entry + entry/2}, 4},
		{"to nothing", revocation.Options{CacheBytes: entry / 4}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := &slow{pages: pages}
			c := through(s, tt.o)
			leaf := func(i int) *x509.Certificate { return ca.leaf(t, 42, nil, []string{address(i)}) }
			for i := range 20 {
				try(t, c, s, leaf(i), ca.cert, revocation.Good, s.count()+1)
			}
			if n, size := c.Held(); n != tt.entries || size > 5*entry {
				t.Errorf("%d entries of %d bytes, want %d", n, size, tt.entries)
			}
			if tt.entries == 0 {
				return
			}
			try(t, c, s, leaf(20-tt.entries), ca.cert, revocation.Good, 20) // the oldest, used
			try(t, c, s, leaf(0), ca.cert, revocation.Good, 21)
			try(t, c, s, leaf(20-tt.entries), ca.cert, revocation.Good, 21) // and so the next one went
		})
	}
}

// What is too large to be kept at all drives nothing else out.
func TestLargeListDrivesNothingOut(t *testing.T) {
	t.Parallel()
	ca := newRoot(t)
	small := ca.list(t, nil)
	large := append(inPEM("X509 CRL", small), bytes.Repeat([]byte{'\n'}, 1<<20)...)
	s := &slow{pages: canned{listURL: small, otherListURL: large}}
	c := through(s, revocation.Options{CacheBytes: 1 << 20})
	one, two := ca.leaf(t, 42, nil, []string{listURL}), ca.leaf(t, 42, nil, []string{otherListURL})
	try(t, c, s, one, ca.cert, revocation.Good, 1)
	try(t, c, s, two, ca.cert, revocation.Good, 2)
	try(t, c, s, one, ca.cert, revocation.Good, 2)
	try(t, c, s, two, ca.cert, revocation.Good, 3)
}
