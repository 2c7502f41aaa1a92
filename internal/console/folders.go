package console

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"bulksigner/internal/fault"
)

// signerFolder is a folder at Lacuna Signer.
type signerFolder struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	ParentID string `json:"parentId"`

	Path string `json:"-"` // the names of the folders that it lies in
}

// Choice is the value that stands for the folder in a form, from which chosenFolder reads it.
func (f signerFolder) Choice() string { return f.ID + " " + f.Name }

// chosenFolder reads what a form says of a folder; the zero value is none. An id has no space in it.
func chosenFolder(choice string) signerFolder {
	id, name, _ := strings.Cut(choice, " ")
	return signerFolder{ID: id, Name: name}
}

// folderPicker is a list of folders to choose one from. The present choice stands in it whatever else is found, and even
// if Lacuna Signer cannot be asked.
type folderPicker struct {
	Query   string
	Chosen  signerFolder // the zero value is none
	Asked   bool
	Found   []signerFolder // without the chosen one
	Problem *problem       // why there is no list
}

// Unreachable reports whether the folders cannot be listed because Lacuna Signer does not answer.
func (p folderPicker) Unreachable() bool {
	return p.Problem != nil && p.Problem.Code == fault.SignerUnreachable
}

// Count is how many there are beside the chosen one.
func (p folderPicker) Count() int64 { return int64(len(p.Found)) }

// signerFolders is the list alone, which stands in the form of a profile.
func (v *visit) signerFolders() error {
	q := v.r.URL.Query()
	picker := folderPicker{Query: q.Get("q"), Chosen: chosenFolder(q.Get("signerFolder"))}
	if err := v.findFolders(&picker); err != nil {
		return err
	}
	return v.render(http.StatusOK, "profile-folders", picker)
}

// findFolders asks for folders by a part of their name. That they cannot be listed spoils nothing but the list.
func (v *visit) findFolders(p *folderPicker) error {
	p.Query, p.Asked = strings.TrimSpace(p.Query), true
	found, err := v.foldersNamed(p.Query)
	refused, ok := refusalOf(err)
	switch {
	case ok:
		p.Problem = refused
		return nil
	case err != nil:
		return err
	}
	names := v.folderNames(p.Query, found)
	p.Chosen.Path = names.above(p.Chosen.ID)
	for _, f := range found {
		if f.ID == p.Chosen.ID {
			p.Chosen.Name = cmp.Or(p.Chosen.Name, f.Name) // a binding may have its id alone
		} else {
			f.Path = names.above(f.ID)
			p.Found = append(p.Found, f)
		}
	}
	return nil
}

func (v *visit) foldersNamed(query string) ([]signerFolder, error) {
	path := "/api/signer/folders"
	if query != "" {
		path += "?" + url.Values{"q": {query}}.Encode()
	}
	var list struct {
		Folders []signerFolder `json:"folders"`
	}
	err := v.api.get(path, &list)
	return list.Folders, err
}

// folderTree has folders by their ids.
type folderTree map[string]signerFolder

// folderNames knows the folders that were found and, as far as they are needed and listed, those that they lie in.
func (v *visit) folderNames(query string, found []signerFolder) folderTree {
	tree := folderTree{}
	tree.add(found)
	if query == "" || tree.complete() {
		return tree
	}
	// A path is a help and no more: without this list there are shorter ones.
	if all, err := v.foldersNamed(""); err == nil {
		tree.add(all)
	}
	return tree
}

func (t folderTree) add(all []signerFolder) {
	for _, f := range all {
		t[f.ID] = f
	}
}

// complete reports whether every folder's parent is there.
func (t folderTree) complete() bool {
	for _, f := range t {
		if _, ok := t[f.ParentID]; f.ParentID != "" && !ok {
			return false
		}
	}
	return true
}

// maxDepth ends a path that goes in circles.
const maxDepth = 20

// above names the folders that one lies in, from the top; those that are not known are an ellipsis.
func (t folderTree) above(id string) string {
	path := ""
	for parent, depth := t[id].ParentID, 0; parent != ""; depth++ {
		f, known := t[parent]
		if !known || depth == maxDepth {
			return "… / " + path
		}
		path, parent = f.Name+" / "+path, f.ParentID
	}
	return path
}
