package xades_test

import (
	"errors"
	"strings"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/xades"
)

// TestEarlierSignatures is about which references leave room for one more signature.
func TestEarlierSignatures(t *testing.T) {
	t.Parallel()
	const (
		enveloped = `<t Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/><t Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/>`
		xpath     = `<t Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"><XPath xmlns:p="http://www.w3.org/2000/09/xmldsig#" xmlns:q="urn:q">`
		filter2   = `<t Algorithm="http://www.w3.org/2002/06/xmldsig-filter2"><XPath xmlns="http://www.w3.org/2002/06/xmldsig-filter2" xmlns:p="http://www.w3.org/2000/09/xmldsig#" Filter="`
		end       = `</XPath></t>`
		xslt      = `<t Algorithm="http://www.w3.org/TR/1999/REC-xslt-19991116"/>`
	)
	tests := []struct {
		name, attributes, transforms string
		element                      string // to be signed, if not the document
		refused                      bool
	}{
		{"whole document", `URI=""`, enveloped, "", true},
		{"whole document, and an element now", `URI=""`, enveloped, "b", true},
		{"whole document by a pointer", `URI="#xpointer(/)"`, enveloped, "", true},
		{"nobody knows what", ``, "", "", true},
		{"an empty fragment", `URI="#"`, "", "", true},
		{"another file", `URI="http://teste.invalid/a.xml"`, "", "", false},
		{"another file, transformed", `URI="a.xml"`, xslt, "", false},
		{"all but signatures", `URI=""`, xpath + "not(ancestor-or-self::p:Signature)" + end, "", false},
		{"all but signatures, with blanks", `URI=""`, xpath + "\n not( ancestor-or-self :: p:Signature )\n" + end, "", false},
		{"all but signatures, in two pieces", `URI=""`, xpath + "not(ancestor<!-- -->-or-self::p:<![CDATA[Signature)]]>" + end, "", false},
		{"all but signatures, and canonical", `URI=""`, enveloped + xpath + "not(ancestor-or-self::p:Signature)" + end, "", false},
		{"all but something else", `URI=""`, xpath + "not(ancestor-or-self::q:Signature)" + end, "", true},
		{"all but something undeclared", `URI=""`, xpath + "not(ancestor-or-self::r:Signature)" + end, "", true},
		{"all but some signatures", `URI=""`, xpath + "not(ancestor-or-self::p:Signature[@Id='x'])" + end, "", true},
		{"all but signatures, then another XPath", `URI=""`, xpath + "not(ancestor-or-self::p:Signature)" + end + xpath + "count(//*)=7" + end, "", true},
		{"all but signatures, then a transformation", `URI=""`, xpath + "not(ancestor-or-self::p:Signature)" + end + xslt, "", true},
		{"signatures subtracted", `URI=""`, filter2 + `subtract">/descendant::p:Signature` + end, "", false},
		{"signatures subtracted in short", `URI=""`, filter2 + `subtract">//p:Signature` + end, "", false},
		{"nothing but signatures", `URI=""`, filter2 + `intersect">//p:Signature` + end, "", true},
		{"one signature subtracted", `URI=""`, filter2 + `subtract">//p:Signature[1]` + end, "", true},
		{"an element, and the document now", `URI="#B"`, enveloped, "", false},
		{"an element, and another one now", `URI="#B"`, enveloped, "d", false},
		{"an element beside it, by a pointer", `URI="#xpointer(id('B'))"`, enveloped, "", false},
		{"the same element", `URI="#B"`, enveloped, "b", false},
		{"the root by its Id", `URI="#A"`, enveloped, "", true},
		{"the root by a pointer", `URI="#xpointer(id(&quot;A&quot;))"`, enveloped, "", true},
		{"the root by its Id, without signatures", `URI="#A"`, xpath + "not(ancestor-or-self::p:Signature)" + end, "", false},
		{"what is around the place", `URI="#C"`, enveloped, "d", true},
		{"beside the place", `URI="#B"`, enveloped, "d", false},
		{"an element that is not there", `URI="#Z"`, enveloped, "", true},
		{"a pointer that is not understood", `URI="#xpointer(//b)"`, enveloped, "", true},
		{"an element with a transformation", `URI="#B"`, xslt, "", true},
		{"a reference in a reference", `URI="#B"`, `<Reference URI=""/>`, "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			transforms := strings.NewReplacer("<t ", "<Transform ", "</t>", "</Transform>").Replace(tt.transforms)
			doc := `<a Id="A"><b Id="B"/><c Id="C"><d Id="D"/></c><Signature xmlns="http://www.w3.org/2000/09/xmldsig#"><SignedInfo><Reference ` +
				tt.attributes + `><Transforms>` + transforms + `</Transforms></Reference></SignedInfo></Signature></a>`
			// Where the signature stands, before or behind what is signed, must not matter.
			early := strings.Replace(doc, `<b Id="B"/>`, "", 1)
			early = strings.Replace(early, "</a>", `<b Id="B"/></a>`, 1)
			for _, doc := range []string{doc, early} {
				_, err := sign(t, []byte(doc), world.ECDSA, func(o *xades.Options) { o.Element = tt.element })
				if got := errors.Is(err, fault.XMLSigned); got != tt.refused || !got && err != nil {
					t.Errorf("Prepare = %v, want it refused: %t", err, tt.refused)
				}
			}
		})
	}
}

