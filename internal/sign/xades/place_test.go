package xades_test

import (
	"regexp"
	"strings"
	"testing"

	"bulksigner/internal/sign/xades"
)

func TestPlaces(t *testing.T) {
	t.Parallel()
	element := func(name string) func(*xades.Options) { return func(o *xades.Options) { o.Element = name } }
	byID := func(id string) func(*xades.Options) { return func(o *xades.Options) { o.ID = id } }
	const sheet = `<Lote xmlns="urn:nfe"><NFe><infNFe Id="A"/> </NFe><NFe><infNFe id="B"/><Assinatura/></NFe></Lote>`
	tests := []struct {
		name, doc string
		change    func(*xades.Options)
		want      string // [] is the signature
		uri       string
	}{
		{"document", invoice, nil, strings.Replace(invoice, "</NFe>", "[]</NFe>", 1), ""},
		{"NF-e", invoice, element("infNFe"), strings.Replace(invoice, "</NFe>", "[]</NFe>", 1), "#NFe35"},
		{"root is one tag", "<a/>", nil, "<a>[]</a>", ""},
		{"root is one tag with a blank", "\n<p:a xmlns:p='urn:x' />\n", nil, "\n<p:a xmlns:p='urn:x' >[]</p:a>\n", ""},
		{"root by its Id", "<a Id='x'><b/></a>", element("a"), "<a Id='x'><b/>[]</a>", "#x"},
		{"root that is one tag by its Id", "<a Id='x'/>", element("a"), "<a Id='x'>[]</a>", "#x"},
		{"blank in the end tag", "<a>b</a\n>", nil, "<a>b[]</a\n>", ""},
		{"ID", "<a><b ID='x'/></a>", element("b"), "<a><b ID='x'/>[]</a>", "#x"},
		{"id", "<a><b id='x'/></a>", element("b"), "<a><b id='x'/>[]</a>", "#x"},
		{"xml:id", "<a><b xml:id='x'/></a>", element("b"), "<a><b xml:id='x'/>[]</a>", "#x"},
		{"Id before others", "<a><b id='y' xml:id='z' Id='x'/></a>", element("b"), "<a><b id='y' xml:id='z' Id='x'/>[]</a>", "#x"},
		{"one of several", sheet, byID("A"), strings.Replace(sheet, " </NFe>", " []</NFe>", 1), "#A"},
		{"another one of several", sheet, func(o *xades.Options) { o.Element, o.ID = "infNFe", "B" },
			strings.Replace(sheet, "<Assinatura/>", "<Assinatura/>[]", 1), "#B"},
		{"by a prefix of its own", "<p:a xmlns:p='urn:x'><p:b Id='x'/></p:a>", element("b"), "<p:a xmlns:p='urn:x'><p:b Id='x'/>[]</p:a>", "#x"},
		{"around it all", "<?xml version='1.0'?>\r\n<!--é--><a>\r</a>\r\n<?b?>", nil, "<?xml version='1.0'?>\r\n<!--é--><a>\r[]</a>\r\n<?b?>", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			signed := string(must(t, []byte(tt.doc), world.ECDSA, tt.change))
			if got := signaturePattern.ReplaceAllString(signed, "[]"); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
			if m := uriPattern.FindStringSubmatch(signed); m[1] != tt.uri {
				t.Errorf("the reference is to %q, want %q", m[1], tt.uri)
			}
			checkXMLSec(t, []byte(signed), "Id infNFe", "id infNFe", "Id a", "ID b", "id b", "Id b")
		})
	}
}

var (
	signaturePattern = regexp.MustCompile(`<ds:Signature .*</ds:Signature>`)
	uriPattern       = regexp.MustCompile(`URI="([^"]*)"><ds:Transforms><ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"`)
	identifier       = regexp.MustCompile(` Id="([^"]*)"`)
)

// TestOddDocuments asks xmlsec1 and Java about all that makes canonical form hard.
func TestOddDocuments(t *testing.T) {
	t.Parallel()
	docs := []string{
		"<a>\r\nb\rc&#13;d&#xD;\n</a>",
		"<a b='\t\r\n&#9;&#10;&#13;\"&lt;>'/>",
		"<a><![CDATA[<&>\r\n]]>]]&gt;</a>",
		"<ds:a xmlns:ds='urn:not-a-signature'><xades xmlns='http://www.w3.org/2000/09/xmldsig'/></ds:a>",
		"<a xmlns='urn:x'><b xmlns=''><c xmlns='urn:y' xmlns:p='urn:p' p:z='1' y='2'/></b></a>",
		"<a xml:lang='pt' xml:space='preserve'> <b xml:base='http://teste.invalid/'/> </a>",
		"<a>&#x1F600;é&amp;&lt;&gt;&quot;&apos;</a>",
		"<?p a\r\nb?><a><?q?><!-- c --></a><!-- d -->\n<?r?>",
		"\xEF\xBB\xBF<a>ç</a>",
		"\xFF\xFE" + wide("<a>ç€😀</a>", 0),
		"\xFF\xFE" + wide("<?xml version='1.0' encoding='utf-16le'?><a/>", 0),
		"<?xml-stylesheet href='a.xsl'?><a/>",
		"\xFE\xFF" + wide("<?xml version='1.0' encoding='UTF-16'?><a b='ç'/>", 1),
		strings.Repeat("<a>", 256) + strings.Repeat("</a>", 256),
		strings.Repeat("<a>", 246) + "<b Id='x'>" + "</b>" + strings.Repeat("</a>", 246),
	}
	files := make([]string, len(docs))
	for i, doc := range docs {
		signed := must(t, []byte(doc), world.ECDSA, func(o *xades.Options) {
			if strings.Contains(doc, "Id=") {
				o.Element = "b"
			}
		})
		files[i] = file(t, signed)
		checkXMLSec(t, signed, "Id b")
	}
	checkJava(t, files...)
}

// wide is ASCII, Latin-1 and more in UTF-16. high is where the upper byte of a pair stands.
func wide(s string, high int) string {
	var out strings.Builder
	for _, r := range s {
		units := []rune{r}
		if r > 0xFFFF {
			units = []rune{0xD800 + (r-0x10000)>>10, 0xDC00 + (r-0x10000)&0x3FF}
		}
		for _, u := range units {
			pair := []byte{byte(u), byte(u >> 8)}
			out.Write([]byte{pair[high], pair[1-high]})
		}
	}
	return out.String()
}
