package pdf_test

import (
	"bytes"
	"strings"
	"testing"

	"bulksigner/internal/sign/pdf"
	"bulksigner/internal/sign/signtest"
)

func open(t *testing.T, doc []byte) *pdf.File {
	t.Helper()
	f, err := pdf.Open(bytes.NewReader(doc), int64(len(doc)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// resolve is the text of an object, as the file has it.
func resolve(t *testing.T, f *pdf.File, ref string) string {
	t.Helper()
	v, _, err := f.Resolve(pdf.Value(ref))
	if err != nil {
		t.Fatal(err)
	}
	return string(v)
}

func TestResolve(t *testing.T) {
	t.Parallel()
	plain := func() *signtest.Document {
		d := signtest.OnePage("", "")
		d.Object(4, "(first)")
		d.Object(5, "(old)")
		d.Object(6, "(gone)")
		d.Table("/Root 1 0 R")
		return d
	}
	tests := []struct {
		name string
		doc  func() []byte
		want map[string]string
	}{
		{"newest first", func() []byte {
			d := plain()
			d.Object(5, "(new)")
			d.Free(6)
			d.Generation(7, 3, "4 0 R")
			return d.Table("/Root 1 0 R").Bytes()
		}, map[string]string{"4 0 R": "(first)", "5 0 R": "(new)", "6 0 R": "", "7 3 R": "(first)", "7 0 R": "", "99 0 R": "", "(direct)": "(direct)"}},
		{"streams and tables in one chain", func() []byte {
			d := plain()
			d.Pack(8, "", map[int]string{5: "(new)", 9: "(packed)"})
			return d.Rows(10, "/Root 1 0 R", 12).Bytes()
		}, map[string]string{"4 0 R": "(first)", "5 0 R": "(new)", "9 0 R": "(packed)", "9 1 R": ""}},
		{"hybrid", func() []byte {
			d := plain()
			d.Pack(8, "", map[int]string{5: "(hidden)"})
			d.Object(9, "(seen)")
			d.Hybrid(10, "/Root 1 0 R")
			return d.Bytes()
		}, map[string]string{"4 0 R": "(first)", "5 0 R": "(hidden)", "9 0 R": "(seen)"}},
		{"longer than the first window", func() []byte {
			d := plain()
			d.Object(4, "("+strings.Repeat("x", 300_000)+")")
			return d.Table("/Root 1 0 R").Bytes()
		}, map[string]string{"4 0 R": "(" + strings.Repeat("x", 300_000) + ")", "5 0 R": "(old)"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := open(t, tt.doc())
			for ref, want := range tt.want {
				if got := resolve(t, f, ref); got != want {
					t.Errorf("Resolve(%s) = %.40s, want %.40s", ref, got, want)
				}
			}
		})
	}
}

// TestWindowEdges moves an object over the edges of windows and blocks: nothing may depend on where they are.
func TestWindowEdges(t *testing.T) {
	t.Parallel()
	const want = "<</A(b\\)c)/D<4142>/E 12 0 R/F[1 2 0 R]/G 1>>"
	for pad := 950; pad < 1050; pad++ {
		d := signtest.OnePage("", "")
		d.Object(4, "[("+strings.Repeat("x", pad)+")"+want+"]")
		f := open(t, d.Table("/Root 1 0 R").Bytes())
		if got := resolve(t, f, "4 0 R"); !strings.HasSuffix(got, want+"]") {
			t.Fatalf("after %d bytes the object reads %.80s", pad, got[pad:])
		}
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	d := signtest.OnePage("", "/N/third")
	d.Object(2, "<</Type/Pages/Kids[4 0 R null 3 0 R 7 0 R]/Count 3>>")
	d.Object(4, "<</Kids[5 0 R 6 0 R]>>")
	d.Object(5, "<</Type/Page/N/first>>")
	d.Object(6, "<</N/second>>")
	d.Object(7, "<</Type/Pages>>")
	f := open(t, d.Table("/Root 1 0 R").Bytes())
	var got []string
	for p, err := range f.Pages() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, p.Dict.Get("N").Name())
	}
	if s := strings.Join(got, " "); s != "first second third" {
		t.Errorf("the pages are %q, want first second third", s)
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		end  func(*signtest.Document)
		want []string
	}{
		{"table", func(d *signtest.Document) { d.Table("/Root 1 0 R/Info 9 0 R/ID[<AB>(x)]/Odd(a % b)") },
			[]string{"\nxref\n1 1\n", "\n4 2\n", "/Size 6/Prev ", "/Root 1 0 R\n", "/Info 9 0 R\n", "/Odd(a % b)\n", "/ID[<AB><0"}},
		{"stream", func(d *signtest.Document) { d.Rows(4, "/Root 1 0 R/ID[<AB>(x)]", 12) },
			[]string{"/Type/XRef/Size 8/Prev ", "/W[1 5 2]/Index[1 1 5 3]/Length 32\n", "/Root 1 0 R\n", "/ID[<AB><0"}},
		{"hybrid", func(d *signtest.Document) { d.Hybrid(4, "/Root 1 0 R") }, []string{"\nxref\n1 1\n5 2\n", "/Size 7/Prev "}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := signtest.OnePage("", "")
			tt.end(d)
			f := open(t, d.Bytes())
			u := f.Update()
			second, first := u.New(), pdf.Ref{Num: 1}
			third := u.New()
			u.Put(third, []byte("(third)"))
			u.Put(second, []byte("(none)"))
			u.Put(second, []byte("(second)"))
			u.Put(first, []byte("<</Type/Catalog>>"))
			s, err := u.Encode()
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tt.want {
				if !bytes.Contains(maskOffsets(s.Bytes), []byte(want)) {
					t.Errorf("there is no %q in\n%s", want, s.Bytes)
				}
			}
			if bytes.Contains(s.Bytes, []byte("XRefStm")) {
				t.Error("the new section claims the stream of the old one")
			}
			if at := s.Offset(second); !bytes.HasPrefix(s.Bytes[at:], []byte("(second)")) {
				t.Errorf("Offset leads to %.20q", s.Bytes[at:])
			}
			again := open(t, append(d.Bytes(), s.Bytes...))
			for ref, want := range map[pdf.Ref]string{first: "<</Type/Catalog>>", second: "(second)", third: "(third)"} {
				if got := resolve(t, again, ref.String()); got != want {
					t.Errorf("object %s is %s afterwards, want %s", ref, got, want)
				}
			}
		})
	}
}

// maskOffsets takes the entries out of a table, so that its heads follow each other.
func maskOffsets(b []byte) []byte {
	var out []byte
	for line := range bytes.Lines(b) {
		if len(line) != 20 || !bytes.HasSuffix(line, []byte(" n \n")) {
			out = append(out, line...)
		}
	}
	return out
}

func TestEdit(t *testing.T) {
	t.Parallel()
	d := signtest.OnePage("", "")
	d.Object(4, "[1 0 R]")
	f := open(t, d.Table("/Root 1 0 R").Bytes())
	u := f.Update()
	tests := []struct{ name, dict, want string }{
		{"direct", "<</K[3 0 R]>>", "<</K[3 0 R 9 0 R]>>"},
		{"missing", "<<>>", "<</K [9 0 R]>>"},
		{"in an object of its own", "<</K 4 0 R>>", "<</K 4 0 R>>"},
		{"in an object that is not there", "<</K 8 0 R>>", "<</K [9 0 R]>>"},
	}
	for _, tt := range tests {
		d, err := pdf.Value(tt.dict).Dict()
		if err != nil {
			t.Fatal(err)
		}
		d, changed, err := u.Edit(d, "K", func(v pdf.Value) (pdf.Value, error) { return v.Append("9 0 R") })
		if err != nil {
			t.Fatal(err)
		}
		if want := tt.dict != tt.want; changed != want {
			t.Errorf("%s: changed = %t, want %t", tt.name, changed, want)
		}
		if got := strings.ReplaceAll(string(d.Text()), "K [3", "K[3"); got != tt.want {
			t.Errorf("%s: Edit = %s, want %s", tt.name, got, tt.want)
		}
	}
	if s, err := u.Encode(); err != nil || !bytes.Contains(s.Bytes, []byte("4 0 obj\n[1 0 R 9 0 R]\nendobj")) {
		t.Errorf("the object was not changed: %v", err)
	}
}
