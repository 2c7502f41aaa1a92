package markup_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/sign/xades/markup"
)

// canonical reads a document and writes it in canonical form.
func canonical(doc []byte) (string, error) {
	source, err := markup.Decode(doc)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	c := markup.NewCanonicalizer(&out)
	if err := source.Parse(c); err != nil {
		return "", err
	}
	err = c.Flush()
	return out.String(), err
}

func TestCanonical(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, doc, want string }{
		{"declaration and white space around go", "<?xml version='1.0' encoding='utf-8' standalone='no' ?>\n<a/>\n", `<a></a>`},
		{"comments go", "<!--x--><a><!-- - -->b<!----></a><!--x-->", `<a>b</a>`},
		{"instructions outside have lines", "<?p?> <?q  d ?><a><?r\r\ns?></a><?t u?>", "<?p?>\n<?q d ?>\n<a><?r s?></a>\n<?t u?>"},
		{"line ends", "<a>\r\n\r\r\n\n</a>", "<a>\n\n\n\n</a>"},
		{"line ends in an instruction", "<a><?r x\r\ny\rz?></a>", "<a><?r x\ny\nz?></a>"},
		{"a reference to a line end stays", "<a>&#13;&#xD;&#xA;&#13;&#10;</a>", "<a>&#xD;&#xD;\n&#xD;\n</a>"},
		{"a written and a meant half of a line end", "<a>\r&#10;</a>", "<a>\n\n</a>"},
		{"a line end is not joined over a section", "<a>\r<![CDATA[\n]]></a>", "<a>\n\n</a>"},
		{"text", "<a>&amp;&lt;&gt;&quot;&apos;>\"'&#x1F600;</a>", "<a>&amp;&lt;&gt;\"'&gt;\"'😀</a>"},
		{"sections", "<a><![CDATA[<&>]] ]>]]><![CDATA[]]>]]&gt;</a>", "<a>&lt;&amp;&gt;]] ]&gt;]]&gt;</a>"},
		{"white space in a value", "<a b='\t\n\r\r\n &#9;&#10;&#13;'/>", `<a b="     &#x9;&#xA;&#xD;"></a>`},
		{"value", `<a b='&lt;>&amp;"&#39;' c="'&quot;"/>`, `<a b="&lt;>&amp;&quot;'" c="'&quot;"></a>`},
		{"attributes in order", `<a z="1" y="2" xmlns:b="urn:y" xmlns:c="urn:x" b:a="3" c:z="4" xml:lang="pt"/>`,
			`<a xmlns:b="urn:y" xmlns:c="urn:x" y="2" z="1" xml:lang="pt" c:z="4" b:a="3"></a>`},
		{"a namespace that nobody uses goes", `<a xmlns:b="urn:x" xmlns:c="urn:y"><c:d/></a>`, `<a><c:d xmlns:c="urn:y"></c:d></a>`},
		{"siblings declare each for itself", `<a xmlns:b="urn:x"><b:c/><b:c><b:d/></b:c></a>`,
			`<a><b:c xmlns:b="urn:x"></b:c><b:c xmlns:b="urn:x"><b:d></b:d></b:c></a>`},
		{"default namespace", `<a xmlns="urn:x"><b/><c xmlns="urn:y"><d xmlns="urn:x"/></c></a>`,
			`<a xmlns="urn:x"><b></b><c xmlns="urn:y"><d xmlns="urn:x"></d></c></a>`},
		{"default namespace is left", `<a xmlns="urn:x"><b xmlns=""><c/></b></a>`, `<a xmlns="urn:x"><b xmlns=""><c></c></b></a>`},
		{"no default namespace is nothing to say", `<a xmlns=""><b xmlns=""/></a>`, `<a><b></b></a>`},
		{"default namespace through a prefixed element", `<a xmlns="urn:x"><p:b xmlns:p="urn:p" xmlns=""><c/></p:b></a>`,
			`<a xmlns="urn:x"><p:b xmlns:p="urn:p"><c xmlns=""></c></p:b></a>`},
		{"a prefix changes its meaning", `<p:a xmlns:p="urn:x"><p:b xmlns:p="urn:y"><p:c/></p:b><p:d/></p:a>`,
			`<p:a xmlns:p="urn:x"><p:b xmlns:p="urn:y"><p:c></p:c></p:b><p:d></p:d></p:a>`},
		{"the same meaning is said once", `<p:a xmlns:p="urn:x"><p:b xmlns:p="urn:x"/></p:a>`, `<p:a xmlns:p="urn:x"><p:b></p:b></p:a>`},
		{"xml needs no declaration", `<a xmlns:xml="http://www.w3.org/XML/1998/namespace" xml:space="preserve"><b/></a>`,
			`<a xml:space="preserve"><b></b></a>`},
		{"a namespace with all that it may have", `<a xmlns="urn:x-1.Y_~:/?@!$&#39;()*+,;=%2F#z"/>`, `<a xmlns="urn:x-1.Y_~:/?@!$'()*+,;=%2F#z"></a>`},
		{"names of the world", `<ação número="1"><名/></ação>`, `<ação número="1"><名></名></ação>`},
		{"mark", "\xEF\xBB\xBF<a>é</a>", "<a>é</a>"},
		{"mark inside is a character", "<a>\uFEFF</a>", "<a>\uFEFF</a>"},
		{"little end first", "\xFF\xFE<\x00a\x00>\x00=\xD8\x00\xDE<\x00/\x00a\x00>\x00", "<a>😀</a>"},
		{"big end first", "\xFE\xFF\x00<\x00a\x00>\xD8=\xDE\x00\x00<\x00/\x00a\x00>", "<a>😀</a>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := canonical([]byte(tt.doc))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("canonical form (-want +got):\n%s", diff)
			}
			if again, err := canonical([]byte(got)); err != nil || again != got {
				t.Errorf("the canonical form of %q is %q, %v: not itself", got, again, err)
			}
		})
	}
}

