package shapes

import (
	"bytes"
	"fmt"
	"strings"

	"bulksigner/internal/sign/signtest"
)

const root = "/Root 1 0 R"

// onePage is a finished document of one page.
func onePage(catalog, page string) []byte {
	return signtest.OnePage(catalog, page).Table(root).Bytes()
}

// rebuilt is a document of one page that end finishes.
func rebuilt(end func(d *signtest.Document)) []byte {
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

// packed is a document whose Catalog and page are in an object stream.
func packed(predictor byte) []byte {
	d := signtest.NewDocument("1.5", "\n")
	d.Pack(5, "", map[int]string{
		1: "<</Type/Catalog/Pages 2 0 R>>",
		2: "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]/Annots 4 0 R>>",
		4: "[]",
	})
	return d.Rows(6, root, predictor).Bytes()
}

// hybrid has a form and an array of annotations that only readers of cross-reference streams see.
func hybrid() []byte {
	d := signtest.OnePage("/AcroForm 4 0 R", "/Annots 5 0 R")
	d.Pack(6, "", map[int]string{4: "<</Fields[]>>", 5: "[]"})
	return d.Hybrid(7, root).Bytes()
}

// updated has a second section, in which the Catalog is a new one with another generation.
func updated() []byte {
	d := signtest.OnePage("", "")
	d.Table(root)
	d.Generation(1, 2, "<</Type/Catalog/Pages 2 0 R/Lang(pt-BR)>>")
	return d.Table("/Root 1 2 R/ID[<00112233445566778899AABBCCDDEEFF>(\\000\\)abc)]").Bytes()
}

// often is a document that was updated many times.
func often() []byte {
	d := signtest.OnePage("", "")
	d.Table(root)
	for n := range 20 {
		d.Object(4, fmt.Sprintf("<</Title(revision %d)>>", n))
		d.Table(root + "/Info 4 0 R")
	}
	return d.Bytes()
}

// mixed has a table, and after it an update with a stream, which points back to it.
func mixed() []byte {
	d := signtest.OnePage("", "")
	d.Table(root)
	d.Object(4, "<</Title(a stream after a table)>>")
	return d.Rows(5, root+"/Info 4 0 R", 12).Bytes()
}

// sections are documents whose cross-reference is unusual, and sound.
func sections() []File {
	files := []File{
		sign("pdf/plain.pdf", onePage("", ""), "one page, one classic table"),
		sign("pdf/eol-cr.pdf", lines("\r"), "lines end in CR alone"),
		sign("pdf/eol-crlf.pdf", lines("\r\n"), "lines end in CRLF"),
		sign("pdf/eol-missing-at-end.pdf", bytes.TrimRight(onePage("", ""), "\n"), "no line end after the last marker"),
		sign("pdf/xref-narrow.pdf", rebuilt(func(d *signtest.Document) { d.NarrowTable(root) }), "entries of 19 bytes, as some writers have them"),
		sign("pdf/xref-hybrid.pdf", hybrid(), "a table with XRefStm; form and annotations are in the stream alone"),
		sign("pdf/xref-stream-after-table.pdf", mixed(), "the newest section is a stream, the one before a table"),
		sign("pdf/xref-prev-zero.pdf", rebuilt(func(d *signtest.Document) { d.Table(root + "/Prev 0") }), "Prev 0, which some writers mean as none"),
		sign("pdf/xref-size-too-small.pdf", rebuilt(func(d *signtest.Document) { d.Table(root + "/Size 2") }), "Size is smaller than the objects that are there"),
		sign("pdf/xref-size-large.pdf", rebuilt(func(d *signtest.Document) { d.Table(root + "/Size 8000000") }), "Size is eight million; memory must not follow it"),
		sign("pdf/update-new-generation.pdf", updated(), "an update, the Catalog has generation 2; ID with escapes"),
		sign("pdf/update-often.pdf", often(), "twenty updates"),
		sign("pdf/end-padded-nul.pdf", append(onePage("", ""), make([]byte, 1037)...), "1 037 NUL bytes after the last marker"),
		sign("pdf/end-padded-blank.pdf", append(onePage("", ""), strings.Repeat(" ", 4096)...), "4 096 blanks after the last marker"),
		sign("pdf/marker-in-string.pdf", rebuilt(func(d *signtest.Document) {
			d.Object(4, "<</Title(startxref\n5\n%%EOF\n)>>")
			d.Table(root + "/Info 4 0 R")
		}), "a title that looks like the end of the file"),
		sign("pdf/marker-in-trailer.pdf", rebuilt(func(d *signtest.Document) { d.Table(root + "/Note(startxref\n5\n%%EOF\n)") }),
			"the same in the trailer, behind the table"),
	}
	for _, p := range []byte{0, 10, 11, 12, 13, 14} {
		files = append(files, sign(fmt.Sprintf("pdf/xref-stream-predictor-%02d.pdf", p), packed(p), "object stream and cross-reference stream with this predictor"))
	}
	return files
}

// forms are documents whose interactive form is unusual.
func forms() []File {
	return []File{
		sign("pdf/acroform-null.pdf", onePage("/AcroForm null", "/Annots null"), "AcroForm and Annots are null"),
		sign("pdf/acroform-not-there.pdf", onePage("/AcroForm 9 0 R", "/Annots 9 0 R"), "both refer to an object that is not there"),
		sign("pdf/acroform-empty.pdf", onePage("/AcroForm<</Fields[]/SigFlags 1>>", "/Annots[]"), "a form without fields, nothing between the names"),
		sign("pdf/acroform-comments.pdf", onePage("/AcroForm<</Fields[% none ]\n]% ]>>\n>>", "/Annots[% none ]\n]% end\n"), "comments with brackets"),
		sign("pdf/acroform-escaped-names.pdf", onePage("/Acro#46orm<</Fields[]>>", "/Anno#74s[]"), "the names are written with escapes"),
		sign("pdf/acroform-all-indirect.pdf", rebuilt(func(d *signtest.Document) {
			d.Object(1, "<</Type/Catalog/Pages 2 0 R/AcroForm 4 0 R>>")
			d.Object(4, "<</Fields 5 0 R/SigFlags 6 0 R/NeedAppearances true>>")
			d.Object(5, "[7 0 R]")
			d.Object(6, "1")
			d.Object(7, "<</FT/Tx/T<FEFF005300690067006E00610074007500720065003100>/DA(/Helv 0 Tf)>>")
			d.Table(root)
		}), "form, fields and flags are objects; the name Signature1 is taken, in UTF-16"),
		sign("pdf/acroform-empty-signature-field.pdf", rebuilt(func(d *signtest.Document) {
			d.Object(1, "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]/SigFlags 1>>>>")
			d.Object(3, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]/Annots[4 0 R]>>")
			d.Object(4, "<</Type/Annot/Subtype/Widget/FT/Sig/T(Gerente)/Rect[10 10 60 30]/P 3 0 R/F 132>>")
			d.Table(root)
		}), "a signature field that nobody asked to fill, and that stays empty"),
	}
}

// note is an annotation.
const note = "<</Type/Annot/Subtype/Text/Rect[10 10 30 30]/Contents(Nota)/F 4>>"

// pages are documents whose pages are unusual.
func pages() []File {
	return []File{
		sign("pdf/annots-empty-direct.pdf", onePage("", "/Annots[]"), "Annots is an empty array"),
		sign("pdf/annots-direct.pdf", rebuilt(func(d *signtest.Document) {
			d.Object(3, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]/Annots[4 0 R]>>")
			d.Object(4, note)
			d.Table(root)
		}), "Annots is an array in the page; the note must survive"),
		sign("pdf/annots-inline.pdf", onePage("", "/Annots["+note+"]"), "the annotation stands in the array itself"),
		sign("pdf/annots-shared.pdf", rebuilt(func(d *signtest.Document) {
			d.Object(2, "<</Type/Pages/Kids[3 0 R 6 0 R]/Count 2>>")
			d.Object(3, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]/Annots 5 0 R>>")
			d.Object(4, note)
			d.Object(5, "[4 0 R]")
			d.Object(6, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]/Annots 5 0 R>>")
			d.Table(root)
		}), "two pages share one array"),
		sign("pdf/pages-nested.pdf", rebuilt(func(d *signtest.Document) {
			d.Object(2, "<</Type/Pages/Kids[4 0 R 5 0 R]/Count 1>>")
			d.Object(3, "<</Type/Page/Parent 5 0 R/MediaBox[0 0 100 100]>>")
			d.Object(4, "<</Type/Pages/Parent 2 0 R/Kids[]/Count 0>>")
			d.Object(5, "<</Type/Pages/Parent 2 0 R/Kids[3 0 R]/Count 1>>")
			d.Table(root)
		}), "the first branch of the page tree is empty"),
		sign("pdf/pages-inherited.pdf", rebuilt(func(d *signtest.Document) {
			d.Object(2, "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 200 100]/CropBox[10 10 190 90]/Rotate 270>>")
			d.Object(3, "<</Type/Page/Parent 2 0 R>>")
			d.Table(root)
		}), "boxes and rotation come from the page tree"),
		sign("pdf/pages-large-number.pdf", rebuilt(func(d *signtest.Document) {
			d.Object(8_000_000, "<</Title(a high number)>>")
			d.Table(root + "/Info 8000000 0 R")
		}), "the highest object number is eight million"),
		sign("pdf/catalog-version.pdf", onePage("/Version/2.0/Lang(pt-BR)", ""), "the Catalog says PDF 2.0, the header 1.7"),
		sign("pdf/metadata.pdf", rebuilt(func(d *signtest.Document) {
			d.Object(1, "<</Type/Catalog/Pages 2 0 R/Metadata 4 0 R>>")
			d.Stream(4, "/Type/Metadata/Subtype/XML", []byte("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"/>"))
			d.Object(5, "<</Title<FEFF004F006600ED00630069006F>/Producer(test \\(1\\))>>")
			d.Table(root + "/Info 5 0 R/ID[<00><01>]")
		}), "XMP metadata, Info in UTF-16 and with escapes, an ID of one byte"),
		sign("pdf/EXTENSION IN CAPITALS.PDF", onePage("", ""), "the name has blanks, and its extension capitals"),
	}
}
