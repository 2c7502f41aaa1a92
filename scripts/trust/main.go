// Command trust fetches the root certificates of ICP-Brasil that AD-RB trusts, and keeps those alone whose fingerprint is
// known here: the network is not believed. The file that it writes is what Signing:TrustAnchors names.
//
//	go run ./scripts/trust            writes icp-brasil.pem
//	go run ./scripts/trust -out FILE
package main

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// root is a trust anchor of the AD-RB policies in force. The fingerprints are those of the certificates inside the policy
// file PA_AD_RB_v2_5.xml, whose own hash is in the list that ITI signs.
type root struct{ name, url, sha256 string }

var roots = []root{
	{"Autoridade Certificadora Raiz Brasileira v5", "http://acraiz.icpbrasil.gov.br/ICP-Brasilv5.crt", "caa53fc6091c6951887c976e378f6ef89aa6377c55d97b6475422b71ed7e9b17"},
	{"Autoridade Certificadora Raiz Brasileira v12", "http://acraiz.icpbrasil.gov.br/ICP-Brasilv12.crt", "d8478e37ce19c690cf657381e68fe600e4e1a042536830f06847e03e554c4b01"},
}

// maxCertificate bounds an answer; a root has about two kilobytes.
const maxCertificate = 64 << 10

func main() {
	out := flag.String("out", "icp-brasil.pem", "`file` to write")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := run(ctx, http.DefaultClient, roots, *out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run writes all roots or nothing.
func run(ctx context.Context, client *http.Client, roots []root, out string) error {
	var all []byte
	var errs []error
	for _, r := range roots {
		c, err := fetch(ctx, client, r)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", r.name, err))
			continue
		}
		all = append(all, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})...)
		fmt.Printf("%s, valid until %s\n", r.name, c.NotAfter.Format(time.DateOnly))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return os.WriteFile(out, all, 0o644)
}

// fetch gets a certificate, in DER or PEM, and compares it with what is known.
func fetch(ctx context.Context, client *http.Client, r root) (*x509.Certificate, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", r.url, resp.Status)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxCertificate))
	if err != nil {
		return nil, err
	}
	if block, _ := pem.Decode(body); block != nil {
		body = block.Bytes
	}
	if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != r.sha256 {
		return nil, fmt.Errorf("what %s answers has the fingerprint %x, not %s", r.url, sum, r.sha256)
	}
	return x509.ParseCertificate(body)
}
