package api

import (
	"context"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/fault"
)

type signerFoldersInput struct {
	Query string `query:"q" maxLength:"256" doc:"A part of the folder's name. Without it the first folders come."`
}

type signerFoldersOutput struct {
	Body signerFolderList
}

// signerFolderList has folders at Lacuna Signer.
type signerFolderList struct {
	Folders []signerFolder `json:"folders" nullable:"false" doc:"Those that were found, up to a limit: give more of the name if the one you want is not there."`
	_       struct{}       `json:"-" additionalProperties:"true"`
}

// signerFolder is a folder at Lacuna Signer.
type signerFolder struct {
	ID       string   `json:"id" format:"uuid"`
	Name     string   `json:"name"`
	ParentID *string  `json:"parentId" doc:"The folder that it lies in; null for one at the top."`
	_        struct{} `json:"-" additionalProperties:"true"`
}

// addSignerFolders adds the route by which a folder for a profile is chosen.
func (s *server) addSignerFolders(a huma.API) {
	huma.Register(a, protected(huma.Operation{
		OperationID: "listSignerFolders", Method: http.MethodGet, Path: "/api/signer/folders", Tags: []string{"Profiles"},
		Summary:     "Folders at Lacuna Signer, nested ones too",
		Description: "For choosing the folder that a SignerFolder profile signs in. Lacuna Signer is asked while the request waits.",
		Metadata:    map[string]any{spokenKey: true},
	}, fault.SignerUnreachable, fault.SignerNotConfigured), s.signerFolders)
}

func (s *server) signerFolders(ctx context.Context, in *signerFoldersInput) (*signerFoldersOutput, error) {
	if err := checkText("q", in.Query); err != nil {
		return nil, fault.New(fault.RequestInvalid, "%s", fault.DetailOf(err))
	}
	found, err := s.Keeper.SignerFolders(ctx, in.Query)
	if err != nil {
		return nil, fmt.Errorf("look for folders at Lacuna Signer: %w", err)
	}
	list := signerFolderList{Folders: make([]signerFolder, 0, len(found))}
	for _, f := range found {
		list.Folders = append(list.Folders, signerFolder{ID: f.ID, Name: f.Name, ParentID: optional(f.ParentID)})
	}
	return &signerFoldersOutput{list}, nil
}
