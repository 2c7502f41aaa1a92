package lacunatest

import (
	"slices"
	"strings"
)

// list is GET /api/documents.
func (s *Signer) list(c *call) answer {
	q, bad := s.query(c)
	if bad != "" {
		return malformed(bad)
	}
	if want := q.text["status"]; want != "" && filters[want] == nil {
		return malformed("The value is not valid for Status.")
	}
	a := s.listPage(q)
	if s.o.Lists.Between != nil {
		s.o.Lists.Between(s.Count(List))
	}
	return a
}

func (s *Signer) listPage(q query) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now()
	found := s.search(q)
	n := len(found)
	return success(pageOf(s, q, n, func(i int) listModel {
		if q.descending {
			i = n - 1 - i
		}
		return found[i].item()
	}))
}

// search finds documents, oldest first. The list that is asked again and again, of what is pending in a folder, is there
// already.
func (s *Signer) search(q query) []*document {
	sh := s.shelfOf(everywhere)
	folder := q.id("folderid")
	switch {
	case folder != "" && !s.o.Lists.Subfolders:
		sh = s.order[folder]
	case folder == "" && q.text["foldertype"] == "WithoutFolder":
		sh = s.shelfOf(nowhere)
	}
	if sh == nil {
		return nil // a folder that does not exist lists as empty
	}
	docs, status := sh.all, q.text["status"]
	if status == Pending {
		docs, status = sh.pending, ""
	}
	tests := q.tests(status)
	if folder != "" && s.o.Lists.Subfolders {
		tests = append(tests, func(d *document) bool { return d.folder.within(folder) })
	}
	if len(tests) == 0 {
		return docs
	}
	return slices.DeleteFunc(slices.Clone(docs), func(d *document) bool {
		return slices.ContainsFunc(tests, func(ok func(*document) bool) bool { return !ok(d) })
	})
}

// tests are the conditions of a query that need a look at each document.
func (q query) tests(status string) []func(*document) bool {
	var all []func(*document) bool
	if status != "" {
		all = append(all, func(d *document) bool { return slices.Contains(filters[status], d.status) })
	} else if q.flag("isconcluded") && q.text["status"] == "" {
		all = append(all, func(d *document) bool { return d.status == Concluded })
	}
	if q.flag("filterbypendingsignature") {
		all = append(all, func(d *document) bool { return slices.ContainsFunc(d.actions, signs) })
	}
	if text := q.text["q"]; text != "" {
		all = append(all, func(d *document) bool { return d.matches(q.text["querytype"], text) })
	}
	if tags := q.text["tags"]; tags != "" {
		all = append(all, func(d *document) bool { return d.hasTags(strings.Split(tags, ",")) })
	}
	return all
}

// filters are the statuses that a list's filter stands for.
var filters = map[string][]string{
	"PendingOrRefused":  {Pending, Refused},
	"Concluded":         {Concluded},
	"CanceledOrExpired": {Canceled, Expired},
	"Pending":           {Pending},
	"Refused":           {Refused},
	"Canceled":          {Canceled},
	"Expired":           {Expired},
}

func (d *document) matches(kind, text string) bool {
	switch kind {
	case "Id":
		return strings.EqualFold(d.id, text)
	case "Key":
		return strings.EqualFold(d.key, text)
	case "CreatorName":
		return d.creator.Name != nil && nameMatches(*d.creator.Name, text)
	case "Tag":
		return slices.ContainsFunc(d.tags, func(t tag) bool { return nameMatches(t.Value, text) })
	}
	return nameMatches(d.name, text)
}

// hasTags reports whether a document has all tags, each as label|value.
func (d *document) hasTags(wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(w string) bool {
		return !slices.ContainsFunc(d.tags, func(t tag) bool { return t.label()+"|"+t.Value == strings.TrimSpace(w) })
	})
}
