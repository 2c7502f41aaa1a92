package browser_test

import (
	"bytes"
	"io"
	"net/http"

	"github.com/chromedp/chromedp"
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

// verifySigned has the page judge what a job signed.
func verifySigned(b *tab, id string) {
	b.choose("#file", file(b.T, "signed.pdf", b.output(id)))
	b.do(chromedp.Click(chromedp.CSS("main form button")))
	b.until(`document.querySelector("#verdict")`, "there is a verdict")
}
