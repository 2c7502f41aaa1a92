package cms_test

import (
	"crypto"
	"fmt"
	"os"
	"testing"

	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/sign/cms"
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

func params(t testing.TB, id signtest.Identity, h crypto.Hash) cms.Params {
	t.Helper()
	policy, err := icpbrasil.Current(icpbrasil.CAdES, world.Now)
	if err != nil {
		t.Fatal(err)
	}
	return cms.Params{Certificate: id.Certificate, Chain: world.PKI.Chain, Hash: h, Policy: policy}
}
