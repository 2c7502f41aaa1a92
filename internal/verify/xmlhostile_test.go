package verify_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/verify"
)

// TestHostileXML: each ends in an error with a code.
func TestHostileXML(t *testing.T) {
	t.Parallel()
	many := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, " a%d=''", i)
		}
		return b.String()
	}
	tests := []struct {
		name, document string
		want           error
	}{
		{"empty", "", fault.XMLMalformed},
		{"blank", " \n", fault.XMLMalformed},
		{"text", "text", fault.XMLMalformed},
		{"byte-order mark alone", "\uFEFF", fault.XMLMalformed},
		{"too large", strings.Repeat(" ", 6<<20) + "<r/>", fault.XMLTooLarge},
		{"DOCTYPE", "<!DOCTYPE r><r/>", fault.XMLDoctype},
		{"DOCTYPE with an entity", `<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>`, fault.XMLDoctype},
		{"DOCTYPE within", "<r><!DOCTYPE r></r>", fault.XMLDoctype},
		{"other declaration", "<!ENTITY x 'y'><r/>", fault.XMLMalformed},
		{"unknown entity", "<r>&x;</r>", fault.XMLMalformed},
		{"unknown entity in an attribute", "<r a='&nbsp;'/>", fault.XMLMalformed},
		{"ampersand alone", "<r>a & b</r>", fault.XMLMalformed},
		{"reference to nothing", "<r>&#0;</r>", fault.XMLMalformed},
		{"reference to a surrogate", "<r>&#xD800;</r>", fault.XMLMalformed},
		{"reference to too much", "<r>&#x110000;</r>", fault.XMLMalformed},
		{"reference with a huge number", "<r>&#99999999999;</r>", fault.XMLMalformed},
		{"reference with a capital X", "<r>&#X41;</r>", fault.XMLMalformed},
		{"reference with a letter", "<r>&#1a;</r>", fault.XMLMalformed},
		{"reference without a number", "<r>&#;</r>", fault.XMLMalformed},
		{"control character", "<r>\x01</r>", fault.XMLMalformed},
		{"no character", "<r>\uFFFF</r>", fault.XMLMalformed},
		{"bad UTF-8", "<r>\xE3</r>", fault.XMLMalformed},
		{"overlong UTF-8", "<r>\xC0\xBC</r>", fault.XMLMalformed},
		{"surrogate in UTF-8", "<r>\xED\xA0\x80</r>", fault.XMLMalformed},
		{"odd UTF-16", "\xFF\xFE<\x00r", fault.XMLMalformed},
		{"half a character of UTF-16", "\xFF\xFE<\x00r\x00>\x00\x00\xD8<\x00/\x00r\x00>\x00", fault.XMLMalformed},
		{"half a character at the end", "\xFF\xFE<\x00\x00\xD8", fault.XMLMalformed},
		{"UTF-16 that declares UTF-8", "\xFE\xFF\x00" + strings.Join(strings.Split(`<?xml version="1.0" encoding="UTF-8"?><r/>`, ""), "\x00"), fault.XMLEncodingUnsupported},
		{"UTF-16 without a mark", `<?xml version="1.0" encoding="UTF-16"?><r/>`, fault.XMLEncodingUnsupported},
		{"mark of UTF-8 and Latin-1", "\uFEFF<?xml version='1.0' encoding='ISO-8859-1'?><r/>", fault.XMLEncodingUnsupported},
		{"encoding of Windows", `<?xml version="1.0" encoding="windows-1252"?><r/>`, fault.XMLEncodingUnsupported},
		{"Latin-1 with a byte of Windows", "<?xml version='1.0' encoding='ISO-8859-1'?><r>\x80</r>", fault.XMLMalformed},
		{"ASCII that is none", "<?xml version='1.0' encoding='US-ASCII'?><r>ã</r>", fault.XMLMalformed},
		{"XML 1.1", `<?xml version="1.1"?><r/>`, fault.XMLMalformed},
		{"declaration without version", `<?xml encoding="UTF-8"?><r/>`, fault.XMLMalformed},
		{"declaration that comes late", ` <?xml version="1.0"?><r/>`, fault.XMLMalformed},
		{"instruction named like it", "<r><?XmL a?></r>", fault.XMLMalformed},
		{"instruction without a name", "<r><? a?></r>", fault.XMLMalformed},
		{"instruction with a colon", "<r><?a:b c?></r>", fault.XMLMalformed},
		{"instruction without end", "<r><?a", fault.XMLMalformed},
		{"instruction that is too short", "<r><?></r>", fault.XMLMalformed},
		{"comment with hyphens", "<r><!-- -- --></r>", fault.XMLMalformed},
		{"comment that is too short", "<r><!--></r>", fault.XMLMalformed},
		{"comment without end", "<r><!-- ", fault.XMLMalformed},
		{"CDATA without end", "<r><![CDATA[ ", fault.XMLMalformed},
		{"CDATA outside", "<r/><![CDATA[]]>", fault.XMLMalformed},
		{"end of CDATA in text", "<r>]]></r>", fault.XMLMalformed},
		{"two roots", "<r/><r/>", fault.XMLMalformed},
		{"text after the root", "<r/>x", fault.XMLMalformed},
		{"root without end", "<r>", fault.XMLMalformed},
		{"end without beginning", "</r>", fault.XMLMalformed},
		{"ends crossed", "<r><a><b></a></b></r>", fault.XMLMalformed},
		{"end of a longer name", "<r></rr>", fault.XMLMalformed},
		{"end without end", "<r></r", fault.XMLMalformed},
		{"end with an attribute", "<r></r a=''>", fault.XMLMalformed},
		{"tag without end", "<r", fault.XMLMalformed},
		{"bad name", "<1/>", fault.XMLMalformed},
		{"name with two colons", "<a:b:c xmlns:a='urn:a'/>", fault.XMLMalformed},
		{"name with an empty part", "<a: xmlns:a='urn:a'/>", fault.XMLMalformed},
		{"attribute without value", "<r a/>", fault.XMLMalformed},
		{"attribute without quotes", "<r a=1/>", fault.XMLMalformed},
		{"attribute without end", "<r a='", fault.XMLMalformed},
		{"attribute without name", "<r =''/>", fault.XMLMalformed},
		{"attributes without a blank", "<r a=''b=''/>", fault.XMLMalformed},
		{"angle bracket in an attribute", "<r a='<'/>", fault.XMLMalformed},
		{"attribute twice", "<r a='' a=''/>", fault.XMLMalformed},
		{"attribute twice by namespace", "<r xmlns:a='urn:x' xmlns:b='urn:x' a:c='' b:c=''/>", fault.XMLMalformed},
		{"declaration twice", "<r xmlns:a='urn:x' xmlns:a='urn:y'/>", fault.XMLMalformed},
		{"prefix of nothing", "<a:r/>", fault.XMLMalformed},
		{"prefix of nothing on an attribute", "<r a:b=''/>", fault.XMLMalformed},
		{"prefix out of its scope", "<r><a xmlns:p='urn:p'/><p:b/></r>", fault.XMLMalformed},
		{"prefix taken back", "<r xmlns:a='urn:a'><b xmlns:a=''/></r>", fault.XMLMalformed},
		{"prefix xmlns declared", "<r xmlns:xmlns='urn:a'/>", fault.XMLMalformed},
		{"prefix xml declared as something else", "<r xmlns:xml='urn:a'/>", fault.XMLMalformed},
		{"namespace of xml under another prefix", "<r xmlns:a='http://www.w3.org/XML/1998/namespace'/>", fault.XMLMalformed},
		{"namespace of xmlns", "<r xmlns='http://www.w3.org/2000/xmlns/'/>", fault.XMLMalformed},
		{"too deep", strings.Repeat("<a>", 300) + strings.Repeat("</a>", 300), fault.XMLTooDeep},
		{"too many attributes", "<r" + many(257) + "/>", fault.XMLTooLarge},
		{"too long a name", "<" + strings.Repeat("a", 2000) + "/>", fault.XMLTooLarge},
		{"too long a name of an attribute", "<r " + strings.Repeat("a", 2000) + "=''/>", fault.XMLTooLarge},
		{"identifier twice", "<r><a Id='x'/><b Id='x'/></r>", fault.XMLDuplicateID},
		{"identifier twice under other names", "<r><a ID='x'/><b id='x'/></r>", fault.XMLDuplicateID},
		{"identifier twice, of xml", "<r><a xml:id='x'/><b Id='&#x78;'/></r>", fault.XMLDuplicateID},
		{"too many signatures", "<r>" + strings.Repeat("<Signature xmlns='http://www.w3.org/2000/09/xmldsig#'/>", 300) + "</r>", fault.XMLMalformed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := verify.XML([]byte(tt.document), verify.Options{}); !errors.Is(err, tt.want) {
				t.Errorf("XML = %v, want %v", err, tt.want)
			}
		})
	}
}

