package demo

import (
	"bytes"
	"fmt"
	"math/rand/v2"
)

// Paper makes a PDF of about so many bytes: a page with a scan on it, which has no structure, as what is compressed has
// none. The same seed makes the same paper.
func Paper(size int, seed uint64) []byte {
	var b bytes.Buffer
	var places []int
	object := func(format string, args ...any) {
		places = append(places, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n", len(places))
		fmt.Fprintf(&b, format, args...)
		b.WriteString("\nendobj\n")
	}
	scan := Noise(size, seed)
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	object("<</Type/Catalog/Pages 2 0 R>>")
	object("<</Type/Pages/Kids[3 0 R]/Count 1>>")
	object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</XObject<</S 4 0 R>>>>>>")
	object("<</Type/XObject/Subtype/Image/Width %d/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/Length %d>>\nstream\n%s\nendstream",
		len(scan), len(scan), scan)
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(places)+1)
	for _, place := range places {
		fmt.Fprintf(&b, "%010d 00000 n \n", place)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(places)+1, table)
	return b.Bytes()
}

// Noise is so many bytes without any structure.
func Noise(size int, seed uint64) []byte {
	noise := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)}).Read(noise) // it cannot fail
	return noise
}
