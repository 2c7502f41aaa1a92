package app_test

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	kmstypes "github.com/aws/aws-sdk-go-v2/service/kms/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"bulksigner/internal/app"
	"bulksigner/internal/bsenc"
	"bulksigner/internal/icpbrasil/icpbrasiltest"
	"bulksigner/internal/local/emulator"
	"bulksigner/internal/local/host"
)

const (
	encryptionPassword = "a password that is kept elsewhere"
	uploads            = 6 // that one address may send in an hour
)

var encryptionSalt = []byte("0123456789abcdef0123456789abcdef")

// deployed is a whole service without Lacuna Signer: buckets, a key in KMS, secrets, and the functions.
type deployed struct {
	service
	rest   *httptest.Server
	sign   app.Batch
	config aws.Config
	pki    *icpbrasiltest.PKI

	mu      sync.Mutex
	created []emulator.Object // that no message told of yet
}

func newDeployed(t *testing.T) *deployed {
	t.Helper()
	d := &deployed{}
	e, err := emulator.Start(t.Context(), emulator.Options{Dir: t.TempDir(), ObjectCreated: d.note})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	d.config, d.queues, d.secrets = e.Config(), sqs.NewFromConfig(e.Config()), secretsmanager.NewFromConfig(e.Config())
	if d.pki, err = icpbrasiltest.New(time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := emulator.CreateTable(t.Context(), dynamodb.NewFromConfig(d.config), t.Name()); err != nil {
		t.Fatal(err)
	}
	for _, bucket := range []string{"rest-input", "rest-output"} {
		if err := emulator.CreateBucket(t.Context(), d.objects(), bucket); err != nil {
			t.Fatal(err)
		}
	}
	d.work = d.queue(t, t.Name()+"-work")
	for _, pair := range append(e.Env(), "TABLE_NAME="+t.Name(), "INPUT_BUCKET=rest-input", "OUTPUT_BUCKET=rest-output", "WORK_QUEUE_URL="+d.work,
		"DEAD_LETTER_QUEUE_URL="+d.queue(t, t.Name()+"-dead"), "SETTINGS_FILE="+d.settingsFile(t)) {
		name, value, _ := strings.Cut(pair, "=")
		t.Setenv(name, value)
	}
	d.sign = built(t, app.NewSign)
	d.rest = httptest.NewServer(built(t, app.NewAPI))
	t.Cleanup(d.rest.Close)
	return d
}

func (d *deployed) objects() *s3.Client {
	return s3.NewFromConfig(d.config, func(o *s3.Options) { o.UsePathStyle = true })
}

// note keeps what the input bucket would tell the work queue.
func (d *deployed) note(_ context.Context, o emulator.Object) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if o.Bucket == "rest-input" {
		d.created = append(d.created, o)
	}
}

// arrivals are the messages about what was created since the last time.
func (d *deployed) arrivals(t *testing.T) (all []app.Message) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, o := range d.created {
		body, err := host.Encode(o, host.Notification, time.Now(), int64(i))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, app.Message{ID: fmt.Sprint("arrival ", i), Receives: 1, Body: string(body)})
	}
	d.created = nil
	return all
}

// key makes a key in KMS with a certificate, and describes both as a profile does.
func (d *deployed) key(t *testing.T, alias string) map[string]any {
	t.Helper()
	client := kms.NewFromConfig(d.config)
	made, err := client.CreateKey(t.Context(), &kms.CreateKeyInput{KeySpec: kmstypes.KeySpecEccNistP256, KeyUsage: kmstypes.KeyUsageTypeSignVerify})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.CreateAlias(t.Context(), &kms.CreateAliasInput{AliasName: &alias, TargetKeyId: made.KeyMetadata.KeyId}); err != nil {
		t.Fatal(err)
	}
	public, err := client.GetPublicKey(t.Context(), &kms.GetPublicKeyInput{KeyId: &alias})
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParsePKIXPublicKey(public.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := d.pki.IssueECNPJ(parsed, icpbrasiltest.Firm())
	if err != nil {
		t.Fatal(err)
	}
	return map[string]any{"source": "Kms", "kms": map[string]any{"keyId": alias, "certificate": string(encode(append([]*x509.Certificate{cert}, d.pki.Chain...)...))}}
}

func (d *deployed) settingsFile(t *testing.T) string {
	t.Helper()
	content, err := json.Marshal(map[string]any{
		"Signing": map[string]any{
			"Profiles": []any{
				map[string]any{"Name": "default", "ValidateCertificate": false, "Certificate": d.key(t, "alias/rest-default")},
				map[string]any{"Name": "fed", "Format": "Cades", "ValidateCertificate": false, "Certificate": d.key(t, "alias/rest-fed")},
			},
			"TrustAnchors": []any{string(d.pki.RootPEM())}, "RevocationOutage": "Warn",
		},
		"Storage": map[string]any{"Inputs": []any{
			map[string]any{"Name": "in", "Prefix": "in/", "Profile": "default"}, map[string]any{"Name": "fed", "Prefix": "fed/", "Profile": "fed"},
		}},
		"Encryption": map[string]any{
			"Enabled": true, "Password": d.secret(t, t.Name()+"/password", encryptionPassword),
			"Salt": base64.StdEncoding.EncodeToString(encryptionSalt), "Iterations": bsenc.MinIterations,
		},
		"Auth":         map[string]any{"ApiKey": d.secret(t, t.Name()+"/api", restKey)},
		"RateLimiting": map[string]any{"Upload": map[string]any{"PermitsPerWindow": uploads, "WindowSeconds": 3600}},
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
