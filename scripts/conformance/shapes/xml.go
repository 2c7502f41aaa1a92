package shapes

import (
	"fmt"
	"strings"
	"unicode/utf16"

	"bulksigner/internal/fault"
	"bulksigner/scripts/conformance/corpus"
)

const declaration = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"

// wide is a text in UTF-16 with its mark.
func wide(text string, littleEndian bool) []byte {
	var out []byte
	for _, u := range utf16.Encode([]rune("\uFEFF" + text)) {
		high, low := byte(u>>8), byte(u)
		if littleEndian {
			high, low = low, high
		}
		out = append(out, high, low)
	}
	return out
}

// documents are sound XML documents of unusual shapes.
func documents() []File {
	order := declaration + "<pedido data=\"2026-11-29\">\n  <item n='1'>Lápis &amp; papel</item>\n  <item n='2'>Café ☕ 𝄞</item>\n</pedido>\n"
	inWide := strings.Replace(order, "UTF-8", "UTF-16", 1)
	return []File{
		sign("xml/plain.xml", []byte(order), "UTF-8, accents, a character beyond 16 bits"),
		sign("xml/bom-utf8.xml", []byte("\uFEFF"+order), "UTF-8 with byte-order mark"),
		sign("xml/utf16-little.xml", wide(inWide, true), "UTF-16, little-endian"),
		sign("xml/utf16-big.xml", wide(inWide, false), "UTF-16, big-endian"),
		sign("xml/eol-crlf.xml", []byte(strings.ReplaceAll(order, "\n", "\r\n")), "CRLF line ends, which are signed as LF"),
		sign("xml/eol-cr.xml", []byte(strings.ReplaceAll(order, "\n", "\r")), "CR line ends, which are signed as LF"),
		sign("xml/no-declaration.xml", []byte("<a>no declaration, no line end</a>"), "no XML declaration"),
		sign("xml/empty-root.xml", []byte("<a/>"), "the root is an empty-element tag, which must be opened"),
		sign("xml/empty-root-attributes.xml", []byte("<a b='1' c=\"2\" />\n"), "the same with attributes"),
		sign("xml/around-root.xml", []byte(declaration+"<!-- before --><?style none?>\n<a>x</a>\n<!-- after --><?end?>\n"),
			"comments and instructions around the root; instructions are signed, comments are not"),
		sign("xml/cdata.xml", []byte("<a><![CDATA[<b>&amp;]]]]><![CDATA[>]]></a>"), "CDATA sections"),
		sign("xml/references.xml", []byte("<a b=\"&quot;&#10;&#9;&#xD;'\">&#13;&lt;&gt;]]&gt;&#x1D11E;&apos;</a>"), "character references, also to CR, LF and tab"),
		sign("xml/attribute-blanks.xml", []byte("<a b=\" x\ty\nz  \" xml:space=\"preserve\">  </a>"), "blanks in an attribute are normalized"),
		sign("xml/namespace-default.xml", []byte("<a xmlns=\"urn:um\"><b xmlns=\"\"><c xmlns=\"urn:dois\"/></b></a>"), "default namespaces set and unset"),
		sign("xml/namespace-unused.xml", []byte("<p:a xmlns:p=\"urn:p\" xmlns:q=\"urn:q\" xmlns:r=\"urn:r\"><p:b q:c=\"1\"/></p:a>"), "prefixes that nothing uses"),
		sign("xml/namespace-redeclared.xml", []byte("<p:a xmlns:p=\"urn:1\"><p:b xmlns:p=\"urn:2\"><p:c/></p:b></p:a>"), "a prefix that changes its meaning"),
		sign("xml/namespace-signature-prefixes.xml", []byte("<ds:a xmlns:ds=\"urn:x\" xmlns:xades=\"urn:y\"><xades:b/></ds:a>"),
			"the prefixes of the signature mean something else"),
		sign("xml/xml-attributes.xml", []byte("<a xml:lang=\"pt-BR\" xml:base=\"urn:b\" xml:id=\"um\">x</a>"), "xml:lang, xml:base and xml:id"),
		sign("xml/identifiers.xml", []byte("<a Id=\"um\"><b ID=\"dois\"/><c id=\"três\"/></a>"), "three kinds of identifiers, all different"),
		sign("xml/deep.xml", []byte(strings.Repeat("<a>", 60)+"x"+strings.Repeat("</a>", 60)), "sixty elements in each other"),
		sign("xml/many.xml", []byte("<a>"+strings.Repeat("<b c=\"1\">x</b>\n", 3000)+"</a>"), "three thousand elements"),
	}
}

// invoice is shaped like an NF-e, with invented numbers.
const invoice = `<NFe xmlns="http://www.portalfiscal.inf.br/nfe"><infNFe Id="NFe35261111222333000181550010000000011000000017" versao="4.00">` +
	`<ide><cUF>35</cUF><natOp>VENDA DE TESTE</natOp><mod>55</mod><serie>1</serie><nNF>1</nNF></ide>` +
	`<emit><CNPJ>11222333000181</CNPJ><xNome>EMPRESA DE TESTE LTDA</xNome></emit>` +
	`<det nItem="1"><prod><xProd>Caneta "azul" &amp; tinta</xProd><vProd>10.00</vProd></prod></det></infNFe></NFe>`

