package console_test

import (
	"maps"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// overviewAnswer is what GET /api/overview answers, with other parts.
func overviewAnswer(parts map[string]any) map[string]any {
	all := map[string]any{
		"at":       "2026-03-04T05:06:07Z",
		"pipeline": map[string]any{"paused": false, "pausedAtUtc": nil, "pausedBy": nil, "reason": nil, "maxConcurrency": 25},
		"profiles": map[string]any{"total": 4, "enabled": 3, "degraded": 0, "lacunaSigner": 0},
		"now": map[string]any{
			"queued":         map[string]any{"jobs": 12, "more": false, "oldestSince": "2026-03-04T05:04:07Z"},
			"processing":     map[string]any{"jobs": 2, "more": false, "oldestSince": "2026-03-04T05:05:40Z"},
			"verifying":      map[string]any{"jobs": 1, "more": false, "oldestSince": nil},
			"awaitingSigner": map[string]any{"jobs": 5, "more": false, "oldestSince": "2026-03-02T05:06:07Z"},
		},
		"longestRunning": map[string]any{"jobId": jobID, "status": "Verifying", "since": "2026-03-04T05:05:40Z"},
		"lastDay":        map[string]any{"from": "2026-03-03T06:00:00Z", "completed": 4811, "failed": 3, "canceled": 1, "encrypted": 77},
		"hours":          hoursOf(map[int][3]int{0: {207, 0, 0}, 23: {100, 1, 1}}),
		"performance": map[string]any{
			"enabled": true, "from": "2026-03-03T05:06:07Z", "complete": true, "completed": 4811, "local": 4700, "remote": 111, "perMinute": 3.34, "lastMinute": 7,
			"total": span(1421.4, 310, 63211), "signing": span(320.6, 200, 1200), "queue": span(0, 0, 0),
			"slowest": map[string]any{"jobId": otherID, "totalMs": 63211, "completedAt": "2026-03-04T01:00:00Z"},
		},
	}
	maps.Copy(all, parts)
	return all
}

func span(mean float64, least, most int) map[string]any {
	return map[string]any{"jobs": 9, "meanMs": mean, "minMs": least, "maxMs": most}
}

// hoursOf are 24 hours, in some of which jobs were completed, failed and canceled.
func hoursOf(ended map[int][3]int) (all []any) {
	for i := range 24 {
		start := time.Date(2026, 3, 3, 6+i, 0, 0, 0, time.UTC)
		all = append(all, map[string]any{"start": start, "completed": ended[i][0], "failed": ended[i][1], "canceled": ended[i][2], "encrypted": 0})
	}
	return all
}

// card is the text of a card of the first page.
func card(t *testing.T, page, id string) string {
	t.Helper()
	_, after, ok := strings.Cut(page, `id="card-`+id+`"`)
	if !ok {
		t.Errorf("there is no card %s", id)
	}
	text, _, _ := strings.Cut(after, "</li>")
	return strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(`<`+text, " ")), " ")
}

