package revocation

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"golang.org/x/crypto/ocsp"
)

// nonceSize is what RFC 9654 asks for, and what older responders take.
const nonceSize = 32

var (
	oidSHA1    = asn1.ObjectIdentifier{1, 3, 14, 3, 2, 26}
	oidNonce   = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 2}
	oidNoCheck = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 5}
)

// certID is how OCSP names a certificate.
type certID struct {
	Algorithm         pkix.AlgorithmIdentifier
	NameHash, KeyHash []byte
	Serial            *big.Int
}

// sameAs reports whether both name the same certificate, with the same hash.
func (c certID) sameAs(o certID) bool {
	return bytes.Equal(c.NameHash, o.NameHash) && bytes.Equal(c.KeyHash, o.KeyHash) && c.Serial.Cmp(o.Serial) == 0
}

// newCertID names a certificate by hashes of its issuer's name and key and by its serial number.
func newCertID(h crypto.Hash, p pair) (certID, error) {
	var key struct {
		Algorithm pkix.AlgorithmIdentifier
		Bits      asn1.BitString
	}
	if _, err := asn1.Unmarshal(p.issuer.RawSubjectPublicKeyInfo, &key); err != nil {
		return certID{}, fmt.Errorf("read the issuer's key: %w", err)
	}
	return certID{
		NameHash: digest(h, p.issuer.RawSubject),
		KeyHash:  digest(h, key.Bits.RightAlign()),
		Serial:   p.certificate.SerialNumber,
	}, nil
}

func digest(h crypto.Hash, data []byte) []byte {
	d := h.New()
	d.Write(data)
	return d.Sum(nil)
}

// request is an OCSP request: the ocsp package makes them as well, but without a nonce.
type request struct {
	Body struct {
		List       []struct{ ID certID }
		Extensions []pkix.Extension `asn1:"explicit,tag:2"`
	}
}

// newRequest encodes the question about a certificate. SHA-1 only names the issuer here, and every responder knows it.
func newRequest(p pair, nonce []byte) ([]byte, error) {
	id, err := newCertID(crypto.SHA1, p)
	if err != nil {
		return nil, err
	}
	id.Algorithm = pkix.AlgorithmIdentifier{Algorithm: oidSHA1, Parameters: asn1.NullRawValue}
	value, err := asn1.Marshal(nonce)
	if err != nil {
		return nil, fmt.Errorf("encode the nonce: %w", err)
	}
	var r request
	r.Body.List = []struct{ ID certID }{{id}}
	r.Body.Extensions = []pkix.Extension{{Id: oidNonce, Value: value}}
	der, err := asn1.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode the OCSP request: %w", err)
	}
	return der, nil
}

// content is the signed part of an answer, as far as the ocsp package does not show it.
type content struct {
	Version    int `asn1:"optional,default:0,explicit,tag:0"`
	Responder  asn1.RawValue
	Produced   asn1.RawValue
	List       []struct{ ID certID } // what follows in an element is the package's
	Extensions []pkix.Extension      `asn1:"optional,explicit,tag:1"`
}

// matches reports whether an answer belongs to the question. The ocsp package goes by the serial number alone, which
// another authority may have given, too.
func matches(r *ocsp.Response, p pair, nonce []byte) error {
	var body content
	if rest, err := asn1.Unmarshal(r.TBSResponseData, &body); err != nil || len(rest) > 0 {
		return errors.Join(errors.New("the OCSP answer is malformed"), err)
	}
	want, err := newCertID(r.IssuerHash, p)
	if err != nil {
		return err
	}
	same := func(e struct{ ID certID }) bool { return e.ID.Serial.Cmp(want.Serial) == 0 }
	i := slices.IndexFunc(body.List, same)
	if i < 0 || !body.List[i].ID.sameAs(want) || slices.ContainsFunc(body.List[i+1:], same) {
		return errors.New("the OCSP answer is about another certificate, or about several with one number")
	}
	return checkExtensions(body.Extensions, nonce)
}

// checkExtensions compares the nonce. Responders that sign in advance leave it out; then the times have to do.
func checkExtensions(list []pkix.Extension, nonce []byte) error {
	for _, e := range list {
		if !e.Id.Equal(oidNonce) {
			if e.Critical {
				return fmt.Errorf("the OCSP answer has an unknown critical extension %s", e.Id)
			}
			continue
		}
		var got []byte
		rest, err := asn1.Unmarshal(e.Value, &got)
		if err != nil || len(rest) > 0 || !bytes.Equal(got, nonce) {
			return errors.New("the OCSP answer has the nonce of another question")
		}
	}
	return nil
}

func hasNoCheck(c *x509.Certificate) bool {
	return slices.ContainsFunc(c.Extensions, func(e pkix.Extension) bool { return e.Id.Equal(oidNoCheck) })
}
