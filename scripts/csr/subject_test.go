package main

import (
	"bytes"
	"crypto/x509/pkix"
	"encoding/asn1"
	"strings"
	"testing"
)

// readName returns a name as pkix writes it.
func readName(t *testing.T, der []byte) string {
	t.Helper()
	var name pkix.RDNSequence
	if rest, err := asn1.Unmarshal(der, &name); err != nil || len(rest) > 0 {
		t.Fatalf("the name cannot be read: %v, %d bytes after it", err, len(rest))
	}
	return name.String()
}

func TestSubjects(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"as usual", firm, firm},
		{"with spaces around", " cn = EMPRESA LTDA:11222333000181 , o = ICP-Brasil , c = BR ", "CN=EMPRESA LTDA:11222333000181,O=ICP-Brasil,C=BR"},
		{"the new layout", "SERIALNUMBER=11222333000181,CN=EMPRESA,OU=A,OU=B,L=Rio,ST=RJ,O=ICP-Brasil,C=BR",
			"SERIALNUMBER=11222333000181,CN=EMPRESA,OU=A,OU=B,L=Rio,ST=RJ,O=ICP-Brasil,C=BR"},
		{"escaped characters", `CN=A\, B \+ C \"D\" \\ \<E\>\;`, `CN=A\, B \+ C \"D\" \\ \<E\>\;`},
		{"escaped spaces", `CN=\ A\ `, `CN=\ A\ `},
		{"an escaped space before plain ones", `CN=A\   `, `CN=A\ `},
		{"an equals sign", `CN=A=B`, `CN=A=B`},
		{"bytes of UTF-8", `CN=A\C3\A7\C3\A3o`, `CN=Ação`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			der, err := parseSubject(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := readName(t, der); got != tt.want {
				t.Errorf("parseSubject = %s, want %s", got, tt.want)
			}
		})
	}
}

// Authorities write PrintableString where they can; what is encoded first is the country.
func TestSubjectsAreEncodedAsUsual(t *testing.T) {
	t.Parallel()
	der, err := parseSubject("CN=EMPRESA:1,O=AÇÃO,C=BR")
	if err != nil {
		t.Fatal(err)
	}
	want := []byte("\x30\x32" +
		"\x31\x0b\x30\x09\x06\x03\x55\x04\x06\x13\x02BR" +
		"\x31\x0f\x30\x0d\x06\x03\x55\x04\x0a\x0c\x06AÇÃO" +
		"\x31\x12\x30\x10\x06\x03\x55\x04\x03\x13\x09EMPRESA:1")
	if !bytes.Equal(der, want) {
		t.Errorf("parseSubject = %x, want %x", der, want)
	}
}

func TestSubjectsAreRefused(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, why string }{
		{"empty", "", `part 1 of the subject has no "="`},
		{"a comma without a backslash", "CN=EMPRESA, LTDA,C=BR", `part 2 of the subject has no "="`},
		{"a kind that is not known", "CN=A,DC=B", "part 2 of the subject is of a kind"},
		{"no common name", "O=A,C=BR", "0 common names"},
		{"two common names", "CN=A,CN=B", "2 common names"},
		{"an empty value", "CN= ,C=BR", "part 1 of the subject has 0 characters, want 1 to 64"},
		{"a name that is too long", "CN=" + strings.Repeat("ã", 65), "has 65 characters, want 1 to 64"},
		{"a country that is too long", "CN=A,C=BRA", "has 3 characters, want 1 to 2"},
		{"a country in small letters", "CN=A,C=br", "is no country"},
		{"a control character", "CN=A\x01", "has control characters"},
		{"bytes that are not UTF-8", `CN=\FF`, "is not UTF-8"},
		{"several values in one part", "CN=A+OU=B", "without a backslash"},
		{"a value in hexadecimal", "CN=#1301", "begins with #"},
		{"a needless backslash", `CN=\x`, "before what needs none"},
		{"a backslash at the end", `CN=A\`, "before what needs none"},
		{"too long", "CN=" + strings.Repeat("A", maxSubject), "is longer than"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := parseSubject(tt.text); err == nil || !strings.Contains(err.Error(), tt.why) {
				t.Errorf("parseSubject = %v, want %q in it", err, tt.why)
			}
		})
	}
}

// FuzzSubject wants of every name that is taken that its usual text is taken too, and means the same.
func FuzzSubject(f *testing.F) {
	for _, s := range []string{firm, `CN=\ A\, B\ ,C=BR`, `CN=A\C3\A7`, `CN=#\#A`, "CN=A+B", `cn=a\`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		der, err := parseSubject(s)
		if err != nil {
			return
		}
		text := readName(t, der)
		again, err := parseSubject(text)
		if err != nil || !bytes.Equal(der, again) {
			t.Errorf("%q is %q, which becomes %x, %v, want %x", s, text, again, err, der)
		}
	})
}
