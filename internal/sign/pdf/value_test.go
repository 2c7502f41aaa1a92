package pdf_test

import (
	"errors"
	"slices"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/pdf"
)

func TestText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, value, want string
		is                bool
	}{
		{"literal", `(abc)`, "abc", true},
		{"brackets", `(a(b)\)c\\)`, `a(b))c\`, true},
		{"escapes", `(\n\r\t\b\f\x)`, "\n\r\t\b\fx", true},
		{"octal", `(\101\1018\7z)`, "AA8\x07z", true},
		{"octal at the end", `(\60)`, "0", true},
		{"octal above a byte", `(\501)`, "A", true},
		{"line ends", "(a\r\nb\rc\nd)", "a\nb\nc\nd", true},
		{"escaped line ends", "(a\\\r\nb\\\rc\\\nd)", "abcd", true},
		{"hexadecimal", `<41 4a4B>`, "AJK", true},
		{"odd hexadecimal", `<414>`, "A@", true},
		{"empty", `()`, "", true},
		{"name", `/abc`, "", false},
		{"dictionary", `<<>>`, "", false},
		{"nothing", ``, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, is := pdf.Value(tt.value).Text()
			if string(got) != tt.want || is != tt.is {
				t.Errorf("Text(%s) = %q, %t, want %q, %t", tt.value, got, is, tt.want, tt.is)
			}
		})
	}
}

func TestRef(t *testing.T) {
	t.Parallel()
	tests := []struct {
		value string
		want  pdf.Ref
		is    bool
	}{
		{"12 3 R", pdf.Ref{Num: 12, Gen: 3}, true},
		{"12 % a comment\n 3\tR", pdf.Ref{Num: 12, Gen: 3}, true},
		{"0 0 R", pdf.Ref{}, false},
		{"99999999 0 R", pdf.Ref{}, false},
		{"1 70000 R", pdf.Ref{}, false},
		{"-1 0 R", pdf.Ref{}, false},
		{"1 0 X", pdf.Ref{}, false},
		{"1 R", pdf.Ref{}, false},
		{"", pdf.Ref{}, false},
	}
	for _, tt := range tests {
		if got, is := pdf.Value(tt.value).Ref(); got != tt.want || is != tt.is {
			t.Errorf("Ref(%q) = %v, %t, want %v, %t", tt.value, got, is, tt.want, tt.is)
		}
	}
}

func TestName(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{"/Sig": "Sig", "/A#20b#2": "A b#2", "/#zz": "#zz", "/": "", "(Sig)": "", "": ""} {
		if got := pdf.Value(value).Name(); got != want {
			t.Errorf("Name(%q) = %q, want %q", value, got, want)
		}
	}
}

func TestItems(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, value string
		want        []string
		err         error
	}{
		{"mixed", "[1 0 R 2 3 0 R/N(a]b)[1 2]<</A 1>>null%]\n-.5]", []string{"1 0 R", "2", "3 0 R", "/N", "(a]b)", "[1 2]", "<</A 1>>", "null", "-.5"}, nil},
		{"empty", "[ ]", nil, nil},
		{"missing", "", nil, nil},
		{"null", "null", nil, nil},
		{"numbers that are no reference", "[1 0 2 0 R]", []string{"1", "0", "2 0 R"}, nil},
		{"not an array", "(a)", nil, fault.PDFMalformed},
		{"a stray word", "[1 endobj]", []string{"1"}, fault.PDFMalformed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			var failed error
			for item, err := range pdf.Value(tt.value).Items() {
				if failed = err; err == nil {
					got = append(got, string(item))
				}
			}
			if !slices.Equal(got, tt.want) || !errors.Is(failed, tt.err) {
				t.Errorf("Items(%s) = %q, %v, want %q, %v", tt.value, got, failed, tt.want, tt.err)
			}
		})
	}
}

func TestAppend(t *testing.T) {
	t.Parallel()
	tests := []struct{ value, want string }{
		{"", "[9 0 R]"},
		{"null", "[9 0 R]"},
		{"[]", "[ 9 0 R]"},
		{"[1 0 R % last\n]", "[1 0 R % last\n 9 0 R]"},
	}
	for _, tt := range tests {
		if got, err := pdf.Value(tt.value).Append("9 0 R"); err != nil || string(got) != tt.want {
			t.Errorf("Append to %q = %q, %v, want %q", tt.value, got, err, tt.want)
		}
	}
	if _, err := pdf.Value("(a)").Append("9 0 R"); !errors.Is(err, fault.PDFMalformed) {
		t.Errorf("Append to a string = %v, want %s", err, fault.PDFMalformed)
	}
}

func TestWith(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, dict, want string }{
		{"new", "<</A 1>>", "<</K 7/A 1>>"},
		{"into nothing", "<<>>", "<</K 7>>"},
		{"before a comment", "<<% c\n/A 1>>", "<</K 7% c\n/A 1>>"},
		{"replaced where it is", "<</A 1 /K (old) % c\n/B[1]>>", "<</A 1 /K 7 % c\n/B[1]>>"},
		{"without space before", "<</K<</X 1>>/B 1>>", "<</K 7/B 1>>"},
		{"last", "<</A 1/K 1 0 R>>", "<</A 1/K 7>>"},
		{"twice", "<</K 1/A 2/K 3>>", "<</K 7/A 2/K 7>>"},
		{"with an escape", "<</#4b null>>", "<</#4b 7>>"},
		{"not below", "<</A<</K 1>>>>", "<</K 7/A<</K 1>>>>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, err := pdf.Value(tt.dict).Dict()
			if err != nil {
				t.Fatal(err)
			}
			got := d.With("K", "7")
			if string(got) != tt.want {
				t.Errorf("With = %s, want %s", got, tt.want)
			}
			if again, err := got.Dict(); err != nil || string(again.Get("K")) != "7" {
				t.Errorf("K is %q afterwards, %v, want 7", again.Get("K"), err)
			}
		})
	}
}

func TestDictRefusesWhatIsNone(t *testing.T) {
	t.Parallel()
	for _, v := range []string{"", "<<", "[]", "<</A>>", "<<1 2>>", "<</A 1 2>>", "<</A endobj>>", "<</A(>>"} {
		if _, err := pdf.Value(v).Dict(); !errors.Is(err, fault.PDFMalformed) {
			t.Errorf("Dict(%q) = %v, want %s", v, err, fault.PDFMalformed)
		}
	}
}
