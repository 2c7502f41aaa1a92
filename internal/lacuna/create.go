package lacuna

import (
	"cmp"
	"context"
	"strings"

	"bulksigner/internal/job"
)

// TagLabel is the label of the tag that carries a job's id.
const TagLabel = "bulksigner-job"

type createModel struct {
	Files       []fileModel `json:"files"`
	FlowActions []flowModel `json:"flowActions"`
	Tags        []tagModel  `json:"tags"`
	ForceCades  bool        `json:"forceCadesSignature,omitempty"`
}

type fileModel struct {
	ID          string `json:"id"`
	DisplayName string `json:"displayName"`
	Name        string `json:"name"`
	ContentType string `json:"contentType"`
}

type flowModel struct {
	Type string    `json:"type"`
	Step int       `json:"step"`
	User userModel `json:"user"`
}

type userModel struct {
	Name       string `json:"name"`
	Identifier string `json:"identifier"`
	Email      string `json:"email"`
}

type tagModel struct {
	Label string `json:"label"`
	Value string `json:"value"`
}

// Create has the document made of an upload, once, and returns its id. It does not wait at the rate: Ready did. Signer
// writes to the participant by itself.
func (c *Client) Create(ctx context.Context, d job.Dispatch) (documentID string, err error) {
	return ask(ctx, c, question{
		op:    "create the document",
		path:  "/api/documents",
		limit: maxSmall,
		paid:  true,
		body:  asJSON(creation(d)),
	}, func(b []byte) (string, error) { return parseCreated(b, d.UploadID) })
}

// creation is the request. The job's id is a tag: a description would be shown to the participant, and metadata would
// change a PDF.
func creation(d job.Dispatch) createModel {
	return createModel{
		Files: []fileModel{{
			ID: d.UploadID, DisplayName: shown(cmp.Or(d.Name, d.FileName)), Name: shown(d.FileName), ContentType: contentType(d.ContentType),
		}},
		FlowActions: []flowModel{{Type: job.ActionSigner, Step: 1, User: userModel{
			Name:       strings.TrimSpace(d.Participant.Name), // with a space at its end, Signer failed
			Identifier: digits(d.Participant.Identifier),
			Email:      strings.TrimSpace(d.Participant.Email),
		}}},
		Tags:       []tagModel{{Label: TagLabel, Value: string(d.Job)}},
		ForceCades: d.ForceCades,
	}
}

// parseCreated finds the document that was made of an upload.
func parseCreated(b []byte, uploadID string) (string, error) {
	var made list[struct {
		UploadID   text
		DocumentID id
	}]
	if err := decode(b, &made); err != nil {
		return "", err
	}
	for _, m := range made.items {
		own := strings.EqualFold(string(m.UploadID), uploadID) || m.UploadID == "" && len(made.items) == 1
		if own && m.DocumentID != "" {
			return string(m.DocumentID), nil
		}
	}
	return "", errOther
}
