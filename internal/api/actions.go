package api

import (
	"context"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// jobActionInput is a jobInput and an actionInput: huma does not look into embedded types that are not exported.
type jobActionInput struct {
	ID          string `path:"id" doc:"The job's id."`
	ContentType string `header:"Content-Type" hidden:"true"`
	RawBody     []byte `contentType:"application/json"`
}

func (in jobActionInput) action() actionInput { return actionInput{in.ContentType, in.RawBody} }

type retryOutput struct {
	Body retried
}

// retried is the answer to a retry.
type retried struct {
	NewJobID    job.ID     `json:"newJobId" format:"uuid" doc:"The job that tries again."`
	ParentJobID job.ID     `json:"parentJobId" format:"uuid" doc:"The job that it retries, which stays as it is."`
	Status      job.Status `json:"status" enum:"Queued,Processing,Verifying,AwaitingSigner,Completed,Failed,Canceled"`
	_           struct{}   `json:"-" additionalProperties:"true"`
}

const cancelDoc = "A job can be canceled while it is Queued, or while it waits for a person at Lacuna Signer. Of the latter the " +
	"document there is canceled too, if Lacuna Signer can be reached: the job is Canceled whether it can or not. The file " +
	"stays where it is. The reason, if there is one, goes to the job's history."

const retryDoc = "The new job does what the old one was to do, from the beginning, by the profile as it is now. A job can be " +
	"retried once it is Failed; one that signs a document in a folder at Lacuna Signer also once it is Canceled."

// addActions adds the routes that act on jobs.
func (s *server) addActions(a huma.API) {
	op := protected(acts(takesBody(huma.Operation{
		OperationID: "cancelJob", Method: http.MethodPost, Path: "/api/jobs/{id}/cancel", Tags: []string{"Jobs"},
		Summary: "Cancel a job", Description: cancelDoc,
	})), fault.JobNotFound, fault.JobNotQueued, fault.JobRaceLost, fault.ValidationReasonTooLong, fault.RequestTooLarge)
	huma.Register(a, op, s.cancel)
	describeBody[reasonBody](a, op)

	op = protected(repeatable(acts(takesBody(huma.Operation{
		OperationID: "retryJob", Method: http.MethodPost, Path: "/api/jobs/{id}/retry", Tags: []string{"Jobs"},
		DefaultStatus: http.StatusAccepted, Summary: "Try again what a job could not do", Description: retryDoc,
		Metadata: map[string]any{askedKey: true},
	}))), fault.JobNotFound, fault.JobNotFailed, fault.JobInputMissing, fault.JobAlreadyProcessing, fault.JobRaceLost,
		fault.ProfileNotFound, fault.ProfileDisabled, fault.ProfileTakesNoFiles, fault.RequestTooLarge)
	huma.Register(a, op, s.retry)
	describeBody[noBody](a, op)
}

func (s *server) cancel(ctx context.Context, in *jobActionInput) (*jobOutput, error) {
	id, err := job.ParseID(in.ID)
	if err != nil {
		return nil, err
	}
	reason, err := s.reason(in.action())
	if err != nil {
		return nil, err
	}
	j, err := s.Operator.Cancel(ctx, id, reason)
	if err != nil {
		return nil, fmt.Errorf("cancel job %s: %w", id, err)
	}
	return &jobOutput{detailOf(j)}, nil
}

func (s *server) retry(ctx context.Context, in *jobActionInput) (*retryOutput, error) {
	id, err := job.ParseID(in.ID)
	if err != nil {
		return nil, err
	}
	if err := in.action().decode(s.checks.nothing, &noBody{}); err != nil {
		return nil, err
	}
	child, err := s.Operator.RetryOnce(ctx, id, idempotencyOf(ctx))
	if err != nil {
		return nil, fmt.Errorf("retry job %s: %w", id, err)
	}
	return &retryOutput{retried{NewJobID: child.ID, ParentJobID: id, Status: child.Status}}, nil
}
