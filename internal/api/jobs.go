package api

import (
	"context"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

type listInput struct {
	Status   job.Status `query:"status" enum:"Queued,Processing,Verifying,AwaitingSigner,Completed,Failed,Canceled" doc:"Only jobs with this status."`
	Profile  string     `query:"profile" maxLength:"40" doc:"Only jobs of this profile."`
	Cursor   string     `query:"cursor" maxLength:"8192" doc:"The cursor of the page before; without one the newest jobs come."`
	PageSize int        `query:"pageSize" minimum:"1" maximum:"200" default:"50" doc:"The most jobs on a page. A page may be shorter, even empty, and still have a cursor."`
}

type listOutput struct {
	Body jobPage
}

type jobInput struct {
	ID string `path:"id" doc:"The job's id."`
}

type jobOutput struct {
	Body jobDetail
}

// addJobs adds the routes that read jobs.
func (s *server) addJobs(a huma.API) {
	huma.Register(a, protected(huma.Operation{
		OperationID: "listJobs", Method: http.MethodGet, Path: "/api/jobs", Tags: []string{"Jobs"},
		Summary: "Jobs, newest first", Description: "Newest is what began last or, with a status, what got to it last. Go on with the cursor until it is null.",
		Metadata: map[string]any{refusalsKey: refusals{invalid: fault.ValidationFilterInvalid}},
	}), s.list)
	huma.Register(a, protected(huma.Operation{
		OperationID: "getJob", Method: http.MethodGet, Path: "/api/jobs/{id}", Tags: []string{"Jobs"},
		Summary: "One job with its history, oldest entry first",
	}, fault.JobNotFound), s.job)
}

func (s *server) list(ctx context.Context, in *listInput) (*listOutput, error) {
	if in.Profile != "" && !profile.ValidName(in.Profile) {
		return nil, fault.New(fault.ValidationFilterInvalid, "the profile's name is none that a profile can have")
	}
	p, err := s.Jobs.List(ctx, job.Query{Status: in.Status, Profile: in.Profile, Cursor: in.Cursor, Size: in.PageSize})
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}
	return &listOutput{pageOf(p, in.PageSize)}, nil
}

func (s *server) job(ctx context.Context, in *jobInput) (*jobOutput, error) {
	j, err := s.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &jobOutput{detailOf(j)}, nil
}

func (s *server) find(ctx context.Context, id string) (job.Job, error) {
	parsed, err := job.ParseID(id)
	if err != nil {
		return job.Job{}, err
	}
	j, err := s.Jobs.Get(ctx, parsed)
	if err != nil {
		return job.Job{}, fmt.Errorf("read job %s: %w", parsed, err)
	}
	return j, nil
}
