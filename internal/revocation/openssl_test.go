package revocation_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/revocation"
)

// tool runs openssl in a folder of its own.
type tool struct{ path, dir string }

func newTool(t *testing.T) tool {
	t.Helper()
	path, err := exec.LookPath("openssl")
	if err != nil {
		t.Skip("openssl is not installed")
	}
	return tool{path, t.TempDir()}
}

func (o tool) run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), o.path, args...)
	cmd.Dir = o.dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (o tool) write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(o.dir, name), data, 0o600); err != nil {
		t.Error(err)
	}
}

func (o tool) read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(o.dir, name))
	if err != nil {
		t.Error(err)
	}
	return data
}

func (o tool) writeKey(t *testing.T, name string, key crypto.Signer) {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	o.write(t, name, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

func inPEM(kind string, ders ...[]byte) []byte {
	var text []byte
	for _, der := range ders {
		text = append(text, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})...)
	}
	return text
}

// newRSA makes an authority with the algorithms of ICP-Brasil.
func newRSA(t *testing.T, parent *authority, c *x509.Certificate) *authority {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	c.SignatureAlgorithm = x509.SHA512WithRSA
	c.NotBefore, c.NotAfter = time.Now().AddDate(-1, 0, 0), time.Now().AddDate(1, 0, 0)
	return newAuthorityWith(t, parent, c, key)
}

// Both judge the same chains by the same lists alike.
func TestOpenSSLAgreesOnLists(t *testing.T) {
	t.Parallel()
	o := newTool(t)
	root := newRSA(t, nil, template(1, "Autoridade Certificadora Raiz de Teste"))
	below := template(7, "AC Emissora de Teste")
	below.CRLDistributionPoints = []string{listURL}
	first := newRSA(t, root, below)
	c := template(42, "MARIA DE TESTE")
	c.NotBefore, c.NotAfter = time.Now().AddDate(0, -1, 0), time.Now().AddDate(0, 1, 0)
	c.CRLDistributionPoints = []string{otherListURL}
	leaf := first.sign(t, c, newKey(t).Public())
	o.write(t, "root.pem", inPEM("CERTIFICATE", root.cert.Raw))
	o.write(t, "first.pem", inPEM("CERTIFICATE", first.cert.Raw))
	o.write(t, "leaf.pem", inPEM("CERTIFICATE", leaf.Raw))

	hold := func(l *x509.RevocationList) {
		l.SignatureAlgorithm, l.ThisUpdate, l.NextUpdate = x509.SHA512WithRSA, time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	}
	expired := func(l *x509.RevocationList) { hold(l); l.NextUpdate = time.Now().Add(-30 * time.Minute) }
	own := func(l *x509.RevocationList) { hold(l); scoped(point(otherListURL))(l) }
	foreign := func(l *x509.RevocationList) { hold(l); scoped(point(listURL))(l) }
	hour := time.Now().Add(-time.Hour)
	tests := []struct {
		name       string
		upper, own []byte
		want       error
	}{
		{"good", root.list(t, hold), first.list(t, hold, revoked(43, hour, 1)), nil},
		{"good, of its distribution point", root.list(t, hold), first.list(t, own), nil},
		{"revoked", root.list(t, hold), first.list(t, hold, revoked(42, hour, 1)), fault.CertificateRevoked},
		{"authority revoked", root.list(t, hold, revoked(7, hour, 2)), first.list(t, hold), fault.CertificateRevoked},
		{"out of date", root.list(t, hold), first.list(t, expired), fault.RevocationUnavailable},
		{"of another distribution point", root.list(t, hold), first.list(t, foreign), fault.RevocationUnavailable},
		{"of another authority", root.list(t, hold), root.list(t, hold), fault.RevocationUnavailable},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			name := fmt.Sprintf("lists%d.pem", i)
			o.write(t, name, inPEM("X509 CRL", tt.upper, tt.own))
			out, theirs := o.run(t, "verify", "-crl_check_all", "-extended_crl", "-CAfile", "root.pem", "-untrusted", "first.pem", "-CRLfile", name, "leaf.pem")
			k := revocation.New(&http.Client{Transport: canned{listURL: tt.upper, otherListURL: tt.own}}, time.Now, revocation.Options{AllowPrivate: true})
			ours := k.Chain(t.Context(), []*x509.Certificate{leaf, first.cert, root.cert}, time.Now())
			if (tt.want == nil) != (theirs == nil) || strings.Contains(out, "revoked") != errors.Is(tt.want, fault.CertificateRevoked) {
				t.Errorf("openssl: %v\n%s", theirs, out)
			}
			if tt.want == nil && ours != nil || !errors.Is(ours, tt.want) {
				t.Errorf("Chain = %v, want %v", ours, tt.want)
			}
		})
	}
}

