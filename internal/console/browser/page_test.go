package browser_test

import (
	"encoding/json"
	"testing"
)

// shown is a page as somebody comes to it.
type shown struct {
	name, path string
	status     int        // which it has if it is not 200
	out        bool       // for somebody who has not signed in
	then       func(*tab) // what is done there before it is looked at
}

// pages are all pages, with their states that look like none of the others. A job's key in a path stands for its id.
var pages = []shown{
	{name: "login", path: "/login", out: true},
	{name: "login-refused", path: "/login", out: true, status: 401, then: func(b *tab) {
		b.write("#key", "not the key")
		b.submit("main button")
		b.until(`document.querySelector("#key-problem")`, "the key is refused")
	}},
	{name: "dashboard", path: "/"},
	{name: "dashboard-table", path: "/", then: func(b *tab) { b.do(openAll) }},
	{name: "jobs", path: "/jobs"},
	{name: "jobs-none", path: "/jobs?status=Processing&fileName=nothing"},
	{name: "jobs-refused", path: "/jobs?from=yesterday", status: 400},
	{name: "job-completed", path: "/jobs/{completed}"},
	{name: "job-failed", path: "/jobs/{failed}"},
	{name: "job-awaiting", path: "/jobs/{awaiting}"},
	{name: "job-canceled", path: "/jobs/{canceled}"},
	{name: "job-folder", path: "/jobs/{Ata da diretoria}"},
	{name: "job-cancel", path: "/jobs/{awaiting}/cancel"},
	{name: "job-delete", path: "/jobs/{awaiting}/delete"},
	{name: "upload", path: "/upload"},
	{name: "upload-rows", path: "/upload", then: uploadRows},
	{name: "input", path: "/input"},
	{name: "input-rescan", path: "/input", then: func(b *tab) {
		b.submit("#rescan-contracts")
		b.until(`document.querySelector("#found")`, "the search has found something")
	}},
	{name: "profiles", path: "/profiles"},
	{name: "profile-new", path: "/profiles/_new", then: func(b *tab) { b.do(openAll) }},
	{name: "profile-local", path: "/profiles/contracts"},
	{name: "profile-signer", path: "/profiles/hr"},
	{name: "profile-folder", path: "/profiles/board"},
	{name: "profile-refused", path: "/profiles/_new", status: 422, then: func(b *tab) {
		b.write("#f-name", "Not A Name")
		b.submit(`button[value="save"]`)
		b.until(`document.querySelector("#refused")`, "the profile is refused")
	}},
	{name: "profile-question", path: "/profiles/letters", status: 422, then: func(b *tab) {
		b.click("#f-enabled")
		b.submit(`button[value="save"]`)
		b.until(`document.querySelector("#questions")`, "there is a question")
	}},
	{name: "profile-delete", path: "/profiles/letters/delete"},
	{name: "events", path: "/events"},
	{name: "verify", path: "/verify"},
	{name: "verify-verdict", path: "/verify", then: func(b *tab) { verifySigned(b, b.ids["hostile"]) }},
	{name: "system", path: "/system"},
	{name: "readiness", path: "/system/readiness"},
	{name: "queues", path: "/system/queues"},
	{name: "certificates", path: "/system/certificates"},
	{name: "settings", path: "/system/settings"},
	{name: "clear", path: "/system/clear"},
	{name: "clear-refused", path: "/system/clear", status: 422, then: func(b *tab) {
		b.write("#word", "no")
		b.submit("main .danger")
		b.until(`document.querySelector("#word-problem")`, "the word is refused")
	}},
	{name: "missing", path: "/nothing", status: 404},
}

// openAll opens whatever folds.
var openAll = script(`for (const d of document.querySelectorAll("details")) d.open = true`)

// tab opens a tab for the page.
func (p shown) tab(t *testing.T) *tab {
	t.Helper()
	open := newTab
	if p.out {
		open = strangers
	}
	b := open(t)
	if p.status != 0 {
		b.refusals(p.status)
	}
	return b
}

// in shows the page in a tab.
func (p shown) in(b *tab) {
	b.Helper()
	b.visit(b.stage.place(p.path))
	if p.then != nil {
		p.then(b)
		b.settle()
	}
}

// TestEveryPage is for those who see little, see no colours, or hear pages: axe-core finds nothing to say in light and in
// dark, and on a narrow screen nothing is beside it.
func TestEveryPage(t *testing.T) {
	t.Parallel()
	for _, p := range pages {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			b := p.tab(t)
			p.in(b)
			for _, theme := range []string{"light", "dark"} {
				b.theme(theme)
				b.accessible(theme)
			}
			b.narrow()
		})
	}
}

// finding is a rule that a page breaks.
type finding struct {
	ID    string
	Help  string
	Nodes []struct {
		HTML           string
		FailureSummary string
	}
}

// accessible asks axe-core.
func (b *tab) accessible(where string) {
	b.Helper()
	if b.rules == "" {
		skip(b.T, "axe-core is not installed: npm install --prefix .local-ci axe-core@4.14.1")
	}
	if !answer[bool](b, `"axe" in window`) {
		b.do(script(b.rules))
	}
	text := answer[string](b, `axe.run(document, {
		runOnly: {type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]},
		resultTypes: ["violations"], preload: false,
	}).then((found) => JSON.stringify(found.violations))`)
	var found []finding
	b.must(json.Unmarshal([]byte(text), &found))
	for _, f := range found {
		for _, n := range f.Nodes {
			b.Errorf("%s: %s (%s): %s\n%s", where, f.Help, f.ID, n.HTML, n.FailureSummary)
		}
	}
}

// narrow fails the test if the page has to be moved sideways on the narrowest screen, which is a wide one at 400 %.
func (b *tab) narrow() {
	b.Helper()
	b.do(viewport(320, 640))
	wide := answer[[]string](b, `document.documentElement.scrollWidth <= innerWidth ? [] :
		[...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, .skip"))
			.slice(0, 5).map((e) => e.outerHTML.slice(0, 200))`)
	if len(wide) > 0 {
		b.Errorf("on a narrow screen these are beside it:\n%s", told(wide))
	}
	if got := answer[bool](b, `document.documentElement.scrollWidth > innerWidth`); got {
		b.Errorf("the page is wider than a narrow screen")
	}
}
