package library

import (
	"crypto"
	"crypto/x509"
	"os"

	"github.com/digitorus/pdfsign/sign"
	"github.com/smallstep/pkcs7"

	"bulksigner/scripts/bench/identity"
)

// PDFSign signs a PDF with digitorus/pdfsign: an approval signature with the chain in it, and neither revocation lists nor
// time-stamps, which we have none of either.
func PDFSign(id identity.Identity, from, to string) error {
	return sign.SignFile(from, to, sign.SignData{
		Signature: sign.SignDataSignature{
			CertType: sign.ApprovalSignature,
			Info:     sign.SignDataSignatureInfo{Name: name, Reason: reason, Location: location, Date: begun(id)},
		},
		Signer:            id.Key,
		DigestAlgorithm:   crypto.SHA256,
		Certificate:       id.Certificate,
		CertificateChains: [][]*x509.Certificate{append([]*x509.Certificate{id.Certificate}, id.Chain...)},
	})
}

// PKCS7 signs content with smallstep/pkcs7, which holds all of it. The result is plain CMS: nothing in it names the
// certificate or a policy.
func PKCS7(id identity.Identity, from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	message, err := pkcs7.NewSignedData(content)
	if err != nil {
		return err
	}
	message.SetDigestAlgorithm(pkcs7.OIDDigestAlgorithmSHA256)
	if err := message.AddSignerChain(id.Certificate, id.Key, id.Chain, pkcs7.SignerInfoConfig{}); err != nil {
		return err
	}
	out, err := message.Finish()
	if err != nil {
		return err
	}
	return os.WriteFile(to, out, 0o600)
}
