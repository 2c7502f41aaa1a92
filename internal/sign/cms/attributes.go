package cms

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"slices"
)

// attributes returns the DER SET OF of the signed attributes for a content digest: what is hashed and signed.
//
// They are the four that AD-RB demands and no other. signingTime in particular is forbidden in PAdES.
func (s *Signer) attributes(digest []byte) ([]byte, error) {
	md, err := attribute(OIDMessageDigest, digest)
	if err != nil {
		return nil, err
	}
	all := append(slices.Clone(s.constant), md)
	slices.SortFunc(all, bytes.Compare) // DER orders a SET OF by encoding; verifiers refuse any other order
	set, err := asn1.Marshal(asn1.RawValue{Tag: asn1.TagSet, IsCompound: true, Bytes: bytes.Join(all, nil)})
	if err != nil {
		return nil, fmt.Errorf("encode signed attributes: %w", err)
	}
	return set, nil
}

// constantAttributes encodes contentType, signingCertificateV2 and the signature policy.
func constantAttributes(p Params) ([][]byte, error) {
	cert, err := signingCertificate(p.Certificate)
	if err != nil {
		return nil, err
	}
	values := []struct {
		oid   asn1.ObjectIdentifier
		value any
	}{
		{OIDContentType, OIDData},
		{OIDSigningCertificateV2, cert},
		{OIDSignaturePolicy, policyID(p)},
	}
	var out [][]byte
	for _, v := range values {
		a, err := attribute(v.oid, v.value)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

func attribute(oid asn1.ObjectIdentifier, value any) ([]byte, error) {
	v, err := asn1.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("encode attribute %s: %w", oid, err)
	}
	a, err := asn1.Marshal(Attribute{Type: oid, Values: []asn1.RawValue{{FullBytes: v}}})
	if err != nil {
		return nil, fmt.Errorf("encode attribute %s: %w", oid, err)
	}
	return a, nil
}

// signingCertificate always uses SHA-256, so that the algorithm is left out as ICP-Brasil asks. The issuer is copied as
// the certificate has it: text encoded anew would name somebody else.
func signingCertificate(c *x509.Certificate) (SigningCertificateV2, error) {
	const directoryName = 4
	name, err := asn1.Marshal(asn1.RawValue{
		Class: asn1.ClassContextSpecific, Tag: directoryName, IsCompound: true, Bytes: c.RawIssuer,
	})
	if err != nil {
		return SigningCertificateV2{}, fmt.Errorf("encode issuer: %w", err)
	}
	hash := sha256.Sum256(c.Raw)
	return SigningCertificateV2{Certs: []ESSCertIDv2{{
		CertHash:     hash[:],
		IssuerSerial: IssuerSerial{Issuer: []asn1.RawValue{{FullBytes: name}}, Serial: c.SerialNumber},
	}}}, nil
}

// policyID names the policy by its own hash, which is SHA-256 whatever the signature uses. The policy hash algorithm
// has no parameters, and there is exactly one qualifier.
func policyID(p Params) SignaturePolicyID {
	return SignaturePolicyID{
		ID:   p.Policy.OID,
		Hash: PolicyHash{Algorithm: pkix.AlgorithmIdentifier{Algorithm: OIDSHA256}, Value: p.Policy.Hash},
		Qualifiers: []PolicyQualifier{{
			ID:    OIDPolicyURI,
			Value: asn1.RawValue{Tag: asn1.TagIA5String, Bytes: []byte(p.Policy.URI)},
		}},
	}
}

func issuerAndSerial(c *x509.Certificate) (asn1.RawValue, error) {
	sid, err := asn1.Marshal(IssuerAndSerial{Issuer: asn1.RawValue{FullBytes: c.RawIssuer}, Serial: c.SerialNumber})
	if err != nil {
		return asn1.RawValue{}, fmt.Errorf("encode issuer and serial number: %w", err)
	}
	return asn1.RawValue{FullBytes: sid}, nil
}
