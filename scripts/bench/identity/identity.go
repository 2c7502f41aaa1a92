// Package identity is the one key and certificate that everybody in a comparison signs with, as files that every tool
// reads. The certificate is from a test PKI shaped like ICP-Brasil.
package identity

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	pkcs12 "software.sslmate.com/src/go-pkcs12"

	"bulksigner/internal/icpbrasil/icpbrasiltest"
)

// Password opens the PKCS#12 file. It protects nothing: all of this is made for one run.
const Password = "bench"

// The files in the folder of an identity.
const (
	KeyFile         = "key.pem"
	CertificateFile = "certificate.pem"
	ChainFile       = "chain.pem"
	RootFile        = "root.pem"
	PKCS12File      = "identity.p12"
)

// maxFile bounds what is read of each file.
const maxFile = 1 << 20

// Identity is a key with its certificate and chain.
type Identity struct {
	Key         crypto.Signer
	Certificate *x509.Certificate
	Chain       []*x509.Certificate // issuing authority first, without the root
	Root        *x509.Certificate
	Dir         string
}

// File is the path of one of the identity's files.
func (id Identity) File(name string) string { return filepath.Join(id.Dir, name) }

// AuthorityFiles are the certificates of the chain once more, one in each file.
func (id Identity) AuthorityFiles() (paths []string) {
	for i := range id.Chain {
		paths = append(paths, id.File(fmt.Sprintf("authority-%d.pem", i)))
	}
	return paths
}

// Make makes an identity with an RSA-2048 key and writes it to a folder.
func Make(dir string, now time.Time) (Identity, error) {
	pki, err := icpbrasiltest.New(now)
	if err != nil {
		return Identity{}, err
	}
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return Identity{}, err
	}
	cert, err := pki.IssueECPF(key.Public(), icpbrasiltest.Maria())
	if err != nil {
		return Identity{}, err
	}
	id := Identity{Key: key, Certificate: cert, Chain: pki.Chain, Root: pki.Root, Dir: dir}
	return id, id.write(pki)
}

// write writes the files. The PKCS#12 is derived from its password in one iteration instead of thousands, since a peer
// opens it for every signature: its opening is not what is to be compared.
func (id Identity) write(pki *icpbrasiltest.PKI) error {
	key, err := x509.MarshalPKCS8PrivateKey(id.Key)
	if err != nil {
		return err
	}
	p12, err := pkcs12.LegacyDES.WithIterations(1).Encode(id.Key, id.Certificate, id.Chain, Password)
	if err != nil {
		return fmt.Errorf("encode the PKCS#12: %w", err)
	}
	files := map[string][]byte{
		id.File(KeyFile):         inPEM("PRIVATE KEY", key),
		id.File(CertificateFile): inPEM("CERTIFICATE", id.Certificate.Raw),
		id.File(ChainFile):       pki.ChainPEM(),
		id.File(RootFile):        pki.RootPEM(),
		id.File(PKCS12File):      p12,
	}
	for i, path := range id.AuthorityFiles() {
		files[path] = inPEM("CERTIFICATE", id.Chain[i].Raw)
	}
	for path, data := range files {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func inPEM(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

// Load reads an identity that was made in a folder.
func Load(dir string) (Identity, error) {
	id := Identity{Dir: dir}
	var err error
	if id.Key, err = id.loadKey(); err != nil {
		return Identity{}, err
	}
	own, err := id.certificates(CertificateFile)
	if err != nil {
		return Identity{}, err
	}
	root, err := id.certificates(RootFile)
	if err != nil {
		return Identity{}, err
	}
	id.Certificate, id.Root = own[0], root[0]
	id.Chain, err = id.certificates(ChainFile)
	return id, err
}

func (id Identity) loadKey() (crypto.Signer, error) {
	data, err := id.read(KeyFile)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(data)
	if block == nil {
		return nil, errors.New("the key file has no key")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("read the key: %w", err)
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, errors.New("the key cannot sign")
	}
	return signer, nil
}

// certificates reads a file with at least one certificate.
func (id Identity) certificates(name string) (out []*x509.Certificate, err error) {
	data, err := id.read(name)
	if err != nil {
		return nil, err
	}
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		out = append(out, c)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has no certificate", name)
	}
	return out, nil
}

func (id Identity) read(name string) ([]byte, error) {
	f, err := os.Open(id.File(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s is too large", name)
	}
	return data, err
}
