package api

import (
	"context"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/profile"
	"bulksigner/internal/settings"
)

type foldersOutput struct {
	Body watchedFolders
}

// watchedFolders are all folders that files arrive in.
type watchedFolders struct {
	Folders []watchedFolder `json:"folders" nullable:"false" doc:"In the order of the settings."`
	_       struct{}        `json:"-" additionalProperties:"true"`
}

// What becomes of a folder's files.
const (
	folderRunning    = "Running"
	folderStopped    = "Stopped"
	folderUnassigned = "Unassigned"
)

// watchedFolder is a folder that files arrive in.
type watchedFolder struct {
	Name              string          `json:"name"`
	Path              string          `json:"path" doc:"The prefix of its keys in the input bucket; empty for the whole bucket."`
	Status            string          `json:"status" enum:"Running,Stopped,Unassigned" doc:"Running: files become jobs. Stopped: its profile takes no new work. Unassigned: it has no profile that signs files. Files wait, and a search finds them later."`
	ProfileName       string          `json:"profileName" doc:"The profile that signs its files."`
	ProfileFormat     *profile.Format `json:"profileFormat" doc:"That profile's format; null follows the file's extension."`
	IgnoredExtensions []string        `json:"ignoredExtensions" nullable:"false" doc:"Ends of names that make no job, those of all folders among them."`
	IgnoredPrefixes   []string        `json:"ignoredPrefixes" nullable:"false" doc:"Beginnings of names that make no job."`
	_                 struct{}        `json:"-" additionalProperties:"true"`
}

// addFolders adds the route that lists the watched folders.
func (s *server) addFolders(a huma.API) {
	huma.Register(a, protected(huma.Operation{
		OperationID: "listFolders", Method: http.MethodGet, Path: "/api/folders", Tags: []string{"Folders"}, Summary: "The watched folders",
		Description: "These are prefixes in the input bucket, as the settings have them. A prefix needs nothing in it to be watched.",
	}), func(ctx context.Context, _ *struct{}) (*foldersOutput, error) {
		folders, err := s.watched(ctx)
		if err != nil {
			return nil, err
		}
		return &foldersOutput{watchedFolders{Folders: folders}}, nil
	})
}

// watched tells of every folder in the settings what its profile makes of it.
func (s *server) watched(ctx context.Context) ([]watchedFolder, error) {
	all, err := s.Profiles.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the profiles: %w", err)
	}
	byName := map[string]profile.Profile{}
	for _, p := range all {
		byName[p.Name] = p
	}
	folders := make([]watchedFolder, 0, len(s.Settings.Storage.Inputs))
	for _, in := range s.Settings.Storage.Inputs {
		folders = append(folders, s.watchedBy(in, byName[in.Profile]))
	}
	return folders, nil
}

// watchedBy describes a folder with its profile, which is the zero value where there is none.
func (s *server) watchedBy(in settings.Input, p profile.Profile) watchedFolder {
	f := watchedFolder{
		Name: in.Name, Path: in.Prefix, Status: folderRunning, ProfileName: in.Profile, ProfileFormat: optional(p.Format),
		IgnoredExtensions: union(s.Settings.WatchedFolder.IgnoredExtensions, in.IgnoredExtensions),
		IgnoredPrefixes:   union(s.Settings.WatchedFolder.IgnoredPrefixes, in.IgnoredPrefixes),
	}
	switch {
	case p.Name == "" || p.Method == profile.SignerFolder:
		f.Status = folderUnassigned
	case !p.Enabled:
		f.Status = folderStopped
	}
	return f
}

func union(a, b []string) []string {
	return append([]string{}, distinctOf(append(a[:len(a):len(a)], b...))...)
}
