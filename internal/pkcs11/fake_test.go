//go:build pkcs11

package pkcs11_test

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"slices"
	"sync"
	"testing"

	"bulksigner/internal/pkcs11"
)

// object is an object of a fake token.
type object struct {
	class uint
	has   map[uint][]byte
	key   crypto.Signer
}

// fake is a PKCS#11 module with one token, in memory. It answers like a real one, can be told to fail, and counts.
type fake struct {
	mu       sync.Mutex
	pin      string
	also     string // another user's
	reorder  bool   // with another login, handles are other objects', instead of nobody's
	flags    uint
	label    string
	mute     bool // says of no session that it is logged in
	in       bool // logged in
	objects  []object
	base     uint           // handles of objects begin here; another login moves them
	sessions map[uint]*uint // to the object of the operation that has begun
	next     uint
	fails    map[string][]error // the next answers of a function, nil being its own
	asked    map[string]int
	signing  func()              // while C_Sign runs
	instead  func([]byte) []byte // of the signature
}

func newFake() *fake {
	return &fake{
		pin: "1234", flags: pkcs11.LoginRequired, label: "icp", base: 100, sessions: map[uint]*uint{},
		fails: map[string][]error{}, asked: map[string]int{},
	}
}

// store puts a key pair on the token, the certificate too.
func (f *fake) store(id string, key crypto.Signer, c *x509.Certificate) *fake {
	public, private := map[uint][]byte{pkcs11.ID: []byte(id)}, map[uint][]byte{pkcs11.ID: []byte(id), pkcs11.MaySign: {1}}
	switch k := key.Public().(type) {
	case *rsa.PublicKey:
		public[pkcs11.Modulus], private[pkcs11.Modulus] = k.N.Bytes(), k.N.Bytes()
	case *ecdsa.PublicKey:
		point, err := k.Bytes()
		if err != nil {
			panic(err)
		}
		if public[pkcs11.ECPoint], err = asn1.Marshal(point); err != nil {
			panic(err)
		}
	}
	f.objects = append(f.objects, object{pkcs11.PublicKey, public, nil}, object{pkcs11.PrivateKey, private, key})
	return f.certify(id, c)
}

func (f *fake) certify(id string, certs ...*x509.Certificate) *fake {
	for _, c := range certs {
		has := map[uint][]byte{pkcs11.ID: []byte(id), pkcs11.Value: c.Raw}
		f.objects = append(f.objects, object{pkcs11.Certificate, has, nil})
	}
	return f
}

// failNext sets the next answers of a function. nil is its own.
func (f *fake) failNext(function string, answers ...error) *fake {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fails[function] = append(f.fails[function], answers...)
	return f
}

func (f *fake) count(function string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked[function]
}

// begin counts a call and says how it fails, with mu held until end.
func (f *fake) begin(function string) error {
	f.mu.Lock()
	f.asked[function]++
	queue := f.fails[function]
	if len(queue) == 0 {
		return nil
	}
	f.fails[function] = queue[1:]
	return queue[0]
}

func (f *fake) inSession(function string, session uint) error {
	if err := f.begin(function); err != nil {
		return err
	}
	if _, ok := f.sessions[session]; !ok {
		return pkcs11.SessionHandleInvalid
	}
	return nil
}

// lose closes all sessions behind everybody's back, as a token does that is pulled out and put in again.
func (f *fake) lose() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.sessions)
	f.out()
}

// out logs out. Private objects have other handles after that.
func (f *fake) out() {
	f.in = false
	if f.reorder {
		slices.Reverse(f.objects)
		return
	}
	f.base += 1000
}

func (f *fake) Slots() ([]uint, error) {
	defer f.mu.Unlock()
	return []uint{3}, f.begin("Slots")
}

func (f *fake) Token(uint) (pkcs11.TokenInfo, error) {
	defer f.mu.Unlock()
	err := f.begin("Token")
	return pkcs11.TokenInfo{Label: f.label, Flags: f.flags}, err
}

func (f *fake) CanSign(uint, uint) (bool, error) {
	defer f.mu.Unlock()
	err := f.begin("CanSign")
	return err == nil, err
}

func (f *fake) OpenSession(uint) (uint, error) {
	defer f.mu.Unlock()
	if err := f.begin("OpenSession"); err != nil {
		return 0, err
	}
	f.next++
	f.sessions[f.next] = nil
	return f.next, nil
}

