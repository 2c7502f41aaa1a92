package api

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

type deletedOutput struct{}

type clearedOutput struct {
	Body clearedJobs
}

// clearedJobs is what a clear did.
type clearedJobs struct {
	Deleted  int       `json:"deleted" doc:"How many records were deleted so far."`
	Before   time.Time `json:"before" doc:"Records of jobs that were created before this moment are deleted."`
	Complete bool      `json:"complete" doc:"Whether all of them are. If not, the service carries on by itself."`
	Message  string    `json:"message" doc:"The same in words."`
	_        struct{}  `json:"-" additionalProperties:"true"`
}

const deleteDoc = "Only the record goes, whatever the job's status; files and outputs stay, and so does the knowledge that the file or " +
	"document was dealt with: nothing is signed again by itself. A run at work on the job stops at its next step. Lacuna Signer is " +
	"not told: cancel a job first that waits there."

const clearDoc = "The record of every job that was created before the request goes, whatever its status, as if each were deleted by " +
	"itself. There is no way to choose among them, and no way back."

// addRecords adds the routes that delete the records of jobs.
func (s *server) addRecords(a huma.API) {
	huma.Register(a, protected(acts(huma.Operation{
		OperationID: "deleteJob", Method: http.MethodDelete, Path: "/api/jobs/{id}", Tags: []string{"Jobs"},
		Summary: "Delete a job's record", Description: deleteDoc, DefaultStatus: http.StatusNoContent,
	}), fault.JobNotFound), s.deleteJob)
	huma.Register(a, protected(acts(huma.Operation{
		OperationID: "clearJobs", Method: http.MethodDelete, Path: "/api/jobs", Tags: []string{"Jobs"},
		Summary: "Delete the records of all jobs", Description: clearDoc,
	}), fault.JobRaceLost), s.clearJobs)
}

func (s *server) deleteJob(ctx context.Context, in *jobInput) (*deletedOutput, error) {
	id, err := job.ParseID(in.ID)
	if err != nil {
		return nil, err
	}
	if err := s.Operator.Delete(ctx, id); err != nil {
		return nil, fmt.Errorf("delete job %s: %w", id, err)
	}
	return nil, nil
}

func (s *server) clearJobs(ctx context.Context, _ *struct{}) (*clearedOutput, error) {
	c, err := s.Operator.Clear(ctx, operatorName)
	if err != nil {
		return nil, fmt.Errorf("clear the jobs: %w", err)
	}
	message := fmt.Sprintf("%d job records were deleted.", c.Deleted)
	if !c.Complete {
		message = fmt.Sprintf("%d job records were deleted so far; the rest follows.", c.Deleted)
	}
	return &clearedOutput{clearedJobs{Deleted: c.Deleted, Before: c.Before.UTC(), Complete: c.Complete, Message: message}}, nil
}
