package verify_test

import (
	"bytes"
	"fmt"
	"runtime"
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
