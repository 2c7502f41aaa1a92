//go:build pkcs11

package pkcs11

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/x509"
	"encoding/asn1"
	"encoding/hex"
	"slices"

	"bulksigner/internal/fault"
)

// stored is a certificate on the token.
type stored struct {
	*x509.Certificate
	id []byte // what its private key is called too
}

// certificates reads those of the token. What cannot be parsed is left out, unless it is the one that is looked for:
// tokens have certificates of all kinds of people.
func certificates(m cryptoki, handle uint, thumbprint string) (all []stored, err error) {
	objects, err := m.Find(handle, classCertificate, attribute{})
	if err != nil {
		return nil, err
	}
	for _, o := range objects {
		der, err := optional(m, handle, o, attributeValue)
		if err != nil {
			return nil, err
		}
		c, err := x509.ParseCertificate(der)
		if err != nil && thumbprintOf(der) == thumbprint {
			return nil, fault.Wrap(fault.CertificateInvalid, err, "the certificate on the token cannot be read")
		}
		if err != nil {
			continue
		}
		id, err := optional(m, handle, o, attributeID)
		if err != nil {
			return nil, err
		}
		all = append(all, stored{c, id})
	}
	return all, nil
}

// optional reads an attribute that an object may not have, may keep to itself, or may have larger than is sensible. It is
// empty then.
func optional(m cryptoki, handle, object, kind uint) ([]byte, error) {
	v, err := m.Attribute(handle, object, kind)
	if isOneOf(err, []result{attributeTypeInvalid, attributeSensitive, bufferTooSmall}) {
		return nil, nil
	}
	return v, err
}

// thumbprintOf names a certificate as Windows and the product's settings do. Nothing is secured by it.
func thumbprintOf(der []byte) string {
	sum := sha1.Sum(der)
	return hex.EncodeToString(sum[:])
}

// pick finds the certificate among those of the token, or takes the one that was given. Given ones need not be on the
// token: their key is found by what it is.
func pick(all []stored, given *x509.Certificate, thumbprint string) (stored, error) {
	if given != nil && thumbprint != "" && thumbprintOf(given.Raw) != thumbprint {
		return stored{}, fault.New(fault.CertificateMismatch, "the certificate is not the one that the thumbprint names")
	}
	if given != nil {
		thumbprint = thumbprintOf(given.Raw)
	}
	i := slices.IndexFunc(all, func(c stored) bool { return thumbprintOf(c.Raw) == thumbprint })
	switch {
	case i >= 0:
		return all[i], nil
	case given != nil:
		return stored{given, nil}, nil
	}
	return stored{}, fault.New(fault.CertificateMissing, "no certificate on the token has the thumbprint %s", thumbprint)
}

// identity is how a private key is recognized.
type identity struct {
	id    []byte   // CKA_ID, or empty
	kind  uint     // the attribute that tells the public key
	forms [][]byte // values that it may have
}

// identify says how the key of a certificate looks on a token. The modulus tells RSA keys apart. The standard has an EC
// point in an OCTET STRING, and some tokens have it bare.
func identify(c stored) (identity, error) {
	switch k := c.PublicKey.(type) {
	case *rsa.PublicKey:
		return identity{c.id, attributeModulus, [][]byte{k.N.Bytes()}}, nil
	case *ecdsa.PublicKey:
		point, err := k.Bytes()
		if err != nil {
			return identity{}, fault.Wrap(fault.KeyUnsupported, err, "the certificate's key is no point of its curve")
		}
		wrapped, err := asn1.Marshal(point)
		return identity{c.id, attributeECPoint, [][]byte{wrapped, point}}, err
	}
	return identity{}, fault.New(fault.KeyUnsupported, "the certificate's key is neither RSA nor ECDSA")
}

// find returns the private key with the identity. Others may have the same CKA_ID, and may be no copies of it.
func (i identity) find(m cryptoki, handle uint) (uint, error) {
	candidates, err := i.candidates(m, handle)
	if err != nil {
		return 0, err
	}
	untold := false
	for _, key := range candidates {
		values, err := public(m, handle, key, i.kind)
		if err != nil {
			return 0, err
		}
		if len(values) > 0 && !slices.ContainsFunc(values, i.isNot) {
			return key, nil
		}
		untold = untold || len(values) == 0
	}
	switch {
	case len(candidates) == 0:
		return 0, fault.New(fault.KeyNotFound, "the token has no private key for the certificate")
	case untold:
		return 0, fault.New(fault.KeyUnsupported, "the token does not tell the key's public part, so that it cannot be compared with the certificate")
	}
	return 0, fault.New(fault.CertificateMismatch, "the private key on the token is not the certificate's")
}

func (i identity) isNot(value []byte) bool {
	if i.kind == attributeModulus {
		value = bytes.TrimLeft(value, "\x00")
	}
	return !slices.ContainsFunc(i.forms, func(f []byte) bool { return bytes.Equal(f, value) })
}

// candidates are private keys with the CKA_ID, or else those that the token finds by the public key.
func (i identity) candidates(m cryptoki, handle uint) ([]uint, error) {
	if len(i.id) > 0 {
		found, err := m.Find(handle, classPrivateKey, attribute{attributeID, i.id})
		if err != nil || len(found) > 0 {
			return found, err
		}
	}
	var all []uint
	for _, form := range i.forms {
		for _, class := range []uint{classPrivateKey, classPublicKey} {
			found, err := m.Find(handle, class, attribute{i.kind, form})
			if err == nil && class == classPublicKey {
				found, err = partners(m, handle, found, classPrivateKey)
			}
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
	}
	return all, nil
}

// public returns what the token tells of a private key's public part: by itself, or else by the public keys of the same
// CKA_ID. Where several pairs share one, nobody knows which of these is meant; they all have to fit then.
func public(m cryptoki, handle, key, kind uint) (values [][]byte, err error) {
	own, err := optional(m, handle, key, kind)
	if err != nil {
		return nil, err
	}
	if len(own) > 0 {
		return [][]byte{own}, nil
	}
	others, err := partners(m, handle, []uint{key}, classPublicKey)
	if err != nil {
		return nil, err
	}
	for _, o := range others {
		v, err := optional(m, handle, o, kind)
		if err != nil {
			return nil, err
		}
		if len(v) > 0 {
			values = append(values, v)
		}
	}
	return values, nil
}

// partners are the objects of a class that share their CKA_ID with some others.
func partners(m cryptoki, handle uint, of []uint, class uint) (all []uint, err error) {
	for _, o := range of {
		id, err := optional(m, handle, o, attributeID)
		if err != nil {
			return nil, err
		}
		if len(id) == 0 {
			continue
		}
		found, err := m.Find(handle, class, attribute{attributeID, id})
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}
