package guide_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/fault"
	"bulksigner/internal/fault/guide"
)

var languages = []string{guide.English, guide.Portuguese}

// codes are all codes of package fault, in order.
func codes(t testing.TB) (all []fault.Code) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "../code.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for _, v := range spec.Values {
			code, err := strconv.Unquote(v.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, fault.Code(code))
		}
		return false
	})
	if len(all) < 100 {
		t.Fatalf("only %d codes found in code.go", len(all))
	}
	slices.Sort(all)
	return all
}

// entries are what a catalogue says of all codes.
func entries(t testing.TB, language string) map[fault.Code]guide.Entry {
	t.Helper()
	all := map[fault.Code]guide.Entry{}
	for _, c := range codes(t) {
		e, ok := guide.For(c, language)
		if !ok {
			t.Errorf("%s says nothing of %s", language, c)
		}
		all[c] = e
	}
	return all
}

// Every code is in every catalogue, and nothing else is.
func TestCodes(t *testing.T) {
	t.Parallel()
	for _, language := range languages {
		got, err := guide.Codes(language)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(codes(t), got); diff != "" {
			t.Errorf("codes in %s (-want +got):\n%s", language, diff)
		}
	}
}

func TestFor(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, language string
		code           fault.Code
		want           string // in the remedy; "" for no entry
	}{
		{"English", "en-US", fault.ProfileExists, "with PUT and its ETag"},
		{"Portuguese", "pt-BR", fault.ProfileExists, "com PUT e o ETag dele"},
		{"another language", "de-DE", fault.ProfileExists, ""},
		{"no language", "", fault.ProfileExists, ""},
		{"another code", "en-US", "job.exploded", ""},
		{"no code", "pt-BR", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e, ok := guide.For(tt.code, tt.language)
			if ok != (tt.want != "") || !strings.Contains(e.Remedy, tt.want) {
				t.Errorf("For(%q, %q) = %+v, %v", tt.code, tt.language, e, ok)
			}
		})
	}
}

// Bounds of a text, in characters: what says something, and what is read at a glance.
const leastText, mostText = 20, 300

// Texts are sentences, of a length that a page has room for.
func TestTexts(t *testing.T) {
	t.Parallel()
	for _, language := range languages {
		for code, e := range entries(t, language) {
			for _, text := range []string{e.Meaning, e.Remedy} {
				first, _ := utf8.DecodeRuneInString(text)
				if n := utf8.RuneCountInString(text); n < leastText || n > mostText {
					t.Errorf("%s, %s: %d characters in %q", language, code, n, text)
				}
				if !unicode.IsUpper(first) && !unicode.IsDigit(first) || !strings.HasSuffix(text, ".") || strings.ContainsAny(text, "`*<|\n") || strings.Contains(text, "  ") {
					t.Errorf("%s, %s: no plain sentences in %q", language, code, text)
				}
			}
		}
	}
}

// mostRepeats is how many codes may have a sentence in common: what is the same for many is worth saying, and a catalogue
// that a machine filled says nothing.
const mostRepeats = 5

// Each code has a text of its own.
func TestTextsDiffer(t *testing.T) {
	t.Parallel()
	for _, language := range languages {
		whole, sentences := map[string]fault.Code{}, map[string]int{}
		for code, e := range entries(t, language) {
			for _, text := range []string{e.Meaning, e.Remedy} {
				if other, ok := whole[text]; ok {
					t.Errorf("%s says the same of %s and %s: %q", language, code, other, text)
				}
				whole[text] = code
				for sentence := range strings.SplitSeq(text, ". ") {
					sentences[strings.TrimSuffix(sentence, ".")]++
				}
			}
		}
		for sentence, n := range sentences {
			if n > mostRepeats {
				t.Errorf("%s says %q %d times", language, sentence, n)
			}
		}
	}
}

// named are the words of a text that are the same in all languages: settings, routes, rows, programs, log lines, statuses,
// numbers.
var named = regexp.MustCompile(`\b[A-Z]\w+:[A-Z]\w+|/api/[\w/{}-]+|"[^"]+"|\bscripts/[\w-]+|\bdocs/[\w.]+|\bCanceled\b|\bCompleted\b|\bKMS\b|\bCPF\b|\b\d+\b`)

// What one language names, the other names too.
func TestLanguagesAgree(t *testing.T) {
	t.Parallel()
	portuguese := entries(t, guide.Portuguese)
	for code, e := range entries(t, guide.English) {
		p := portuguese[code]
		for _, texts := range [][2]string{{e.Meaning, p.Meaning}, {e.Remedy, p.Remedy}} {
			if texts[0] == texts[1] {
				t.Errorf("%s is not translated: %q", code, texts[0])
			}
			if diff := cmp.Diff(names(texts[0]), names(texts[1])); diff != "" {
				t.Errorf("%s names other things in Portuguese (-en-US +pt-BR):\n%s", code, diff)
			}
		}
	}
}

func names(text string) []string {
	found := map[string]bool{}
	for _, name := range named.FindAllString(text, -1) {
		found[name] = true
	}
	return slices.Sorted(maps.Keys(found))
}

// unaccented are words that Portuguese writes with an accent, without it; foreign are those of Portugal.
var (
	unaccented = regexp.MustCompile(`(?i)\b(nao|voce|codigo|titulo|tambem|historico|padrao|ultimo|ultima|proximo|proxima|pagina|sera|ja|ate|so|possivel|valido|invalido|proprio|propria|numero|usuario|atraves|alem|servico|politica|conteudo|maquina|permissoes?|\w+cao|\w+coes)\b`)
	foreign    = regexp.MustCompile(`(?i)\b(ficheiros?|utilizador\w*|ecrã|palavra-passe|registo|registos|carregue|contacto|facto)\b`)
)

func TestPortugueseIsBrazilian(t *testing.T) {
	t.Parallel()
	for code, e := range entries(t, guide.Portuguese) {
		for _, text := range []string{e.Meaning, e.Remedy} {
			for _, bad := range []*regexp.Regexp{unaccented, foreign} {
				if found := bad.FindString(text); found != "" {
					t.Errorf("%s writes %q in %q", code, found, text)
				}
			}
		}
	}
}
