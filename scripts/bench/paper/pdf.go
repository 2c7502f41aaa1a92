package paper

import (
	"fmt"
	"io"
)

// PDF is a document of about so many bytes: pages with a line of text and a scan each, and a classic cross-reference
// table, the one kind that all peers read.
type PDF int64

// The smallest page, and how large the scan on a page becomes before there are more pages.
const (
	minScan = 8 << 10
	maxScan = 1 << 20
)

// pages returns how many there are, and the size of the scan on each.
func (p PDF) pages() (count int, scan int64) {
	count = int(min(max(int64(p)/minScan, 1), 10))
	for int64(p)/int64(count) > maxScan {
		count *= 2
	}
	return count, max(int64(p)/int64(count)-500, 1)
}

// WriteTo implements io.WriterTo.
func (p PDF) WriteTo(w io.Writer) (int64, error) {
	count, scan := p.pages()
	d := &pdf{counter: counter{w: w}}
	fmt.Fprint(d, "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	d.object("<</Type/Catalog/Pages 2 0 R>>")
	d.object(tree(count))
	d.object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	noise := newNoise()
	for i := range count {
		d.page(i, scan, noise)
	}
	d.table()
	return d.n, d.err
}

// first is the number of the first page's object. A page is three objects: itself, its content, its scan.
const first, each = 4, 3

func tree(count int) string {
	kids := ""
	for i := range count {
		kids += fmt.Sprintf("%d 0 R ", first+each*i)
	}
	return fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", kids, count)
}

// pdf is a file that is being written.
type pdf struct {
	counter
	places []int64 // where each object begins, the first being number 1
}

func (d *pdf) object(text string) {
	d.begin()
	fmt.Fprintf(d, "%s\nendobj\n", text)
}

func (d *pdf) begin() {
	d.places = append(d.places, d.n)
	fmt.Fprintf(d, "%d 0 obj\n", len(d.places))
}

func (d *pdf) page(i int, scan int64, noise io.Reader) {
	num := first + each*i
	d.object(fmt.Sprintf("<</Type/Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R "+
		"/Resources <</Font<</F 3 0 R>>/XObject<</S %d 0 R>>>> >>", num+1, num+2))
	text := fmt.Sprintf("BT /F 12 Tf 60 780 Td (Page %d) Tj ET q 400 0 0 400 60 300 cm /S Do Q", i+1)
	d.object(fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(text), text))
	d.begin()
	fmt.Fprintf(d, "<</Type/XObject/Subtype/Image/Width %d/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/Length %d>>\nstream\n", scan, scan)
	if _, err := io.CopyN(d, noise, scan); err != nil && d.err == nil {
		d.err = err
	}
	fmt.Fprint(d, "\nendstream\nendobj\n")
}

func (d *pdf) table() {
	at := d.n
	fmt.Fprintf(d, "xref\n0 %d\n0000000000 65535 f \n", len(d.places)+1)
	for _, place := range d.places {
		fmt.Fprintf(d, "%010d 00000 n \n", place)
	}
	fmt.Fprintf(d, "trailer\n<</Size %d /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(d.places)+1, at)
}
