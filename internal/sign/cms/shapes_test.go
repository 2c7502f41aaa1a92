package cms_test

import (
	"bytes"
	"crypto"
	"encoding/asn1"
	"testing"

	"bulksigner/internal/sign/cms"
)

// read takes a message apart with the shapes alone.
func read(t testing.TB, message []byte) (cms.ContentInfo, cms.SignedData) {
	t.Helper()
	var outer cms.ContentInfo
	mustUnmarshal(t, message, &outer)
	var inner cms.SignedData
	mustUnmarshal(t, outer.Content.Bytes, &inner)
	return outer, inner
}

func mustUnmarshal(t testing.TB, der []byte, into any) {
	t.Helper()
	if rest, err := asn1.Unmarshal(der, into); err != nil || len(rest) != 0 {
		t.Fatalf("read %T: %v, %d bytes left", into, err, len(rest))
	}
}

// attributes splits signed attributes, in the order in which they stand.
func attributes(t testing.TB, info cms.SignerInfo) []cms.Attribute {
	t.Helper()
	var out []cms.Attribute
	for rest := info.SignedAttrs.Bytes; len(rest) > 0; {
		var a cms.Attribute
		var err error
		if rest, err = asn1.Unmarshal(rest, &a); err != nil {
			t.Fatal(err)
		}
		out = append(out, a)
	}
	return out
}

// TestShapesRoundTrip holds that what the shapes read they write again to the byte, so that one signature can be added
// to a message of somebody else without harm to the others.
func TestShapesRoundTrip(t *testing.T) {
	t.Parallel()
	s, err := cms.New(params(t, world.RSA, crypto.SHA256))
	if err != nil {
		t.Fatal(err)
	}
	message, err := s.Detached(world.RSA.Key, make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	_, sd := read(t, message)
	sd.EncapContentInfo.Content = asn1.RawValue{Class: asn1.ClassContextSpecific, IsCompound: true, Bytes: []byte{4, 2, 'h', 'i'}}
	sd.SignerInfos[0].UnsignedAttrs = asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 1, IsCompound: true, Bytes: []byte{0x30, 0}}
	sd.CRLs = []asn1.RawValue{{FullBytes: []byte{0x30, 0}}}
	first, err := cms.Encode(sd)
	if err != nil {
		t.Fatal(err)
	}
	_, again := read(t, first)
	second, err := cms.Encode(again)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Errorf("a message read and written again differs:\n%x\n%x", first, second)
	}
	if got := again.EncapContentInfo.Content.Bytes; !bytes.Equal(got, []byte{4, 2, 'h', 'i'}) {
		t.Errorf("the content reads %x", got)
	}
}

func TestHashByOID(t *testing.T) {
	t.Parallel()
	if h, ok := cms.HashByOID(cms.OIDSHA512); !ok || h != crypto.SHA512 {
		t.Errorf("HashByOID = %v, %t, want SHA-512", h, ok)
	}
	if _, ok := cms.HashByOID(cms.OIDData); ok {
		t.Error("HashByOID knows a digest that is none")
	}
}
