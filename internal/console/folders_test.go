package console_test

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func folders(s *scene, q, chosen string) *httptest.ResponseRecorder {
	return s.get("/profiles/_folders?" + url.Values{"q": {q}, "signerFolder": {chosen}}.Encode())
}

func TestFoldersAreFoundByName(t *testing.T) {
	t.Parallel()
	s := profiled(t)
	w := folders(s, "", "")
	s.shows(w, 200, `value="`+boundFolder+` Folha &amp; &lt;b&gt;"`, `<span class="small">RH / </span>Folha &amp; &lt;b&gt;`,
		`<span class="small">RH / Folha &amp; &lt;b&gt; / </span>Férias`, "3 folders beside the chosen one", `id="folder-results"`)
	s.api.on("GET /api/signer/folders?q=RH", 200, map[string]any{"folders": []map[string]any{{"id": "top", "name": "RH", "parentId": nil}}})
	if folders(s, "RH", ""); len(s.api.calls("GET /api/signer/folders")) != 2 {
		t.Error("all folders are asked for although nothing is missing")
	}
	if strings.Contains(w.Body.String(), " checked") {
		t.Error("a folder is chosen that nobody chose")
	}
}

func TestTheChosenFolderStays(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		status int
		code   string
		shows  string
	}{
		{"among others", 200, "", "2 folders beside the chosen one"},
		{"while Lacuna Signer does not answer", 502, "signer.unreachable", "The folder that is chosen stays"},
		{"where there is no Lacuna Signer", 409, "signer.not-configured", "Signer:ApiKey"},
		{"when what is looked for is refused", 400, "request.invalid", "request.invalid"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := profiled(t)
			if tt.code != "" {
				s.api.refuse("GET /api/signer/folders", tt.status, tt.code, "")
			}
			w := folders(s, "", boundFolder+" Folha & <b>")
			s.shows(w, 200, `value="`+boundFolder+` Folha &amp; &lt;b&gt;" checked`, tt.shows)
			if n := strings.Count(w.Body.String(), `value="`+boundFolder); n != 1 {
				t.Errorf("the chosen folder is there %d times", n)
			}
		})
	}
}

func TestPathsOfFoldersThatWereNotFound(t *testing.T) {
	t.Parallel()
	found := map[string]any{"folders": []map[string]any{{"id": "low", "name": "Férias", "parentId": boundFolder}}}
	s := profiled(t)
	s.api.on("GET /api/signer/folders?q=F%C3%A9rias", 200, found)
	s.shows(folders(s, " Férias ", ""), 200, "RH / Folha &amp; &lt;b&gt; / </span>Férias", "1 folder beside")
	if n := len(s.api.calls("GET /api/signer/folders")); n != 2 {
		t.Errorf("%d lists", n)
	}
	s.api.refuse("GET /api/signer/folders", 502, "signer.unreachable", "")
	s.shows(folders(s, "Férias", ""), 200, `<span class="small">… / </span>Férias`, "1 folder beside")
}

func TestFoldersThatLieInEachOther(t *testing.T) {
	t.Parallel()
	s := profiled(t)
	s.api.on("GET /api/signer/folders", 200, map[string]any{"folders": []map[string]any{
		{"id": "a", "name": "A", "parentId": "b"}, {"id": "b", "name": "B", "parentId": "a"}}})
	s.shows(folders(s, "", ""), 200, "… / ")
}

func TestASearchWithoutAScript(t *testing.T) {
	t.Parallel()
	s := profiled(t)
	form := typed("method", "SignerFolder", "shown", "SignerFolder", "q", "RH", "signerFolder", boundFolder+" Folha & <b>", "name", "typed")
	form.Set("do", "search")
	w := s.post("/profiles/_new", form)
	s.shows(w, 200, `value="typed"`, `name="searched" value="RH"`, `value="top RH"`, boundFolder+` Folha &amp; &lt;b&gt;" checked`)
	if strings.Contains(w.Body.String(), `hx-trigger="load"`) {
		t.Error("what was found is looked for again")
	}
	if n := len(s.api.calls("POST")); n != 0 {
		t.Error("a search saves")
	}
}

// The form itself does not wait for Lacuna Signer: the list comes after it.
func TestTheFormDoesNotAskForFolders(t *testing.T) {
	t.Parallel()
	s := profiled(t)
	s.shows(s.get("/profiles/payroll"), 200, `hx-get="/profiles/_folders" hx-trigger="load"`)
	if n := len(s.api.calls("GET /api/signer/folders")); n != 0 {
		t.Errorf("%d lists", n)
	}
}
