package markup_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/sign/signtest"
	"bulksigner/internal/sign/xades/markup"
)

// xmllint returns the exclusive canonical form according to libxml2, which writes comments, without these.
func xmllint(t testing.TB, name string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), signtest.Tool(t, "xmllint", "libxml2-utils"), "--nonet", "--exc-c14n", name)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("xmllint: %v\n%s", err, complaints.String())
	}
	return withoutComments(string(out))
}

// withoutComments takes the comments out of a canonical form, with the line that each has outside of the root.
func withoutComments(form string) string {
	var out strings.Builder
	depth, before := 0, true
	for form != "" {
		size := strings.IndexByte(form, '<')
		switch {
		case strings.HasPrefix(form, "<!--"):
			form = form[strings.Index(form, "-->")+3:]
			if depth == 0 && before {
				form = form[1:]
			}
			continue
		case strings.HasPrefix(form, "\n<!--") && depth == 0 && !before:
			form = form[1:]
			continue
		case strings.HasPrefix(form, "<?"):
			size = strings.Index(form, "?>") + 2
		case strings.HasPrefix(form, "</"):
			depth--
			size = strings.IndexByte(form, '>') + 1
		case size == 0:
			depth, before = depth+1, false
			size = endOfTag(form)
		case size < 0:
			size = len(form)
		}
		out.WriteString(form[:size])
		form = form[size:]
	}
	return out.String()
}

// endOfTag finds the end of a start tag in canonical form, which has values in double quotes.
func endOfTag(form string) int {
	quoted := false
	for i := range len(form) {
		switch form[i] {
		case '"':
			quoted = !quoted
		case '>':
			if !quoted {
				return i + 1
			}
		}
	}
	return len(form)
}

func compare(t *testing.T, doc []byte) {
	t.Helper()
	got, err := canonical(doc)
	if err != nil {
		t.Fatalf("%v in\n%q", err, doc)
	}
	name := filepath.Join(t.TempDir(), "document.xml")
	if err := os.WriteFile(name, doc, 0o600); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(xmllint(t, name), got); diff != "" {
		t.Errorf("canonical form of %q (-xmllint +ours):\n%s", doc, diff)
	}
}

func TestCorpusAsXMLLint(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob(filepath.Join(signtest.Corpus(t, "xml"), "*.xml"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			doc, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(doc), "<!DOCTYPE") {
				return // it is refused, see the tests of what is signed
			}
			compare(t, doc)
		})
	}
}

// TestGeneratedAsXMLLint compares documents that have everything in them that a canonical form must deal with.
func TestGeneratedAsXMLLint(t *testing.T) {
	t.Parallel()
	const documents = 120
	for seed := range uint64(documents) {
		g := generator{Rand: rand.New(rand.NewPCG(seed, 1))}
		compare(t, g.document())
		if t.Failed() {
			t.Fatalf("with seed %d", seed)
		}
	}
}

// generator writes documents at random, the same for the same seed.
type generator struct {
	*rand.Rand
	out strings.Builder
}

// document is at random in one of the encodings.
func (g *generator) document() []byte {
	mark := g.pick("", "\xEF\xBB\xBF", "\xFF\xFE", "\xFE\xFF")
	source, err := markup.Decode([]byte(mark))
	if err != nil {
		panic(err) // a mark above is mistyped
	}
	if g.IntN(2) == 0 {
		g.write(`<?xml version="1.0"` + g.pick("", ` standalone="no"`) + `?>`)
	}
	g.misc()
	g.element(1, map[string]string{})
	g.misc()
	return source.Encode(g.out.String())
}

func (g *generator) write(s string) { g.out.WriteString(s) }

func (g *generator) pick(from ...string) string { return from[g.IntN(len(from))] }

func (g *generator) misc() {
	for range g.IntN(4) {
		g.write(g.pick("\n", "\r\n", " ", "<!-- a comment \r\n é -->", "<?target?>", "<?other some  data\r\nin lines ?>"))
	}
}