// TestUnusualXML reads what is unusual and allowed.
func TestUnusualXML(t *testing.T) {
	t.Parallel()
	for _, document := range []string{
		"<?xml version = '1.0'\tencoding=\"utf-8\"\r\n standalone='no' ?>\n<r/>",
		"<?xml-stylesheet href='a'?><r/>",
		"<r a='1' b = \"2\"\n/>", "<r></r\n>", "<r>></r>", "<r>]]]&gt;</r>", "<r a='>]]>'/>",
		"<!-- - --><r><!----><?a?><![CDATA[]]]]><![CDATA[>]]></r>\n",
		"<r xmlns:xml='http://www.w3.org/XML/1998/namespace' xml:id='a' Id='a'/>",
		"<_.-·x/>", "<r>&#x10FFFF;&#00000009;</r>", strings.Repeat("<a>", 256) + strings.Repeat("</a>", 256),
		"<r a:b='' b='' xmlns:a='urn:a' xmlns=\"urn:a\"/>",
	} {
		if r, err := verify.XML([]byte(document), verify.Options{}); err != nil || len(r.Signatures) != 0 || r.Err() == nil {
			t.Errorf("XML(%.60q) = %+v, %v, want an empty report", document, r, err)
		}
	}
}

// TestWorkOnXMLIsBounded: signatures that each sign a large document many times are not all followed.
func TestWorkOnXMLIsBounded(t *testing.T) {
	t.Parallel()
	m := lightXML(t)
	m.transforms = xpath("http://www.w3.org/2000/09/xmldsig#", "not(ancestor-or-self::s:Signature)")
	m.plain = true
	m.info = func(s string) string {
		from, to := strings.Index(s, "<ds:Reference"), strings.Index(s, "</ds:Reference>")+len("</ds:Reference>")
		return s[:from] + strings.Repeat(s[from:to], 60) + s[to:]
	}
	signature := strings.ReplaceAll(m.sign(t, "x"), ` Id="`, ` X="`)
	document := "<r>" + strings.Repeat(signature, 40) + strings.Repeat("<a/><!---->", 100_000) + "</r>"
	r := judgeXML(t, document, verify.Options{At: now})
	last := r.Signatures[len(r.Signatures)-1].Check(verify.MessageDigest)
	if first := r.Signatures[0].Check(verify.MessageDigest); first.Outcome != verify.Failed || last.Outcome != verify.NotChecked {
		t.Errorf("the first is %+v, the last %+v, want the last not to be tried", first, last)
	}
}

