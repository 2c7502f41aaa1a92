package pdf_test

import (
	"errors"
	"math"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/pdf"
	"bulksigner/internal/sign/signtest"
)

func TestRect(t *testing.T) {
	t.Parallel()
	d := signtest.OnePage("", "")
	d.Object(4, "[0 0 5 0 R 20]")
	d.Object(5, "10.5")
	f := open(t, d.Table("/Root 1 0 R").Bytes())
	tests := []struct {
		text string
		want pdf.Rect
		err  error
	}{
		{"[1 2 3 4]", pdf.Rect{X0: 1, Y0: 2, X1: 3, Y1: 4}, nil},
		{"[3 4 1 2]", pdf.Rect{X0: 1, Y0: 2, X1: 3, Y1: 4}, nil},
		{"[-1.5 +2 .5 4.]", pdf.Rect{X0: -1.5, Y0: 2, X1: 0.5, Y1: 4}, nil},
		{"4 0 R", pdf.Rect{X1: 10.5, Y1: 20}, nil},
		{"9 0 R", pdf.Rect{}, nil},
		{"null", pdf.Rect{}, nil},
		{"[]", pdf.Rect{}, nil},
		{"[1 2 3]", pdf.Rect{}, fault.PDFMalformed},
		{"[1 2 3 4 5]", pdf.Rect{}, fault.PDFMalformed},
		{"[1 2 3 /Four]", pdf.Rect{}, fault.PDFMalformed},
		{"[1 2 3 null]", pdf.Rect{}, fault.PDFMalformed},
		{"[1 2 3 99999999999]", pdf.Rect{}, fault.PDFMalformed},
		{"(1 2 3 4)", pdf.Rect{}, fault.PDFMalformed},
	}
	for _, tt := range tests {
		if got, err := f.Rect(pdf.Value(tt.text)); got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("Rect(%s) = %v, %v, want %v, %v", tt.text, got, err, tt.want, tt.err)
		}
	}
}

func TestRectsTogether(t *testing.T) {
	t.Parallel()
	a := pdf.Rect{X0: 0, Y0: -1, X1: 10, Y1: 1.25}
	if got, want := a.String(), "[0 -1 10 1.25]"; got != want {
		t.Errorf("String = %s, want %s", got, want)
	}
	if a.Width() != 10 || a.Height() != 2.25 || a.IsEmpty() {
		t.Errorf("%v is %g by %g, empty %t", a, a.Width(), a.Height(), a.IsEmpty())
	}
	if got, want := a.Intersect(pdf.Rect{X0: 5, Y0: -9, X1: 20, Y1: 0}), (pdf.Rect{X0: 5, Y0: -1, X1: 10, Y1: 0}); got != want {
		t.Errorf("Intersect = %v, want %v", got, want)
	}
	if apart := a.Intersect(pdf.Rect{X0: 50, Y0: 50, X1: 60, Y1: 60}); !apart.IsEmpty() {
		t.Errorf("rectangles that lie apart have %v together", apart)
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for n, want := range map[float64]string{
		0: "0", math.Copysign(0, -1): "0", -0.00001: "0", 1: "1", -20: "-20", 100: "100", 0.5: "0.5", 1.0 / 3: "0.3333",
		2.99999: "3", 123456.78: "123456.78",
	} {
		if got := string(pdf.AppendNumber(nil, n)); got != want {
			t.Errorf("AppendNumber(%g) = %s, want %s", n, got, want)
		}
	}
	for text, want := range map[string]float64{"1": 1, "-0.25": -0.25, "+7.": 7, ".5": 0.5} {
		if got, ok := pdf.Value(text).Number(); got != want || !ok {
			t.Errorf("Number(%s) = %g, %t, want %g", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "null", "1e5", "Inf", "NaN", "0x10", "1_0", "--1", "1.2.3", "4294967296", "/N", "(1)"} {
		if got, ok := pdf.Value(text).Number(); ok {
			t.Errorf("Number(%s) = %g, want none", text, got)
		}
	}
}
