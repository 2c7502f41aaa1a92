package shapes

import (
	"bytes"
	"fmt"
	"strings"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/signtest"
)

// forbidden are sound documents that must not be signed.
func forbidden() []File {
	certified := "/Perms<</DocMDP<</Type/Sig/Reference[<</Type/SigRef/TransformMethod/DocMDP/TransformParams<</Type/TransformParams/P 1/V/1.2>>>>]>>>>"
	rc4 := "/Encrypt<</Filter/Standard/V 1/R 2/O<" + strings.Repeat("5A", 32) + ">/U<" + strings.Repeat("A5", 32) + ">/P -4>>/ID[<00112233>(4455)]"
	return []File{
		refuse("pdf/encrypted-direct.pdf", rebuilt(func(d *signtest.Document) { d.Table(root + rc4) }), fault.PDFEncrypted,
			"the encryption dictionary stands in the trailer"),
		refuse("pdf/encrypted-before-update.pdf", rebuilt(func(d *signtest.Document) {
			d.Table(root + rc4)
			d.Object(4, "null")
			d.Table(root)
		}), fault.PDFEncrypted, "only the older section says so"),
		refuse("pdf/encrypted-stream.pdf", rebuilt(func(d *signtest.Document) {
			d.Object(4, "<</Filter/Standard/V 5/R 6/Length 256/CF<</StdCF<</CFM/AESV3/Length 32>>>>/StmF/StdCF/StrF/StdCF>>")
			d.Rows(5, root+"/Encrypt 4 0 R", 12)
		}), fault.PDFEncrypted, "AES-256, in a cross-reference stream"),
		refuse("pdf/certified-p1.pdf", onePage(certified, ""), fault.PDFCertified, "DocMDP P=1: no changes, not even signatures"),
		refuse("pdf/locked-p1.pdf", rebuilt(func(d *signtest.Document) {
			d.Object(1, "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]/SigFlags 3>>>>")
			d.Object(4, "<</FT/Sig/T(A)/V<</Type/Sig/Filter/Adobe.PPKLite>>/Lock<</Type/SigFieldLock/Action/All/P 1>>>>")
			d.Table(root)
		}), fault.PDFCertified, "a signature that locked the document for good"),
		refuse("pdf/zero-page.pdf", rebuilt(func(d *signtest.Document) {
			d.Object(2, "<</Type/Pages/Kids[]/Count 0>>")
			d.Table(root)
		}), fault.PDFNoPage, "the page tree is empty"),
		refuse("pdf/zero-page-null.pdf", rebuilt(func(d *signtest.Document) {
			d.Object(2, "<</Type/Pages/Kids[null 9 0 R]/Count 2>>")
			d.Table(root)
		}), fault.PDFNoPage, "the pages are null or not there"),
	}
}

// circle is a document with two sections, each of which says that the other one came before.
func circle() []byte {
	d := signtest.OnePage("", "")
	d.Table(root + "/Prev 1000000")
	second := d.Len()
	d.Table(root)
	return bytes.Replace(d.Bytes(), []byte("/Prev 1000000"), fmt.Appendf(nil, "/Prev %07d", second), 1)
}

// bomb is a cross-reference stream that is small until it is unpacked.
func bomb() []byte {
	d := signtest.OnePage("", "")
	at, data := d.Len(), signtest.Deflate(make([]byte, 16<<20))
	d.Stream(6, "/Type/XRef/Size 100"+root+"/W[8 8 8]/Index[0 8000000]/Filter/FlateDecode", data)
	d.Raw(fmt.Sprintf("startxref\n%d\n%%%%EOF\n", at))
	return d.Bytes()
}

// damaged are files that are no sound documents.
func damaged() []File {
	sound := onePage("", "")
	return []File{
		refuse("pdf/empty.pdf", nil, fault.PDFNotAPDF, "no bytes"),
		refuse("pdf/text.pdf", []byte(strings.Repeat("no PDF at all\n", 200)), fault.PDFNotAPDF, "text under the name of a PDF"),
		refuse("pdf/header-late.pdf", append(make([]byte, 1020), sound...), fault.PDFNotAPDF, "the header comes after 1 020 bytes"),
		refuse("pdf/header-after-bytes.pdf", append([]byte("\xEF\xBB\xBF\n"), sound...), fault.PDFMalformed, "four bytes before the header, which move all offsets"),
		refuse("pdf/header-unknown.pdf", bytes.Replace(sound, []byte("PDF-1.7"), []byte("PDF-3.7"), 1), fault.PDFMalformed, "version 3.7"),
		refuse("pdf/cut-off.pdf", sound[:len(sound)-30], fault.PDFMalformed, "the end is missing"),
		refuse("pdf/startxref-beyond.pdf", []byte("%PDF-1.7\nstartxref\n9999\n%%EOF\n"), fault.PDFMalformed, "startxref points behind the end"),
		refuse("pdf/startxref-wrong.pdf", bytes.Replace(sound, []byte("startxref\n"), []byte("startxref\n1"), 1), fault.PDFMalformed, "startxref points somewhere else"),
		refuse("pdf/prev-itself.pdf", rebuilt(func(d *signtest.Document) { d.Table(fmt.Sprintf("%s/Prev %d", root, d.Len())) }), fault.PDFMalformed,
			"Prev points to its own section"),
		refuse("pdf/prev-circle.pdf", circle(), fault.PDFMalformed, "two sections point to each other"),
		refuse("pdf/prev-beyond.pdf", rebuilt(func(d *signtest.Document) { d.Table(root + "/Prev 99999999") }), fault.PDFMalformed, "Prev points behind the end"),
		refuse("pdf/size-huge.pdf", rebuilt(func(d *signtest.Document) { d.Table(root + "/Size 1000000000") }), fault.PDFMalformed, "Size is a billion"),
		refuse("pdf/size-missing.pdf", bytes.Replace(sound, []byte("/Size"), []byte("/Sice"), 1), fault.PDFMalformed, "no Size"),
		refuse("pdf/table-huge.pdf", bytes.Replace(sound, []byte("\n1 3\n"), []byte("\n1 3000000000\n"), 1), fault.PDFMalformed, "a table of three billion entries"),
		refuse("pdf/table-wrong-object.pdf", bytes.Replace(sound, []byte("1 0 obj"), []byte("7 0 obj"), 1), fault.PDFMalformed, "the table leads to another object"),
		refuse("pdf/root-missing.pdf", rebuilt(func(d *signtest.Document) { d.Table("/Info 1 0 R") }), fault.PDFMalformed, "no Root"),
		refuse("pdf/pages-circle.pdf", rebuilt(func(d *signtest.Document) {
			d.Object(2, "<</Type/Pages/Kids[4 0 R]/Count 1>>")
			d.Object(4, "<</Type/Pages/Kids[2 0 R]/Count 1>>")
			d.Table(root)
		}), fault.PDFMalformed, "the page tree is a circle"),
		refuse("pdf/form-number.pdf", onePage("/AcroForm 1", ""), fault.PDFMalformed, "the form is a number"),
		refuse("pdf/annots-name.pdf", onePage("", "/Annots/None"), fault.PDFMalformed, "the annotations are a name"),
		refuse("pdf/brackets.pdf", onePage("/X[<<]>>", ""), fault.PDFMalformed, "brackets do not match"),
		refuse("pdf/deep.pdf", onePage("/X"+strings.Repeat("[", 5000), ""), fault.PDFMalformed, "five thousand arrays in each other"),
		refuse("pdf/bomb.pdf", bomb(), fault.PDFMalformed, "16 kB that unpack to 16 MB"),
	}
}
