package xades_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/xades"
)

func TestDocumentsRefused(t *testing.T) {
	t.Parallel()
	large := append([]byte("<a>"), bytes.Repeat([]byte("b"), xades.MaxDocument)...)
	tests := []struct {
		name, doc, element string
		want               fault.Code
		says               string
	}{
		{"no document", "", "", fault.XMLMalformed, "no root"},
		{"no XML", "%PDF-1.7", "", fault.XMLMalformed, "no root"},
		{"too large", string(large), "", fault.XMLTooLarge, "5242880 are allowed"},
		{"document type", "<!DOCTYPE a SYSTEM 'http://169.254.169.254/'><a/>", "", fault.XMLDoctype, "document type"},
		{"Latin-1", "<?xml version='1.0' encoding='iso-8859-1'?><a>\xE9</a>", "", fault.XMLMalformed, "UTF-8"},
		{"Latin-1 without accents", "<?xml version='1.0' encoding='iso-8859-1'?><a/>", "", fault.XMLEncodingUnsupported, "iso-8859-1"},
		{"Id twice", "<a><b Id='x'/>\n<c Id='x'/></a>", "", fault.XMLDuplicateID, "in line 2"},
		{"Id and ID", "<a Id='x'><c ID='x'/></a>", "", fault.XMLDuplicateID, "twice"},
		{"id and xml:id", "<a id='x'><c xml:id='x'/></a>", "", fault.XMLDuplicateID, "twice"},
		{"ID and id of one element", "<a ID='x' id='x'/>", "", fault.XMLDuplicateID, "twice"},
		{"written differently", "<a Id='x'><c Id='&#x78;'/></a>", "", fault.XMLDuplicateID, "twice"},
		{"xml:id that is no name", "<a xml:id=' x '/>", "", fault.XMLMalformed, "xml:id"},
		{"no such element", "<a><b Id='x'/></a>", "c", fault.XMLElementNotFound, "no element c"},
		{"another case", "<a><B Id='x'/></a>", "b", fault.XMLElementNotFound, "no element b"},
		{"element without Id", "<a><b/></a>", "b", fault.XMLElementNotFound, "no element b"},
		{"element with an empty Id", "<a><b Id=''/></a>", "b", fault.XMLElementNotFound, "no element b"},
		{"Id in a namespace", "<a xmlns:p='urn:p'><b p:Id='x'/></a>", "b", fault.XMLElementNotFound, "no element b"},
		{"two elements", "<a><b Id='x'/><b Id='y'/></a>", "b", fault.XMLElementNotFound, "2 elements b"},
		{"a second one without Id", "<a><b Id='x'/><b/></a>", "b", fault.XMLElementNotFound, "only one of them"},
		{"Id with a blank", "<a><b Id='x y'/></a>", "b", fault.XMLElementNotFound, "reference"},
		{"Id with a quote", "<a><b Id=\"x'\"/></a>", "b", fault.XMLElementNotFound, "reference"},
		{"Id with an accent", "<a><b Id='é'/></a>", "b", fault.XMLElementNotFound, "reference"},
		{"too deep", strings.Repeat("<a>", 257) + strings.Repeat("</a>", 257), "", fault.XMLTooDeep, "256"},
		{"too deep with the signature", strings.Repeat("<a>", 247) + "<b Id='x'/>" + strings.Repeat("</a>", 247), "b", fault.XMLTooDeep, "with the signature"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := sign(t, []byte(tt.doc), world.ECDSA, func(o *xades.Options) { o.Element = tt.element })
			if !errors.Is(err, tt.want) || !strings.Contains(fault.DetailOf(err), tt.says) {
				t.Errorf("Prepare = %v, want %s saying %q", err, tt.want, tt.says)
			}
		})
	}
}
