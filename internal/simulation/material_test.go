package simulation_test

import (
	"bytes"
	"crypto"
	"crypto/rsa"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"testing"
	"time"

	"bulksigner/internal/bsenc"
	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/icpbrasil/icpbrasiltest"
	"bulksigner/internal/profile"
	"bulksigner/internal/sign/cades"
	"bulksigner/internal/sign/pades"
	"bulksigner/internal/simulation"
	"bulksigner/internal/workflow/workflowtest"
)

// day is when all tests take place.
var day = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

var (
	material  *simulation.Material
	scenarios []simulation.Scenario
)

func TestMain(m *testing.M) {
	flag.Parse()
	slog.SetDefault(slog.New(slog.DiscardHandler)) // thousands of runs die on purpose
	if err := prepare(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func prepare() error {
	pki, err := icpbrasiltest.New(day)
	if err != nil {
		return err
	}
	key, err := rsa.GenerateKey(nil, 2048)
	if err != nil {
		return err
	}
	leaf, err := pki.IssueECNPJ(key.Public(), icpbrasiltest.Firm())
	if err != nil {
		return err
	}
	material = &simulation.Material{Day: day, Private: key, Root: pki.Root, Holder: icpbrasiltest.Firm().Responsible.CPF,
		Key: profile.Key{Certificate: leaf, Chain: pki.Chain}, Person: person(key, profile.Key{Certificate: leaf, Chain: pki.Chain})}
	if err := envelopes(material); err != nil {
		return err
	}
	scenarios = simulation.Scenarios(material, workflowtest.PDF())
	return nil
}

// envelopes encrypts as the service does.
func envelopes(m *simulation.Material) error {
	key, err := bsenc.DeriveKey("a password of these tests", []byte("a salt of 16 byte"), bsenc.MinIterations)
	if err != nil {
		return err
	}
	m.Open = func(sealed []byte) ([]byte, error) { return bsenc.Open(key, sealed) }
	m.Seal = func(content []byte) []byte {
		sealed, err := bsenc.SealFrom(nil, key, bytes.NewReader(content), int64(len(content)))
		if err != nil {
			panic(err) // the test's own document and key
		}
		return sealed
	}
	return nil
}

// person signs as somebody at Lacuna Signer does.
func person(key crypto.Signer, k profile.Key) func(content []byte, detached bool) []byte {
	return func(content []byte, detached bool) []byte {
		out, err := signedPDF(key, k, content)
		if detached {
			out, err = signedCMS(key, k, content)
		}
		if err != nil {
			panic(err) // the test's own document and key
		}
		return out
	}
}

func signedPDF(key crypto.Signer, k profile.Key, content []byte) ([]byte, error) {
	policy, err := icpbrasil.Current(icpbrasil.PAdES, day)
	if err != nil {
		return nil, err
	}
	d, err := pades.Prepare(bytes.NewReader(content), int64(len(content)), pades.Options{Certificate: k.Certificate, Chain: k.Chain,
		Hash: crypto.SHA256, Policy: policy, Time: day, SubFilter: "ETSI.CAdES.detached"})
	if err != nil {
		return nil, err
	}
	h := crypto.SHA256.New()
	h.Write(content)
	tail, err := d.Sign(h, key)
	return append(bytes.Clone(content), tail...), err
}

func signedCMS(key crypto.Signer, k profile.Key, content []byte) ([]byte, error) {
	policy, err := icpbrasil.Current(icpbrasil.CAdES, day)
	if err != nil {
		return nil, err
	}
	d, err := cades.Prepare(int64(len(content)), cades.Options{Certificate: k.Certificate, Chain: k.Chain, Hash: crypto.SHA256, Policy: policy,
		Time: day, Detached: true})
	if err != nil {
		return nil, err
	}
	h := crypto.SHA256.New()
	h.Write(content)
	parts, err := d.Sign(h, key)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(parts.Around(nil, 0))
}
