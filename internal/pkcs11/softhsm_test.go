//go:build pkcs11

package pkcs11_test

import (
	"cmp"
	"crypto"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"bulksigner/internal/icpbrasil/icpbrasiltest"
	"bulksigner/internal/pkcs11"
)

const (
	label = "icp"
	pin   = "471123"

	// Tokens of tests that log in and out by themselves. A process has one login on a token.
	labelBound = "bound"
	labelWrong = "wrong"
)

// modules are where systems have SoftHSM2.
var modules = []string{
	"/usr/lib/softhsm/libsofthsm2.so",
	"/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so",
	"/usr/lib/aarch64-linux-gnu/softhsm/libsofthsm2.so",
	"/usr/lib64/softhsm/libsofthsm2.so",
	"/usr/lib64/pkcs11/libsofthsm2.so",
	"/usr/local/lib/softhsm/libsofthsm2.so",
	"/opt/homebrew/lib/softhsm/libsofthsm2.so",
}

// world is a token in SoftHSM2 with keys, their certificates and the chain.
type world struct {
	module string
	slot   uint
	dir    string
	keys   map[string]crypto.Signer // by CKA_ID in hex
	certs  map[string]*x509.Certificate
}

var (
	errNoSoftHSM = errors.New("SoftHSM2 is not there")
	theWorld     = sync.OnceValues(newWorld)
	folder       string
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run names the folder of the tokens before any module is loaded, which reads the name only then.
func run(m *testing.M) int {
	var err error
	if folder, err = os.MkdirTemp("", "pkcs11"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := os.Setenv("SOFTHSM2_CONF", filepath.Join(folder, "softhsm2.conf")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := os.RemoveAll(folder); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// softHSM returns the token, or skips the test where there is none to be had.
func softHSM(t testing.TB) *world {
	t.Helper()
	w, err := theWorld()
	if errors.Is(err, errNoSoftHSM) {
		const how = "SoftHSM2 is not installed: apt-get install softhsm2 opensc"
		if os.Getenv("BULKSIGNER_NO_SKIP") == "1" {
			t.Fatal(how)
		}
		t.Skip(how)
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func newWorld() (*world, error) {
	i := slices.IndexFunc(modules, func(path string) bool { _, err := os.Stat(path); return err == nil })
	_, noUtil := exec.LookPath("softhsm2-util")
	_, noTool := exec.LookPath("pkcs11-tool")
	if i < 0 || cmp.Or(noUtil, noTool) != nil {
		return nil, errNoSoftHSM
	}
	w := &world{module: modules[i], dir: folder, keys: map[string]crypto.Signer{}, certs: map[string]*x509.Certificate{}}
	conf := fmt.Sprintf("directories.tokendir = %s/tokens\nobjectstore.backend = file\nlog.level = ERROR\n", folder)
	return w, errors.Join(
		os.Mkdir(filepath.Join(folder, "tokens"), 0o700),
		os.WriteFile(filepath.Join(folder, "softhsm2.conf"), []byte(conf), 0o600),
		w.fill(),
	)
}

// fill makes the token and puts on it what the tests look for.
func (w *world) fill() error {
	for _, l := range []string{label, labelBound, labelWrong} {
		if err := do("softhsm2-util", "--init-token", "--free", "--label", l, "--pin", pin, "--so-pin", "87654321"); err != nil {
			return err
		}
	}
	for id, key := range map[string]crypto.Signer{"01": rsaKey(), "02": p256Key(), "03": p384Key(), "04": p521Key()} {
		if err := w.store(id, key); err != nil {
			return err
		}
	}
	for i, c := range append(slices.Clone(pki().Chain), pki().Root) {
		if err := w.certify(fmt.Sprintf("ca%02d", i), c); err != nil {
			return err
		}
	}
	if err := w.certify("01", w.issue(otherKey())); err != nil { // of another key than the one that it names
		return err
	}
	if err := errors.Join(w.storeStrict("05", otherKey()), w.move("01", labelBound)); err != nil {
		return err
	}
	m, err := pkcs11.Load(w.module)
	if err != nil {
		return err
	}
	return w.find(m)
}

// find reads the number of the slot, which SoftHSM2 makes up.
func (w *world) find(m pkcs11.Cryptoki) error {
	slots, err := m.Slots()
	if err != nil {
		return err
	}
	for _, s := range slots {
		if info, err := m.Token(s); err == nil && info.Label == label {
			w.slot = s
			return nil
		}
	}
	return errors.New("the new token is in no slot")
}

func (w *world) issue(key crypto.Signer) *x509.Certificate {
	c, err := pki().IssueECPF(key.Public(), icpbrasiltest.Maria())
	if err != nil {
		panic(err)
	}
	return c
}

// store imports a key and its certificate.
func (w *world) store(id string, key crypto.Signer) error {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	file := filepath.Join(w.dir, id+".pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600); err != nil {
		return err
	}
	w.keys[id], w.certs[id] = key, w.issue(key)
	return errors.Join(w.move(id, label), w.certify(id, w.certs[id]))
}

// move puts a key on a token.
func (w *world) move(id, token string) error {
	file := filepath.Join(w.dir, id+".pem")
	return do("softhsm2-util", "--import", file, "--token", token, "--label", "key "+id, "--id", id, "--pin", pin)
}

// storeStrict imports a key that wants the PIN before every signature.
func (w *world) storeStrict(id string, key crypto.Signer) error {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	w.keys[id], w.certs[id] = key, w.issue(key)
	return errors.Join(w.write(id, "privkey", der, "--always-auth"), w.certify(id, w.certs[id]))
}

func (w *world) certify(id string, c *x509.Certificate) error { return w.write(id, "cert", c.Raw) }

func (w *world) write(id, kind string, der []byte, more ...string) error {
	file := filepath.Join(w.dir, id+kind)
	if err := os.WriteFile(file, der, 0o600); err != nil {
		return err
	}
	return do("pkcs11-tool", append([]string{"--module", w.module, "--token-label", label, "--login", "--pin", pin,
		"--write-object", file, "--type", kind, "--id", strings.TrimPrefix(id, "ca"), "--label", kind + " " + id}, more...)...)
}

func do(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, args[0], err, out)
	}
	return nil
}

func (w *world) options(id string) pkcs11.Options {
	return pkcs11.Options{Module: w.module, TokenLabel: label, PIN: pin, Thumbprint: thumbprint(w.certs[id])}
}

// open opens a key by its thumbprint, in the process that the service would use.
func (w *world) open(t testing.TB, id string) *pkcs11.Key {
	t.Helper()
	k, err := pkcs11.Open(t.Context(), w.options(id), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	})
	return k
}