// An authority that is all openssl's: its responder reads our requests, its responses and lists are read by us.
func TestOpenSSLAsAuthority(t *testing.T) {
	t.Parallel()
	o := newTool(t)
	ca := newRSA(t, nil, template(1, "AC Emissora de Teste"))
	delegate := ca.delegate(t, func(c *x509.Certificate) {
		c.NotBefore, c.NotAfter = time.Now().AddDate(0, -1, 0), time.Now().AddDate(0, 1, 0)
	})
	o.write(t, "ca.pem", inPEM("CERTIFICATE", ca.cert.Raw))
	o.writeKey(t, "ca.key", ca.key)
	o.write(t, "delegate.pem", inPEM("CERTIFICATE", delegate.cert.Raw))
	o.writeKey(t, "delegate.key", delegate.key)
	until, since := time.Now().AddDate(1, 0, 0).UTC().Format("060102150405Z"), time.Now().Add(-time.Hour).UTC()
	o.write(t, "index.txt", fmt.Appendf(nil, "V\t%s\t\t2A\tunknown\t/CN=a\nR\t%s\t%s,keyCompromise\t2B\tunknown\t/CN=b\n",
		until, until, since.Format("060102150405Z")))
	o.write(t, "ca.cnf", []byte("[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\ndefault_md=sha512\ncrl_extensions=e\n[e]\nauthorityKeyIdentifier=keyid\n"))
	if out, err := o.run(t, "ca", "-config", "ca.cnf", "-gencrl", "-keyfile", "ca.key", "-cert", "ca.pem", "-crldays", "1", "-out", "list.pem"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s := newSite(t)
	list := s.put("/list.pem", o.read(t, "list.pem"))
	direct, delegated := s.serve("/ca", o.responder(t, "ca")), s.serve("/delegate", o.responder(t, "delegate"))
	c := revocation.New(nil, time.Now, revocation.Options{AllowPrivate: true})
	for name, source := range map[string][2][]string{
		"list": {nil, {list}}, "responder": {{direct}, nil}, "delegate": {{delegated}, nil},
	} {
		for serial, want := range map[int64]revocation.State{42: revocation.Good, 43: revocation.Revoked} {
			got, err := c.Check(t.Context(), ca.leaf(t, serial, source[0], source[1]), ca.cert, time.Now())
			checkState(t, got, err, want, "")
			if want == revocation.Revoked && (got.Reason != revocation.KeyCompromise || !got.RevokedAt.Equal(since.Truncate(time.Second))) {
				t.Errorf("%s: revoked %s (%s), want %s", name, got.RevokedAt, got.Reason, since)
			}
		}
		got, err := c.Check(t.Context(), ca.leaf(t, 44, source[0], nil), ca.cert, time.Now())
		checkState(t, got, err, revocation.Unknown, "")
	}
}

// responder is a page on which openssl answers with a key.
func (o tool) responder(t *testing.T, key string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		o.write(t, "request.der", body)
		out, err := o.run(t, "ocsp", "-index", "index.txt", "-CA", "ca.pem", "-rsigner", key+".pem", "-rkey", key+".key",
			"-reqin", "request.der", "-respout", "response.der", "-ndays", "1", "-req_text")
		if err != nil || !strings.Contains(out, "OCSP Nonce") {
			t.Errorf("%v\n%s", err, out)
		}
		_, _ = w.Write(o.read(t, "response.der"))
	}
}
