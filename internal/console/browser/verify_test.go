package browser_test

import (
	"bytes"
	"io"
	"net/http"
	"testing"
)

// output reads what a job made.
func (b *tab) output(id string) []byte {
	b.Helper()
	r, err := http.NewRequest(http.MethodGet, b.URL+"/api/jobs/"+id+"/output", nil)
	b.must(err)
	b.stage.mu.Lock()
	r.Header.Set("X-API-Key", b.key)
	b.stage.mu.Unlock()
	resp, err := http.DefaultClient.Do(r)
	b.must(err)
	defer resp.Body.Close()
	var all bytes.Buffer
	if _, err := io.Copy(&all, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		b.Fatalf("the output of job %s is answered %d, %v", id, resp.StatusCode, err)
	}
	return all.Bytes()
}

// TestAFileTooLargeIsNotSent drops one that what stands before the service would refuse, in words of its own.
func TestAFileTooLargeIsNotSent(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	b.visit("/verify")
	b.drop(".drop", 4_500_000, "Grande demais.pdf")
	b.reads("Too large")
	b.accessible("too large")
	b.click("main form .primary")
	if answer[bool](b, `document.querySelector("#file").ariaInvalid !== "true" || document.activeElement.id !== "file"`) {
		t.Error("the field is not marked, or has not the focus")
	}
	b.drop("footer", 100, "Pequeno.pdf")
	b.until(`document.querySelector("#file-large").hidden && document.querySelector("#file").files[0].name === "Pequeno.pdf"`, "the small file has taken its place")
}

// verifySigned has the page judge what a job signed.
func verifySigned(b *tab, id string) {
	b.choose("#file", file(b.T, "signed.pdf", b.output(id)))
	b.submit("main form button")
	b.until(`document.querySelector("#verdict")`, "there is a verdict")
}
