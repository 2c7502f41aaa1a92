package browser_test

import (
	"net/url"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestANewKeyEndsSessions changes the key for all tests, so that it goes before those that run beside each other.
func TestANewKeyEndsSessions(t *testing.T) {
	b := newTab(t)
	b.refusals(401)
	b.refusals(500) // what the killed function had in hand
	b.visit("/jobs")
	old := b.key
	b.must(b.newKey(t.Context()))
	b.at("/login") // the list refreshes itself, and is told to go there
	b.signIn(old)
	b.until(`document.querySelector("#key-problem")`, "the old key is refused")
	b.signIn(b.key)
	b.at("/jobs") // back where the key was lost
}

// signIn fills in the form of the sign-in page.
func (b *tab) signIn(key string) {
	b.Helper()
	b.write("#key", key)
	b.do(chromedp.SendKeys(chromedp.CSS("#key"), kb.Enter))
}

func TestSigningInLeadsToThePageThatWasAskedFor(t *testing.T) {
	t.Parallel()
	b := strangers(t)
	b.visit("/profiles")
	b.at("/login")
	b.signIn(b.key)
	b.at("/profiles")
	b.reads("Signing profiles", "contracts")
	b.submit(`form[action="/logout"] button`)
	b.at("/login")
	b.visit("/events")
	b.at("/login")
	if to := answer[string](b, "location.search"); to != "?to="+url.QueryEscape("/events") {
		t.Errorf("signing in leads to %s", to)
	}
}

// TestTheKeyboardIsEnough signs in, finds a job and cancels it without a mouse. Where the focus is can always be seen.
func TestTheKeyboardIsEnough(t *testing.T) {
	t.Parallel()
	b := strangers(t)
	id := b.waiting("Teclado parado.pdf")
	b.visit("/jobs?status=AwaitingSigner&fileName=Teclado")
	b.at("/login")
	b.do(chromedp.KeyEvent(b.key), chromedp.KeyEvent(kb.Enter)) // the field has the focus from the beginning
	b.at("/jobs")
	b.settle()
	b.tabTo("#job-" + id)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.at("/jobs/" + id)
	b.tabTo("#cancel")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.at("/jobs/" + id + "/cancel")
	b.tabTo("#reason")
	b.do(chromedp.KeyEvent("By keyboard"))
	b.tabTo("main button.danger")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.at("/jobs/" + id)
	b.reads("The job is canceled.", "Canceled")
}

// tabTo goes on by the tabulator until something has the focus.
func (b *tab) tabTo(selector string) {
	b.Helper()
	const most = 80
	for range most {
		b.do(chromedp.KeyEvent(kb.Tab))
		if !answer[bool](b, `(() => { const s = getComputedStyle(document.activeElement); return s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2; })()`) {
			b.Errorf("the focus cannot be seen on %s", answer[string](b, "document.activeElement.outerHTML.slice(0, 200)"))
		}
		if answer[bool](b, "document.activeElement.matches("+quote(selector)+")") {
			return
		}
	}
	b.Fatalf("%d steps of the tabulator do not lead to %s", most, selector)
}
