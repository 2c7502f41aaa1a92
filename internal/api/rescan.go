package api

import (
	"context"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

type rescanInput struct {
	Folder      string `query:"folder" maxLength:"40" doc:"The name of the watched folder to search; all of them if it is left out."`
	ContentType string `header:"Content-Type" hidden:"true"`
	RawBody     []byte `contentType:"application/json"`
}

type rescanOutput struct {
	Body rescanned
}

// rescanned is what a search of the watched folders found.
type rescanned struct {
	Folders  []rescannedFolder `json:"folders" nullable:"false"`
	Totals   rescanTotals      `json:"totals"`
	Complete bool              `json:"complete" doc:"Whether the search came to its end. If not, the service carries on by itself, and the figures are those so far."`
	_        struct{}          `json:"-" additionalProperties:"true"`
}

// RescanCounts are the figures of a search. It is exported for huma alone, which does not see the fields of an embedded
// type otherwise.
type RescanCounts struct {
	Scanned          int `json:"scanned" doc:"Objects that were looked at."`
	Enqueued         int `json:"enqueued" doc:"Files that got a job."`
	AlreadyActive    int `json:"alreadyActive" doc:"Files whose job is at work."`
	AlreadyProcessed int `json:"alreadyProcessed" doc:"Files whose job is completed, or whose name another job holds."`
	Ignored          int `json:"ignored" doc:"Objects that make no job, by their name or because their profile takes none."`
	Errors           int `json:"errors" doc:"Objects that could not be looked at; the log says why."`
}

// rescannedFolder is what a search found in one folder.
type rescannedFolder struct {
	Name string `json:"name"`
	Path string `json:"path" doc:"The prefix of its keys in the input bucket."`
	RescanCounts
	EnqueuedFiles []string `json:"enqueuedFiles" nullable:"false" doc:"The names of files that got a job, at most 100."`
	Unassigned    bool     `json:"unassigned" doc:"Whether there is no profile for its files."`
	_             struct{} `json:"-" additionalProperties:"true"`
}

// rescanTotals are the figures of all folders together.
type rescanTotals struct {
	Folders int `json:"folders"`
	RescanCounts
	_ struct{} `json:"-" additionalProperties:"true"`
}

const rescanDoc = "Files without a job get one, and so do those whose last job failed, was canceled or was deleted. Nothing is signed " +
	"twice: a file whose job is at work or completed stays as it is. The service searches by itself too, from time to time, but " +
	"leaves alone what failed or was canceled."

// addRescan adds the route that searches the watched folders.
func (s *server) addRescan(a huma.API) {
	op := protected(acts(takesBody(huma.Operation{
		OperationID: "rescan", Method: http.MethodPost, Path: "/api/rescan", Tags: []string{"Folders"},
		Summary: "Search the watched folders for files without a job", Description: rescanDoc,
	})), fault.FolderNotFound, fault.JobRaceLost, fault.RequestTooLarge)
	huma.Register(a, op, s.rescan)
	describeBody[noBody](a, op)
}

func (s *server) rescan(ctx context.Context, in *rescanInput) (*rescanOutput, error) {
	if err := (actionInput{in.ContentType, in.RawBody}).decode(s.checks.nothing, &noBody{}); err != nil {
		return nil, err
	}
	assigned, err := s.assigned(ctx)
	if err != nil {
		return nil, err
	}
	r, err := s.Operator.Rescan(ctx, in.Folder)
	if err != nil {
		return nil, fmt.Errorf("search the folders: %w", err)
	}
	out := rescanned{Folders: make([]rescannedFolder, 0, len(r.Folders)), Complete: r.Complete}
	for _, f := range r.Folders {
		found := foundIn(f)
		found.Unassigned = !assigned[f.Name]
		out.Folders = append(out.Folders, found)
		out.Totals.add(found.RescanCounts)
	}
	return &rescanOutput{out}, nil
}

// assigned are the watched folders that have a profile, by name.
func (s *server) assigned(ctx context.Context) (map[string]bool, error) {
	folders, err := s.watched(ctx)
	assigned := map[string]bool{}
	for _, f := range folders {
		assigned[f.Name] = f.Status != folderUnassigned
	}
	return assigned, err
}

func foundIn(f job.RescanFolder) rescannedFolder {
	return rescannedFolder{
		Name: f.Name, Path: f.Path, EnqueuedFiles: append([]string{}, f.EnqueuedFiles...),
		RescanCounts: RescanCounts{
			Scanned: f.Scanned, Enqueued: f.Enqueued, AlreadyActive: f.AlreadyActive, AlreadyProcessed: f.AlreadyProcessed,
			Ignored: f.Ignored, Errors: f.Errors,
		},
	}
}

func (t *rescanTotals) add(c RescanCounts) {
	t.Folders++
	t.Scanned += c.Scanned
	t.Enqueued += c.Enqueued
	t.AlreadyActive += c.AlreadyActive
	t.AlreadyProcessed += c.AlreadyProcessed
	t.Ignored += c.Ignored
	t.Errors += c.Errors
}
