package console_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// manyJobs is an API with so many jobs, which answers a page of them as the real one does.
type manyJobs struct {
	http.Handler
	rows []json.RawMessage // newest first
}

// store has as many rows as any test wants, so that the collector has the same to do for all.
var store = sync.OnceValue(func() (rows []json.RawMessage) {
	begin := time.Date(2026, 3, 4, 5, 0, 0, 0, time.UTC)
	for i := range 100_000 {
		row, err := json.Marshal(jobRow(map[string]any{
			"id": fmt.Sprintf("01890000-0000-7000-8000-%012d", i), "fileName": fmt.Sprintf("Contrato de prestação de serviços %d.pdf", i),
			"createdAt": begin.Add(-time.Duration(i) * time.Second),
		}))
		if err != nil {
			panic(err) // it is plain data
		}
		rows = append(rows, row)
	}
	return rows
})

// ServeHTTP answers the list of jobs by itself.
func (m *manyJobs) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/api/jobs" {
		m.Handler.ServeHTTP(w, r)
		return
	}
	size := 50
	if asked, err := strconv.Atoi(r.URL.Query().Get("pageSize")); err == nil {
		size = asked
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"items": m.rows[:min(size, len(m.rows))], "totalCount": len(m.rows), "cursor": "next"})
}

// stocked is a console before an API with so many jobs.
func stocked(t testing.TB, n int) *scene {
	s := watched(newScene(t))
	s.api.on("GET /api/overview", http.StatusOK, overviewAnswer(nil))
	s.api.on("GET /api/settings", http.StatusOK, map[string]any{"settings": settingRows(60)})
	s.api.on("GET /api/pipeline/state", http.StatusOK, map[string]any{"maxConcurrency": 25})
	s.api.on("GET /api/jobs/"+jobID, http.StatusOK, jobRow(map[string]any{"history": historyRows(12)}))
	s.rebuild(&manyJobs{s.api, store()[:n]})
	if w := s.post("/login", map[string][]string{"key": {apiKey}}); w.Code != http.StatusSeeOther {
		t.Fatalf("signing in answers %d", w.Code)
	}
	s.header["Accept-Encoding"] = "gzip"
	return s
}

func settingRows(n int) (rows []any) {
	for i := range n {
		rows = append(rows, map[string]any{"key": fmt.Sprintf("Section%d:Key%d", i/10, i), "value": i, "source": "default"})
	}
	return rows
}

func historyRows(n int) (rows []any) {
	for i := range n {
		rows = append(rows, map[string]any{"timestamp": "2026-03-04T05:00:01Z", "status": "Processing", "message": fmt.Sprintf("Step %d.", i)})
	}
	return rows
}

// measured are the pages whose time and size docs/performance.md tells.
var measured = []string{"/", "/jobs", "/jobs/" + jobID, "/upload", "/input", "/profiles", "/profiles/_new", "/events", "/verify", "/system", "/system/settings"}

// BenchmarkPages makes each page with 50 and with 100 000 jobs in store. What the API itself takes is not the console's.
func BenchmarkPages(b *testing.B) {
	for _, n := range []int{50, 100_000} {
		s := stocked(b, n)
		for _, path := range measured {
			b.Run(fmt.Sprintf("%d jobs%s", n, path), func(b *testing.B) {
				bytes := 0
				for b.Loop() {
					w := s.get(path)
					if bytes = w.Body.Len(); w.Code != http.StatusOK {
						b.Fatalf("answers %d", w.Code)
					}
				}
				b.ReportMetric(float64(bytes), "B/page")
			})
		}
	}
}

// mostAtFirst is what the first page may cost somebody whose browser has nothing of the console, compressed.
const mostAtFirst = 100_000

func TestTheFirstLoadIsSmall(t *testing.T) {
	t.Parallel()
	s := stocked(t, 1000)
	for _, path := range []string{"/", "/jobs", "/upload", "/profiles/_new"} {
		page := s.get(path)
		total := page.Body.Len()
		delete(s.header, "Accept-Encoding")
		plain := s.get(path).Body.String()
		s.header["Accept-Encoding"] = "gzip"
		for _, asset := range assetsIn(plain) {
			w := s.get(asset)
			if w.Code != http.StatusOK || w.Header().Get("Content-Encoding") != "gzip" {
				t.Errorf("%s answers %d, encoded %q", asset, w.Code, w.Header().Get("Content-Encoding"))
			}
			total += w.Body.Len()
		}
		if t.Logf("%s: %d bytes", path, total); total > mostAtFirst {
			t.Errorf("%s costs %d bytes at first, want at most %d", path, total, mostAtFirst)
		}
	}
}

// assetsIn are what a page loads.
func assetsIn(page string) (paths []string) {
	for part := range strings.SplitSeq(page, `"`) {
		if strings.HasPrefix(part, "/assets/") {
			paths = append(paths, part)
		}
	}
	return paths
}
