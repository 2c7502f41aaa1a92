package browser_test

import (
	"testing"

	"bulksigner/internal/local/demo"
)

// TestPauseAndResume stops the pipeline for all, so that it goes before the tests that run beside each other.
func TestPauseAndResume(t *testing.T) {
	b := newTab(t)
	b.visit("/system")
	b.write("#reason", "Maintenance "+hostile)
	b.submit("#pause")
	b.until(`document.querySelector("#resume")`, "the pipeline is paused")
	b.reads("Maintenance " + hostile)
	b.innocent()
	id, err := b.upload("contracts", "Contrato na fila.pdf", demo.Paper(2000, 9))
	b.must(err)
	b.must(b.reaches(id, "Queued"))
	for _, path := range []string{"/system", "/", "/jobs/" + id, "/jobs/" + id + "/cancel"} {
		b.visit(path)
		for _, theme := range []string{"light", "dark"} {
			b.theme(theme)
			b.accessible(path + " " + theme)
		}
		b.innocent()
	}
	b.visit("/")
	b.reads("The pipeline is paused", "Maintenance "+hostile)
	b.visit("/jobs/" + id)
	b.submit("#cancel")
	b.at("/jobs/" + id + "/cancel")
	b.submit("main button.danger")
	b.reads("The job is canceled.")
	b.visit("/system")
	b.submit("#resume")
	b.until(`document.querySelector("#pause")`, "the pipeline runs")
}
