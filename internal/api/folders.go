package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/job"
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
	Files             *int            `json:"files" doc:"How many files lie there now that could be jobs, counted up to 50; null where that could not be found out."`
	MoreFiles         bool            `json:"moreFiles" doc:"Whether there may be more than were counted."`
	Enqueued          int64           `json:"enqueued" doc:"How many jobs were ever made of its files; approximate."`
	_                 struct{}        `json:"-" additionalProperties:"true"`
}

// addFolders adds the route that lists the watched folders.
func (s *server) addFolders(a huma.API) {
	huma.Register(a, protected(huma.Operation{
		OperationID: "listFolders", Method: http.MethodGet, Path: "/api/folders", Tags: []string{"Folders"}, Summary: "The watched folders",
		Description: "These are prefixes in the input bucket, as the settings have them. A prefix needs nothing in it to be watched.",
	}), s.listFolders)
}

func (s *server) listFolders(ctx context.Context, _ *struct{}) (*foldersOutput, error) {
	folders, err := s.watched(ctx)
	if err != nil {
		return nil, err
	}
	enqueued, err := s.enqueued(ctx)
	if err != nil {
		return nil, err
	}
	prefixes := map[string]string{}
	for _, f := range folders {
		prefixes[f.Name] = f.Path
	}
	files := s.Operator.FolderFiles(ctx, prefixes)
	for i := range folders {
		f := &folders[i]
		f.Enqueued = enqueued[f.Name]
		if there, ok := files[f.Name]; ok {
			f.Files, f.MoreFiles = &there.Files, there.More
		}
	}
	return &foldersOutput{watchedFolders{Folders: folders}}, nil
}

// enqueued is how many jobs were made of files, by the folders' names.
func (s *server) enqueued(ctx context.Context) (map[string]int64, error) {
	counts, err := s.Figures.CountersOf(ctx, job.MetricEnqueued)
	if err != nil {
		return nil, fmt.Errorf("read how many jobs were made: %w", err)
	}
	byFolder := map[string]int64{}
	for _, c := range counts {
		var labels map[string]string
		if err := json.Unmarshal([]byte(c.Labels), &labels); err != nil {
			return nil, fmt.Errorf("read the labels of a counter: %w", err)
		}
		byFolder[labels[job.LabelFolder]] += c.Value
	}
	return byFolder, nil
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