// brazilian are documents in the shapes of the tax authorities, whose signature refers to an element.
func brazilian() []File {
	batch := `<enviNFe xmlns="http://www.portalfiscal.inf.br/nfe" versao="4.00"><idLote>1</idLote>` + strings.Replace(invoice, ` xmlns="http://www.portalfiscal.inf.br/nfe"`, "", 1) + `</enviNFe>`
	cte := `<CTe xmlns="http://www.portalfiscal.inf.br/cte"><infCte Id="CTe35261111222333000181570010000000011000000010" versao="4.00"><ide><cUF>35</cUF></ide></infCte></CTe>`
	event := `<evento xmlns="http://www.portalfiscal.inf.br/nfe" versao="1.00"><infEvento Id="ID1101113526111122233300018155001000000001100000001701"><cOrgao>91</cOrgao><tpEvento>110111</tpEvento></infEvento></evento>`
	service := declaration + `<DPS xmlns="http://www.sped.fazenda.gov.br/nfse" versao="1.00"><infDPS Id="DPS355030821122233300018100001000000000000001"><tpAmb>2</tpAmb><serie>1</serie></infDPS></DPS>`
	return []File{
		sign("xml/nfe.xml", []byte(invoice), "shaped like an NF-e, in one line, without declaration"),
		sign("xml/nfe-indented.xml", []byte(declaration+strings.ReplaceAll(invoice, "><", ">\r\n\t<")+"\r\n"), "the same with line ends and tabs"),
		sign("xml/nfe-batch.xml", []byte(batch), "an NF-e inside of a batch"),
		sign("xml/cte.xml", []byte(cte), "shaped like a CT-e"),
		sign("xml/event.xml", []byte(event), "shaped like an event of an NF-e"),
		sign("xml/dps.xml", []byte(service), "shaped like a DPS of the NFS-e"),
	}
}

// enveloped is a signature that covers all of its document but itself. Its values are invented.
const enveloped = `<Signature xmlns="http://www.w3.org/2000/09/xmldsig#"><SignedInfo>` +
	`<CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/><SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/>` +
	`<Reference URI=""><Transforms><Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/></Transforms>` +
	`<DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><DigestValue>AAAA</DigestValue></Reference></SignedInfo><SignatureValue>AAAA</SignatureValue></Signature>`

// unreadable are XML documents that must be refused.
func unreadable() []File {
	laughs := `<!DOCTYPE a [<!ENTITY l0 "ha">`
	for n := range 30 {
		laughs += fmt.Sprintf(`<!ENTITY l%d "&l%d;&l%d;">`, n+1, n, n)
	}
	return []File{
		refuse("xml/empty.xml", nil, fault.XMLMalformed, "no bytes"),
		refuse("xml/text.xml", []byte("no XML at all\n"), fault.XMLMalformed, "text under the name of XML"),
		refuse("xml/cut-off.xml", []byte("<a><b>"), fault.XMLMalformed, "the end is missing"),
		refuse("xml/two-roots.xml", []byte("<a/><b/>"), fault.XMLMalformed, "two roots"),
		refuse("xml/tags-crossed.xml", []byte("<a><b></a></b>"), fault.XMLMalformed, "tags do not match"),
		refuse("xml/attribute-twice.xml", []byte("<a b='1' b='2'/>"), fault.XMLMalformed, "an attribute comes twice"),
		refuse("xml/prefix-undeclared.xml", []byte("<a><p:b/></a>"), fault.XMLMalformed, "a prefix without a namespace"),
		refuse("xml/control-character.xml", []byte("<a>\x01</a>"), fault.XMLMalformed, "a character that XML does not have"),
		refuse("xml/utf8-broken.xml", []byte("<a>\xC3</a>"), fault.XMLMalformed, "half a character of UTF-8"),
		refuse("xml/latin1.xml", []byte("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>cafe</a>"), fault.XMLEncodingUnsupported, "it says ISO-8859-1"),
		{corpus.Entry{File: "xml/latin1-accents.xml", Verdict: corpus.Refuse, Note: "it says ISO-8859-1, and its bytes are no UTF-8: two codes would fit"},
			[]byte("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>caf\xE9</a>")},
		refuse("xml/doctype.xml", []byte("<!DOCTYPE a [<!ATTLIST a b CDATA \"1\">]><a/>"), fault.XMLDoctype, "an attribute that only the DOCTYPE gives"),
		refuse("xml/doctype-external.xml", []byte("<!DOCTYPE a SYSTEM \"file:///etc/hostname\"><a/>"), fault.XMLDoctype, "nothing is fetched"),
		refuse("xml/doctype-bomb.xml", []byte(laughs+"]><a>&l30;</a>"), fault.XMLDoctype, "entities that double thirty times"),
		refuse("xml/identifier-twice.xml", []byte("<a><b Id=\"x\"/><c Id=\"x\"/></a>"), fault.XMLDuplicateID, "two elements with one identifier"),
		refuse("xml/identifier-twice-mixed.xml", []byte("<a Id=\"x\"><b xml:id=\"x\"/></a>"), fault.XMLDuplicateID, "the same with Id and xml:id"),
		refuse("xml/signed-whole.xml", []byte("<a>x"+enveloped+"</a>"), fault.XMLSigned, "signed as a whole: one more signature would break the first"),
		refuse("xml/too-deep.xml", []byte(strings.Repeat("<a>", 3000)+strings.Repeat("</a>", 3000)), fault.XMLTooDeep, "three thousand elements in each other"),
	}
}
