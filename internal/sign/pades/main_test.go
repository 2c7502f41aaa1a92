package pades_test

import (
	"bytes"
	"crypto"
	"fmt"
	"os"
	"testing"

	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/sign/pades"
	"bulksigner/internal/sign/signtest"
)

// world holds the keys, which are slow to make.
var world *signtest.World

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if world, err = signtest.New(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer world.Close()
	return m.Run()
}

func options(t testing.TB, id signtest.Identity) pades.Options {
	t.Helper()
	policy, err := icpbrasil.Current(icpbrasil.PAdES, world.Now)
	if err != nil {
		t.Fatal(err)
	}
	return pades.Options{
		Certificate: id.Certificate, Chain: world.PKI.Chain, Hash: crypto.SHA256, Policy: policy,
		Name: "Maria de Teste", Reason: "Aprovação\nfinal", Location: "São Paulo (SP)", Time: world.Now,
	}
}

// sign prepares and signs a whole document, and checks what holds for every signature.
func sign(t testing.TB, doc []byte, id signtest.Identity, change func(*pades.Options)) ([]byte, error) {
	t.Helper()
	o := options(t, id)
	if change != nil {
		change(&o)
	}
	d, err := pades.Prepare(bytes.NewReader(doc), int64(len(doc)), o)
	if err != nil {
		return nil, err
	}
	h := o.Hash.New()
	h.Write(doc)
	before := h.Sum(nil)
	key := &signtest.Key{Signer: id.Key}
	section, err := d.Sign(h, key)
	if err != nil {
		return nil, err
	}
	if key.Asked() != 1 {
		t.Errorf("the key was asked %d times, want once", key.Asked())
	}
	if len(section) != d.AppendedSize() {
		t.Errorf("the section has %d bytes, AppendedSize said %d", len(section), d.AppendedSize())
	}
	if !bytes.Equal(h.Sum(nil), before) {
		t.Error("Sign changed the state of the hash")
	}
	return append(bytes.Clone(doc), section...), nil
}
