// Package verify judges signatures: whether the bytes are those that were signed, by whom, with which certificate, and
// under which policy. It writes a report with one named check for each question, so that a reader sees what was found
// and not just a verdict.
//
// It is the second opinion on what sign makes. It shares nothing with sign but the shapes of the ASN.1 structures: it
// has its own reader of PDF, so that a fault in the signer's reader shows here instead of hiding.
//
// It judges PDF, CMS (CAdES) and XML (XAdES) files, and File finds out which it is given. For CMS and XML as well it has
// readers of its own, and its own canonical form of XML.
//
// It promises to end soon and in little memory whatever it is given: all that it reads has a limit, documents stream
// through a fixed buffer, and nothing in a file makes it panic. It asks nobody itself: trust anchors, and whoever knows
// what was revoked, come in through Options. Details in a report never contain a person's numbers.
package verify

import (
	"crypto/x509"
	"time"
)

// Options says what a signature is judged against.
type Options struct {
	// Anchors are the certificates that chains must end in. Without any, a chain is reported as not checked, never as
	// good. Intermediate authorities come from the signature; those that it leaves out can be given here as anchors.
	Anchors []*x509.Certificate

	// At is the time at which certificates, chains and policies are judged. Without it they are reported as not
	// checked, and the report is not good.
	At time.Time

	// Policy demands an AD-RB policy that icpbrasil knows, with its hash, in force at At.
	Policy bool

	// Revocation, if set, is asked about each chain that leads to an anchor: leaf first, the anchor last. It answers
	// fault.CertificateRevoked, or fault.RevocationUnavailable where nobody could tell; then the report is not good, unless
	// Tolerant is set.
	Revocation func(chain []*x509.Certificate) error
	Tolerant   bool

	// Signer, if set, is the certificate that a signature must be made with. In a PDF it is the last signature, which must
	// cover the whole file; signatures before it are then others' business: what is demanded of them is that they are not
	// broken. In CMS and XML signatures have no order: there must be one made with the certificate, every one that is gets
	// judged in full, and what is demanded of the others is that what they sign was not altered.
	Signer *x509.Certificate
}

// Names of checks, in the order in which a report has them. Which there are depends on the kind of file.
const (
	// ByteRange: the range that the signature names is the file without exactly the signature's own hex string.
	ByteRange = "byte-range"
	// Coverage: the signed range reaches the end of the file or, if another signature follows, the end of a revision. Of
	// CMS: no bytes follow the message. Of XML: content is signed, and no unsigned element of the same name can be taken
	// for a signed one; whether all content is signed is said by the detail and by CoversWholeFile.
	Coverage = "coverage"
	// Message: the CMS message can be read, is detached where it has to be, and contains its signer's certificate.
	Message = "cms"
	// XMLSignature: the signature element can be read and contains its signer's certificate.
	XMLSignature = "xml-signature"
	// References: what an XML signature signs can be found, each part without doubt, by transforms that are known here.
	References = "references"
	// DEROrder: the signed attributes are a set as DER wants it, sorted and without repetition.
	DEROrder = "der-order"
	// ContentType: the signed content type is that of the content.
	ContentType = "content-type"
	// MessageDigest: the signed digest is that of the content.
	MessageDigest = "message-digest"
	// SignatureValue: the certificate's key made the signature, with algorithms that are strong enough.
	SignatureValue = "signature"
	// SignedProperties: the properties of a XAdES signature are signed, and belong to this very signature.
	SignedProperties = "signed-properties"
	// SigningCertificate: the signature itself names the certificate, by its hash and its issuer.
	SigningCertificate = "signing-certificate"
	// Policy: the signature names an AD-RB policy, with the right hash, in force, and keeps to its algorithms.
	Policy = "policy"
	// ForbiddenAttributes: what the policy forbids is not there.
	ForbiddenAttributes = "forbidden-attributes"
	// KeyUsage: the certificate is for signatures.
	KeyUsage = "key-usage"
	// Validity: the certificate is valid at the given time.
	Validity = "validity"
	// Chain: the certificate leads to a trust anchor.
	Chain = "chain"
	// Revocation: nothing on the way to the anchor was revoked. Options say whom to ask; without them it is not checked.
	Revocation = "revocation"
	// Signer: the last signature of a PDF, or one of another file, is made with the certificate that was asked for.
	Signer = "signer"
	// Timestamp stands in place of the checks of a signature for a document time-stamp, which is not judged.
	Timestamp = "timestamp"
)

// Limits on a message and on what it costs to judge it. Real signatures stay far below.
const (
	maxCMS        = 1 << 20 // bytes; a signature with archived revocation lists has a few hundred thousand
	maxCerts      = 32      // in one message; a chain of ICP-Brasil has four
	maxAttributes = 64      // in one set
	maxRSABits    = 8192    // an RSA operation costs the square of this or more
	maxSignatures = 256     // in one file; so many signers, too
	maxBadChains  = 8       // in one file: a chain that ends nowhere can cost a hundred signature checks
)
