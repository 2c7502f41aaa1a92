package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"os"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"bulksigner/internal/local"
	"bulksigner/internal/local/emulator"
)

// materials is the bucket of what the settings name: certificates, trust anchors, a PKCS#12 file, the image of a seal.
const materials = "bulksigner-materials"

// container is the PKCS#12 file of a profile, which is under another name at first, so that the profile cannot sign.
const container, absent = "memos.p12", "memos-later.p12"

type object = map[string]any

// material puts what a deployment keeps elsewhere where a deployment keeps it, and has the settings name it: secrets in Secrets
// Manager, certificates and images in S3. Then functions ask for it, and roles are to grant it.
type material struct {
	objects *s3.Client
	secrets *secretsmanager.Client
	err     error // the first
}

// refer changes the settings of a run.
func refer(ctx context.Context, s *local.Service, settings map[string]any) error {
	m := &material{objects: s.Objects(), secrets: secretsmanager.NewFromConfig(s.Config())}
	if err := emulator.CreateBucket(ctx, m.objects, materials); err != nil {
		return err
	}
	for section, key := range map[string]string{"Auth": "ApiKey", "Signer": "ApiKey"} {
		m.hide(ctx, settings[section].(object), key, strings.ToLower(section)+"-key")
	}
	m.hide(ctx, settings["Signer"].(object), "WebhookSecret", "signer-bearer")
	settings["Signer"].(object)["SkipUnchangedDocuments"] = true
	settings["Encryption"] = object{"Enabled": true, "Salt": base64.StdEncoding.EncodeToString([]byte("a salt of the run")), "Iterations": 10_000,
		"Password": m.secret(ctx, "encryption-password", "a password that encrypts the outputs of this run")}
	signing := settings["Signing"].(object)
	profiles := signing["Profiles"].([]object)
	council, err := s.Signer.AddFolder(councilFolder, "")
	if err != nil {
		return err
	}
	signing["Profiles"] = m.profiles(ctx, profiles, council)
	storage := settings["Storage"].(object)
	for _, name := range []string{"sealed", "memos"} {
		storage["Inputs"] = append(storage["Inputs"].([]object), object{"Name": name, "Prefix": name + "/", "Profile": name})
	}
	m.anchors(ctx, s.Root(), signing)
	return m.err
}

// profiles are those of the run with their certificates in S3, and three more: one that seals and encrypts, one whose PKCS#12
// file is in S3, and one that signs at Lacuna Signer with a key from a secret.
func (m *material) profiles(ctx context.Context, all []object, folder string) []object {
	named := map[any]object{}
	for _, p := range all {
		named[p["Name"]] = p
		certificate, _ := p["Certificate"].(object)
		if key, ok := certificate["Kms"].(object); ok && !strings.HasPrefix(key["Certificate"].(string), "s3:") {
			key["Certificate"] = m.put(ctx, strings.TrimPrefix(key["KeyId"].(string), "alias/")+".pem", []byte(key["Certificate"].(string)))
		}
	}
	letters := named["letters"]["Certificate"].(object)
	pfx := letters["Pfx"].(object)
	m.put(ctx, absent, m.read(ctx, pfx["Location"].(string)))
	return append(all,
		object{"Name": "sealed", "Format": "Pades", "Encrypt": true, "ValidateCertificate": false, "Certificate": named["contracts"]["Certificate"],
			"Signature": object{"Seal": object{"Page": 1, "Left": 50, "Bottom": 50, "Width": 200, "Height": 60, "Image": m.put(ctx, "seal.png", m.seal())}}},
		object{"Name": "memos", "Format": "Pades", "ValidateCertificate": false, "Certificate": object{"Source": "Pfx",
			"Pfx": object{"Location": "s3://" + materials + "/" + container, "Password": pfx["Password"]}}},
		object{"Name": "council", "Method": "SignerFolder", "Certificate": letters, "SignerFolder": object{"Id": folder}, "Verify": false,
			"ValidateCertificate": false},
	)
}

// anchors has the root read from S3 as well.
func (m *material) anchors(ctx context.Context, root string, signing object) {
	text, err := os.ReadFile(root)
	m.note(err)
	signing["TrustAnchors"] = []string{"root.pem", m.put(ctx, "roots.pem", text)}
}

// hide puts the value of a setting into a secret.
func (m *material) hide(ctx context.Context, section object, key, name string) {
	section[key] = m.secret(ctx, name, section[key].(string))
}

func (m *material) secret(ctx context.Context, name, value string) string {
	out, err := m.secrets.CreateSecret(ctx, &secretsmanager.CreateSecretInput{Name: aws.String("bulksigner/" + name), SecretString: &value})
	if m.note(err) {
		return ""
	}
	return aws.ToString(out.ARN)
}

func (m *material) read(ctx context.Context, arn string) []byte {
	out, err := m.secrets.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: &arn})
	if m.note(err) {
		return nil
	}
	return out.SecretBinary
}

func (m *material) put(ctx context.Context, key string, content []byte) string {
	_, err := m.objects.PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String(materials), Key: &key, Body: bytes.NewReader(content)})
	m.note(err)
	return "s3://" + materials + "/" + key
}

func (m *material) seal() []byte {
	var b bytes.Buffer
	m.note(png.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8))))
	return b.Bytes()
}

// note keeps the first error and reports whether there was one now.
func (m *material) note(err error) bool {
	if err != nil && m.err == nil {
		m.err = fmt.Errorf("make what the settings name: %w", err)
	}
	return err != nil
}
