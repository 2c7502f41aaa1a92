package browser_test

import (
	"bytes"
	"testing"
)

// innocent fails the test if text from outside became a part of the page.
func (b *tab) innocent() {
	b.Helper()
	found := answer[[]string](b, `[...document.querySelectorAll("body img, body script, [onerror], [onload], [onclick], [style]")].map((e) => e.outerHTML)`)
	if len(found) > 0 {
		b.Errorf("text from outside became a part of the page:\n%s", told(found))
	}
}

// TestTextFromOutsideStaysText: names of files, documents and folders, and reasons, are read as they were written.
func TestTextFromOutsideStaysText(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, key, path, text string }{
		{"the list of jobs", "", "/jobs?fileName=img", hostile + ".pdf"},
		{"a filter", "", "/jobs?fileName=%22%3E%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E", hostile + ".pdf"},
		{"a job", "hostile", "/jobs/", hostile + ".pdf"},
		{"a job that failed", "hostile failed", "/jobs/", active + ".pdf"},
		{"a document of Lacuna Signer", "Ata " + hostile, "/jobs/", "Ata " + hostile},
		{"a reason in the history", "canceled", "/jobs/", "Vendor " + hostile},
		{"a folder of Lacuna Signer", "", "/profiles/board", hostile},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newTab(t)
			b.visit(tt.path + b.ids[tt.key])
			b.reads(tt.text)
			b.innocent()
		})
	}
}

// TestTheLastJobsStayText makes a job of its own: others soon push one off the list.
func TestTheLastJobsStayText(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	_, err := b.upload("invoices", hostile+" last.pdf", []byte("this is no PDF"))
	b.must(err)
	b.visit("/")
	b.reads(hostile + " last.pdf")
	b.innocent()
}

func TestWhatAProfileSaysStaysText(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	b.visit("/profiles/letters")
	if got := answer[string](b, `document.querySelector("#f-signature-reason").value`); got != hostile {
		t.Errorf("the reason is %q", got)
	}
	b.innocent()
}

// TestAReportStaysText judges a file in which the name of the field would be a picture.
func TestAReportStaysText(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	signed := b.output(b.ids["completed"])
	const field, picture = "(Signature1)", "(<img src=x)"
	if !bytes.Contains(signed, []byte(field)) {
		t.Fatal("the signed file has no field of the usual name")
	}
	b.visit("/verify")
	b.choose("#file", file(t, "x.pdf", bytes.ReplaceAll(signed, []byte(field), []byte(picture))))
	b.submit("main form button")
	b.reads("<img src=x")
	b.innocent()
}

func TestANameOfAnUploadStaysText(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	b.refusals(400)
	b.visit("/upload")
	b.handIn(file(t, `"><img src=x onerror=alert(3)>.pdf`, []byte("x")))
	b.reads(`"><img src=x onerror=alert(3)>.pdf`)
	b.sent(1)
	b.innocent()
}
