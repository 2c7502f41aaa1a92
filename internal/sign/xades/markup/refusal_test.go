package markup_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"bulksigner/internal/fault"
)

func TestRefused(t *testing.T) {
	t.Parallel()
	xmlns := "http://www.w3.org/2000/xmlns/"
	tests := []struct {
		name, doc string
		want      fault.Code
		says      string
	}{
		{"nothing", "", fault.XMLMalformed, "no root"},
		{"white space", " \n ", fault.XMLMalformed, "no root element, in line 2"},
		{"text", "hello", fault.XMLMalformed, "no root"},
		{"two roots", "<a/>\r\n<b/>", fault.XMLMalformed, "after the root element, in line 2"},
		{"text afterwards", "<a/>b", fault.XMLMalformed, "after the root"},
		{"reference afterwards", "<a/>&#32;", fault.XMLMalformed, "after the root"},
		{"not closed", "<a><b></b>", fault.XMLMalformed, "ends within"},
		{"not closed after text", "<a>b", fault.XMLMalformed, "ends within"},
		{"closed by another", "<a></b>", fault.XMLMalformed, "does not fit"},
		{"closed by a longer one", "<a></ab>", fault.XMLMalformed, "does not fit"},
		{"closed by another prefix", `<p:a xmlns:p="urn:x" xmlns:q="urn:x"></q:a>`, fault.XMLMalformed, "does not fit"},
		{"crossed", "<a><b></a></b>", fault.XMLMalformed, "does not fit"},
		{"tag not ended", "<a", fault.XMLMalformed, "start tag"},
		{"tag not ended after a slash", "<a/", fault.XMLMalformed, "start tag"},
		{"slash and blank", "<a/ >", fault.XMLMalformed, "start tag"},
		{"blank before a name", "< a/>", fault.XMLMalformed, "name"},
		{"digit before a name", "<1a/>", fault.XMLMalformed, "name"},
		{"attribute without value", "<a b/>", fault.XMLMalformed, "no value"},
		{"attribute without quotes", "<a b=c/>", fault.XMLMalformed, "quotes"},
		{"attribute not ended", `<a b="c/>`, fault.XMLMalformed, "no end"},
		{"attributes without blank", `<a b="1"c="2"/>`, fault.XMLMalformed, "start tag"},
		{"attribute twice", `<a b="1" b="1"/>`, fault.XMLMalformed, "twice"},
		{"attribute twice by other prefixes", `<a xmlns:p="urn:x" xmlns:q="urn:x" p:b="1" q:b="2"/>`, fault.XMLMalformed, "twice"},
		{"tag in an attribute", `<a b="<"/>`, fault.XMLMalformed, "<"},
		{"section end in text", `<a>]]></a>`, fault.XMLMalformed, "]]>"},
		{"section outside", `<![CDATA[]]><a/>`, fault.XMLMalformed, "name"},
		{"section not ended", `<a><![CDATA[</a>`, fault.XMLMalformed, "no end"},
		{"comment not ended", "<!-- <a/>", fault.XMLMalformed, "no end"},
		{"comment with a dash too many", "<a><!-- --- --></a>", fault.XMLMalformed, "--"},
		{"comment that ends with a dash", "<a><!-- ---></a>", fault.XMLMalformed, "--"},
		{"instruction not ended", "<a><?b></a>", fault.XMLMalformed, "no end"},
		{"instruction without name", "<a><? b?></a>", fault.XMLMalformed, "name"},
		{"instruction with a colon", "<a><?b:c d?></a>", fault.XMLMalformed, "name of an instruction"},
		{"instruction named XML", "<?XML version='1.0'?><a/>", fault.XMLMalformed, "reserved"},
		{"late declaration", " <?xml version='1.0'?><a/>", fault.XMLMalformed, "reserved"},
		{"second declaration", "<?xml version='1.0'?><?xml version='1.0'?><a/>", fault.XMLMalformed, "reserved"},
		{"declaration without version", "<?xml encoding='UTF-8'?><a/>", fault.XMLMalformed, "version"},
		{"declaration in the wrong order", "<?xml version='1.0' standalone='yes' encoding='UTF-8'?><a/>", fault.XMLMalformed, "damaged"},
		{"declaration not ended", "<?xml version='1.0'>", fault.XMLMalformed, "damaged"},
		{"declaration without blank", "<?xml version='1.0'encoding='UTF-8'?><a/>", fault.XMLMalformed, "damaged"},
		{"XML 1.1", "<?xml version='1.1'?><a/>", fault.XMLMalformed, "version"},
		{"empty version", "<?xml version=''?><a/>", fault.XMLMalformed, "empty"},
		{"standalone maybe", "<?xml version='1.0' standalone='maybe'?><a/>", fault.XMLMalformed, "standalone"},
		{"entity", "<a>&b;</a>", fault.XMLMalformed, "not declared"},
		{"entity in an attribute", "<a b='&c;'/>", fault.XMLMalformed, "not declared"},
		{"ampersand", "<a>b & c</a>", fault.XMLMalformed, "no end"},
		{"ampersand in an attribute", "<a b='c & d'>;</a>", fault.XMLMalformed, "no end"},
		{"reference to nothing", "<a>&#;</a>", fault.XMLMalformed, "no character"},
		{"reference to NUL", "<a>&#0;</a>", fault.XMLMalformed, "no character"},
		{"reference to a control character", "<a>&#8;</a>", fault.XMLMalformed, "no character"},
		{"reference to half a character", "<a>&#xD800;</a>", fault.XMLMalformed, "no character"},
		{"reference beyond the end", "<a>&#x110000;</a>", fault.XMLMalformed, "no character"},
		{"reference that runs over", "<a>&#x100000041;</a>", fault.XMLMalformed, "no character"},
		{"reference with a letter", "<a>&#1a;</a>", fault.XMLMalformed, "no number"},
		{"reference with a large X", "<a>&#X41;</a>", fault.XMLMalformed, "no number"},
		{"NUL", "<a>\x00</a>", fault.XMLMalformed, "U+0000"},
		{"control character", "<a>\x1B</a>", fault.XMLMalformed, "U+001B"},
		{"U+FFFE", "<a>\uFFFE</a>", fault.XMLMalformed, "U+FFFE"},
		{"Latin-1 that says nothing", "<a>\n\xE9</a>", fault.XMLMalformed, "not valid UTF-8, in line 2"},
		{"surrogate in UTF-8", "<a>\xED\xA0\x80</a>", fault.XMLMalformed, "not valid UTF-8"},
		{"overlong UTF-8", "<a>\xC0\xBC</a>", fault.XMLMalformed, "not valid UTF-8"},
		{"half a character", "\xFF\xFE<\x00a\x00>\x00\x00\xD8<\x00/\x00a\x00>\x00", fault.XMLMalformed, "half"},
		{"half a character at the end", "\xFF\xFE<\x00\x00\xD8", fault.XMLMalformed, "half"},
		{"odd number of bytes", "\xFF\xFE<\x00a", fault.XMLMalformed, "odd"},
		{"prefix of an element", "<p:a/>", fault.XMLMalformed, "element is not declared"},
		{"prefix of an attribute", "<a p:b=''/>", fault.XMLMalformed, "attribute is not declared"},
		{"prefix out of scope", "<a><b xmlns:p='urn:x'/><p:c/></a>", fault.XMLMalformed, "not declared"},
		{"prefix xmlns", "<xmlns:a/>", fault.XMLMalformed, "not declared"},
		{"two colons", "<a:b:c xmlns:a='urn:x'/>", fault.XMLMalformed, "not declared"},
		{"two colons in an attribute", "<a xmlns:a='urn:x' a:b:c=''/>", fault.XMLMalformed, "no value"},
		{"colon at the beginning", "<:a/>", fault.XMLMalformed, "name"},
		{"colon at the end", "<a: xmlns:a='urn:x'/>", fault.XMLMalformed, "name"},
		{"colon and digit", "<a:1 xmlns:a='urn:x'/>", fault.XMLMalformed, "name"},
		{"prefix taken back", "<a xmlns:p=''/>", fault.XMLMalformed, "taken back"},
		{"prefix declared twice", "<a xmlns:p='urn:x' xmlns:p='urn:x'/>", fault.XMLMalformed, "twice"},
		{"default declared twice", "<a xmlns='urn:x' xmlns='urn:y'/>", fault.XMLMalformed, "twice"},
		{"xml means something else", "<a xmlns:xml='urn:x'/>", fault.XMLMalformed, "reserved"},
		{"xml by another name", "<a xmlns:p='http://www.w3.org/XML/1998/namespace'/>", fault.XMLMalformed, "reserved"},
		{"xml by default", "<a xmlns='http://www.w3.org/XML/1998/namespace'/>", fault.XMLMalformed, "reserved"},
		{"xmlns by another name", "<a xmlns:p='" + xmlns + "'/>", fault.XMLMalformed, "reserved"},
		{"xmlns declared", "<a xmlns:xmlns='" + xmlns + "'/>", fault.XMLMalformed, "xmlns is declared"},
		{"relative namespace", "<a xmlns:p='x/y'/>", fault.XMLMalformed, "absolute"},
		{"namespace with a blank", "<a xmlns='urn:x y'/>", fault.XMLMalformed, "absolute"},
		{"namespace with an accent", "<a xmlns='urn:é'/>", fault.XMLMalformed, "absolute"},
		{"namespace with an ampersand", "<a xmlns='urn:x?a&amp;b'/>", fault.XMLMalformed, "&"},
		{"namespace with half an escape", "<a xmlns='urn:%4'/>", fault.XMLMalformed, "absolute"},
		{"namespace with two fragments", "<a xmlns='urn:a#b#c'/>", fault.XMLMalformed, "absolute"},
		{"document type", "<!DOCTYPE a><a/>", fault.XMLDoctype, "document type"},
		{"document type later", "<?xml version='1.0'?>\n<!-- --><!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>", fault.XMLDoctype, "in line 2"},
		{"document type inside", "<a><!DOCTYPE a></a>", fault.XMLMalformed, "name"},
		{"entity declaration inside", "<a><!ENTITY b 'c'></a>", fault.XMLMalformed, "name"},
		{"Latin-1", "<?xml version='1.0' encoding='ISO-8859-1'?><a/>", fault.XMLEncodingUnsupported, "ISO-8859-1"},
		{"says UTF-16 and is not", "<?xml version='1.0' encoding='UTF-16'?><a/>", fault.XMLEncodingUnsupported, "UTF-16"},
		{"says UTF-16 after a mark of UTF-8", "\xEF\xBB\xBF<?xml version='1.0' encoding='UTF-16'?><a/>", fault.XMLEncodingUnsupported, "UTF-16"},
		{"UTF-16 without mark", "<\x00a\x00/\x00>\x00", fault.XMLEncodingUnsupported, "mark"},
		{"UTF-16 without mark, big end first", "\x00<\x00a\x00/\x00>", fault.XMLEncodingUnsupported, "mark"},
		{"UTF-32", "\xFF\xFE\x00\x00<\x00\x00\x00", fault.XMLEncodingUnsupported, "mark"},
		{"UTF-32, big end first", "\x00\x00\xFE\xFF\x00\x00\x00<", fault.XMLEncodingUnsupported, "mark"},
		{"EBCDIC", "\x4C\x6F\xA7\x94\x93", fault.XMLEncodingUnsupported, "mark"},
		{"too deep", strings.Repeat("<a>", 257), fault.XMLTooDeep, "deeper than 256"},
		{"too many attributes", "<a" + many(" a%d=''", 257) + "/>", fault.XMLTooLarge, "256 attributes"},
		{"too many namespaces", nested(5, 250), fault.XMLTooLarge, "1024 namespaces"},
		{"long name", "<" + strings.Repeat("a", 1001) + "/>", fault.XMLTooLarge, "1000 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := canonical([]byte(tt.doc))
			if !errors.Is(err, tt.want) || !strings.Contains(fault.DetailOf(err), tt.says) {
				t.Errorf("got %.100q, %v, want %s saying %q", got, err, tt.want, tt.says)
			}
		})
	}
}

func TestLimitsAreReached(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, doc string }{
		{"depth", strings.Repeat("<a>", 256) + strings.Repeat("</a>", 256)},
		{"attributes", "<a" + many(" a%d=''", 256) + "/>"},
		{"namespaces", nested(4, 256) + "</a></a></a></a>"},
		{"name", "<" + strings.Repeat("a", 1000) + "/>"},
		{"siblings do not add up", "<a>" + many("<a xmlns:p%d='urn:x'/>", 3000) + "</a>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := canonical([]byte(tt.doc)); err != nil {
				t.Error(err)
			}
		})
	}
}

// many writes something n times, with a number in it.
func many(format string, n int) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, format, i)
	}
	return out.String()
}

// nested opens elements one in the other, each with so many namespaces.
func nested(depth, namespaces int) string {
	var out strings.Builder
	for d := range depth {
		out.WriteString("<a" + many(fmt.Sprintf(" xmlns:p%d.%%d='urn:x'", d), namespaces) + ">")
	}
	return out.String()
}
