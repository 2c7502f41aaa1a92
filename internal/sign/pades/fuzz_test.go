package pades_test

import (
	"bytes"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/pades"
)

// FuzzPrepare looks for files that make Prepare panic, take long or fail without a code, and for accepted files whose
// signed version is not accepted again.
func FuzzPrepare(f *testing.F) {
	for _, s := range shapes() {
		if len(s.doc) < 1<<14 {
			f.Add(s.doc)
		}
	}
	for _, h := range hostiles() {
		if len(h.doc) < 1<<14 {
			f.Add(h.doc)
		}
	}
	o := options(f, world.ECDSA)
	f.Fuzz(func(t *testing.T, doc []byte) {
		if _, err := pades.Prepare(bytes.NewReader(doc), int64(len(doc)), o); err != nil {
			if fault.CodeOf(err) == fault.Internal {
				t.Errorf("an error without a code: %v", err)
			}
			return
		}
		signed, err := sign(t, doc, world.ECDSA, nil)
		if err != nil {
			t.Fatalf("Sign after Prepare: %v", err)
		}
		if _, err := sign(t, signed, world.ECDSA, nil); err != nil {
			t.Errorf("the signed document is refused: %v", err)
		}
	})
}

// TestCutOff prepares every beginning of a document: none may panic.
func TestCutOff(t *testing.T) {
	t.Parallel()
	o := options(t, world.ECDSA)
	for _, s := range shapes()[:7] {
		for n := range s.doc {
			_, err := pades.Prepare(bytes.NewReader(s.doc[:n]), int64(n), o)
			if err != nil && fault.CodeOf(err) == fault.Internal {
				t.Errorf("%s, %d bytes of it: an error without a code: %v", s.name, n, err)
			}
		}
	}
}

// FuzzSeal looks for documents, places and texts that make a seal panic or fail without a code.
func FuzzSeal(f *testing.F) {
	f.Add(onePage("", "/Rotate 90"), "/UserUnit 2/CropBox[1 2 90 80]", 1, 1.0, 2.0, 50.0, 40.0, "{name} é {time}", "")
	f.Add(onePage("", ""), "", -1, 0.0, 0.0, 80.0, 30.0, "日本\n\n a\u0301", "")
	f.Add(formed("<</FT/Sig/T(Here)"+widget+">>"), "", 0, 0.0, 0.0, 0.0, 0.0, "", "Here")
	o := options(f, world.ECDSA)
	f.Fuzz(func(t *testing.T, doc []byte, page string, number int, left, bottom, width, height float64, text, field string) {
		o := o
		o.Field = field
		o.Seal = &pades.Seal{Page: number, Left: left, Bottom: bottom, Width: width, Height: height, Text: text}
		for _, doc := range [][]byte{doc, onePage("", page)} {
			if _, err := pades.Prepare(bytes.NewReader(doc), int64(len(doc)), o); err != nil && fault.CodeOf(err) == fault.Internal {
				t.Errorf("an error without a code: %v", err)
			}
		}
	})
}
