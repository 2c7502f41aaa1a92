package console_test

import (
	"maps"
	"net/http"
	"net/url"
	"testing"
)

// folder is a watched folder, with other fields.
func folder(fields map[string]any) map[string]any {
	f := map[string]any{
		"name": "in", "path": "in/", "status": "Running", "profileName": "contracts", "profileFormat": "Pades", "files": 12, "moreFiles": false,
		"enqueued": 123456, "ignoredExtensions": []string{".tmp"}, "ignoredPrefixes": []string{"~"},
	}
	maps.Copy(f, fields)
	return f
}

func TestAFolderHasACard(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		fields map[string]any
		want   []string
	}{
		{"one that runs", nil, []string{`class="chip good"`, "running</span>", "Files become jobs.", "<code>in/</code>", `href="/profiles/contracts">contracts</a>`, "Pades", "<strong>12</strong>", "<dd>123,456</dd>", "<code>*.tmp</code>", "<code>~*</code>"}},
		{"one whose profile is disabled", map[string]any{"status": "Stopped", "profileFormat": nil}, []string{`class="chip bad"`, "stopped</span>", "The profile is disabled", "by the file&#39;s extension"}},
		{"one without a profile", map[string]any{"status": "Unassigned", "profileName": ""}, []string{"unassigned</span>", "No profile signs its files", "<dd>—</dd>"}},
		{"one whose profile is gone", map[string]any{"status": "Unassigned", "profileName": "gone"}, []string{"<dd>gone <"}},
		{"one of a later release", map[string]any{"status": "Resting"}, []string{`<span class="chip" lang="en">Resting</span>`}},
		{"one with many files", map[string]any{"files": 50, "moreFiles": true}, []string{"<strong>50+</strong>"}},
		{"one that is empty", map[string]any{"files": 0, "enqueued": 0}, []string{"<strong>0</strong>", "<dd>0</dd>"}},
		{"one that nobody could look into", map[string]any{"files": nil}, []string{"could not be counted"}},
		{"all that there is", map[string]any{"path": ""}, []string{"the whole bucket"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := watched(signedIn(t))
			s.api.on("GET /api/folders", http.StatusOK, map[string]any{"folders": []any{folder(tt.fields)}})
			s.shows(s.get("/input"), http.StatusOK, tt.want...)
		})
	}
}

func TestThereMayBeNoFolders(t *testing.T) {
	t.Parallel()
	s := watched(signedIn(t))
	s.api.on("GET /api/folders", http.StatusOK, map[string]any{"folders": []any{}})
	w := s.get("/input")
	s.shows(w, http.StatusOK, "Storage:Inputs")
	lacks(t, w, "Rescan all")
}

func TestARescanSaysWhatItFound(t *testing.T) {
	t.Parallel()
	counts := map[string]any{"scanned": 1064, "enqueued": 1, "alreadyActive": 4, "alreadyProcessed": 60, "ignored": 5, "errors": 6}
	found := map[string]any{"name": "in", "path": "in/", "enqueuedFiles": []string{"a <b>.pdf"}, "unassigned": true}
	maps.Copy(found, counts)
	tests := []struct {
		name, folder, asks string
	}{
		{"in one folder", "in & out", "POST /api/rescan?folder=in+%26+out"},
		{"in all", "", "POST /api/rescan"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := watched(signedIn(t))
			s.api.on("POST /api/rescan", http.StatusOK, map[string]any{"folders": []any{found}, "totals": counts, "complete": false})
			w := s.post("/input", url.Values{"folder": {tt.folder}})
			s.shows(w, http.StatusOK, "1,064 files were looked at. Jobs made: 1.", "carries on automatically", "a &lt;b&gt;.pdf", "unassigned",
				`<td class="number">4</td><td class="number">60</td><td class="number">5</td><td class="number">6 `, `hx-get="/input"`)
			accessible(t, w.Body.String())
			if calls := s.api.calls("POST"); len(calls) != 1 || calls[0].Method+" "+calls[0].Path != tt.asks {
				t.Errorf("asked %v, want %s", calls, tt.asks)
			}
		})
	}
}

func TestARescanCanBeRefused(t *testing.T) {
	t.Parallel()
	s := watched(signedIn(t))
	s.api.refuse("POST /api/rescan", http.StatusConflict, "job.race-lost", "another search is under way")
	w := s.post("/input", url.Values{})
	s.shows(w, http.StatusConflict, "job.race-lost", "another search is under way", "Something else was faster", "<code>in/</code>")
	accessible(t, w.Body.String())
	s.api.refuse("POST /api/rescan", http.StatusServiceUnavailable, "throttled", "")
	w = s.post("/input", url.Values{})
	s.shows(w, http.StatusServiceUnavailable, "throttled")
	lacks(t, w, "<code>in/</code>")
}
