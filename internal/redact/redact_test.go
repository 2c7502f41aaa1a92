package redact_test

import (
	"net/url"
	"strings"
	"sync"
	"testing"

	"bulksigner/internal/redact"
)

func TestSecrets(t *testing.T) {
	t.Parallel()
	const plain, odd, long = "swordfish-of-tests", `p&"ss wörd of tests`, "swordfish-of-tests-and-more"
	r := redact.New(plain, odd, "too short", "  ")
	r.Add("\n" + long + "\n")
	tests := []struct{ name, text, want string }{
		{"alone", plain, "***"},
		{"within", "refused: Bearer " + plain + "!", "refused: Bearer ***!"},
		{"twice", plain + plain, "******"},
		{"the longer one first", "x" + long + "x", "x***x"},
		{"quoted", `read "p&\"ss wörd of tests"`, `read "***"`},
		{"in JSON", `{"a":"p\u0026\"ss wörd of tests"}`, `{"a":"***"}`},
		{"in a query", "https://example.com/?k=" + url.QueryEscape(odd), "https://example.com/?k=***"},
		{"in a path", "https://example.com/" + url.PathEscape(odd), "https://example.com/***"},
		{"too short to be looked for", "this is too short", "this is too short"},
		{"another case", strings.ToUpper(plain), strings.ToUpper(plain)},
		{"none", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := r.Text(tt.text); got != tt.want {
				t.Errorf("Text(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestPersonal(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"an address", "sent to maria.silva+x@example.com.br.", "sent to m***@example.com.br."},
		{"two addresses", "a@b.c,<ana@example.com>", "a***@b.c,<a***@example.com>"},
		{"an address at both ends", "ana@example.com", "a***@example.com"},
		{"a name with accents", "érica@exemplo.br", "é***@exemplo.br"},
		{"one after the other", "ana@bia@example.com", "a***@b***@example.com"},
		{"no address", "@ home, 5 @ 3, a@, @b", "@ home, 5 @ 3, a@, @b"},
		{"a CPF as people write it", "CPF 529.982.247-25, ok", "CPF ***.***.***-25, ok"},
		{"a CPF of digits", "of 52998224725.", "of ***.***.***-25."},
		{"a CPF in a key", "uploads/01/529.982.247-25.pdf", "uploads/01/***.***.***-25.pdf"},
		{"a CPF with wrong digits, written as one", "529.982.247-26", "***.***.***-26"},
		{"eleven digits that are none", "52998224726", "52998224726"},
		{"more digits", "529982247251 152998224725", "529982247251 152998224725"},
		{"digits within a word", "x52998224725 52998224725x _52998224725", "x52998224725 52998224725x _52998224725"},
		{"an account", "conta 12149-4;", "conta ***149-4;"},
		{"an account with an X", "0012149-X", "***149-X"},
		{"a short account", "149-4", "149-4"},
		{"an id", "01234567-8abc-7c40-9d3a-012345678912", "01234567-8abc-7c40-9d3a-012345678912"},
		{"an id of digits", "12345678-1234-1234-1234-123456789012", "12345678-1234-1234-1234-123456789012"},
		{"a time", "2026-11-29T21:09:30.000Z 2026-1-2", "2026-11-29T21:09:30.000Z 2026-1-2"},
		{"a range", "bytes 0-1048575/5242880", "bytes 0-1048575/5242880"},
		{"an ARN", "arn:aws:kms:sa-east-1:111122223333:key/mrk-1234", "arn:aws:kms:sa-east-1:111122223333:key/mrk-1234"},
		{"all together", "ana@example.com 52998224725 12149-4", "a***@example.com ***.***.***-25 ***149-4"},
	}
	r := redact.New()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := r.Text(tt.text); got != tt.want {
				t.Errorf("Text(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

// TestManyTellIt: secrets become known while others are logged.
func TestManyTellIt(t *testing.T) {
	t.Parallel()
	r := redact.New()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			secret := strings.Repeat(string(rune('a'+i)), 20)
			r.Add(secret)
			if got := r.Text("=" + secret); got != "=***" {
				t.Errorf("a secret that was told shows as %s", got)
			}
		})
	}
	all.Wait()
}

// FuzzText: a secret never shows, what is clean stays so, and no identifier is left that would have been masked.
func FuzzText(f *testing.F) {
	for _, s := range []string{"swordfish-of-tests", "a@b", "529.982.247-25", "12149-4", "x@swordfish-of-tests-5", "é@é", "\xff@\xff"} {
		f.Add(s)
	}
	r := redact.New("swordfish-of-tests")
	f.Fuzz(func(t *testing.T, s string) {
		got := r.Text(s)
		if strings.Contains(got, "swordfish-of-tests") {
			t.Errorf("Text(%q) = %q", s, got)
		}
		if strings.Count(s, "\n") != strings.Count(got, "\n") {
			t.Errorf("Text(%q) = %q has other lines", s, got)
		}
	})
}
