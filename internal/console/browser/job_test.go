package browser_test

import (
	"testing"

	"bulksigner/internal/local/demo"
)

// waiting makes a job that waits for a person who never comes.
func (s *tab) waiting(name string) (id string) {
	s.Helper()
	id, err := s.upload("hr", name, demo.Paper(2000, uint64(len(name))))
	s.must(err)
	s.must(s.reaches(id, "AwaitingSigner"))
	return id
}

func TestAJobIsWatchedToItsEnd(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	b.visit("/upload")
	b.handIn(file(t, "Contrato observado.pdf", demo.Paper(2000, 5)))
	b.sent(1)
	b.submit("#upload-rows .job")
	b.until(`location.pathname.startsWith("/jobs/")`, "the page is the job's")
	b.reads("Contrato observado.pdf", "Completed", "Download", "History")
	if answer[bool](b, `Boolean(document.querySelector("#live[hx-get]"))`) {
		t.Error("the page of a job that has ended still refreshes")
	}
	content := answer[string](b, `fetch(document.querySelector("#download").href).then((r) => r.text()).then((t) => t.slice(0, 5))`)
	if content != "%PDF-" {
		t.Errorf("the output begins with %q", content)
	}
}

func TestACancelIsAskedAbout(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	id := b.waiting("Contrato parado a cancelar.pdf")
	b.visit("/jobs/" + id)
	b.submit("#cancel")
	b.at("/jobs/" + id + "/cancel")
	b.submit(`main a.button`)
	b.at("/jobs/" + id)
	b.reads("AwaitingSigner")
	b.submit("#cancel")
	b.at("/jobs/" + id + "/cancel")
	b.write("#reason", "Sent by mistake")
	b.submit("main button.danger")
	b.at("/jobs/" + id)
	b.reads("The job is canceled.", "Canceled", "Sent by mistake")
	b.must(b.reaches(id, "Canceled"))
}

func TestARetryIsANewJob(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	id, err := b.upload("contracts", "Quebrado e repetido.pdf", []byte("this is no PDF"))
	b.must(err)
	b.must(b.reaches(id, "Failed"))
	b.visit("/jobs/" + id)
	b.reads("Why it failed")
	b.submit("#retry")
	b.reads("This new job tries again.")
	if at := answer[string](b, "location.pathname"); at == "/jobs/"+id {
		t.Error("the page is still that of the first job")
	}
	b.submit("#parent")
	b.at("/jobs/" + id)
}

// TestALostServiceIsSaid: a list that cannot refresh says so, and no longer once it can.
func TestALostServiceIsSaid(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	b.expects("ERR_INTERNET_DISCONNECTED")
	b.expects("htmx:") // it says so, too
	b.visit("/jobs")
	b.offline(true)
	b.reads("Not refreshed")
	b.offline(false)
	b.until(`!document.body.innerText.includes("Not refreshed")`, "the page has refreshed again")
}
