package report_test

import (
	"errors"
	"strings"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
	"bulksigner/scripts/conformance/corpus"
	"bulksigner/scripts/conformance/judge"
	"bulksigner/scripts/conformance/report"
	"bulksigner/scripts/conformance/signing"
	"bulksigner/scripts/conformance/trial"
)

// result is a small trial: one document that two keys sign differently, one refusal, one control.
func result() *trial.Result {
	pdf := signing.Form{Format: profile.Pades}
	entry := corpus.Entry{File: "b.pdf", Verdict: corpus.Sign}
	signed := signing.Outcome{Signed: []byte("x"), Asked: 1}
	unable := judge.Unable{Reason: "it cannot"}
	return &trial.Result{
		Keys: []string{"K1 with SHA-256", "K2 with SHA-512"},
		Tools: []trial.Tool{
			{Judge: &judge.Judge{Name: "qpdf", Formats: []profile.Format{profile.Pades}}, Version: "11.3.0"},
			{Judge: &judge.Judge{Name: "mutool", Formats: []profile.Format{profile.Pades}, Package: "apt-get install mupdf-tools"}, Missing: errors.New("no")},
		},
		Rows: []*trial.Row{
			{Corpus: "c", Entry: entry, Form: pdf, Key: "K1", Outcome: signed, Opinions: map[string]error{"qpdf": nil}},
			{Corpus: "c", Entry: entry, Form: pdf, Key: "K2", Outcome: signed, Opinions: map[string]error{"qpdf": errors.New("x")}, Faults: []string{"qpdf: x"}},
			{Corpus: "c", Entry: corpus.Entry{File: "a|.pdf", Verdict: corpus.Refuse}, Form: pdf, Key: "K1", Outcome: signing.Outcome{Refused: fault.PDFEncrypted}},
			{Corpus: "c", Entry: corpus.Entry{File: "a|.pdf", Verdict: corpus.Refuse}, Form: pdf, Key: "K2", Outcome: signing.Outcome{Refused: fault.PDFEncrypted}},
			{Entry: corpus.Entry{File: "control.pdf", Verdict: corpus.Sign}, Form: pdf, Key: "K1", Outcome: signed, Opinions: map[string]error{"qpdf": unable}},
			{Entry: corpus.Entry{File: "control.pdf", Verdict: corpus.Sign}, Form: pdf, Key: "K1", Altered: true, Outcome: signed, Opinions: map[string]error{"qpdf": errors.New("x")}},
		},
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	var first, second strings.Builder
	if err := errors.Join(report.Write(&first, result()), report.Write(&second, result())); err != nil {
		t.Fatal(err)
	}
	page := first.String()
	if page != second.String() {
		t.Error("two pages of the same result differ")
	}
	for _, want := range []string{
		"**5 as expected, 1 not.**",
		"K1 with SHA-256, K2 with SHA-512.",
		"| qpdf | 11.3.0 | PAdES |",
		"| mutool | not there | PAdES |",
		"- `c/b.pdf`, PAdES, K2: qpdf: x\n",
		"2 documents: 2 signatures, 2 refusals.",
		"| `b.pdf` | sign | PAdES | K1 | ✓ |  | yes |\n",
		"| `b.pdf` | sign | PAdES | K2 | ✗ |  | **no** |\n",
		"| `a\\|.pdf` | refuse | all | `pdf.encrypted` | 0 times | yes |\n",
		"| `control.pdf` | approve | PAdES | K1 | ·<sup>1</sup> |  | yes |\n",
		"| `control.pdf`, altered | complain | PAdES | K1 | ✗ |  | yes |\n",
		"\n1. qpdf: it cannot\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if t.Failed() {
		t.Log(page)
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if report.Summary(&out, result(), false) {
		t.Error("a trial that is not as expected is called good")
	}
	want := "mutool is not there: apt-get install mupdf-tools\nc/b.pdf, PAdES, K2: qpdf: x\n5 as expected, 1 not\n"
	if out.String() != want {
		t.Errorf("Summary = %q, want %q", out.String(), want)
	}
	good := result()
	good.Rows = good.Rows[:1]
	if !report.Summary(&out, good, false) || report.Summary(&out, good, true) {
		t.Error("a judge that is not there matters only if it must be there")
	}
}
