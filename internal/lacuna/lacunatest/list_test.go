package lacunatest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bulksigner/internal/lacuna/lacunatest"
)

// listed asks for a list and returns the ids and totalCount.
func listed(t *testing.T, s *lacunatest.Server, query string) (ids []string, total any) {
	t.Helper()
	got := ask(t, s, "GET", "/api/documents?"+query, nil)
	o := got.object(t)
	items, ok := o["items"].([]any)
	if !ok {
		t.Fatalf("%s: %d %s", query, got.status, got.body)
	}
	for _, i := range items {
		ids = append(ids, i.(object)["id"].(string))
	}
	return ids, o["totalCount"]
}

// five makes five pending documents in a folder.
func five(s *lacunatest.Server, folder string) (ids []string) {
	for i := range 5 {
		d := waitingFor(maria, folder)
		d.Name = fmt.Sprintf("Contrato %d", i)
		ids = append(ids, s.AddDocument(d))
	}
	return ids
}

func TestListsHavePages(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*lacunatest.Lists)
		query  string
		want   []int // positions of the documents
		total  any
	}{
		{"the first page", nil, "Limit=2&Offset=0&Order=Asc", []int{0, 1}, 5.0},
		{"offset is a page number", nil, "Limit=2&Offset=1&Order=Asc", []int{2, 3}, 5.0},
		{"the last page", nil, "Limit=2&Offset=2&Order=Asc", []int{4}, 5.0},
		{"after the last page", nil, "Limit=2&Offset=3&Order=Asc", nil, 5.0},
		{"names without regard to case", nil, "limit=2&offset=1&order=asc", []int{2, 3}, 5.0},
		{"newest first", nil, "Limit=2&Order=Desc", []int{4, 3}, 5.0},
		{"offset is an item number", func(l *lacunatest.Lists) { l.ItemOffsets = true }, "Limit=2&Offset=1&Order=Asc", []int{1, 2}, 5.0},
		{"a limit that is ignored", func(l *lacunatest.Lists) { l.PageSize = 3 }, "Limit=50&Offset=1&Order=Asc", []int{3, 4}, 5.0},
		{"a limit that is bounded", func(l *lacunatest.Lists) { l.MaxLimit = 4 }, "Limit=50&Offset=1&Order=Asc", []int{4}, 5.0},
		{"no total", func(l *lacunatest.Lists) { l.HideTotal = true }, "Limit=2&Order=Asc", []int{0, 1}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, func(o *lacunatest.Options) {
				if tt.change != nil {
					tt.change(&o.Lists)
				}
			})
			folder := s.AddFolder("Contratos", "")
			ids := five(s, folder)
			got, total := listed(t, s, "FolderId="+folder+"&FolderType=Normal&Status=Pending&"+tt.query)
			var want []string
			for _, i := range tt.want {
				want = append(want, ids[i])
			}
			if !slices.Equal(got, want) || total != tt.total {
				t.Errorf("got %v of %v, want %v of %v", got, total, want, tt.total)
			}
		})
	}
}

func TestListsAreFiltered(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(o *lacunatest.Options) { o.Concluding = 1 << 40 })
	root := s.AddFolder("Raiz", "")
	child := s.AddFolder("Abaixo", root)
	ids := five(s, root)
	below, loose := s.AddDocument(waitingFor(maria, child)), s.AddDocument(lacunatest.Document{Actions: []lacunatest.Action{{Type: lacunatest.TypeApprover, Participant: jose}}})
	s.Conclude(ids[0])
	s.Refuse(ids[1], "no")
	s.Cancel(ids[2], "late")
	s.Sign(ids[3]) // FlowConcluded
	ask(t, s, "POST", "/api/documents", dispatch(uploaded(t, s, "text"), "a.txt", "text/plain"))
	created := s.Documents()[7]
	tests := []struct {
		query string
		want  []string
	}{
		{"FolderId=" + root, ids},
		{"FolderId=" + strings.ToUpper(root) + "&Status=Pending", ids[4:]},
		{"FolderId=" + root + "&Status=PendingOrRefused", []string{ids[1], ids[4]}},
		{"FolderId=" + root + "&Status=Concluded", ids[:1]},
		{"IsConcluded=true", ids[:1]},
		{"Status=CanceledOrExpired", ids[2:3]},
		{"Status=Pending", []string{ids[4], below, loose, created}},
		{"FolderType=WithoutFolder", []string{loose, created}},
		{"FolderId=" + child, []string{below}},
		{"QueryType=Name&Q=contrato+4", ids[4:]},
		{"QueryType=Id&Q=" + ids[2], ids[2:3]},
		{"Tags=a|b", nil},
		{"Tags=bulksigner-job|0195", []string{created}},
		{"QueryType=Tag&Q=0195", []string{created}},
		{"QueryType=Key&Q=" + s.State(below).Key, []string{below}},
		{"QueryType=CreatorName&Q=bulk", []string{created}},
		{"FilterByPendingSignature=true&Status=Pending", []string{ids[4], below, created}},
		{"FolderId=" + unknownID, nil},
	}
	for _, tt := range tests {
		if got, _ := listed(t, s, "Order=Asc&Limit=100&"+tt.query); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.query, got, tt.want)
		}
	}
	s.Move(ids[4], child)
	if got, _ := listed(t, s, "Order=Asc&Status=Pending&FolderId="+child); !slices.Equal(got, []string{ids[4], below}) {
		t.Errorf("after a move: %v", got)
	}
}

func TestAFolderMayListWhatIsBelowIt(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(o *lacunatest.Options) { o.Lists.Subfolders = true })
	root := s.AddFolder("Raiz", "")
	child := s.AddFolder("Abaixo", root)
	a, b := s.AddDocument(waitingFor(maria, root)), s.AddDocument(waitingFor(maria, child))
	s.AddDocument(waitingFor(maria, ""))
	if got, _ := listed(t, s, "Status=Pending&Order=Asc&FolderId="+root); !slices.Equal(got, []string{a, b}) {
		t.Errorf("got %v, want %v", got, []string{a, b})
	}
}

func TestPagesShift(t *testing.T) {
	t.Parallel()
	var s *lacunatest.Server
	var ids []string
	s = newServer(t, func(o *lacunatest.Options) {
		o.Lists.Between = func(page int) {
			if page == 1 {
				s.Sign(ids[0])
			}
		}
	})
	ids = five(s, "")
	first, _ := listed(t, s, "Status=Pending&Order=Asc&Limit=2")
	second, total := listed(t, s, "Status=Pending&Order=Asc&Limit=2&Offset=1")
	if !slices.Equal(first, ids[:2]) || !slices.Equal(second, ids[3:]) || total != 4.0 {
		t.Errorf("pages %v and %v of %v: the third document must slip through", first, second, total)
	}
}

func TestTenThousandDocumentsAreCheap(t *testing.T) {
	t.Parallel()
	const n = 10_000
	s := newServer(t)
	folder := s.AddFolder("Contratos", "")
	for range n {
		s.AddDocument(waitingFor(maria, folder))
	}
	seen := map[string]bool{}
	for page := range n / 100 {
		ids, _ := listed(t, s, fmt.Sprintf("FolderId=%s&Status=Pending&Order=Asc&Limit=100&Offset=%d", folder, page))
		for _, id := range ids {
			seen[id] = true
		}
	}
	if len(seen) != n {
		t.Errorf("listed %d documents, want %d", len(seen), n)
	}
}
