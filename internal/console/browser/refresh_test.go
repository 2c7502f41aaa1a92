package browser_test

import (
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// hurried has pages look at the clock ten times a second instead of every four seconds, and note what they ask for.
const hurried = `{
	const often = window.setInterval;
	window.setInterval = (f, every) => often(f, every / 40);
	window.asked = [];
	document.addEventListener("htmx:beforeRequest", (e) => window.asked.push(e.detail.requestConfig.headers));
}`

// hurry opens a page that refreshes often, and waits until it has.
func (b *tab) hurry(path string) {
	b.Helper()
	b.do(command(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: hurried}))
	b.visit(path)
	b.refreshes()
}

// refreshes waits for the next refresh.
func (b *tab) refreshes() {
	b.Helper()
	b.do(script("window.asked = []"))
	b.until("window.asked.length > 0", "the page refreshes")
}

// stands fails the test if the page refreshes within the time of several refreshes.
func (b *tab) stands(why string) {
	b.Helper()
	b.until(`!document.querySelector(".htmx-request")`, "nothing is on its way")
	b.do(script("window.asked = []"))
	if n := answer[int](b, `new Promise((done) => setTimeout(() => done(window.asked.length), 500))`); n > 0 {
		b.Errorf("the page refreshes %d times %s", n, why)
	}
}

func TestRefreshingIsStopped(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	b.hurry("/")
	if answer[bool](b, `window.asked.some((headers) => headers["X-Refresh"] !== "1")`) {
		t.Error("a refresh does not say that nobody asks for it")
	}
	b.click("#stop-refresh")
	b.reads("Refreshing is stopped")
	b.stands("after it was stopped")
	b.visit("/jobs") // it is stopped for the tab
	b.until(`document.querySelector("#stop-refresh").ariaPressed === "true"`, "the button says that it is stopped")
	b.stands("on the next page")
	b.accessible("stopped")
	b.click("#stop-refresh")
	b.refreshes()
	b.visit("/upload")
	if !answer[bool](b, `document.querySelector("#stop-refresh").hidden`) {
		t.Error("there is a button where nothing refreshes")
	}
}

// TestMarkedTextStays: an id that is being copied is not taken away.
func TestMarkedTextStays(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	b.hurry("/jobs")
	b.do(script(`getSelection().selectAllChildren(document.querySelector("#list tbody th"))`))
	b.stands("while text is marked")
	if answer[string](b, "getSelection().toString()") == "" {
		t.Error("the text is no longer marked")
	}
	b.do(script("getSelection().removeAllRanges()"))
	b.refreshes()
}

// TestWhoReadsGoesOnReading: a refresh leaves the focus and what was opened.
func TestWhoReadsGoesOnReading(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	b.hurry("/")
	b.do(script(`document.querySelector("#hours-table").open = true; document.querySelector("#hours-summary").focus()`))
	b.refreshes()
	b.refreshes()
	if !answer[bool](b, `document.activeElement.id === "hours-summary" && document.querySelector("#hours-table").open`) {
		t.Errorf("the focus is on %s", answer[string](b, "document.activeElement.outerHTML.slice(0, 200)"))
	}
}

// TestAJobThatIsGoneSaysSo: its page does not go on saying that it could not refresh.
func TestAJobThatIsGoneSaysSo(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	b.refusals(404)
	b.expects("Response Status Error Code 404") // as htmx says it
	id := b.waiting("Termo parado e apagado.pdf")
	b.visit("/jobs/" + id)
	b.must(b.ask("DELETE", "/api/jobs/"+id, nil, nil))
	b.reads("That did not work", "job.not-found")
}

// TestNobodyThere: a page that nobody has touched for ten minutes refreshes seldom, and at once when somebody is back.
func TestNobodyThere(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	b.hurry("/jobs")
	b.do(script(`{ const now = Date.now; Date.now = () => now() + 11 * 60 * 1000; window.asked = []; }`))
	b.until("window.asked.length > 0", "the page refreshes, since it is old")
	b.stands("while nobody is there")
	b.do(script("window.asked = []"), chromedp.KeyEvent(kb.Tab))
	b.until("window.asked.length > 1", "the page refreshes as it did before")
}
