package shapes

import (
	"archive/zip"
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"

	"bulksigner/internal/fault"
)

// noise is a file in which nothing can be found.
func noise(size int) []byte {
	random := rand.New(rand.NewPCG(7, 11))
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return b
}

// remittance is shaped like a file for a bank: lines of 240 characters.
func remittance() []byte {
	var b strings.Builder
	for n := range 5 {
		fmt.Fprintf(&b, "%-240s\r\n", fmt.Sprintf("00100%02d3ARQUIVO DE TESTE", n))
	}
	return []byte(b.String())
}

// plain are files of other kinds, whose content is nobody's business.
func plain() []File {
	return []File{
		sign("other/text.txt", []byte("Texto em UTF-8: ação, coração.\n"), "text"),
		sign("other/text-crlf.txt", []byte("linha 1\r\nlinha 2\r\n"), "CRLF line ends, which must not change"),
		sign("other/latin1.csv", []byte("nome;valor\r\nJo\xE3o;1,00\r\n"), "ISO-8859-1"),
		sign("other/data.json", []byte("{\"a\":[1,2,3]}"), "JSON without line end"),
		sign("other/remittance.rem", remittance(), "shaped like a bank's file, lines of 240 characters"),
		sign("other/one-byte.bin", []byte("A"), "one byte"),
		sign("other/one-nul.bin", []byte{0}, "one NUL"),
		sign("other/127-bytes.bin", noise(127), "as long as one octet of length can say"),
		sign("other/128-bytes.bin", noise(128), "as long as it takes two octets to say"),
		sign("other/noise.bin", noise(70_000), "longer than 65 535 bytes"),
		sign("other/asn1.bin", der(tagSeq, []byte{2, 1, 1}, oidSHA256), "ASN.1 that is no message"),
		sign("other/pdf.bin", onePage("", ""), "a PDF under another name is signed like any file"),
		sign("other/xml.txt", []byte("<a>x</a>"), "so is XML"),
		sign("other/LEIAME", []byte("sem extensão\n"), "no extension"),
		sign("other/relatório anual (2).txt", []byte("nome com acento\n"), "accents, blanks and brackets in the name"),
		refuse("other/empty.bin", nil, fault.CMSEmpty, "no bytes"),
	}
}

// archives are files that hold others.
func archives() ([]File, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range []string{"a.txt", "dir/b.txt"} {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			return nil, err
		}
		if _, err := f.Write([]byte("stored in " + name + "\n")); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return []File{sign("other/archive.zip", out.Bytes(), "an archive of two stored files")}, nil
}