func TestNoSignatureInsideOfAnother(t *testing.T) {
	t.Parallel()
	const signature = `<Signature xmlns="http://www.w3.org/2000/09/xmldsig#">`
	tests := []struct {
		name, doc, element string
		refused            bool
	}{
		{"the document is a signature", signature + `<SignedInfo/></Signature>`, "", true},
		{"a part of a signature", signature + `<KeyInfo Id="k"/></Signature>`, "KeyInfo", true},
		{"what a signature holds", signature + `<Object><a xmlns="" Id="x"/></Object></Signature>`, "a", false},
		{"something of that name", `<Signature Id="x"><a/></Signature>`, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := sign(t, []byte(tt.doc), world.ECDSA, func(o *xades.Options) { o.Element = tt.element })
			if got := errors.Is(err, fault.XMLSigned); got != tt.refused || !got && err != nil {
				t.Errorf("Prepare = %v, want it refused: %t", err, tt.refused)
			}
		})
	}
}

// TestSeveralSigners signs three elements of a document one after the other, by different people, and then nothing more.
func TestSeveralSigners(t *testing.T) {
	t.Parallel()
	doc := []byte("<Lote>\n<NFe><infNFe Id='A'>1</infNFe></NFe>\n<NFe><infNFe Id='B'>2</infNFe></NFe>\n</Lote>")
	doc = must(t, doc, world.RSA, func(o *xades.Options) { o.ID = "A" })
	doc = must(t, doc, world.ECDSA, func(o *xades.Options) { o.ID = "B" })
	doc = must(t, doc, world.RSA, func(o *xades.Options) { o.ID = "B" })
	doc = must(t, doc, world.RSA, nil)
	for _, place := range []string{"(//*[local-name()='Signature'])[1]", "(//*[local-name()='Signature'])[2]",
		"(//*[local-name()='Signature'])[3]", "(//*[local-name()='Signature'])[4]"} {
		if out, ok := xmlsecAt(t, doc, place, world.RootFile(), "Id infNFe"); !ok {
			t.Errorf("%s is not valid:\n%s", place, out)
		}
	}
	checkJava(t, file(t, doc))
	if _, err := sign(t, doc, world.RSA, nil); !errors.Is(err, fault.XMLSigned) {
		t.Errorf("Prepare of a document that is signed as a whole = %v, want %s", err, fault.XMLSigned)
	}
	if _, err := sign(t, doc, world.RSA, func(o *xades.Options) { o.ID = "A" }); !errors.Is(err, fault.XMLSigned) {
		t.Errorf("Prepare of an element of it = %v, want %s", err, fault.XMLSigned)
	}
}
