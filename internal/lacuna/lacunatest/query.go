package lacunatest

import (
	"net/url"
	"strconv"
	"strings"
)

// defaultLimit is how many items a page has if nobody says.
const defaultLimit = 10

// query is what a list was asked.
type query struct {
	text       map[string]string // by name in lower case
	limit      int
	offset     int
	descending bool
}

// query reads the parameters of a list, or says what is wrong with them.
func (s *Signer) query(c *call) (query, string) {
	q := query{text: parameters(c.URL.Query()), limit: defaultLimit}
	for name, into := range map[string]*int{"limit": &q.limit, "offset": &q.offset} {
		v, ok := q.text[name]
		if !ok || v == "" {
			continue
		}
		n, err := strconv.Atoi(v)
		if err != nil || n < 0 {
			return q, "The value is not valid for " + name + "."
		}
		*into = n
	}
	for _, name := range []string{"folderid", "parentid"} {
		if v := q.text[name]; v != "" && !guid.MatchString(v) {
			return q, "The value is not valid for " + name + "."
		}
	}
	q.limit = min(q.limit, s.o.Lists.MaxLimit)
	if s.o.Lists.PageSize > 0 {
		q.limit = s.o.Lists.PageSize
	}
	q.descending = descends(q.text["order"])
	return q, ""
}

// id is a GUID of the query, "" if there is none.
func (q query) id(name string) string { return strings.ToLower(q.text[name]) }

// flag is a switch of the query.
func (q query) flag(name string) bool { return strings.EqualFold(q.text[name], "true") }

// flatten keeps the first value of each parameter.
func flatten(v url.Values, name func(string) string) map[string]string {
	out := map[string]string{}
	for k, values := range v {
		if len(values) > 0 {
			out[name(k)] = values[0]
		}
	}
	return out
}

// paged cuts a page out of what was found. s.mu is held.
func paged[R, M any](s *Signer, q query, found []R, model func(R) M) page[M] {
	return pageOf(s, q, len(found), func(i int) M { return model(found[i]) })
}

// pageOf makes a page of items that are numbered.
func pageOf[M any](s *Signer, q query, total int, item func(int) M) page[M] {
	first := q.offset * q.limit
	if s.o.Lists.ItemOffsets {
		first = q.offset
	}
	p := page[M]{Items: []M{}, TotalCount: &total}
	for i := min(first, total); i < min(first+q.limit, total); i++ {
		p.Items = append(p.Items, item(i))
	}
	if s.o.Lists.HideTotal {
		p.TotalCount = nil
	}
	return p
}
