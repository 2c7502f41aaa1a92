package lacunatest

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

type folder struct {
	id, name string
	parent   *folder
}

// identifier is the folder's id, "" for none.
func (f *folder) identifier() string {
	if f == nil {
		return ""
	}
	return f.id
}

func (f *folder) info() *folderInfo {
	if f == nil {
		return nil
	}
	return &folderInfo{ID: f.id, Name: text(f.name), ParentID: text(f.parent.identifier())}
}

// within reports whether f is a folder or lies below it.
func (f *folder) within(id string) bool {
	for ; f != nil; f = f.parent {
		if f.id == id {
			return true
		}
	}
	return false
}

func (s *Signer) addFolder(name string, parent *folder) *folder {
	f := &folder{newID(), name, parent}
	s.folders[f.id] = f
	s.rows = append(s.rows, f)
	return f
}

// removeFolder deletes a folder, those below it and the documents in them. The event names so many of them.
func (s *Signer) removeFolder(f *folder, now time.Time) {
	gone := slices.DeleteFunc(slices.Clone(s.rows), func(r *folder) bool { return !r.within(f.id) })
	for _, r := range gone {
		for _, d := range slices.Clone(s.shelfOf(r.id).all) {
			s.deleteDocument(d, deletedByFolder, now)
		}
		delete(s.order, r.id)
		delete(s.folders, r.id)
	}
	s.rows = slices.DeleteFunc(s.rows, func(r *folder) bool { return slices.Contains(gone, r) })
}

// listFolders is GET /api/folders.
func (s *Signer) listFolders(c *call) answer {
	q, bad := s.query(c)
	if bad != "" {
		return malformed(bad)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now()
	var found []*folder
	for _, f := range s.rows {
		inPlace := !strings.EqualFold(q.text["filterbyparent"], "true") || f.parent.identifier() == q.id("parentid")
		if inPlace && nameMatches(f.name, q.text["q"]) {
			found = append(found, f)
		}
	}
	if q.descending {
		slices.Reverse(found)
	}
	return success(paged(s, q, found, func(f *folder) folderInfo { return *f.info() }))
}

// describeFolder is GET /api/folders/{id}.
func (s *Signer) describeFolder(c *call) answer {
	id := c.PathValue("id")
	if !guid.MatchString(id) {
		return answer{status: http.StatusNotFound}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now()
	f, ok := s.folders[strings.ToLower(id)]
	if !ok {
		return refuse("FolderNotFound")
	}
	return success(folderModel{*f.info(), s.organization()})
}
