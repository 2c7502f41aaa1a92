package demo_test

import (
	"bytes"
	"testing"

	"bulksigner/internal/local/demo"
	"bulksigner/internal/sign/pdf"
)

func TestPaper(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 100_000, 6 << 20} {
		doc := demo.Paper(size, 1)
		if _, err := pdf.Open(bytes.NewReader(doc), int64(len(doc))); err != nil {
			t.Errorf("%d bytes of scan: %v", size, err)
		}
		if more := len(doc) - size; more < 0 || more > 1000 {
			t.Errorf("a paper of about %d bytes has %d", size, len(doc))
		}
	}
	if !bytes.Equal(demo.Paper(100, 1), demo.Paper(100, 1)) || bytes.Equal(demo.Paper(100, 1), demo.Paper(100, 2)) {
		t.Error("a paper does not follow from its seed")
	}
}
