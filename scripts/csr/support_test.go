package main

import (
	"bytes"
	"context"
	"crypto"
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/kms/types"

	"bulksigner/internal/icpbrasil/icpbrasiltest"
	"bulksigner/internal/local/emulator"
)

var local *emulator.Emulator

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	var err error
	if local, err = emulator.Start(context.Background(), emulator.Options{Services: emulator.KMS}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := local.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

var now = time.Date(2026, time.November, 29, 12, 0, 0, 0, time.UTC)

// pkis are made once: three RSA keys take a while. They do not trust each other.
var pki, otherPKI = sync.OnceValue(newPKI), sync.OnceValue(newPKI)

func newPKI() *icpbrasiltest.PKI {
	p, err := icpbrasiltest.New(now)
	if err != nil {
		panic(err)
	}
	return p
}

// emulated is a key in local-kms.
type emulated struct {
	arn, alias string
	public     crypto.PublicKey
}

// serial tells apart what tests make when they run more than once.
var serial atomic.Int32

func newEmulated(t testing.TB, spec types.KeySpec, usage types.KeyUsageType) emulated {
	t.Helper()
	client := kms.NewFromConfig(local.Config())
	e := emulated{alias: fmt.Sprintf("alias/contracts-%d", serial.Add(1))}
	made, err := client.CreateKey(t.Context(), &kms.CreateKeyInput{KeySpec: spec, KeyUsage: usage})
	if err != nil {
		t.Fatal(err)
	}
	e.arn = *made.KeyMetadata.Arn
	if _, err := client.CreateAlias(t.Context(), &kms.CreateAliasInput{AliasName: &e.alias, TargetKeyId: &e.arn}); err != nil {
		t.Fatal(err)
	}
	if usage != types.KeyUsageTypeSignVerify || algorithms[spec] == "" {
		return e // nothing of its public key is looked at
	}
	public, err := client.GetPublicKey(t.Context(), &kms.GetPublicKeyInput{KeyId: &e.arn})
	if err != nil {
		t.Fatal(err)
	}
	if e.public, err = x509.ParsePKIXPublicKey(public.PublicKey); err != nil {
		t.Fatal(err)
	}
	return e
}

// desk is what a run has besides its arguments, and what came of it.
type desk struct {
	api            kmsAPI
	stdout, stderr bytes.Buffer
}

func newDesk() *desk { return &desk{api: kms.NewFromConfig(local.Config())} }

func (d *desk) run(t *testing.T, args ...string) int {
	t.Helper()
	return run(t.Context(), args, surroundings{&d.stdout, &d.stderr, func() time.Time { return now }, func(context.Context) (kmsAPI, error) { return d.api, nil }})
}

// refused wants a run that wrote nothing, said why, and told no number of anybody.
func (d *desk) refused(t *testing.T, code int, why string) {
	t.Helper()
	if code != 1 || d.stdout.Len() > 0 {
		t.Errorf("run = %d with %d bytes of output, want 1 and none", code, d.stdout.Len())
	}
	if !strings.Contains(d.stderr.String(), why) {
		t.Errorf("it says %q, want %q in it", d.stderr.String(), why)
	}
	d.discreet(t)
}

// discreet wants no name and no number of the holder in what was said.
func (d *desk) discreet(t *testing.T) {
	t.Helper()
	for _, personal := range []string{"11222333000181", "52998224725", "EMPRESA", "MARIA"} {
		if strings.Contains(d.stderr.String(), personal) {
			t.Errorf("it says %q, want no %q in it", d.stderr.String(), personal)
		}
	}
}

func put(t *testing.T, content []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file.pem")
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
