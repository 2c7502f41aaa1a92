package lacuna

import (
	"context"
	"errors"
	"net/http"

	"bulksigner/internal/job"
)

type documentModel struct {
	ID                 id
	Name               text
	Filename           text
	MIMEType           text
	Status             text
	StatusUpdateReason text
	IsDeleted          truth
	Folder             *folderModel
	ForceCades         truth `json:"forceCadesSignature"`
	UpdateDate         moment
	FlowActions        list[actionModel]
}

type actionModel struct {
	ID     id
	Type   text
	Status text
	Step   whole
	User   *struct {
		Identifier text
		Email      text
	}
}

// codeNotFound is Signer's code for a document that does not exist.
const codeNotFound = "DocumentNotFound"

var errDeleted = errors.New("the document is deleted")

const opDocument = "read the document"

// Document reads a document. One that was deleted is a *job.SignerError with the code DocumentNotFound. A flow action for
// which Signer gave no id has none.
func (c *Client) Document(ctx context.Context, documentID string) (job.SignerDocument, error) {
	asked := guid(documentID)
	if asked == "" {
		return job.SignerDocument{}, impossible(opDocument, errGUID)
	}
	q := question{op: opDocument, path: "/api/documents/" + asked, limit: maxAnswer}
	d, err := ask(ctx, c, q, func(b []byte) (job.SignerDocument, error) { return parseDocument(b, asked) })
	if errors.Is(err, errDeleted) {
		return job.SignerDocument{}, &job.SignerError{Op: opDocument, Status: http.StatusOK, Code: codeNotFound, Cause: errDeleted}
	}
	return d, err
}

// parseDocument reads a document, which must be the one that was asked for.
func parseDocument(b []byte, asked string) (job.SignerDocument, error) {
	var m documentModel
	if err := decode(b, &m); err != nil {
		return job.SignerDocument{}, err
	}
	if string(m.ID) != asked {
		return job.SignerDocument{}, errOther
	}
	if m.IsDeleted.yes {
		return job.SignerDocument{}, errDeleted
	}
	return m.document(), nil
}

func (m documentModel) document() job.SignerDocument {
	d := job.SignerDocument{
		ID:         string(m.ID),
		Name:       string(m.Name),
		FileName:   string(m.Filename),
		MIMEType:   mimeType(string(m.MIMEType)),
		Status:     job.SignerStatus(m.Status),
		Reason:     string(m.StatusUpdateReason),
		FolderID:   m.Folder.id(),
		ForceCades: m.ForceCades.yes,
		UpdatedAt:  m.UpdateDate.Time,
	}
	for _, a := range m.FlowActions.items {
		d.Actions = append(d.Actions, a.action())
	}
	return d
}

func (m actionModel) action() job.FlowAction {
	a := job.FlowAction{ID: string(m.ID), Type: string(m.Type), Status: string(m.Status), Step: int(m.Step)}
	if m.User != nil { // an action of a rule has no user
		a.Identifier, a.Email = digits(string(m.User.Identifier)), string(m.User.Email)
	}
	return a
}

const opCancel = "cancel the document"

// Cancel has a document canceled, for a reason that its participants see.
func (c *Client) Cancel(ctx context.Context, documentID, reason string) error {
	asked := guid(documentID)
	if asked == "" {
		return impossible(opCancel, errGUID)
	}
	_, err := ask(ctx, c, question{
		op:    opCancel,
		path:  "/api/documents/" + asked + "/cancellation",
		limit: maxSmall,
		body:  asJSON(map[string]string{"reason": reason}),
	}, nothing)
	return err
}
