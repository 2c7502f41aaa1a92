package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
)

// sizes are those of the files, and how many of a hundred have each: letters, contracts, contracts with attachments, scans.
var sizes = []struct{ bytes, of100 int }{{30 << 10, 45}, {120 << 10, 40}, {800 << 10, 12}, {6 << 20, 3}}

// maxScan is the largest scan on a page; of more there are more pages.
const maxScan = 512 << 10

// paper makes a PDF of about so many bytes: pages with a scan each, which has no structure, as what is compressed has none.
func paper(size int, seed uint64) []byte {
	var b bytes.Buffer
	var places []int
	object := func(format string, args ...any) {
		places = append(places, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n", len(places))
		fmt.Fprintf(&b, format, args...)
		b.WriteString("\nendobj\n")
	}
	pages := size/maxScan + 1
	noise := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	object("<</Type/Catalog/Pages 2 0 R>>")
	kids := ""
	for i := range pages {
		kids += fmt.Sprintf("%d 0 R ", 3+2*i)
	}
	object("<</Type/Pages/Kids[%s]/Count %d>>", kids, pages)
	for i := range pages {
		scan := make([]byte, size/pages)
		_, _ = noise.Read(scan) // it cannot fail
		object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</XObject<</S %d 0 R>>>>>>", 4+2*i)
		object("<</Type/XObject/Subtype/Image/Width %d/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/Length %d>>\nstream\n%s\nendstream",
			len(scan), len(scan), scan)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(places)+1)
	for _, place := range places {
		fmt.Fprintf(&b, "%010d 00000 n \n", place)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(places)+1, table)
	return b.Bytes()
}

// stack is one document of each size.
func stack(seed uint64) (docs [][]byte) {
	for i, s := range sizes {
		docs = append(docs, paper(s.bytes, seed+uint64(i)))
	}
	return docs
}

// sizeOf picks a size by a number from 0 to 99.
func sizeOf(n int) int {
	for i, s := range sizes {
		if n -= s.of100; n < 0 {
			return i
		}
	}
	return len(sizes) - 1
}
