package local

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/kms/types"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"software.sslmate.com/src/go-pkcs12"

	"bulksigner/internal/icpbrasil/icpbrasiltest"
)

// authority issues certificates for keys that it makes where the service will look for them.
type authority struct {
	pki     *icpbrasiltest.PKI
	keys    *kms.Client
	secrets *secretsmanager.Client
}

// kmsKey makes a key in KMS and a company's certificate for it. The private key never leaves KMS, as in production: the
// certificate is issued for the public key that KMS tells.
func (a authority) kmsKey(ctx context.Context, alias string, spec types.KeySpec) (object, error) {
	key, err := a.keys.CreateKey(ctx, &kms.CreateKeyInput{KeySpec: spec, KeyUsage: types.KeyUsageTypeSignVerify})
	if err != nil {
		return nil, fmt.Errorf("create key %s: %w", alias, err)
	}
	id := key.KeyMetadata.KeyId
	if _, err := a.keys.CreateAlias(ctx, &kms.CreateAliasInput{AliasName: &alias, TargetKeyId: id}); err != nil {
		return nil, fmt.Errorf("create %s: %w", alias, err)
	}
	public, err := a.keys.GetPublicKey(ctx, &kms.GetPublicKeyInput{KeyId: id})
	if err != nil {
		return nil, fmt.Errorf("get the public key of %s: %w", alias, err)
	}
	certificate, err := a.companyCertificate(public.PublicKey)
	if err != nil {
		return nil, fmt.Errorf("certify %s: %w", alias, err)
	}
	return object{"Source": "Kms", "Kms": object{"KeyId": alias, "Certificate": certificate}}, nil
}

// companyCertificate issues an e-CNPJ and returns it with its chain, in PEM.
func (a authority) companyCertificate(public []byte) (string, error) {
	key, err := x509.ParsePKIXPublicKey(public)
	if err != nil {
		return "", fmt.Errorf("read the public key: %w", err)
	}
	cert, err := a.pki.IssueECNPJ(key, icpbrasiltest.Firm())
	if err != nil {
		return "", err
	}
	return string(bytes.Join([][]byte{encode(cert), a.pki.ChainPEM()}, nil)), nil
}

// pfxKey makes a person's key and certificate as a PKCS#12 file, and keeps the file and its password as secrets.
func (a authority) pfxKey(ctx context.Context, name string) (object, error) {
	file, password, err := a.pfx()
	if err != nil {
		return nil, fmt.Errorf("make PKCS#12 file %s: %w", name, err)
	}
	location, err := a.secret(ctx, &secretsmanager.CreateSecretInput{Name: aws.String("bulksigner/" + name + "/pfx"), SecretBinary: file})
	if err != nil {
		return nil, err
	}
	pass, err := a.secret(ctx, &secretsmanager.CreateSecretInput{Name: aws.String("bulksigner/" + name + "/password"), SecretString: &password})
	if err != nil {
		return nil, err
	}
	return object{"Source": "Pfx", "Pfx": object{"Location": location, "Password": pass}}, nil
}

func (a authority) pfx() (file []byte, password string, err error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, "", err
	}
	cert, err := a.pki.IssueECPF(crypto.PublicKey(&key.PublicKey), icpbrasiltest.Maria())
	if err != nil {
		return nil, "", err
	}
	password = rand.Text()
	file, err = pkcs12.Modern.Encode(key, cert, a.pki.Chain, password)
	return file, password, err
}

func (a authority) secret(ctx context.Context, in *secretsmanager.CreateSecretInput) (string, error) {
	out, err := a.secrets.CreateSecret(ctx, in)
	if err != nil {
		return "", fmt.Errorf("create secret %s: %w", *in.Name, err)
	}
	return aws.ToString(out.ARN), nil
}

func encode(c *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})
}