// Namespaces and prefixes are few, so that they meet again.
var (
	prefixes   = []string{"", "", "a", "b", "B", "é"}
	namespaces = []string{"urn:x", "urn:y", "http://teste.invalid/?a=1;b'%2F#c", "urn:a", "urn:x"}
)

// element writes an element inside of the namespaces that are known.
func (g *generator) element(depth int, outer map[string]string) {
	known, declared := maps.Clone(outer), ""
	seen := map[string]bool{}
	for range g.IntN(4) {
		p, ns := g.pick(prefixes...), g.pick(namespaces...)
		if seen[p] {
			continue
		}
		seen[p] = true
		if p == "" && g.IntN(2) == 0 {
			ns = ""
		}
		known[p] = ns
		declared += g.blank() + strings.TrimSuffix("xmlns:"+p, ":") + `="` + ns + `"`
	}
	name := g.qualified(known) + g.pick("n", "m", "é", "n-1.x")
	g.write("<" + name)
	if g.IntN(2) == 0 {
		g.write(declared)
		declared = ""
	}
	g.attributes(known)
	g.write(declared)
	if g.IntN(6) == 0 {
		g.write(g.pick("/>", " />", "\r\n/>"))
		return
	}
	g.write(g.pick(">", ">", "\n>"))
	for range g.IntN(7) {
		g.content(depth, known)
	}
	g.write("</" + name + g.pick(">", ">", " >", "\r\n>"))
}

func (g *generator) blank() string { return g.pick(" ", "  ", "\n", "\r\n\t") }

// qualified writes a prefix that is known, with its colon, or none.
func (g *generator) qualified(known map[string]string) string {
	p := g.pick(prefixes...)
	if _, ok := known[p]; p == "" || !ok {
		return ""
	}
	return p + ":"
}

func (g *generator) attributes(known map[string]string) {
	seen := map[string]bool{}
	for range g.IntN(5) {
		prefix, local := g.qualified(known), g.pick("x", "X", "y", "é", "x.1", "id")
		expanded := known[strings.TrimSuffix(prefix, ":")] + " " + local
		if prefix == "" {
			expanded = local
		}
		if seen[expanded] {
			continue
		}
		seen[expanded] = true
		g.write(g.blank() + prefix + local + g.pick("=", " = ", "\n="))
		g.value()
	}
	if g.IntN(6) == 0 {
		g.write(` xml:lang="pt-BR"` + g.pick("", ` xml:space='preserve'`))
	}
}

func (g *generator) value() {
	quote, other := `"`, `'`
	if g.IntN(2) == 0 {
		quote, other = other, quote
	}
	g.write(quote)
	for range g.IntN(5) {
		g.write(g.pick("v", " ", "\t", "\n", "\r", "\r\n", "&#9;", "&#xA;", "&#13;", "&#xD;&#xA;", "&amp;", "&lt;", "&gt;", ">",
			"&quot;", "&apos;", other, "é", "&#xE9;", "😀", "&#x1F600;", "]]>", "  "))
	}
	g.write(quote)
}

func (g *generator) content(depth int, known map[string]string) {
	switch n := g.IntN(10); {
	case n < 4 && depth < 6:
		g.element(depth+1, known)
	case n < 8:
		for range g.IntN(5) {
			g.write(g.pick("text", " ", "\n", "\r", "\r\n", "\t", "&#13;", "&#10;", "&#x9;", "&amp;", "&lt;", "&gt;", " > ", `"'`,
				"&quot;", "é", "&#x20AC;", "😀", "\u0085", "\u2028", "]]&gt;", "<![CDATA[<&>\r\n\r]]>", "<![CDATA[]]]]>", "<![CDATA[]]>"))
		}
	case n == 8:
		g.write(g.pick("<!-- a comment -->", "<!---->", "<!-- \r <x> & -->"))
	default:
		g.write(g.pick("<?target?>", "<?target  with data ?>", "<?t a\rb\r\nc?>", fmt.Sprintf("<?n %d?>", g.IntN(9))))
	}
}
