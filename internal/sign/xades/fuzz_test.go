package xades_test

import (
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/xades"
)

// FuzzPrepare looks for documents that make Prepare panic, be refused without a code, or lose a byte when signed.
func FuzzPrepare(f *testing.F) {
	for _, s := range []string{
		"<a/>", invoice, "\xEF\xBB\xBF<?xml version='1.0'?><a Id='b'>\r\n</a>", "\xFF\xFE<\x00a\x00/\x00>\x00",
		"<!DOCTYPE a><a/>", "<a Id='x'><b Id='x'/></a>",
		`<a><b Id="x"/><Signature xmlns="http://www.w3.org/2000/09/xmldsig#"><SignedInfo><Reference URI="#x"><Transforms>` +
			`<Transform Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"><XPath>not(ancestor-or-self::p:Signature)</XPath>` +
			`</Transform></Transforms></Reference></SignedInfo></Signature></a>`,
	} {
		f.Add([]byte(s), "")
		f.Add([]byte(s), "b")
	}
	o := options(f, world.ECDSA)
	f.Fuzz(func(t *testing.T, doc []byte, element string) {
		o := o
		o.Element = element
		d, err := xades.Prepare(doc, o)
		if err != nil {
			if fault.CodeOf(err) == fault.Internal {
				t.Fatalf("%v has no code", err)
			}
			return
		}
		signed, err := d.Sign(world.ECDSA.Key)
		if err != nil {
			t.Fatal(err)
		}
		checkInserted(t, doc, signed)
		// The result is a document again, and one that is protected now if it is covered as a whole.
		if _, err := xades.Prepare(signed, o); element == "" && fault.CodeOf(err) != fault.XMLSigned {
			t.Fatalf("Prepare of the signed document = %v, want %s", err, fault.XMLSigned)
		}
	})
}
