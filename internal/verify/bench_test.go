package verify_test

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"bulksigner/internal/verify"
)

func BenchmarkPDF(b *testing.B) {
	p := cast(b)
	for _, size := range []int{100_000, 100_000_000} {
		file := newPDF(size, false).sign(b, p.good(), dictionary{})
		b.Run(fmt.Sprintf("%dkB", size/1000), func(b *testing.B) {
			b.SetBytes(int64(len(file)))
			b.ReportAllocs()
			for b.Loop() {
				r, err := verify.PDF(bytes.NewReader(file), int64(len(file)), p.strict())
				if err != nil || r.Err() != nil {
					b.Fatal(err, r.Err())
				}
			}
		})
	}
}

// TestMemoryDoesNotGrow verifies a file of 16 MiB and counts what is allocated altogether.
func TestMemoryDoesNotGrow(t *testing.T) {
	p := cast(t) // not parallel: it counts everybody's allocations
	file := newPDF(16<<20, false).sign(t, p.good(), dictionary{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := judge(t, file, p.strict()).Err(); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 2<<20 {
		t.Errorf("%d bytes were allocated, want less than 2 MiB", got)
	}
}

// BenchmarkCMS reports how much heap there is at most besides the message itself.
func BenchmarkCMS(b *testing.B) {
	p := cast(b)
	file := p.goodCMS().make(b, make([]byte, 100_000_000))
	runtime.GC()
	var start, peak = heap(), uint64(0)
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := verify.CMS(&watched{bytes.NewReader(file), &peak}, int64(len(file)), p.strict())
		if err != nil || r.Err() != nil {
			b.Fatal(err, r.Err())
		}
	}
	b.ReportMetric(float64(peak-min(peak, start))/1000, "kB-peak")
}

// watched measures the heap now and then while it is read.
type watched struct {
	io.ReaderAt
	peak *uint64
}

func (w *watched) ReadAt(p []byte, off int64) (int, error) {
	if off%(1<<24) < int64(len(p)) {
		*w.peak = max(*w.peak, heap())
	}
	return w.ReaderAt.ReadAt(p, off)
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func BenchmarkXML(b *testing.B) {
	p := cast(b)
	m := p.goodXML()
	m.transforms = fmt.Sprintf(transform+transform, enveloped, c14n)
	for _, size := range []int{20_000, 5_000_000} {
		const row = `<det nItem="1"><prod><cProd>0001</cProd><xProd>Produto de teste</xProd><vProd>10.00</vProd></prod></det>` + "\n"
		content := `<nfe xmlns="urn:nfe">` + strings.Repeat(row, (size-14_000)/len(row)) + `</nfe>`
		document := []byte(strings.TrimSuffix(content, `</nfe>`) + m.sign(b, content) + `</nfe>`)
		b.Run(fmt.Sprintf("%dkB", size/1000), func(b *testing.B) {
			b.SetBytes(int64(len(document)))
			b.ReportAllocs()
			for b.Loop() {
				r, err := verify.XML(document, p.strict())
				if err != nil || r.Err() != nil {
					b.Fatal(err, r.Err())
				}
			}
		})
	}
}