func (f *fake) CloseSession(s uint) error {
	defer f.mu.Unlock()
	if err := f.inSession("CloseSession", s); err != nil {
		return err
	}
	if delete(f.sessions, s); len(f.sessions) == 0 {
		f.out()
	}
	return nil
}

func (f *fake) LoggedIn(s uint) (bool, error) {
	defer f.mu.Unlock()
	err := f.inSession("LoggedIn", s)
	return f.in && !f.mute, err
}

func (f *fake) Login(s, user uint, pin string) error {
	defer f.mu.Unlock()
	if err := f.inSession("Login", s); err != nil {
		return err
	}
	switch {
	case user == pkcs11.User && f.in:
		return pkcs11.AlreadyLoggedIn
	case pin != f.pin && (f.also == "" || pin != f.also):
		return pkcs11.PINIncorrect
	}
	f.in = true
	return nil
}

func (f *fake) Logout(s uint) error {
	defer f.mu.Unlock()
	err := f.inSession("Logout", s)
	f.out()
	return err
}

func (f *fake) Find(s, class uint, with pkcs11.Attribute) (found []uint, err error) {
	defer f.mu.Unlock()
	if err := f.inSession("Find", s); err != nil {
		return nil, err
	}
	for i, o := range f.objects {
		if o.class == class && (len(with.Value) == 0 || bytes.Equal(o.has[with.Kind], with.Value)) {
			found = append(found, f.base+uint(i))
		}
	}
	return found, nil
}

func (f *fake) Attribute(s, o, kind uint) ([]byte, error) {
	defer f.mu.Unlock()
	if err := f.inSession("Attribute", s); err != nil {
		return nil, err
	}
	v, ok := f.objects[o-f.base].has[kind]
	if !ok {
		return nil, pkcs11.AttributeTypeInvalid
	}
	return slices.Clone(v), nil
}

func (f *fake) SignInit(s, _, key uint) error {
	defer f.mu.Unlock()
	if err := f.inSession("SignInit", s); err != nil {
		return err
	}
	switch {
	case !f.in && f.flags&pkcs11.LoginRequired != 0:
		return pkcs11.NotLoggedIn
	case key < f.base || key-f.base >= uint(len(f.objects)):
		return pkcs11.KeyHandleInvalid
	case f.sessions[s] != nil:
		return pkcs11.OperationActive
	}
	f.sessions[s] = new(key - f.base)
	return nil
}

func (f *fake) Sign(s uint, data []byte) ([]byte, error) {
	key, err := f.operation(s)
	if f.signing != nil {
		f.signing()
	}
	if err != nil {
		return nil, err
	}
	signature, err := sign(key, data)
	if f.instead != nil {
		signature = f.instead(signature)
	}
	return signature, err
}

// operation ends the one that has begun in a session.
func (f *fake) operation(s uint) (crypto.Signer, error) {
	defer f.mu.Unlock()
	if err := f.inSession("Sign", s); err != nil {
		return nil, err
	}
	i := f.sessions[s]
	if i == nil {
		return nil, pkcs11.NoOperation
	}
	f.sessions[s] = nil
	return f.objects[*i].key, nil
}

// sign signs as CKM_RSA_PKCS and CKM_ECDSA do.
func sign(key crypto.Signer, data []byte) ([]byte, error) {
	k, ok := key.(*ecdsa.PrivateKey)
	if !ok {
		return key.Sign(rand.Reader, data, crypto.Hash(0))
	}
	r, s, err := ecdsa.Sign(rand.Reader, k, data)
	if err != nil {
		return nil, err
	}
	size := (k.Curve.Params().N.BitLen() + 7) / 8
	return append(r.FillBytes(make([]byte, size)), s.FillBytes(make([]byte, size))...), nil
}

// process makes a process whose only module is f.
func (f *fake) process() pkcs11.Process {
	return pkcs11.NewProcess(func(string) (pkcs11.Cryptoki, error) { return f, nil })
}

// options name the fake's token.
func options(sessions int) pkcs11.Options {
	return pkcs11.Options{Module: "/fake", TokenLabel: "icp", PIN: "1234", Sessions: sessions}
}

// open opens the key of a certificate.
func (f *fake) open(t testing.TB, c *x509.Certificate, sessions int) *pkcs11.Key {
	t.Helper()
	k, err := f.process().Open(t.Context(), options(sessions), c)
	if err != nil {
		t.Fatal(err)
	}
	return k
}
