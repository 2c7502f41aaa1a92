// Package pkcs11 opens keys on PKCS#11 tokens: CloudHSM, other network HSMs, smart cards, software tokens.
//
// A token is a shared library of its maker, so this package needs cgo and the build tag pkcs11. Without the tag Open
// answers that the key source is not supported, and nothing of cgo is linked.
//
// It promises what the other key sources promise. A key is opened with its certificate, whose public key was compared
// with the token's. C_Sign is called once per signature, with a buffer that fits, so that no call to ask for the length
// comes first. An error says what is known afterwards: that nothing was signed, that the key refused, or that nobody
// knows. What is known before C_Sign, such as a lost session, is mended once. A PIN that the token refused is never
// tried again by this process: tokens lock themselves.
//
// The interface is bound directly, because the bindings that there are call C_Sign twice and set no limit to what a
// token may answer. Whether the certificate is valid, and the rate of the key, are left to the caller.
package pkcs11

import (
	"context"
	"crypto"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"

	"bulksigner/internal/fault"
)

// Bounds of Options.Sessions.
const (
	DefaultSessions = 4
	MaxSessions     = 64
)

// Options say where a key is.
type Options struct {
	// Module is the absolute path of the token's PKCS#11 module.
	Module string
	// Slot and TokenLabel say which token of the module it is. One is enough; where both are given, both have to fit.
	Slot       *uint
	TokenLabel string
	// Thumbprint is the SHA-1 of the certificate in hex. It may be empty where Open is given the certificate.
	Thumbprint string
	// PIN is the user's PIN. CloudHSM wants "user:password".
	PIN string `json:"-"`
	// Sessions bounds the signatures that the token makes at the same time. Zero is DefaultSessions.
	Sessions int
}

// String names the token and keeps the PIN to itself.
func (o Options) String() string {
	s := "PKCS#11 module " + o.Module
	if o.Slot != nil {
		s += fmt.Sprintf(", slot %d", *o.Slot)
	}
	if o.TokenLabel != "" {
		s += fmt.Sprintf(", token %q", o.TokenLabel)
	}
	return s
}

// GoString is String: %#v shows no PIN either.
func (o Options) GoString() string { return o.String() }

// Key is an opened key. It holds sessions on its token until Close, or until nobody has it any more.
type Key struct {
	Certificate *x509.Certificate
	Chain       []*x509.Certificate // found on the token: issuing authority first, without the root

	signer func(*Key, context.Context) crypto.Signer
	close  func() error
}

// Signer returns the key for one signature within ctx. Its Sign answers fault.Throttled where nothing was signed and
// asking again may help, fault.JobKeyRefused where the token said no, and fault.JobKeySilent where a signature may have
// been made. A code of the kinds key.* and certificate.* says that nothing was signed and that the key can sign no more.
func (k *Key) Signer(ctx context.Context) crypto.Signer { return k.signer(k, ctx) }

// Close gives the sessions back to the token. Signatures under way are finished; later ones answer fault.Throttled.
func (k *Key) Close() error { return k.close() }

// Open finds the private key of a certificate on a token. Without a certificate it is read from the token, by its
// thumbprint. An error with a code of the kinds certificate.* and key.* says that the key cannot sign; any other error
// may pass. Calls of the module cannot be interrupted: one that hangs is left behind when ctx ends.
func Open(ctx context.Context, o Options, certificate *x509.Certificate) (*Key, error) {
	return open(ctx, o, certificate)
}

// thumbprintSize is that of SHA-1.
const thumbprintSize = 20

// checked completes the options, or says what no token can have.
func (o Options) checked(given *x509.Certificate) (Options, error) {
	if o.Sessions == 0 {
		o.Sessions = DefaultSessions
	}
	// Windows shows thumbprints in pairs, other tools with colons.
	o.Thumbprint = strings.ToLower(strings.NewReplacer(" ", "", ":", "").Replace(o.Thumbprint))
	hash, err := hex.DecodeString(o.Thumbprint)
	switch {
	case !filepath.IsAbs(o.Module):
		return o, fault.New(fault.KeyNotFound, "the PKCS#11 module is not named by an absolute path")
	case o.Slot == nil && o.TokenLabel == "":
		return o, fault.New(fault.KeyNotFound, "neither a slot nor a token label says where the key is")
	case o.Sessions < 0 || o.Sessions > MaxSessions:
		return o, fault.New(fault.KeyUnsupported, "%d sessions cannot be held; 1 to %d can", o.Sessions, MaxSessions)
	case o.Thumbprint == "" && given == nil:
		return o, fault.New(fault.CertificateMissing, "there is neither a certificate nor the thumbprint of one")
	case err != nil || o.Thumbprint != "" && len(hash) != thumbprintSize:
		return o, fault.New(fault.CertificateMissing, "the thumbprint is not the SHA-1 of a certificate in hex")
	}
	return o, nil
}
