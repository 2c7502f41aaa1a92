package keys

import (
	"context"
	"crypto"
	"crypto/x509"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/kms/types"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

// specs are the kinds of KMS keys that can be used.
var specs = []types.KeySpec{
	types.KeySpecRsa2048, types.KeySpecRsa3072, types.KeySpecRsa4096, types.KeySpecEccNistP256, types.KeySpecEccNistP384,
}

// hashes are the digests of KMS's algorithms. RSA-PSS is not among them: AD-RB does not allow it.
var hashes = map[types.SigningAlgorithmSpec]crypto.Hash{
	types.SigningAlgorithmSpecRsassaPkcs1V15Sha256: crypto.SHA256,
	types.SigningAlgorithmSpecRsassaPkcs1V15Sha384: crypto.SHA384,
	types.SigningAlgorithmSpecRsassaPkcs1V15Sha512: crypto.SHA512,
	types.SigningAlgorithmSpecEcdsaSha256:          crypto.SHA256,
	types.SigningAlgorithmSpecEcdsaSha384:          crypto.SHA384,
	types.SigningAlgorithmSpecEcdsaSha512:          crypto.SHA512,
}

// kmsKey is an opened KMS key.
type kmsKey struct {
	api        kmsAPI
	wire       *wire
	arn        string // never an alias: that could name another key by the time of the signature
	public     crypto.PublicKey
	algorithms map[crypto.Hash]types.SigningAlgorithmSpec
}

func (k *Keys) openKMS(ctx context.Context, s settings) (profile.Key, error) {
	certs, err := k.certificates(ctx, s.kms.Certificate)
	if err != nil {
		return profile.Key{}, err
	}
	opened, err := k.lookUp(ctx, s.kms.KeyID)
	if err != nil {
		return profile.Key{}, err
	}
	if h := hashOf(s.digest); opened.algorithms[h] == "" {
		return profile.Key{}, fault.New(fault.KeyUnsupported, "the key cannot sign with %s", h)
	}
	key, err := fit(opened.public, certs)
	if err != nil {
		return profile.Key{}, err
	}
	key.Ready = k.rates.of(opened.arn)
	key.Signer = func(ctx context.Context) crypto.Signer { return kmsSigner{opened, ctx} }
	return key, nil
}

// lookUp asks KMS for a key, by whatever names it.
func (k *Keys) lookUp(ctx context.Context, id string) (*kmsKey, error) {
	out, err := k.kms.GetPublicKey(ctx, &kms.GetPublicKeyInput{KeyId: &id}, inRegionOf(id))
	if err != nil {
		return nil, unopened(err)
	}
	if out.KeyUsage != types.KeyUsageTypeSignVerify || !slices.Contains(specs, out.KeySpec) {
		return nil, fault.New(fault.KeyUnsupported, "the key is %s for %s, and no such key can sign here", out.KeySpec, out.KeyUsage)
	}
	public, err := x509.ParsePKIXPublicKey(out.PublicKey)
	if err != nil {
		return nil, fmt.Errorf("read the public key of KMS: %w", err)
	}
	return &kmsKey{k.kms, &k.wire, aws.ToString(out.KeyId), public, algorithms(out.SigningAlgorithms)}, nil
}

func algorithms(offered []types.SigningAlgorithmSpec) map[crypto.Hash]types.SigningAlgorithmSpec {
	m := map[crypto.Hash]types.SigningAlgorithmSpec{}
	for _, a := range offered {
		if h, ok := hashes[a]; ok {
			m[h] = a
		}
	}
	return m
}

// unopened says what it means that KMS would not tell a public key. Throttling, 5xx and silence have no code: they pass.
func unopened(err error) error {
	switch code := codeOf(err); code {
	case "NotFoundException", "InvalidArnException", "ValidationException":
		return fault.Wrap(fault.KeyNotFound, err, "KMS has no key of this name (%s)", code)
	case "DisabledException", "KMSInvalidStateException", "AccessDeniedException":
		return fault.Wrap(fault.KeyUnavailable, err, "the KMS key cannot be used (%s)", code)
	case "UnsupportedOperationException", "InvalidKeyUsageException":
		return fault.Wrap(fault.KeyUnsupported, err, "the KMS key is none that signs (%s)", code)
	}
	return fmt.Errorf("get the public key of KMS: %w", err)
}

// inRegionOf sends a call to the region that an ARN names. Ids and aliases are of the client's own region.
func inRegionOf(id string) func(*kms.Options) {
	return func(o *kms.Options) {
		if a, err := arn.Parse(id); err == nil {
			o.Region = a.Region
		}
	}
}

// hashOf returns the algorithm of a profile's digest. SHA-256 is what a profile has that says nothing.
func hashOf(d profile.Digest) crypto.Hash {
	if d == profile.SHA512 {
		return crypto.SHA512
	}
	return crypto.SHA256
}
