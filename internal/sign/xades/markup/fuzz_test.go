package markup_test

import (
	"testing"

	"bulksigner/internal/sign/xades/markup"
)

// FuzzCanonical looks for documents that make reading panic, whose bytes do not come back, or whose canonical form is not
// its own canonical form.
func FuzzCanonical(f *testing.F) {
	for _, s := range []string{
		"<a/>", "\xEF\xBB\xBF<?xml version='1.0' encoding='UTF-8'?><!--c--><?p d?><a xmlns='urn:x' b='&#13;'>&amp;<![CDATA[]]></a>",
		"\xFF\xFE<\x00a\x00/\x00>\x00", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", `<p:a xmlns:p="urn:x" p:b="c" xml:id="d"/>`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		source, err := markup.Decode(doc)
		if err != nil {
			return
		}
		if got := source.Encode(source.Text); source.Parse(&failing{n: 1 << 30}) == nil && string(got) != string(doc) {
			t.Fatalf("the bytes %q came back as %q", doc, got)
		}
		form, err := canonical(doc)
		if err != nil {
			return
		}
		if again, err := canonical([]byte(form)); err != nil || again != form {
			t.Fatalf("the canonical form of %q is %q, and of that %q, %v", doc, form, again, err)
		}
	})
}
