package pades_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"bulksigner/internal/sign/pades"
	"bulksigner/internal/sign/signtest"
)

// shape is a kind of document.
type shape struct {
	name string
	doc  []byte
}

const root = "/Root 1 0 R"

// onePage is a finished document of one page.
func onePage(catalog, page string) []byte {
	return signtest.OnePage(catalog, page).Table(root).Bytes()
}

// rebuilt is a document whose cross-reference section is not the usual one.
func rebuilt(end func(*signtest.Document)) []byte {
	d := signtest.OnePage("", "")
	end(d)
	return d.Bytes()
}

// lines is a document with other ends of lines.
func lines(eol string) []byte {
	d := signtest.NewDocument("1.4", eol)
	d.Object(1, "<</Type/Catalog\n/Pages 2 0 R % a comment\n>>")
	d.Object(2, "<</Type/Pages\n/Kids[3 0 R]/Count 1>>")
	d.Object(3, "<</Type/Page/Parent 2 0 R\n/MediaBox[0 0 100 100]>>")
	return d.Table(root).Bytes()
}

// packed is a document whose Catalog and page are in an object stream, the length of which is an object of its own.
func packed(end func(*signtest.Document)) []byte {
	d := signtest.NewDocument("1.5", "\n")
	objects := map[int]string{
		1: "<</Type/Catalog/Pages 2 0 R>>",
		2: "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]/Annots 4 0 R>>",
		4: "[]",
	}
	d.Pack(5, "", objects)
	end(d)
	return d.Bytes()
}

// hybrid has a page whose array of annotations only readers of cross-reference streams see.
func hybrid() []byte {
	d := signtest.OnePage("/AcroForm 4 0 R", "/Annots 5 0 R")
	d.Pack(6, "", map[int]string{4: "<</Fields[]>>", 5: "[]"})
	d.Hybrid(7, root)
	return d.Bytes()
}

// updated has a second section, in which the Catalog is a new one with another generation.
func updated() []byte {
	d := signtest.OnePage("", "")
	d.Table(root)
	d.Generation(1, 2, "<</Type/Catalog/Pages 2 0 R/Lang(pt-BR)>>")
	return d.Table("/Root 1 2 R/ID[<00112233445566778899AABBCCDDEEFF>(\\000\\)abc)]").Bytes()
}

func shapes() []shape {
	table := func(d *signtest.Document) { d.Table(root) }
	all := []shape{
		{"plain", onePage("", "")},
		{"CR", lines("\r")},
		{"CRLF", lines("\r\n")},
		{"narrow table", rebuilt(func(d *signtest.Document) { d.NarrowTable(root) })},
		{"objects in a stream", packed(func(d *signtest.Document) { d.Rows(6, root, 12) })},
		{"hybrid", hybrid()},
		{"update with another generation", updated()},
		{"Prev 0", rebuilt(func(d *signtest.Document) { d.Table(root + "/Prev 0") })},
		{"Size too small", rebuilt(func(d *signtest.Document) { d.Table(root + "/Size 2") })},
		{"no line end at the end", bytes.TrimRight(onePage("", ""), "\n")},
		{"marks in a string", rebuilt(func(d *signtest.Document) {
			d.Object(4, "<</Title(startxref\n5\n%%EOF\n)>>")
			d.Table(root + "/Info 4 0 R")
		})},
		{"marks in the trailer", rebuilt(func(d *signtest.Document) { d.Table(root + "/Note(startxref\n5\n%%EOF\n)") })},
		{"names with escapes", onePage("/Acro#46orm<</Fields[]>>", "/Anno#74s[]")},
		{"form null", onePage("/AcroForm null", "/Annots null")},
		{"form that is not there", onePage("/AcroForm 9 0 R", "/Annots 9 0 R")},
		{"values without space", onePage("/AcroForm<</Fields[]/SigFlags 1>>", "/Annots[]")},
		{"comments", onePage("/AcroForm<</Fields[% none ]\n]% ]>>\n>>", "/Annots[% none ]\n]% end\n")},
		{"everything an object", rebuilt(func(d *signtest.Document) {
			d.Object(1, "<</Type/Catalog/Pages 2 0 R/AcroForm 4 0 R>>")
			d.Object(4, "<</Fields 5 0 R/SigFlags 6 0 R/NeedAppearances true>>")
			d.Object(5, "[7 0 R]")
			d.Object(6, "1")
			d.Object(7, "<</FT/Tx/T<FEFF005300690067006E00610074007500720065003100>>>")
			d.Table(root)
		})},
		{"nested page tree", rebuilt(func(d *signtest.Document) {
			d.Object(2, "<</Type/Pages/Kids[4 0 R 9 0 R 5 0 R]/Count 1>>")
			d.Object(4, "<</Type/Pages/Parent 2 0 R/Kids[]/Count 0>>")
			d.Object(5, "<</Type/Pages/Parent 2 0 R/Kids[3 0 R]/Count 1>>")
			table(d)
		})},
	}
	for p := byte(10); p <= 14; p++ {
		all = append(all, shape{fmt.Sprint("predictor ", p), packed(func(d *signtest.Document) { d.Rows(6, root, p) })})
	}
	for _, n := range []int{1, 1037, 4096, 70000, 1 << 19} {
		all = append(all,
			shape{fmt.Sprint("NUL ", n), append(onePage("", ""), make([]byte, n)...)},
			shape{fmt.Sprint("blanks ", n), append(onePage("", ""), strings.Repeat(" ", n)...)})
	}
	return all
}

func TestShapes(t *testing.T) {
	t.Parallel()
	for _, s := range shapes() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()

			signed, err := sign(t, s.doc, world.ECDSA, nil)
			if err != nil {
				t.Fatal(err)
			}
			judge(t, s.doc, signed)
		})
	}
}

func TestSignAgain(t *testing.T) {
	t.Parallel()
	for _, s := range shapes()[:7] {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			doc := s.doc
			for n := 1; n <= 3; n++ {
				// Of a certificate that it has met before in the same file, pdfsig 22.12 says that it is corrupted.
				id, err := world.Issue(fmt.Sprint("signer ", n), world.RSA.Key)
				if err != nil {
					t.Fatal(err)
				}
				signed, err := sign(t, doc, id, func(o *pades.Options) { o.Reason = strings.Repeat("again ", n) })
				if err != nil {
					t.Fatal(err)
				}
				judge(t, doc, signed)
				doc = signed
			}
		})
	}
}
