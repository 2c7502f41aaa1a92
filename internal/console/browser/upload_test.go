package browser_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"bulksigner/internal/local/demo"
)

// file makes a file that somebody may choose.
func file(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// choose chooses files in a field.
func (b *tab) choose(selector string, paths ...string) {
	b.Helper()
	b.do(chromedp.SetUploadFiles(chromedp.CSS(selector), paths))
}

// handIn chooses files on the page for uploads and sends them.
func (b *tab) handIn(paths ...string) {
	b.Helper()
	b.choose("#file", paths...)
	b.click("#upload .primary")
}

// sent waits until so many rows of the page say that their file has arrived.
func (b *tab) sent(n int) {
	b.Helper()
	b.until(`[...document.querySelectorAll("#upload-rows .job")].filter((a) => !a.hidden).length === `+strconv.Itoa(n), "files have arrived")
}

// handedIn counts what uploadRows did: a name is good for one document.
var handedIn atomic.Int64

// uploadRows hands in a file that is taken and one that is not.
func uploadRows(b *tab) {
	b.refusals(400)
	b.handIn(file(b.T, fmt.Sprintf("Proposta comercial %d.pdf", handedIn.Add(1)), demo.Paper(2000, 77)), file(b.T, "Vazio.pdf", nil))
	b.until(`document.querySelectorAll("#upload-rows li").length === 2`, "there are two rows")
	b.until(`document.querySelector("#upload-rows .failed") && document.querySelector("#upload-rows .job:not([hidden])")`, "both have ended")
}

func TestLargeFilesGoStraightToWhereTheyAreKept(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	b.visit("/upload")
	const large = 4_500_000
	b.handIn(file(t, "Grande um.pdf", demo.Paper(large, 21)), file(t, "Grande dois.pdf", demo.Paper(large, 22)),
		file(t, "Pequeno.pdf", demo.Paper(2000, 23)), file(t, "Grande três.pdf", demo.Paper(large, 24)))
	b.sent(4)
	b.reads("4 of 4")
	for _, href := range answer[[]string](b, `[...document.querySelectorAll("#upload-rows .job")].map((a) => a.pathname)`) {
		b.must(b.reaches(filepath.Base(href), "Completed"))
	}
}

// drop drops files of so many bytes on what a selector finds.
func (b *tab) drop(selector string, size int, names ...string) {
	b.Helper()
	for i, name := range names {
		names[i] = quote(name)
	}
	b.do(script(fmt.Sprintf(`{
		const carried = new DataTransfer();
		for (const name of [%s]) carried.items.add(new File(["%%PDF-1.7 ".padEnd(%d)], name));
		for (const kind of ["dragenter", "drop"]) {
			document.querySelector(%s).dispatchEvent(new DragEvent(kind, { dataTransfer: carried, bubbles: true, cancelable: true }));
		}
	}`, strings.Join(names, ","), size, quote(selector))))
}

// TestNothingIsSentBeforeSend lists what is dropped on the zone and beside it, and what is chosen. One file is taken out again.
func TestNothingIsSentBeforeSend(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	b.visit("/upload")
	if got := answer[string](b, `document.querySelector("#profile").value`); got != "default" {
		t.Errorf("the profile is %q before somebody chose one", got)
	}
	b.drop("#drop", 100, "Solto um.pdf", "Solto dois.pdf")
	b.drop("footer", 100, "Solto ao lado.pdf")
	b.choose("#file", file(t, "Escolhido.pdf", demo.Paper(2000, 41)))
	b.reads("Chosen and not sent yet: 4", "Solto dois.pdf", "Solto ao lado.pdf", "Escolhido.pdf")
	b.accessible("listed")
	b.click("#upload-rows li:nth-child(2) .leave")
	b.reads("Chosen and not sent yet: 3")
	if n := answer[int](b, `performance.getEntriesByType("resource").filter((e) => e.initiatorType === "xmlhttprequest").length`); n != 0 {
		t.Errorf("%d requests before Send", n)
	}
	b.click("#upload .primary")
	b.sent(3)
	b.reads("3 of 3")
	if answer[bool](b, `document.body.innerText.includes("Solto dois.pdf")`) {
		t.Error("the file that was taken out is still there")
	}
}

func TestARefusedFileSaysWhy(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	b.refusals(400)
	b.language("pt-BR")
	b.visit("/upload")
	b.handIn(file(t, "Vazio.pdf", nil))
	b.until(`document.querySelector("#upload-rows .failed")`, "the file is refused")
	b.accessible("a refused file")
	if !answer[bool](b, `document.querySelector("#upload-rows .again").hidden`) {
		t.Error("a file that will never be taken can be tried again")
	}
}

// TestABrokenUploadIsTriedAgain loses the network once for a small file and once for a large one.
func TestABrokenUploadIsTriedAgain(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	b.expects("ERR_INTERNET_DISCONNECTED")
	b.visit("/upload")
	b.offline(true)
	b.handIn(file(t, "Perdido.pdf", demo.Paper(2000, 31)), file(t, "Perdido grande.pdf", demo.Paper(4_500_000, 32)))
	b.until(`document.querySelectorAll("#upload-rows .again:not([hidden])").length === 2`, "both can be tried again")
	b.accessible("lost")
	b.offline(false)
	b.do(script(`for (const again of document.querySelectorAll("#upload-rows .again")) again.click()`))
	b.sent(2)
}
