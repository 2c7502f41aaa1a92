// Package report writes what a trial found: a page for readers, and a summary for whoever started it.
//
// The page is the same for the same findings: no times, no places, rows in the order of their files.
package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"bulksigner/internal/profile"
	"bulksigner/scripts/conformance/judge"
	"bulksigner/scripts/conformance/trial"
)

// Summary prints what is missing and what is not as expected, and counts in its last line. It reports whether the trial
// is good.
func Summary(w io.Writer, r *trial.Result, strict bool) bool {
	missing := r.Missing()
	for _, t := range missing {
		fmt.Fprintf(w, "%s is not there: %s\n", t.Name, t.Package)
	}
	for _, row := range sorted(r.Rows) {
		for _, f := range row.Faults {
			fmt.Fprintf(w, "%s, %s, %s: %s\n", name(row), row.Form, row.Key, f)
		}
	}
	expected, not := r.Count()
	fmt.Fprintf(w, "%d as expected, %d not\n", expected, not)
	return not == 0 && (len(missing) == 0 || !strict)
}

func name(r *trial.Row) string {
	switch {
	case r.Altered:
		return "control " + r.Entry.File + ", altered"
	case r.Corpus == "":
		return "control " + r.Entry.File
	}
	return r.Corpus + "/" + r.Entry.File
}

// sorted are the rows in the order of their files within each corpus. Corpora, keys and forms stay in their order.
func sorted(rows []*trial.Row) []*trial.Row {
	place := map[string]int{}
	for _, r := range rows {
		if _, known := place[r.Corpus]; !known {
			place[r.Corpus] = len(place)
		}
	}
	return slices.SortedStableFunc(slices.Values(rows), func(a, b *trial.Row) int {
		return cmp.Or(cmp.Compare(place[a.Corpus], place[b.Corpus]), cmp.Compare(a.Entry.File, b.Entry.File))
	})
}

// Write writes the page.
func Write(w io.Writer, r *trial.Result) error {
	p := &page{result: r, rows: sorted(r.Rows)}
	p.head()
	p.tools()
	p.faults()
	for _, corpus := range p.corpora() {
		p.corpus(corpus)
	}
	p.controls()
	p.notes()
	_, err := io.WriteString(w, p.text.String())
	return err
}

// page is the page as it grows.
type page struct {
	result *trial.Result
	rows   []*trial.Row
	text   strings.Builder
	marks  []string // the reasons of judges that abstained, in the order of their marks
}

func (p *page) line(format string, args ...any) {
	fmt.Fprintf(&p.text, format+"\n", args...)
}

func (p *page) head() {
	expected, not := p.result.Count()
	p.line("# Conformance")
	p.line("")
	p.line("What becomes of each document of the corpora with each kind of key, and what tools that are not ours say of it. Written")
	p.line("by `make conformance`; `make conformance CORPUS=folder` does the same for any folder with a `verdicts.tsv`.")
	p.line("")
	p.line("**%d as expected, %d not.**", expected, not)
	p.line("")
	p.line("- Keys: %s. Certificates are made for the run, shaped like ICP-Brasil's.", strings.Join(p.result.Keys, ", "))
	p.line("- A document is signed as the service signs a file of its name: PDF as PAdES, XML as XAdES, everything else as CAdES with")
	p.line("  the content inside and outside, a signed message by one more signature. Brazilian documents are also signed by the element")
	p.line("  that their Id names. All signatures are under AD-RB.")
	p.line("- ✓ is approval, ✗ a complaint, · no opinion, for the reason given at the end; an empty cell means that the tool was not there.")
	p.line("- A signature is as expected if no judge complains and two that are not ours approve of its maths. A refusal is as expected")
	p.line("  if it has a code and the key was not asked.")
	p.line("")
}

// tools lists the judges.
func (p *page) tools() {
	p.line("## Judges")
	p.line("")
	p.line("| judge | version | judges | what it is asked |")
	p.line("| --- | --- | --- | --- |")
	for _, t := range p.result.Tools {
		version := cmp.Or(t.Version, "–")
		if t.Missing != nil {
			version = "not there"
		}
		var formats []string
		for _, f := range t.Formats {
			formats = append(formats, standard(f))
		}
		p.line("| %s | %s | %s | %s |", t.Name, version, strings.Join(formats, ", "), asked[t.Name])
	}
	p.line("")
}

// faults lists what is not as expected.
func (p *page) faults() {
	if _, not := p.result.Count(); not == 0 {
		return
	}
	p.line("## Not as expected")
	p.line("")
	for _, r := range p.rows {
		for _, f := range r.Faults {
			p.line("- `%s`, %s, %s: %s", name(r), r.Form, r.Key, f)
		}
	}
	p.line("")
}

// asked says what a judge is asked, by its name.
var asked = map[string]string{
	"pdfsig":  "digest, value and chain; that the last signature covers the whole file; type and digest; earlier signatures stay valid",
	"mutool":  "digest and value; that nothing follows; earlier signatures stay valid",
	"qpdf":    "structure: no complaint that the original does not get",
	"openssl": "digest, value, chain and the certificate that the signature names, of the CMS by itself",
	"policy":  "with openssl and xmllint: policy identifier, its hash, its address, the attributes of AD-RB, no signingTime in a PDF",
	"xmlsec1": "two of two references, value and chain",
	"java":    "references and value of all signatures in the document, by the Java platform",
	"pdfcpu":  "structure, digest, value and chain",
	"pkcs7":   "digest, value and chain, by smallstep/pkcs7",
	"pyHanko": "digest, value, chain and named certificate; that a PDF's later changes are such as earlier signatures allow",
	"EU DSS":  "digest, value, chain, level B, named certificate and policy; earlier signatures stay intact",
	"verify":  "everything, by the service's own verifier, which is not counted",
}

// standard is the name of a format's signatures.
func standard(f profile.Format) string {
	return map[profile.Format]string{profile.Pades: "PAdES", profile.Cades: "CAdES", profile.Xades: "XAdES"}[f]
}

// corpora are the names of the corpora in order.
func (p *page) corpora() (names []string) {
	for _, r := range p.rows {
		if r.Corpus != "" && !slices.Contains(names, r.Corpus) {
			names = append(names, r.Corpus)
		}
	}
	return names
}

// notes explains the marks of judges that abstained.
func (p *page) notes() {
	if len(p.marks) == 0 {
		return
	}
	p.line("## Why a judge has no opinion")
	p.line("")
	for i, reason := range p.marks {
		p.line("%d. %s", i+1, reason)
	}
}

// mark numbers a reason.
func (p *page) mark(reason string) int {
	i := slices.Index(p.marks, reason)
	if i < 0 {
		p.marks = append(p.marks, reason)
		i = len(p.marks) - 1
	}
	return i + 1
}

// opinion is a cell.
func (p *page) opinion(r *trial.Row, t trial.Tool) string {
	err, asked := r.Opinions[t.Name]
	switch {
	case !asked:
		return ""
	case err == nil:
		return "✓"
	case judge.Abstained(err):
		return fmt.Sprintf("·<sup>%d</sup>", p.mark(t.Name+": "+err.Error()))
	}
	return "✗"
}
