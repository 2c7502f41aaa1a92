package lacuna

import (
	"context"
	"iter"
	"net/url"

	"bulksigner/internal/job"
)

const opPending = "list the folder"

// Pending goes through the pending documents of a folder, each once, the oldest first; an error ends it. Documents of
// which Signer says that they are in another folder, as in one below, are left out. One of which it names no folder comes
// along: reading it back decides.
//
// A document that is pending in the folder for the whole time is found, although others leave or arrive behind it. Such a
// one may come after younger ones. If documents are put before it while it is looked for, as when an older one is moved
// into the folder, the next pass finds it at the latest. More than 400 pages are an error.
func (c *Client) Pending(ctx context.Context, folderID string) iter.Seq2[job.ListedDocument, error] {
	return func(yield func(job.ListedDocument, error) bool) {
		folder := guid(folderID)
		if folder == "" {
			yield(job.ListedDocument{}, impossible(opPending, errGUID))
			return
		}
		values := url.Values{"FolderId": {folder}, "FolderType": {"Normal"}, "Status": {"Pending"}, "Order": {"Asc"}}
		for e, err := range c.pages(ctx, opPending, "/api/documents", values).all {
			if err != nil {
				yield(job.ListedDocument{}, err)
				return
			}
			if d := e.document(); (d.FolderID == folder || d.FolderID == "") && !yield(d, nil) {
				return
			}
		}
	}
}

func (e entry) document() job.ListedDocument {
	return job.ListedDocument{ID: string(e.ID), Name: string(e.Name), FolderID: e.Folder.id(), UpdatedAt: e.UpdateDate.Time}
}