func TestEncodeGivesTheBytesBack(t *testing.T) {
	t.Parallel()
	for _, doc := range []string{
		"", "<a/>", "<a>é😀</a>\r\n", "\xEF\xBB\xBF<a/>", "\xFF\xFE<\x00=\xD8\x00\xDE\r\x00", "\xFE\xFF\x00<\xD8=\xDE\x00\x00\n",
	} {
		source, err := markup.Decode([]byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		if got := source.Encode(source.Text); string(got) != doc {
			t.Errorf("Encode = %q, want %q", got, doc)
		}
		if got := source.Encode(source.Text, source.Text); string(got[:len(doc)]) != doc {
			t.Errorf("Encode of two parts = %q, want it to begin with %q", got, doc)
		}
	}
}

// places notes what a handler is told about elements.
type places struct {
	markup.Canonicalizer
	got []string
}

func (p *places) Start(e *markup.Element) error {
	id, _ := e.Attribute("id")
	p.got = append(p.got, fmt.Sprintf("%d %s line %d id %s", e.Depth, e.Name.Full, e.Line(), id))
	return nil
}

func (p *places) End(e *markup.Element) error {
	p.got = append(p.got, fmt.Sprintf("%s %d %t %s", e.Name.Local, e.Close, e.Empty, e.Namespace("p")))
	return nil
}

func (p *places) Text(string) error                { return nil }
func (p *places) Instruction(string, string) error { return nil }

func TestElements(t *testing.T) {
	t.Parallel()
	source, err := markup.Decode([]byte("<a>\n<p:b xmlns:p='urn:x'\r\n id='1' p:id='2' />é</a >"))
	if err != nil {
		t.Fatal(err)
	}
	var p places
	if err := source.Parse(&p); err != nil {
		t.Fatal(err)
	}
	want := []string{"1 a line 1 id ", "2 p:b line 3 id 1", "b 43 true urn:x", "a 47 false "}
	if diff := cmp.Diff(want, p.got); diff != "" {
		t.Errorf("elements (-want +got):\n%s", diff)
	}
}

// failing refuses the nth call.
type failing struct {
	n   int
	err error
}

func (f *failing) call() error {
	if f.n--; f.n < 0 {
		return f.err
	}
	return nil
}

func (f *failing) Start(*markup.Element) error      { return f.call() }
func (f *failing) End(*markup.Element) error        { return f.call() }
func (f *failing) Text(string) error                { return f.call() }
func (f *failing) Instruction(string, string) error { return f.call() }

// Write implements io.Writer.
func (f *failing) Write(b []byte) (int, error) { return len(b), f.call() }

func TestHandlerErrorsEndTheReading(t *testing.T) {
	t.Parallel()
	cause := errors.New("enough")
	source, err := markup.Decode([]byte("<?p?><a>b&amp;<![CDATA[c]]><d/></a><?q?>"))
	if err != nil {
		t.Fatal(err)
	}
	const calls = 9
	for n := range calls {
		if err := source.Parse(&failing{n, cause}); !errors.Is(err, cause) {
			t.Errorf("Parse with a failure at call %d = %v, want %v", n, err, cause)
		}
	}
	if err := source.Parse(&failing{calls, cause}); err != nil {
		t.Errorf("Parse = %v, want no call beyond %d", err, calls)
	}
	large, err := markup.Decode([]byte("<a>" + strings.Repeat("b", 1<<20) + "</a>"))
	if err != nil {
		t.Fatal(err)
	}
	if err := large.Parse(markup.NewCanonicalizer(&failing{0, cause})); !errors.Is(err, cause) {
		t.Errorf("Parse with a broken writer = %v, want %v", err, cause)
	}
}
