package keys

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io"

	"software.sslmate.com/src/go-pkcs12"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

// MaxPfx is the most bytes that a PKCS#12 file may have. One with its chain has about 10 KiB.
const MaxPfx = 256 << 10

func (k *Keys) openPfx(ctx context.Context, s settings) (profile.Key, error) {
	signer, certs, err := k.unlock(ctx, s.pfx)
	if errors.Is(err, fault.CertificateInvalid) {
		// File and password are kept apart: one may have been read before both were replaced, and the other after.
		if err := k.readAgain(ctx, s.pfx); err != nil {
			return profile.Key{}, err
		}
		signer, certs, err = k.unlock(ctx, s.pfx)
	}
	if err != nil {
		return profile.Key{}, err
	}
	key, err := fit(signer.Public(), certs)
	if err != nil {
		return profile.Key{}, err
	}
	key.Ready = unlimited
	key.Signer = func(ctx context.Context) crypto.Signer { return pfxSigner{signer, ctx} }
	return key, nil
}

// unlock reads the file and its password and takes the key out.
func (k *Keys) unlock(ctx context.Context, p profile.PfxKey) (crypto.Signer, []*x509.Certificate, error) {
	file, err := k.file(ctx, p.Location)
	if err != nil {
		return nil, nil, err
	}
	password, err := k.secrets.Get(ctx, p.Password)
	if err != nil {
		return nil, nil, unread(err, "the secret with the password", fault.KeyUnavailable)
	}
	return decode(file, password)
}

func (k *Keys) file(ctx context.Context, location string) ([]byte, error) {
	if bucket, key, ok := profile.ObjectAt(location); ok {
		return k.object(ctx, bucket, key, limit{MaxPfx, fault.KeyNotFound, fault.CertificateInvalid})
	}
	data, err := k.secrets.GetBinary(ctx, location)
	if err != nil {
		return nil, unread(err, "the secret with the PKCS#12 file", fault.KeyNotFound)
	}
	return data, nil
}

func (k *Keys) readAgain(ctx context.Context, p profile.PfxKey) error {
	for _, arn := range []string{p.Location, p.Password} {
		if !profile.IsSecret(arn) {
			continue
		}
		if err := k.secrets.Refresh(ctx, arn); err != nil {
			return unread(err, "a secret", fault.KeyNotFound)
		}
	}
	return nil
}

// decode opens a PKCS#12 file, in DER or base64 of it. Which certificate is the key's is found later: not every program
// writes it first.
func decode(file []byte, password string) (crypto.Signer, []*x509.Certificate, error) {
	if der, err := base64.StdEncoding.DecodeString(string(bytes.Join(bytes.Fields(file), nil))); err == nil {
		file = der // never mistaken: DER begins with 0x30 and a length, which is no base64
	}
	key, cert, others, err := pkcs12.DecodeChain(file, password)
	if errors.Is(err, pkcs12.ErrIncorrectPassword) {
		return nil, nil, fault.Wrap(fault.CertificateInvalid, err, "the password does not open the PKCS#12 file")
	}
	if err != nil {
		return nil, nil, fault.Wrap(fault.CertificateInvalid, err, "the PKCS#12 file cannot be read")
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, nil, fault.New(fault.KeyUnsupported, "the PKCS#12 file has a key that cannot sign")
	}
	return signer, append([]*x509.Certificate{cert}, others...), nil
}

// pfxSigner is a key in memory for one signature. What it refuses was never sent anywhere.
type pfxSigner struct {
	crypto.Signer
	ctx context.Context
}

// Sign implements crypto.Signer.
func (s pfxSigner) Sign(random io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	if err := checkDigest(digest, opts); err != nil {
		return nil, err
	}
	if err := s.ctx.Err(); err != nil {
		return nil, fault.Wrap(fault.Throttled, err, "the time was up before the key was asked; nothing was signed")
	}
	if random == nil {
		random = rand.Reader
	}
	signature, err := s.Signer.Sign(random, digest, opts)
	if err != nil {
		return nil, fault.Wrap(fault.JobKeyRefused, err, "the key could not sign")
	}
	return signature, nil
}
