// Package library has the signers that are Go libraries, ours and others', each from a file to a file and all in this
// process.
package library

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"bulksigner/scripts/bench/identity"
)

// Signer signs a file into another one.
type Signer func(id identity.Identity, in, out string) error

// signers are all there are, by name, so that a process can be told which one to be.
var signers = map[string]Signer{
	"pades":         PAdES,
	"cades":         CAdES,
	"xades":         XAdES,
	"xades-invoice": XAdESOfInvoice,
	"pdfsign":       PDFSign,
	"pkcs7":         PKCS7,
}

// Named finds a signer by its name.
func Named(name string) (Signer, error) {
	s, ok := signers[name]
	if !ok {
		return nil, fmt.Errorf("there is no signer %q, there are %s", name, strings.Join(slices.Sorted(maps.Keys(signers)), ", "))
	}
	return s, nil
}

// Timed returns what signs the same file over and over, and tells how long that took. It begins with a heap that owes
// nothing to whoever ran before.
func Timed(s Signer, id identity.Identity, in, out string) func(ctx context.Context, times int) (time.Duration, error) {
	return func(ctx context.Context, times int) (time.Duration, error) {
		runtime.GC()
		start := time.Now()
		for range times {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			if err := s(id, in, out); err != nil {
				return 0, err
			}
		}
		return time.Since(start), nil
	}
}
