package browser_test

import (
	"os"
	"path/filepath"
	"strconv"
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

// sent waits until so many rows of the page say that their file has arrived.
func (b *tab) sent(n int) {
	b.Helper()
	b.until(`[...document.querySelectorAll("#upload-rows .job")].filter((a) => !a.hidden).length === `+strconv.Itoa(n), "files have arrived")
}

// uploadRows hands in a file that is taken and one that is not.
func uploadRows(b *tab) {
	b.refusals(400)
	b.choose("#file", file(b.T, "Proposta comercial.pdf", demo.Paper(2000, 77)), file(b.T, "no extension at all", []byte("x")))
	b.until(`document.querySelectorAll("#upload-rows li").length === 2`, "there are two rows")
	b.until(`[...document.querySelectorAll("#upload-rows .state")].every((s) => s.textContent)`, "both have ended")
}

func TestLargeFilesGoStraightToWhereTheyAreKept(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	b.visit("/upload")
	const large = 4_500_000
	b.choose("#file", file(t, "Grande um.pdf", demo.Paper(large, 21)), file(t, "Grande dois.pdf", demo.Paper(large, 22)),
		file(t, "Pequeno.pdf", demo.Paper(2000, 23)), file(t, "Grande três.pdf", demo.Paper(large, 24)))
	b.sent(4)
	b.reads("4 of 4")
	for _, href := range answer[[]string](b, `[...document.querySelectorAll("#upload-rows .job")].map((a) => a.pathname)`) {
		b.must(b.reaches(filepath.Base(href), "Completed"))
	}
}

func TestFilesAreDropped(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	b.visit("/upload")
	b.do(script(`{
		const carried = new DataTransfer();
		for (const name of ["Solto um.pdf", "Solto dois.pdf"]) carried.items.add(new File(["%PDF-1.7 nothing"], name));
		for (const kind of ["dragenter", "drop"]) {
			document.getElementById("drop").dispatchEvent(new DragEvent(kind, { dataTransfer: carried, bubbles: true, cancelable: true }));
		}
	}`))
	b.reads("Solto um.pdf", "Solto dois.pdf")
	b.sent(2)
}

func TestARefusedFileSaysWhy(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	b.refusals(400)
	b.language("pt-BR")
	b.visit("/upload")
	b.choose("#file", file(t, "Vazio.pdf", nil))
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
	b.choose("#file", file(t, "Perdido.pdf", demo.Paper(2000, 31)), file(t, "Perdido grande.pdf", demo.Paper(4_500_000, 32)))
	b.until(`document.querySelectorAll("#upload-rows .again:not([hidden])").length === 2`, "both can be tried again")
	b.accessible("lost")
	b.offline(false)
	b.do(script(`for (const again of document.querySelectorAll("#upload-rows .again")) again.click()`))
	b.sent(2)
}
