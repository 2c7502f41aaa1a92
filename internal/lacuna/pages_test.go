package lacuna_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bulksigner/internal/job"
	"bulksigner/internal/lacuna"
)

// shelf is a list of documents that lives while it is read.
type shelf struct {
	rows   []int
	calls  int
	cap    int  // most rows of a page
	byRow  bool // offsets count rows
	total  func(s *shelf) int
	before func(s *shelf, page int) // happens before a page is read
}

func rowID(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

func row(n int, folder string) string {
	return fmt.Sprintf(`{"id":%q,"name":"n%d","updateDate":"2026-09-10T13:02:11Z","folder":%s}`, strings.ToUpper(rowID(n)), n, folder)
}

func (s *shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	offset, _ := strconv.Atoi(r.URL.Query().Get("Offset"))
	limit, _ := strconv.Atoi(r.URL.Query().Get("Limit"))
	s.calls++
	if s.before != nil {
		s.before(s, offset)
	}
	limit = min(limit, s.cap)
	if !s.byRow {
		offset *= limit
	}
	from := min(offset, len(s.rows))
	var rows []string
	for _, n := range s.rows[from:min(from+limit, len(s.rows))] {
		rows = append(rows, row(n, `{"id":"`+folderID+`"}`))
	}
	total := len(s.rows)
	if s.total != nil {
		total = s.total(s)
	}
	_, _ = fmt.Fprintf(w, `{"items":[%s],"totalCount":%d,"nextCursor":null}`, strings.Join(rows, ","), total)
}

func numbers(from, to int) (n []int) {
	for ; from < to; from++ {
		n = append(n, from)
	}
	return n
}

func (s *shelf) remove(from, to int) {
	s.rows = slices.DeleteFunc(s.rows, func(n int) bool { return n >= from && n < to })
}

// walk reads all pending documents. It returns their numbers and the error that ended it.
func walk(t testing.TB, c *lacuna.Client) (ids []string, _ error) {
	t.Helper()
	for d, err := range c.Pending(t.Context(), folderID) {
		if err != nil {
			return ids, err
		}
		ids = append(ids, d.ID)
	}
	return ids, nil
}

func once(page int, do func(s *shelf)) func(*shelf, int) {
	done := false
	return func(s *shelf, at int) {
		if at == page && !done {
			done = true
			do(s)
		}
	}
}

func hidden(*shelf) int { return 0 }

func TestPendingFindsWhatStays(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		shelf shelf
		stay  []int // pending for the whole time
		calls int
	}{
		{"nothing", shelf{}, nil, 1},
		{"one page", shelf{rows: numbers(0, 50)}, numbers(0, 50), 1},
		{"two pages", shelf{rows: numbers(0, 51)}, numbers(0, 51), 3},
		{"three pages", shelf{rows: numbers(0, 150)}, numbers(0, 150), 5},
		{"the total is hidden", shelf{rows: numbers(0, 120), total: hidden}, numbers(0, 120), 7},
		{"the total is hidden, and the last page is full", shelf{rows: numbers(0, 100), total: hidden}, numbers(0, 100), 5},
		{"the total is too high", shelf{rows: numbers(0, 120), total: func(*shelf) int { return 500 }}, numbers(0, 120), 7},
		{"one page, and the total is too high", shelf{rows: numbers(0, 20), total: func(*shelf) int { return 500 }}, numbers(0, 20), 4},
		{"pages are smaller than asked for", shelf{rows: numbers(0, 60), cap: 20}, numbers(0, 60), 5},
		{"offsets count rows", shelf{rows: numbers(0, 160), byRow: true}, numbers(0, 160), 9},
		{"offsets count rows, small pages", shelf{rows: numbers(0, 30), byRow: true, cap: 7}, numbers(0, 30), 11},
		{"earlier ones leave", shelf{rows: numbers(0, 160), before: once(1, func(s *shelf) { s.remove(0, 10) })}, numbers(10, 160), 0},
		{"one leaves and one comes", shelf{rows: numbers(0, 100), before: once(1, func(s *shelf) {
			s.remove(0, 1)
			s.rows = append(s.rows, 900)
		})}, numbers(1, 100), 0},
		{"a page leaves on the way forth, another on the way back", shelf{rows: numbers(0, 400), before: func(s *shelf, _ int) {
			switch s.calls {
			case 3:
				s.remove(0, 60)
			case 7, 8, 9:
				s.remove(s.calls*40-200, s.calls*40-190)
			}
		}}, slices.Concat(numbers(60, 80), numbers(90, 120), numbers(130, 160), numbers(170, 400)), 0},
		{"some leave before every page, offsets count rows", shelf{rows: numbers(0, 300), byRow: true, before: func(s *shelf, _ int) {
			if s.calls > 1 {
				s.remove(0, min(200, 5*(s.calls-1)))
			}
		}}, numbers(200, 300), 0},
		{"older ones are put in front", shelf{rows: numbers(100, 260), before: once(1, func(s *shelf) {
			s.rows = append(numbers(0, 30), s.rows...)
		})}, numbers(100, 260), 0},
		{"everything leaves", shelf{rows: numbers(0, 160), before: once(1, func(s *shelf) { s.rows = nil })}, nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := &tt.shelf
			if s.cap == 0 {
				s.cap = 1000
			}
			got, err := walk(t, serving(t, s.ServeHTTP))
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range tt.stay {
				if !slices.Contains(got, rowID(n)) {
					t.Errorf("%d is missing", n)
				}
			}
			if len(slices.Compact(slices.Sorted(slices.Values(got)))) != len(got) {
				t.Error("a document comes twice")
			}
			if tt.calls > 0 && s.calls != tt.calls {
				t.Errorf("%d calls, want %d", s.calls, tt.calls)
			}
		})
	}
}

