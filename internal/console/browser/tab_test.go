package browser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// The window that pages are looked at in.
const width, height = 1280, 900

// tab is a page in a browser that shares nothing with others. Whatever the browser complains of fails the test, except for
// what a test says that it expects.
type tab struct {
	*testing.T
	*stage
	ctx context.Context

	mu         sync.Mutex
	complaints []string
	expected   []*regexp.Regexp
}

// newTab opens a tab for somebody who has signed in.
func newTab(t *testing.T) *tab {
	t.Helper()
	b := strangers(t)
	b.stage.mu.Lock()
	session := b.session
	b.stage.mu.Unlock()
	yes := true
	b.must(chromedp.Do(b.ctx, command(network.SetCookie, network.SetCookieParams{
		Name: sessionCookie, Value: session, URL: b.URL, Path: "/", Secure: &yes, HTTPOnly: &yes, SameSite: network.CookieSameSiteStrict,
	})))
	return b
}

// strangers opens a tab for somebody who has not.
func strangers(t *testing.T) *tab {
	t.Helper()
	s := opened(t)
	b := &tab{T: t, stage: s}
	var cancel context.CancelFunc
	b.ctx, cancel = chromedp.NewContext(s.browser, chromedp.WithNewBrowserContext())
	t.Cleanup(func() { cancel(); b.complain() })
	b.must(chromedp.Do(b.ctx, chromedp.EmulateViewport(width, height), command(log.Enable, cdp.Empty{})))
	b.must(chromedp.Listen(b.ctx, b.hear))
	return b
}

// command is an action that sends one command of the protocol.
func command[P, R any](c cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, params)
		return err
	})
}

// hear takes down what the browser complains of: scripts that fail, what the page's policy forbids, answers that are errors,
// and questions that only a hostile script would ask.
func (b *tab) hear(event any) {
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.note("exception: %s %s", e.ExceptionDetails.Text, detailOf(e.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "assert" {
			b.note("console: %s", argumentsOf(e.Args))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == "error" {
			b.note("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL)
		}
	case *page.EventJavascriptDialogOpening:
		b.note("dialog: %s %s", e.Type, e.Message)
		go func() { // this must not wait, and a dialog holds everything up
			_ = chromedp.Do(b.ctx, command(page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true}))
		}()
	}
}

func detailOf(d *runtime.ExceptionDetails) string {
	if d.Exception == nil {
		return ""
	}
	return d.Exception.Description
}

func argumentsOf(args []*runtime.RemoteObject) string {
	var all []string
	for _, a := range args {
		all = append(all, string(a.Value)+a.Description)
	}
	return strings.Join(all, " ")
}

func (b *tab) note(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.complaints = append(b.complaints, fmt.Sprintf(format, args...))
}

// expects says what the browser may complain of in this test.
func (b *tab) expects(pattern string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expected = append(b.expected, regexp.MustCompile(pattern))
}

// refusals is what the browser says of an answer with a status that refuses something.
func (b *tab) refusals(status int) { b.expects(fmt.Sprintf(`^network: .*status of %d`, status)) }

// complain fails the test for what nobody expected, once for each.
func (b *tab) complain() {
	b.mu.Lock()
	defer b.mu.Unlock()
	slices.Sort(b.complaints)
	for _, c := range slices.Compact(b.complaints) {
		if !slices.ContainsFunc(b.expected, func(r *regexp.Regexp) bool { return r.MatchString(c) }) {
			b.Errorf("the browser complains: %s", c)
		}
	}
}

func (b *tab) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// limited is the tab's context for one thing to do.
func (b *tab) limited() (context.Context, context.CancelFunc) {
	return context.WithTimeout(b.ctx, patience)
}

// do carries steps out, one after the other.
func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	ctx, cancel := b.limited()
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.Fatalf("%v; the page is %s", err, b.where())
	}
}

// visit goes to a page and waits until it and its scripts are there.
func (b *tab) visit(path string) {
	b.Helper()
	b.do(chromedp.Navigate(b.URL + path))
	b.settle()
}

// settle waits until what the page loads by itself is there.
func (b *tab) settle() {
	b.Helper()
	b.until(`document.readyState === "complete" && !document.querySelector("[hx-trigger='load'], .htmx-request")`, "the page is complete")
}

// click clicks what a selector finds.
func (b *tab) click(selector string) {
	b.Helper()
	b.do(chromedp.Click(chromedp.CSS(selector)))
}

// submit clicks what leads to another page, or to the same anew, and waits for it.
func (b *tab) submit(selector string) {
	b.Helper()
	b.do(script("document.documentElement.dataset.left = 1"), chromedp.Click(chromedp.CSS(selector)))
	b.until(`!document.documentElement.dataset.left && document.readyState === "complete"`, "another page is there")
}

// write puts text into a field, as somebody who types.
func (b *tab) write(selector, text string) {
	b.Helper()
	b.do(chromedp.Clear(chromedp.CSS(selector)), chromedp.SendKeys(chromedp.CSS(selector), text))
}

// answer evaluates an expression in a page.
func answer[T any](b *tab, expression string) T {
	b.Helper()
	ctx, cancel := b.limited()
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits for an expression to be true. Between two pages there is nothing to ask.
func (b *tab) until(expression, what string) {
	b.Helper()
	ctx, cancel := b.limited()
	defer cancel()
	err := eventually(func() (bool, error) {
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		return err == nil && ok, ctx.Err()
	})
	if err != nil {
		b.Fatalf("%s: %v; the page is %s", what, err, b.where())
	}
}

// reads waits until the page has all texts, as they are seen.
func (b *tab) reads(texts ...string) {
	b.Helper()
	for _, text := range texts {
		b.until("document.body.innerText.includes("+quote(text)+")", "the page reads "+text)
	}
}

// at waits until the tab is at a path.
func (b *tab) at(path string) {
	b.Helper()
	b.until("location.pathname === "+quote(path)+` && document.readyState === "complete"`, "the page is "+path)
}

// where is the place of the tab and what is read there.
func (b *tab) where() string {
	text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`location.href + "\n" + document.body.innerText.slice(0, 3000)`))
	if err != nil {
		return err.Error()
	}
	return text
}

// quote is a text as JavaScript has it.
func quote(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // a text can be encoded
	}
	return string(b)
}

// theme has the system ask for light or dark pages.
func (b *tab) theme(name string) {
	b.Helper()
	b.do(command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}, {Name: "prefers-reduced-motion", Value: "reduce"}},
	}))
}

// language has the pages speak a language.
func (b *tab) language(tag string) {
	b.Helper()
	b.do(command(network.SetCookie, network.SetCookieParams{Name: "language", Value: tag, URL: b.URL}))
}

// script is an action that runs a script in the page.
func script(text string) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](text)
}

// viewport is an action that gives the window a size.
func viewport(w, h int64) chromedp.Action[chromedp.Void] { return chromedp.EmulateViewport(w, h) }

// offline takes the network away, or gives it back.
func (b *tab) offline(gone bool) {
	b.Helper()
	all := []*network.Conditions{}
	if gone {
		all = append(all, &network.Conditions{Offline: true, DownloadThroughput: -1, UploadThroughput: -1})
	}
	b.do(command(network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: all}))
}
