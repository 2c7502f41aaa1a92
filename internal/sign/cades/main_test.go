package cades_test

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"fmt"
	"io"
	"os"
	"sync"
	"testing"

	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/sign/cades"
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

// largeRSA is an identity with the longest of usual keys.
var largeRSA = sync.OnceValues(func() (signtest.Identity, error) {
	key, err := rsa.GenerateKey(rand.Reader, 4096)
	if err != nil {
		return signtest.Identity{}, err
	}
	return world.Issue("RSA-4096", key)
})

func identities(t testing.TB) []signtest.Identity {
	t.Helper()
	large, err := largeRSA()
	if err != nil {
		t.Fatal(err)
	}
	return []signtest.Identity{world.RSA, large, world.ECDSA}
}

func options(t testing.TB, id signtest.Identity) cades.Options {
	t.Helper()
	policy, err := icpbrasil.Current(icpbrasil.CAdES, world.Now)
	if err != nil {
		t.Fatal(err)
	}
	return cades.Options{Certificate: id.Certificate, Chain: world.PKI.Chain, Hash: crypto.SHA256, Policy: policy, Time: world.Now}
}

// sign prepares and signs content, and returns the whole message.
func sign(t testing.TB, content []byte, id signtest.Identity, change func(*cades.Options)) ([]byte, error) {
	t.Helper()
	o := options(t, id)
	if change != nil {
		change(&o)
	}
	d, err := cades.Prepare(int64(len(content)), o)
	if err != nil {
		return nil, err
	}
	h := o.Hash.New()
	h.Write(content)
	before := h.Sum(nil)
	key := &signtest.Key{Signer: id.Key}
	parts, err := d.Sign(h, key)
	if err != nil {
		return nil, err
	}
	if key.Asked() != 1 {
		t.Errorf("the key was asked %d times, want once", key.Asked())
	}
	if !bytes.Equal(h.Sum(nil), before) {
		t.Error("Sign changed the state of the hash")
	}
	if o.Detached {
		if len(parts.Header) != 0 {
			t.Errorf("a detached signature has %d bytes before the content", len(parts.Header))
		}
		return all(t, parts.Around(nil, 0)), nil
	}
	return all(t, parts.Around(bytes.NewReader(content), int64(len(content)))), nil
}

func mustSign(t testing.TB, content []byte, id signtest.Identity, change func(*cades.Options)) []byte {
	t.Helper()
	message, err := sign(t, content, id, change)
	if err != nil {
		t.Fatal(err)
	}
	return message
}

// coSign adds a signature to a message.
func coSign(t testing.TB, message []byte, id signtest.Identity, change func(*cades.Options)) ([]byte, error) {
	t.Helper()
	o := options(t, id)
	if change != nil {
		change(&o)
	}
	d, err := cades.PrepareCoSign(bytes.NewReader(message), int64(len(message)), o)
	if err != nil {
		return nil, err
	}
	h := o.Hash.New()
	if _, err := io.Copy(h, d.Content()); err != nil {
		return nil, err
	}
	key := &signtest.Key{Signer: id.Key}
	parts, err := d.Sign(h, key)
	if err != nil {
		return nil, err
	}
	if key.Asked() != 1 {
		t.Errorf("the key was asked %d times, want once", key.Asked())
	}
	return all(t, parts.Around(d.Content(), d.Content().Size())), nil
}

func mustCoSign(t testing.TB, message []byte, id signtest.Identity, change func(*cades.Options)) []byte {
	t.Helper()
	out, err := coSign(t, message, id, change)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func all(t testing.TB, r *io.SectionReader) []byte {
	t.Helper()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(b)) != r.Size() {
		t.Fatalf("there are %d bytes, Size said %d", len(b), r.Size())
	}
	return b
}

// noise is content of any size that is no text.
func noise(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*i>>7 ^ i>>11)
	}
	return b
}

func sha512(o *cades.Options)   { o.Hash = crypto.SHA512 }
func detached(o *cades.Options) { o.Detached = true }
