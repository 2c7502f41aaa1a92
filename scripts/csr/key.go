package main

import (
	"context"
	"crypto"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/kms/types"
)

// kmsAPI is what is used of KMS.
type kmsAPI interface {
	GetPublicKey(context.Context, *kms.GetPublicKeyInput, ...func(*kms.Options)) (*kms.GetPublicKeyOutput, error)
	Sign(context.Context, *kms.SignInput, ...func(*kms.Options)) (*kms.SignOutput, error)
}

// algorithms are what requests are signed with. Keys of other specs cannot sign with SHA-256, the usual digest of profiles.
var algorithms = map[types.KeySpec]types.SigningAlgorithmSpec{
	types.KeySpecRsa2048:     types.SigningAlgorithmSpecRsassaPkcs1V15Sha256,
	types.KeySpecRsa3072:     types.SigningAlgorithmSpecRsassaPkcs1V15Sha256,
	types.KeySpecRsa4096:     types.SigningAlgorithmSpecRsassaPkcs1V15Sha256,
	types.KeySpecEccNistP256: types.SigningAlgorithmSpecEcdsaSha256,
}

// key is a KMS key that can have a certificate.
type key struct {
	api    kmsAPI
	arn    string
	spec   types.KeySpec
	public crypto.PublicKey
}

// openKey asks KMS for a key, by whatever names it, and refuses one that could never sign here: a key's usage and spec never
// change, and a certificate for it would be wasted.
func openKey(ctx context.Context, api kmsAPI, id string) (*key, error) {
	out, err := api.GetPublicKey(ctx, &kms.GetPublicKeyInput{KeyId: &id}, inRegionOf(id))
	if _, symmetric := errors.AsType[*types.UnsupportedOperationException](err); symmetric {
		return nil, fmt.Errorf("the key has no public key: create an asymmetric one for SIGN_VERIFY: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("get the public key: %w", err)
	}
	if out.KeyUsage != types.KeyUsageTypeSignVerify {
		return nil, fmt.Errorf("the key is for %s, which cannot be changed: create one for SIGN_VERIFY", out.KeyUsage)
	}
	if algorithms[out.KeySpec] == "" {
		return nil, fmt.Errorf("the key is %s, which cannot be changed: create one of %v", out.KeySpec, slices.Sorted(maps.Keys(algorithms)))
	}
	public, err := x509.ParsePKIXPublicKey(out.PublicKey)
	if err != nil {
		return nil, fmt.Errorf("read the public key: %w", err)
	}
	return &key{api, aws.ToString(out.KeyId), out.KeySpec, public}, nil
}

// inRegionOf sends a call to the region that an ARN names. Ids and aliases are of the client's own region.
func inRegionOf(id string) func(*kms.Options) {
	return func(o *kms.Options) {
		if a, err := arn.Parse(id); err == nil {
			o.Region = a.Region
		}
	}
}

// signer is a key for one signature. It keeps the call's context, since Sign takes none.
//
// The service's own signer sends a request once and never again. This one leaves repetitions to the SDK: a request that was
// signed twice is still one request.
type signer struct {
	*key
	ctx context.Context
}

// Public implements crypto.Signer.
func (s signer) Public() crypto.PublicKey { return s.public }

// Sign implements crypto.Signer. It hands over a digest, as the service does, so that a key policy may demand it. The key is
// named by its ARN, since an alias could name another one by now.
func (s signer) Sign(_ io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	if opts.HashFunc() != crypto.SHA256 {
		return nil, fmt.Errorf("requests are signed with SHA-256, and not with %s", opts.HashFunc())
	}
	out, err := s.api.Sign(s.ctx, &kms.SignInput{
		KeyId: &s.arn, MessageType: types.MessageTypeDigest, Message: digest, SigningAlgorithm: algorithms[s.spec],
	}, inRegionOf(s.arn))
	if err != nil {
		return nil, fmt.Errorf("have the key sign: %w", err)
	}
	return out.Signature, nil
}