// TestNamesInText compares the issuer as it is written in text.
func TestNamesInText(t *testing.T) {
	t.Parallel()
	p := cast(t)
	const known = "the signature names another certificate, by its issuer"
	const unknown = "by its hash and its number; the issuer's name is written in a way that is not known here"
	issuer := p.maria.Issuer.String()
	tests := []struct{ name, text, want string }{
		{"as it is", issuer, ""},
		{"in lower case, with blanks", strings.ReplaceAll(strings.ToLower(issuer), ",", " ,  "), ""},
		{"with semicolons", strings.ReplaceAll(issuer, ",", ";"), ""},
		{"in quotes", strings.ReplaceAll(strings.ReplaceAll(issuer, "=", `="`), ",", `",`) + `"`, ""},
		{"by numbers", strings.ReplaceAll(strings.ReplaceAll(issuer, "CN=", "2.5.4.3="), "C=BR", "OID.2.5.4.6=BR"), ""},
		{"escaped", strings.ReplaceAll(issuer, "A", `\41`), ""},
		{"escaped by itself", strings.ReplaceAll(issuer, "O=", `O=\`), ""},
		{"encoded", strings.ReplaceAll(issuer, "C=BR", "C=#13024252"), ""},
		{"more", issuer + ",OU=X", known},
		{"less", "C=BR", known},
		{"unfinished", issuer + ",", unknown},
		{"unfinished escape", issuer + `\`, unknown},
		{"unfinished quotes", issuer + `"`, unknown},
		{"unknown kind", issuer + ",X-Y=1", unknown},
		{"no kind", "AC", unknown},
		{"nothing", " ", unknown},
		{"bad encoding", "C=#xx", unknown},
		{"encoding of nothing", "C=#", unknown},
		{"very many", strings.Repeat("C=BR,", 100) + "C=BR", unknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := p.goodXML()
			m.issuer = strings.ReplaceAll(tt.text, `"`, "&quot;")
			m.props = func(s string) string { return strings.ReplaceAll(s, "&quot;", `"`) }
			s := judgeXML(t, signedXML(t, m), p.strict()).Signatures[0]
			if got := s.Check(verify.SigningCertificate); got.Detail != tt.want || (got.Outcome == verify.Passed) != (tt.want != known) {
				t.Errorf("%q: %+v, want %q", tt.text, got, tt.want)
			}
		})
	}
}