func TestTheFirstPageHasACardForEverything(t *testing.T) {
	t.Parallel()
	tests := []struct {
		id, want, href string
		parts          map[string]any
	}{
		{"queued", "Queued 12 oldest for 2 min 00 s", "/jobs?status=Queued", nil},
		{"queued", "Queued 10,004+", "/jobs?status=Queued", map[string]any{"now": map[string]any{"queued": map[string]any{"jobs": 10004, "more": true}}}},
		{"flight", "In flight 3 / 25 slots Processing 2 · Verifying 1", "/jobs?status=Processing&amp;status=Verifying", nil},
		{"pipeline", "Pipeline Running", "/system", nil},
		{"pipeline", "Pipeline Paused for 16 min 07 s", "/system", map[string]any{"pipeline": map[string]any{"paused": true, "pausedAtUtc": "2026-03-04T04:50:00Z"}}},
		{"awaiting", "AwaitingSigner 5 oldest for 2 days", "/jobs?status=AwaitingSigner", map[string]any{"profiles": map[string]any{"lacunaSigner": 1}}},
		{"awaiting", "AwaitingSigner 5 oldest for 2 days", "/jobs?status=AwaitingSigner", nil}, // of a profile that is gone
		{"longest", "Longest running 27.0 s Verifying", "/jobs/" + jobID, nil},
		{"profiles", "Profiles that cannot sign 2 1 enabled", "/profiles", map[string]any{"profiles": map[string]any{"enabled": 1, "degraded": 2}}},
		{"completed", "Completed 4,811", "/jobs?from=2026-03-03T06%3A00%3A00Z&amp;status=Completed", nil},
		{"failed", "Failed 3", "/jobs?from=2026-03-03T06%3A00%3A00Z&amp;status=Failed", nil},
		{"canceled", "Canceled 1", "/jobs?from=2026-03-03T06%3A00%3A00Z&amp;status=Canceled", nil},
		{"encrypted", "Encrypted 77", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.want, func(t *testing.T) {
			t.Parallel()
			s := watched(signedIn(t))
			s.api.on("GET /api/overview", http.StatusOK, overviewAnswer(tt.parts))
			w := s.get("/")
			if s.shows(w, http.StatusOK, `id="card-`+tt.id+`"`); tt.href != "" {
				s.shows(w, http.StatusOK, `id="card-`+tt.id+`" href="`+tt.href+`"`)
			}
			if got := card(t, w.Body.String(), tt.id); got != tt.want {
				t.Errorf("the card says %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTheFirstPageLeavesOutWhatThereIsNot(t *testing.T) {
	t.Parallel()
	s := watched(signedIn(t))
	answer := overviewAnswer(map[string]any{"hours": hoursOf(nil), "performance": map[string]any{"enabled": true}})
	delete(answer, "longestRunning")
	answer["now"].(map[string]any)["awaitingSigner"] = map[string]any{"jobs": 0}
	s.api.on("GET /api/overview", http.StatusOK, answer)
	s.api.on("GET /api/jobs", http.StatusOK, map[string]any{"items": []any{}})
	w := s.get("/")
	s.shows(w, http.StatusOK, "No job is running.", "No job ended in the last 24 hours.", "No job was completed in the last 24 hours.", "There are no jobs yet.")
	lacks(t, w, `id="card-awaiting"`, `id="card-longest"`, `role="img"`, "The pipeline is paused", "NaN")
	s.api.on("GET /api/overview", http.StatusOK, overviewAnswer(map[string]any{"performance": map[string]any{"enabled": false}}))
	s.shows(s.get("/"), http.StatusOK, "The times of jobs are not kept")
}

func TestTheFirstPageSaysWhyThePipelineIsPaused(t *testing.T) {
	t.Parallel()
	s := watched(signedIn(t))
	s.cookies["language"] = "pt-BR"
	s.api.on("GET /api/overview", http.StatusOK, overviewAnswer(map[string]any{
		"pipeline": map[string]any{"paused": true, "pausedAtUtc": "2026-03-04T04:50:00Z", "pausedBy": "api", "reason": "manutenção"},
	}))
	s.shows(s.get("/"), http.StatusOK, "O pipeline está pausado", "<dd>manutenção</dd>", "<dd>api</dd>", `datetime="2026-03-04T04:50:00Z"`)
}

func TestTheFirstPageTellsHowLongJobsTook(t *testing.T) {
	t.Parallel()
	s := watched(signedIn(t))
	number := func(texts ...string) string {
		return `<td class="number">` + strings.Join(texts, `</td><td class="number">`) + "</td>"
	}
	s.shows(s.get("/"), http.StatusOK,
		number("1.4 s", "310 ms", "1 min 03 s"), number("321 ms", "200 ms", "1.2 s"), number("0 ms", "0 ms", "0 ms"), number("—", "—", "—"),
		"<strong>7</strong>", "<strong>3.3</strong>", "<strong>4,700</strong>", "<strong>111</strong>",
		`id="slowest" href="/jobs/`+otherID+`">1 min 03 s`, "Of the 4,811 jobs completed")
	s.cookies["language"] = "pt-BR"
	s.api.on("GET /api/overview", http.StatusOK, overviewAnswer(map[string]any{"performance": map[string]any{
		"enabled": true, "complete": false, "from": "2026-03-04T03:00:00Z", "completed": 1000, "perMinute": 0.052,
	}}))
	s.shows(s.get("/"), http.StatusOK, "<strong>0,05</strong>", "Dos 1.000 trabalhos concluídos mais recentes", `datetime="2026-03-04T03:00:00Z"`)
}

func TestTheFirstPageRefreshes(t *testing.T) {
	t.Parallel()
	s := watched(signedIn(t))
	s.shows(s.get("/"), http.StatusOK, `hx-get="/" hx-trigger="tick from:body" hx-select="#live"`, `href="/jobs/`+jobID+`">contrato.pdf</a>`)
	if calls := s.api.calls(""); len(calls) != 2 || len(s.api.calls("GET /api/jobs?pageSize=10")) != 1 {
		t.Errorf("the API was asked %v", calls)
	}
	s.api.refuse("GET /api/overview", http.StatusServiceUnavailable, "throttled", "")
	s.shows(s.get("/"), http.StatusServiceUnavailable, "throttled")
}