func TestPendingComesOldestFirst(t *testing.T) {
	t.Parallel()
	got, err := walk(t, serving(t, (&shelf{rows: numbers(0, 120), cap: 50}).ServeHTTP))
	if err != nil || !slices.IsSorted(got) || len(got) != 120 {
		t.Errorf("%d documents, sorted: %v, %v", len(got), slices.IsSorted(got), err)
	}
}

func TestPendingAsksForTheFolder(t *testing.T) {
	t.Parallel()
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		want := url.Values{"FolderId": {folderID}, "FolderType": {"Normal"}, "Status": {"Pending"}, "Order": {"Asc"}, "Limit": {"50"}, "Offset": {"0"}}
		if got := r.URL.Query().Encode(); r.URL.Path != "/api/documents" || got != want.Encode() {
			t.Errorf("asked %s?%s", r.URL.Path, got)
		}
		_, _ = fmt.Fprintf(w, `{"items":[null,%s,%s,%s,%s,%s],"totalCount":"4"}`, row(1, `{"id":"`+strings.ToUpper(folderID)+`"}`),
			row(2, `{"id":"`+otherID+`"}`), row(3, "null"), row(4, `{"id":null}`), row(1, "null"))
	})
	got, err := walk(t, c)
	if want := []string{rowID(1), rowID(3), rowID(4)}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

func TestPendingEnds(t *testing.T) {
	t.Parallel()
	t.Run("when asked to", func(t *testing.T) {
		t.Parallel()
		s := &shelf{rows: numbers(0, 200), cap: 50}
		for range serving(t, s.ServeHTTP).Pending(t.Context(), folderID) {
			break
		}
		if s.calls != 1 {
			t.Errorf("%d calls, want 1", s.calls)
		}
	})
	t.Run("with an error in the middle", func(t *testing.T) {
		t.Parallel()
		s := &shelf{rows: numbers(0, 200), cap: 50}
		got, err := walk(t, serving(t, func(w http.ResponseWriter, r *http.Request) {
			if s.calls == 2 {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			s.ServeHTTP(w, r)
		}))
		if v := judged(t, err); len(got) != 100 || v != (verdict{503, "", true, false}) {
			t.Errorf("%d documents, %+v", len(got), v)
		}
	})
	t.Run("a list without an end", func(t *testing.T) {
		t.Parallel()
		s := &shelf{cap: 2, total: hidden, before: func(s *shelf, _ int) {
			s.rows = append(s.rows, 10*s.calls, 10*s.calls+1)
		}}
		got, err := walk(t, serving(t, s.ServeHTTP))
		if v := judged(t, err); len(got) != 800 || s.calls != 400 || v != (verdict{200, "", true, false}) {
			t.Errorf("%d documents after %d calls, %+v", len(got), s.calls, v)
		}
	})
	t.Run("a server that knows no pages", func(t *testing.T) {
		t.Parallel()
		calls := 0
		got, err := walk(t, serving(t, func(w http.ResponseWriter, _ *http.Request) {
			calls++
			_, _ = fmt.Fprintf(w, `{"items":[%s,%s],"totalCount":99}`, row(1, "null"), row(2, "null"))
		}))
		if err != nil || len(got) != 2 || calls > 5 {
			t.Errorf("%v after %d calls, %v", got, calls, err)
		}
	})
	t.Run("at a row without an id", func(t *testing.T) {
		t.Parallel()
		_, err := walk(t, answering(t, http.StatusOK, "application/json", `{"items":[{"id":"7"}],"totalCount":1}`))
		if v := judged(t, err); v != (verdict{200, "", true, false}) {
			t.Errorf("%+v", v)
		}
	})
}

func TestNullItemsAreAnEmptyPage(t *testing.T) {
	t.Parallel()
	got, err := walk(t, answering(t, http.StatusOK, "application/json", `{"items":null,"totalCount":null,"nextCursor":null}`))
	if err != nil || got != nil {
		t.Errorf("%v, %v", got, err)
	}
}

func TestFolders(t *testing.T) {
	t.Parallel()
	s := &shelf{rows: numbers(0, 230), cap: 50}
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if r.URL.Path != "/api/folders" || q.Get("Q") != "notas & ção" || q.Get("filterByParent") != "false" || q.Get("Limit") != "50" {
			t.Errorf("asked %s", r.URL)
		}
		s.ServeHTTP(w, r)
	})
	got, err := c.Folders(t.Context(), "notas & ção")
	if err != nil || len(got) != 200 || s.calls != 4 || got[199] != (job.SignerFolder{ID: rowID(199), Name: "n199"}) {
		t.Errorf("%d folders after %d calls, %v", len(got), s.calls, err)
	}
	c = answering(t, http.StatusOK, "application/json", `{"items":[{"id":"`+folderID+`","name":"Filha","parentId":"`+strings.ToUpper(otherID)+`"}],"totalCount":1}`)
	got, err = c.Folders(t.Context(), "")
	if want := (job.SignerFolder{ID: folderID, Name: "Filha", ParentID: otherID}); err != nil || len(got) != 1 || got[0] != want {
		t.Errorf("%+v, %v", got, err)
	}
}
