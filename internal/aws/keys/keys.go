// Package keys opens the keys of profiles: asymmetric keys in AWS KMS, and keys in a PKCS#12 file.
//
// A key is opened with its certificate, which has to be one of its own public key and fit for signing, and is kept for a
// while by profile version. What it promises is a crypto.Signer that sends one request per signature and says what it
// knows afterwards: that nothing was signed, that the key refused, or that nobody knows. It never asks twice after
// silence. Whether the certificate is valid at the time, and whether anybody trusts it, is left to those who sign and
// verify.
package keys

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

// Kept is how long an opened key is used before it is opened again, so that a certificate or a file that was replaced
// where it lies is seen without a change of the profile.
const Kept = 15 * time.Minute

// kmsAPI is what is used of KMS.
type kmsAPI interface {
	GetPublicKey(context.Context, *kms.GetPublicKeyInput, ...func(*kms.Options)) (*kms.GetPublicKeyOutput, error)
	Sign(context.Context, *kms.SignInput, ...func(*kms.Options)) (*kms.SignOutput, error)
}

// secretsAPI is where PKCS#12 files and their passwords are kept. Values may come from a cache until Refresh.
type secretsAPI interface {
	Get(ctx context.Context, arn string) (string, error)
	GetBinary(ctx context.Context, arn string) ([]byte, error)
	Refresh(ctx context.Context, arn string) error
}

// objectsAPI is where certificates and PKCS#12 files are kept too.
type objectsAPI interface {
	GetObject(context.Context, *s3.GetObjectInput, ...func(*s3.Options)) (*s3.GetObjectOutput, error)
}

// Keys opens keys and keeps them.
type Keys struct {
	kms     kmsAPI
	secrets secretsAPI
	objects objectsAPI
	rates   rates
	wire    wire

	mu   sync.Mutex
	kept map[string]*slot // by profile name
}

// New makes a Keys whose KMS keys are each asked at most perSecond times a second. Zero or less is no limit.
func New(kms kmsAPI, secrets secretsAPI, objects objectsAPI, perSecond float64) *Keys {
	return &Keys{kms: kms, secrets: secrets, objects: objects, rates: rates{perSecond: perSecond}, kept: map[string]*slot{}}
}

// slot keeps the key of one profile. Whoever holds its turn reads and writes the rest.
type slot struct {
	turn   chan struct{}
	of     settings
	opened time.Time
	key    profile.Key
}

// settings is all that an opened key depends on. The version alone would not do: a profile that is deleted and made again
// begins with the first version.
type settings struct {
	version int64
	source  profile.Source
	kms     profile.KmsKey
	pfx     profile.PfxKey
	digest  profile.Digest
}

func settingsOf(p profile.Profile) settings {
	s := settings{version: p.Version, digest: p.Signature.Digest}
	if c := p.Certificate; c != nil {
		s.source = c.Source
		if c.Kms != nil {
			s.kms = *c.Kms
		}
		if c.Pfx != nil {
			s.pfx = *c.Pfx
		}
	}
	return s
}

// Open returns a profile's key. An error with a code of the kinds certificate.* and key.* says that the profile cannot
// sign; any other error may pass. Errors are not kept: what was repaired works with the next job.
func (k *Keys) Open(ctx context.Context, p profile.Profile) (profile.Key, error) {
	s := k.slot(p.Name)
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return profile.Key{}, fmt.Errorf("wait for the key of profile %s: %w", p.Name, ctx.Err())
	}
	defer func() { <-s.turn }()
	of := settingsOf(p)
	if s.of == of && time.Since(s.opened) < Kept {
		return s.key, nil
	}
	key, err := k.open(ctx, of)
	if err != nil {
		return profile.Key{}, fmt.Errorf("open the key of profile %s: %w", p.Name, err)
	}
	s.of, s.opened, s.key = of, time.Now(), key
	return key, nil
}

func (k *Keys) slot(name string) *slot {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.kept[name]
	if s == nil {
		s = &slot{turn: make(chan struct{}, 1)}
		k.kept[name] = s
	}
	return s
}

func (k *Keys) open(ctx context.Context, s settings) (profile.Key, error) {
	switch s.source {
	case profile.Kms:
		return k.openKMS(ctx, s)
	case profile.Pfx:
		return k.openPfx(ctx, s)
	case "":
		return profile.Key{}, fault.New(fault.CertificateMissing, "the profile has no certificate")
	}
	return profile.Key{}, fault.New(fault.KeyUnsupported, "keys of the source %s cannot be used", s.source)
}
