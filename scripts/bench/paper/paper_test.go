package paper_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"bulksigner/scripts/bench/paper"
)

func TestSizes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		document io.WriterTo
		size     int64
	}{
		{"small PDF", paper.PDF(20_000), 20_000},
		{"PDF", paper.PDF(100_000), 100_000},
		{"large PDF", paper.PDF(10_000_000), 10_000_000},
		{"noise", paper.Noise(123_456), 123_456},
		{"invoice", paper.Invoice{Size: 20_000}, 20_000},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var one, two bytes.Buffer
			n, err := tt.document.WriteTo(&one)
			if err != nil || n != int64(one.Len()) {
				t.Fatalf("got %d, %v, want %d and no error", n, err, one.Len())
			}
			if n < tt.size*95/100 || n > tt.size*105/100 {
				t.Errorf("got %d bytes, want about %d", n, tt.size)
			}
			if _, err := tt.document.WriteTo(&two); err != nil || !bytes.Equal(one.Bytes(), two.Bytes()) {
				t.Errorf("another writing gives other bytes, or %v", err)
			}
		})
	}
}

func TestPDFIsSound(t *testing.T) {
	t.Parallel()
	qpdf, err := exec.LookPath("qpdf")
	if err != nil {
		t.Skip("qpdf is not installed: apt-get install qpdf")
	}
	for _, size := range []paper.PDF{1, 100_000, 3_000_000} {
		file := filepath.Join(t.TempDir(), "document.pdf")
		if err := paper.Write(file, size); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.CommandContext(t.Context(), qpdf, "--check", file).CombinedOutput(); err != nil {
			t.Errorf("%d bytes: %s", size, out)
		}
	}
}

func TestInvoiceIsWellFormed(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if _, err := (paper.Invoice{Size: 1000, Signature: "<Signature/>"}).WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	var invoice struct {
		Info struct {
			ID string `xml:"Id,attr"`
		} `xml:"infNFe"`
		Signature *struct{} `xml:"Signature"`
	}
	if err := xml.Unmarshal(out.Bytes(), &invoice); err != nil {
		t.Fatal(err)
	}
	if invoice.Info.ID != paper.InvoiceID || invoice.Signature == nil {
		t.Errorf("got %+v, want the identifier %s and a signature", invoice, paper.InvoiceID)
	}
}

// full is a disk that is full after some bytes.
type full struct{ left int }

var errFull = errors.New("full")

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWritingThatFailsIsSaid(t *testing.T) {
	t.Parallel()
	for _, d := range []io.WriterTo{paper.PDF(100_000), paper.Noise(100_000), paper.Invoice{Size: 100_000}} {
		for _, left := range []int{0, 5_000, 90_000} {
			if _, err := d.WriteTo(&full{left}); !errors.Is(err, errFull) {
				t.Errorf("%T after %d bytes: got %v, want %v", d, left, err, errFull)
			}
		}
	}
	if err := paper.Write(filepath.Join(t.TempDir(), "none", "file"), paper.Noise(1)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want %v", err, os.ErrNotExist)
	}
}
