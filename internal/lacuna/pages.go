package lacuna

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"bulksigner/internal/job"
)

const (
	pageSize = 50
	maxPages = 400 // of a list
)

// entry is a row of a list, of documents or of folders.
type entry struct {
	ID         id
	Name       text
	ParentID   id
	Folder     *folderModel
	UpdateDate moment
}

type pageModel struct {
	Items      list[entry]
	TotalCount whole // 0 where Signer hides it
}

// parsePage reads a page of a list. A row without an id cannot be Signer's.
func parsePage(b []byte) (pageModel, error) {
	var m pageModel
	if err := decode(b, &m); err != nil {
		return pageModel{}, err
	}
	if !m.Items.given {
		return pageModel{}, errForm
	}
	for _, e := range m.Items.items {
		if e.ID == "" {
			return pageModel{}, errGUID
		}
	}
	return m, nil
}

// pages goes through a list whose rows come and go meanwhile.
//
// Offsets count pages, as far as anybody knows. They are taken to count rows where the second page is empty although there
// are more, or is a full one that repeats nearly all of the first.
type pages struct {
	op     string
	fetch  func(offset int) (pageModel, error)
	seen   map[id]bool
	offset int // of the page that was read last
	size   int // of the first page
	byRow  bool
}

func (c *Client) pages(ctx context.Context, op, path string, values url.Values) *pages {
	values.Set("Limit", strconv.Itoa(pageSize))
	return &pages{op: op, seen: map[id]bool{}, fetch: func(offset int) (pageModel, error) {
		values.Set("Offset", strconv.Itoa(offset))
		return ask(ctx, c, question{op: op, path: path + "?" + values.Encode(), limit: maxAnswer}, parsePage)
	}}
}

// all goes through the list forth and, if it has more than one page, back. Each row comes once.
//
// A row that leaves moves later rows to earlier pages, and on the way forth one of them can slip past. On the way back it
// cannot: a row that was not seen stands on the page that is read next or before it, and can only move nearer to the
// start. The way back begins before the page that was read last, with which the list ended.
func (p *pages) all(yield func(entry, error) bool) {
	if p.walk(yield) {
		p.back(yield)
	}
}

// forth goes through the list once.
func (p *pages) forth(yield func(entry, error) bool) { p.walk(yield) }

// walk goes on to the end of the list. It reports whether it came there.
func (p *pages) walk(yield func(entry, error) bool) bool {
	for range maxPages {
		m, fresh, ok := p.read(yield)
		if !ok {
			return false
		}
		if p.ended(m, fresh) {
			return true
		}
		p.advance()
	}
	// More would be a list that never ends, or a folder for which a pass has no time.
	yield(entry{}, &job.SignerError{Op: p.op, Status: http.StatusOK, Transient: true, Cause: errPages})
	return false
}

// back returns to the start of the list.
func (p *pages) back(yield func(entry, error) bool) {
	step := 1
	if p.byRow {
		step = p.size
	}
	for p.offset > 0 {
		p.offset = max(0, p.offset-step)
		if _, _, ok := p.read(yield); !ok {
			return
		}
	}
}

// read reads the page at the offset and yields what was not seen before. It reports whether to go on.
func (p *pages) read(yield func(entry, error) bool) (m pageModel, fresh int, ok bool) {
	m, err := p.fetch(p.offset)
	if err != nil {
		yield(entry{}, err)
		return m, 0, false
	}
	for _, e := range m.Items.items {
		if p.seen[e.ID] {
			continue
		}
		p.seen[e.ID] = true
		fresh++
		if !yield(e, nil) {
			return m, fresh, false
		}
	}
	return m, fresh, true
}

// ended reports whether a page is the last one. The total is not trusted alone: it may be hidden, or be wrong.
func (p *pages) ended(m pageModel, fresh int) bool {
	rows, total := len(m.Items.items), int(m.TotalCount)
	if p.offset == 0 {
		p.size = rows
	}
	if total > 0 && len(p.seen) >= total {
		return true
	}
	if p.offset == 1 && !p.byRow {
		missing := rows == 0 && total > len(p.seen)
		shifted := rows == p.size && fresh > 0 && fresh <= 1+rows/8 // by one row, and by those that left meanwhile
		p.byRow = missing || shifted
		return fresh == 0 && !missing
	}
	return fresh == 0
}

func (p *pages) advance() {
	if p.byRow {
		p.offset = len(p.seen)
		return
	}
	p.offset++
}
