package lacuna

import (
	"context"
	"net/url"

	"bulksigner/internal/job"
)

// maxFolders is how many folders are found at most.
const maxFolders = 200

type folderModel struct {
	ID       id
	Name     text
	ParentID id
}

// id is the id of a folder, or "" of none.
func (m *folderModel) id() string {
	if m == nil {
		return ""
	}
	return string(m.ID)
}

const opFolder = "read the folder"

// Folder reads a folder. A *job.SignerError with the code FolderNotFound says that it does not exist.
func (c *Client) Folder(ctx context.Context, folderID string) (job.SignerFolder, error) {
	asked := guid(folderID)
	if asked == "" {
		return job.SignerFolder{}, impossible(opFolder, errGUID)
	}
	q := question{op: opFolder, path: "/api/folders/" + asked, limit: maxSmall}
	return ask(ctx, c, q, func(b []byte) (job.SignerFolder, error) { return parseFolder(b, asked) })
}

// parseFolder reads a folder, which must be the one that was asked for.
func parseFolder(b []byte, asked string) (job.SignerFolder, error) {
	var m folderModel
	if err := decode(b, &m); err != nil {
		return job.SignerFolder{}, err
	}
	if string(m.ID) != asked {
		return job.SignerFolder{}, errOther
	}
	return job.SignerFolder{ID: asked, Name: string(m.Name), ParentID: string(m.ParentID)}, nil
}

// Folders finds folders by a part of their name, nested ones included, and all folders by "". It finds 200 at most.
func (c *Client) Folders(ctx context.Context, query string) ([]job.SignerFolder, error) {
	values := url.Values{"filterByParent": {"false"}, "Order": {"Asc"}}
	if query != "" {
		values.Set("Q", query)
	}
	var found []job.SignerFolder
	for e, err := range c.pages(ctx, "find folders", "/api/folders", values).forth {
		if err != nil {
			return nil, err
		}
		found = append(found, job.SignerFolder{ID: string(e.ID), Name: string(e.Name), ParentID: string(e.ParentID)})
		if len(found) == maxFolders {
			break
		}
	}
	return found, nil
}
