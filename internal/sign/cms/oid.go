package cms

import (
	"crypto"
	"encoding/asn1"
)

// Content types.
var (
	OIDData       = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 1}
	OIDSignedData = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 2}
	OIDTSTInfo    = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 1, 4}
)

// Attributes, signed and unsigned, and the qualifier of a policy.
var (
	OIDContentType          = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 3}
	OIDMessageDigest        = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 4}
	OIDSigningTime          = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 5}
	OIDCounterSignature     = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 6}
	OIDSigningCertificate   = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 12}
	OIDTimeStampToken       = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 14}
	OIDSignaturePolicy      = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 15}
	OIDSignerLocation       = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 17}
	OIDSigningCertificateV2 = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 47}
	OIDPolicyURI            = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 5, 1}
	OIDRevocationArchival   = asn1.ObjectIdentifier{1, 2, 840, 113583, 1, 1, 8}
)

// Digest and signature algorithms.
var (
	OIDSHA1            = asn1.ObjectIdentifier{1, 3, 14, 3, 2, 26}
	OIDSHA256          = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 1}
	OIDSHA384          = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 2}
	OIDSHA512          = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 3}
	OIDRSA             = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 1}
	OIDRSAPSS          = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 10}
	OIDSHA256WithRSA   = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 11}
	OIDSHA384WithRSA   = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 12}
	OIDSHA512WithRSA   = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 13}
	OIDECDSAWithSHA256 = asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, 2}
	OIDECDSAWithSHA384 = asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, 3}
	OIDECDSAWithSHA512 = asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, 4}
)

// digestOIDs are the digests that this package knows by name, whether or not AD-RB allows them.
var digestOIDs = map[crypto.Hash]asn1.ObjectIdentifier{
	crypto.SHA1: OIDSHA1, crypto.SHA256: OIDSHA256, crypto.SHA384: OIDSHA384, crypto.SHA512: OIDSHA512,
}

// HashByOID finds a digest algorithm.
func HashByOID(oid asn1.ObjectIdentifier) (crypto.Hash, bool) {
	for h, o := range digestOIDs {
		if o.Equal(oid) {
			return h, true
		}
	}
	return 0, false
}
