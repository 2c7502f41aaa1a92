package xades_test

import (
	"bytes"
	"crypto"
	"fmt"
	"os"
	"strings"
	"testing"

	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/sign/signtest"
	"bulksigner/internal/sign/xades"
	"bulksigner/internal/sign/xades/markup"
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

func options(t testing.TB, id signtest.Identity) xades.Options {
	t.Helper()
	policy, err := icpbrasil.Current(icpbrasil.XAdES, world.Now)
	if err != nil {
		t.Fatal(err)
	}
	return xades.Options{
		Certificate: id.Certificate, Chain: world.PKI.Chain, Hash: crypto.SHA256, Policy: policy, Time: world.Now,
	}
}

// sign prepares and signs a whole document, and checks what holds for every signature.
func sign(t testing.TB, doc []byte, id signtest.Identity, change func(*xades.Options)) ([]byte, error) {
	t.Helper()
	o := options(t, id)
	if change != nil {
		change(&o)
	}
	before := bytes.Clone(doc)
	d, err := xades.Prepare(doc, o)
	if err != nil {
		return nil, err
	}
	key := &signtest.Key{Signer: id.Key}
	signed, err := d.Sign(key)
	if err != nil {
		return nil, err
	}
	if key.Asked() != 1 {
		t.Errorf("the key was asked %d times, want once", key.Asked())
	}
	if !bytes.Equal(doc, before) {
		t.Error("the original was changed in memory")
	}
	checkInserted(t, doc, signed)
	return signed, nil
}

// must signs a document that can be signed.
func must(t testing.TB, doc []byte, id signtest.Identity, change func(*xades.Options)) []byte {
	t.Helper()
	signed, err := sign(t, doc, id, change)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// checkInserted checks that nothing of the original is missing from the result, or out of order: what differs lies between
// the longest common beginning and the rest, or is the opened form of a root that was one tag.
func checkInserted(t testing.TB, doc, signed []byte) {
	t.Helper()
	before, after := text(t, doc), text(t, signed)
	n := 0
	for n < len(before) && before[n] == after[n] {
		n++
	}
	if strings.HasSuffix(after, before[n:]) {
		return
	}
	head, tail, found := strings.Cut(after[n:], "</ds:Signature></")
	if !found || !strings.HasPrefix(before[n:], "/>") || !strings.HasPrefix(head, "><ds:Signature ") {
		t.Fatal("the result has not all characters of the original")
	}
	if name, rest, _ := strings.Cut(tail, ">"); !strings.Contains(before[:n], "<"+name) || rest != before[n+2:] {
		t.Fatal("the result has not all characters of the original")
	}
}

// text decodes UTF-16, where the bytes of a character may be those of others. Everything else it leaves as it is.
func text(t testing.TB, doc []byte) string {
	t.Helper()
	if !bytes.HasPrefix(doc, []byte("\xFF\xFE")) && !bytes.HasPrefix(doc, []byte("\xFE\xFF")) {
		return string(doc)
	}
	source, err := markup.Decode(doc)
	if err != nil {
		t.Fatal(err)
	}
	return string(doc[:2]) + source.Text
}
