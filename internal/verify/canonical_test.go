package verify_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"bulksigner/internal/verify"
)

// TestCanonicalForms compares with forms that were written by hand after the recommendations.
func TestCanonicalForms(t *testing.T) {
	t.Parallel()
	const inner = `<r xmlns="urn:d" xmlns:a="urn:a" xmlns:b="urn:b" xml:lang="pt"><b:e Id="x" a:k="1"><f xmlns=""/></b:e></r>`
	tests := []struct {
		name                string
		document            string
		id                  string
		exclusive, comments bool
		inclusive           []string
		want                string
	}{
		{name: "instructions and comments around the root", document: "<?xml version='1.0'?>\n<!-- a --><?p  q ?>\n<r/> <!-- b -->\n<?z?>\n",
			want: "<?p q ?>\n<r></r>\n<?z?>"},
		{name: "with comments", document: "<!-- a --><r><!-- c --></r><!-- b -->", comments: true,
			want: "<!-- a -->\n<r><!-- c --></r>\n<!-- b -->"},
		{name: "attributes in order", document: `<r b:z="1" a:y='2' z="3" x="4" xmlns:a="urn:z" xmlns:b="urn:a"/>`,
			want: `<r xmlns:a="urn:z" xmlns:b="urn:a" x="4" z="3" b:z="1" a:y="2"></r>`},
		{name: "characters of text", document: "<r>&lt;&gt;&amp;&quot;&apos;&#13;&#10;&#xe3;\r\n\r<![CDATA[<&>\r\n]]></r>",
			want: "<r>&lt;&gt;&amp;\"'&#xD;\nã\n\n&lt;&amp;&gt;\n</r>"},
		{name: "characters of attributes", document: "<r a='&lt;>&amp;\"&apos;&#13;&#10;&#9;\r\n\t\n\r'/>",
			want: "<r a=\"&lt;>&amp;&quot;'&#xD;&#xA;&#x9;    \"></r>"},
		{name: "namespaces said again are left out", document: `<r xmlns="urn:d" xmlns:a="urn:a"><c xmlns="urn:d" xmlns:a="urn:a"/><d xmlns=""/></r>`,
			want: `<r xmlns="urn:d" xmlns:a="urn:a"><c></c><d xmlns=""></d></r>`},
		{name: "no default to take back", document: `<r><c xmlns=""/></r>`, want: `<r><c></c></r>`},
		{name: "inclusive part", document: inner, id: "x",
			want: `<b:e xmlns="urn:d" xmlns:a="urn:a" xmlns:b="urn:b" Id="x" xml:lang="pt" a:k="1"><f xmlns=""></f></b:e>`},
		{name: "exclusive part", document: inner, id: "x", exclusive: true,
			want: `<b:e xmlns:a="urn:a" xmlns:b="urn:b" Id="x" a:k="1"><f></f></b:e>`},
		{name: "exclusive part with prefixes", document: inner, id: "x", exclusive: true, inclusive: []string{"", "none"},
			want: `<b:e xmlns="urn:d" xmlns:a="urn:a" xmlns:b="urn:b" Id="x" a:k="1"><f xmlns=""></f></b:e>`},
		{name: "exclusive siblings say it each", document: `<r xmlns:a="urn:a"><a:x/><a:y><a:z/></a:y></r>`, exclusive: true,
			want: `<r><a:x xmlns:a="urn:a"></a:x><a:y xmlns:a="urn:a"><a:z></a:z></a:y></r>`},
		{name: "the nearest xml attributes", document: `<r xml:lang="a" xml:space="preserve"><s xml:lang="b"><t Id="x"/></s></r>`, id: "x",
			want: `<t Id="x" xml:lang="b" xml:space="preserve"></t>`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := verify.Canonical([]byte(tt.document), tt.id, tt.exclusive, tt.comments, tt.inclusive...)
			if err != nil || string(got) != tt.want {
				t.Errorf("got  %s (%v)\nwant %s", got, err, tt.want)
			}
		})
	}
}

// oddities are documents with which readers and writers of canonical forms have had trouble.
var oddities = map[string]string{
	"line ends":  "<r a='1\r\n2\r3&#13;&#10;4'>x\r\ny\rz&#13;<!-- c\r\nd --><?p q\r\nr?><![CDATA[a\r\nb]]></r>",
	"namespaces": `<r xmlns="urn:d" xmlns:a="urn:a"><a:b xmlns:a="urn:other"><c xmlns=""><a:d xmlns:a="urn:a" a:e="1" e="2"/></c></a:b><x xmlns="urn:d"/></r>`,
	"same space": `<r xmlns:b="urn:x" xmlns:a="urn:x" a:z="1" b:y="2" c="3"/>`,
	"xml":        `<r xml:lang="pt" xml:space="default" xmlns:xml="http://www.w3.org/XML/1998/namespace"><s xml:id="i">ã😀</s></r>`,
	"blanks":     "<?xml version='1.0' encoding='UTF-8'?>\n\n<?a?><?b  c  ?>\n<r  a = '1'\n b=\"2\"  ><s /><t\n></t ></r >\n<!-- after --><?z?>\n",
	"names":      `<ção_1 á.b-c="1"><_:x xmlns:_="urn:_"/></ção_1>`,
}

// TestXmllintAgrees compares forms of whole documents, with comments, with those of libxml2.
func TestXmllintAgrees(t *testing.T) {
	t.Parallel()
	xmllint, err := exec.LookPath("xmllint")
	if err != nil {
		t.Skip("xmllint is not installed")
	}
	documents := make(map[string][]byte)
	for name, text := range oddities {
		documents[name] = []byte(text)
	}
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "shared", "corpus", "xml", "*.xml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if name := filepath.Base(path); name != "doctype-external-entity.xml" && name != "duplicate-ids.xml" {
			documents[name] = corpus(t, filepath.Join("..", "xml", name))
		}
	}
	for name, document := range documents {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "document.xml")
			if err := os.WriteFile(path, document, 0o600); err != nil {
				t.Fatal(err)
			}
			for option, exclusive := range map[string]bool{"--c14n": false, "--exc-c14n": true} {
				want, err := exec.CommandContext(t.Context(), xmllint, "--nonet", option, path).Output()
				if err != nil {
					t.Fatalf("xmllint: %v", err)
				}
				got, err := verify.Canonical(document, "", exclusive, true)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, want) {
					t.Errorf("%s:\ngot  %q\nwant %q", option, got, want)
				}
			}
		})
	}
}

// TestCanonicalFormIsItsOwn: writing a canonical form again changes nothing.
func TestCanonicalFormIsItsOwn(t *testing.T) {
	t.Parallel()
	for name, text := range oddities {
		for _, exclusive := range []bool{false, true} {
			once, err := verify.Canonical([]byte(text), "", exclusive, true)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			twice, err := verify.Canonical(once, "", exclusive, true)
			if err != nil || !bytes.Equal(once, twice) {
				t.Errorf("%s: %v\nonce  %q\ntwice %q", name, err, once, twice)
			}
		}
	}
}

// TestCanonicalFormIsBounded: a long namespace that every element repeats would make gigabytes of a small document.
func TestCanonicalFormIsBounded(t *testing.T) {
	t.Parallel()
	text := `<r xmlns:a="urn:` + strings.Repeat("x", 1<<20) + `">` + strings.Repeat("<a:b/>", 1<<19) + `</r>`
	if _, err := verify.Canonical([]byte(text), "", true, false); err == nil || !strings.Contains(err.Error(), "too much") {
		t.Errorf("Canonical = %v, want it to be too much", err)
	}
}
