package cms

import (
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
)

// ContentInfo is the outermost shape of every CMS message (RFC 5652, section 3).
type ContentInfo struct {
	ContentType asn1.ObjectIdentifier
	Content     asn1.RawValue `asn1:"optional,explicit,tag:0"` // after reading, its Bytes are what the tag encloses
}

// SignedData holds content, or leaves it outside, and any number of signatures over it (RFC 5652, section 5.1).
type SignedData struct {
	Version          int
	DigestAlgorithms []pkix.AlgorithmIdentifier `asn1:"set"`
	EncapContentInfo EncapsulatedContentInfo
	Certificates     []asn1.RawValue `asn1:"optional,set,tag:0"` // mostly certificates; other choices carry a context tag
	CRLs             []asn1.RawValue `asn1:"optional,set,tag:1"`
	SignerInfos      []SignerInfo    `asn1:"set"`
}

// EncapsulatedContentInfo names the type of what is signed and holds it, unless the signature is detached (RFC 5652,
// section 5.2).
type EncapsulatedContentInfo struct {
	ContentType asn1.ObjectIdentifier
	Content     asn1.RawValue `asn1:"optional,explicit,tag:0"` // absent when detached; its Bytes are an OCTET STRING
}

// SignerInfo is one signature (RFC 5652, section 5.3).
//
// What is hashed for the signature is SignedAttrs with its first byte replaced by TagSet.
type SignerInfo struct {
	Version            int
	SID                asn1.RawValue // IssuerAndSerial in version 1, a key identifier under the context tag 0 in version 3
	DigestAlgorithm    pkix.AlgorithmIdentifier
	SignedAttrs        asn1.RawValue `asn1:"optional,tag:0"` // its Bytes are a run of Attribute
	SignatureAlgorithm pkix.AlgorithmIdentifier
	Signature          []byte
	UnsignedAttrs      asn1.RawValue `asn1:"optional,tag:1"` // its Bytes are a run of Attribute
}

// TagSet is the identifier octet of a SET OF, under which signed attributes are hashed.
const TagSet = 0x31

// Attribute is a type and its values (RFC 5652, section 5.3).
type Attribute struct {
	Type   asn1.ObjectIdentifier
	Values []asn1.RawValue `asn1:"set"`
}

// IssuerAndSerial names a certificate (RFC 5652, section 10.2.4). The issuer is kept as it was encoded.
type IssuerAndSerial struct {
	Issuer asn1.RawValue
	Serial *big.Int
}

// SigningCertificateV2 is the value of the attribute that binds a signature to its certificate (RFC 5035, section 3).
type SigningCertificateV2 struct {
	Certs    []ESSCertIDv2   // the first is the signer's
	Policies []asn1.RawValue `asn1:"optional"`
}

// ESSCertIDv2 is the digest of a certificate (RFC 5035, section 4). An absent algorithm means SHA-256.
type ESSCertIDv2 struct {
	HashAlgorithm pkix.AlgorithmIdentifier `asn1:"optional"`
	CertHash      []byte
	IssuerSerial  IssuerSerial `asn1:"optional"`
}

// IssuerSerial names a certificate by its issuer's general names, of which there must be one directoryName, and its
// serial number (RFC 5035, section 5).
type IssuerSerial struct {
	Issuer []asn1.RawValue
	Serial *big.Int
}

// SignaturePolicyID is the explicit choice of the signature policy attribute (RFC 5126, section 5.8.1).
type SignaturePolicyID struct {
	ID         asn1.ObjectIdentifier
	Hash       PolicyHash
	Qualifiers []PolicyQualifier `asn1:"optional"`
}

// PolicyHash is the digest of a signature policy, with its algorithm.
type PolicyHash struct {
	Algorithm pkix.AlgorithmIdentifier
	Value     []byte
}

// PolicyQualifier adds to a policy identifier. Under OIDPolicyURI its value is the policy's address, an IA5String.
type PolicyQualifier struct {
	ID    asn1.ObjectIdentifier
	Value asn1.RawValue `asn1:"optional"`
}
