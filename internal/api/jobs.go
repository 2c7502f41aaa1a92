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
	Status   []job.Status   `query:"status,explode" enum:"Queued,Processing,Verifying,AwaitingSigner,Completed,Failed,Canceled" maxItems:"7" doc:"Only jobs with this status; given several times, with any of them."`
	Profile  string         `query:"profile" maxLength:"40" doc:"Only jobs of this profile."`
	Format   profile.Format `query:"format" enum:"Pades,Cades,Xades" doc:"Only jobs that make a signature of this format."`
	Source   job.Source     `query:"source" enum:"Watcher,Upload,Rescan,Retry,SignerFolder" doc:"Only jobs that began like this."`
	FileName string         `query:"fileName" maxLength:"255" doc:"Only jobs with this in the file's name, in capitals or not."`
	From     string         `query:"from" maxLength:"40" doc:"Only jobs that were created then or later: a day (2026-03-04), which begins at midnight UTC, or a time (2026-03-04T05:06:07Z)."`
	To       string         `query:"to" maxLength:"40" doc:"Only jobs that were created before that."`
	Cursor   string         `query:"cursor" maxLength:"8192" doc:"The cursor of the page before; without one the newest jobs come."`
	Page     int            `query:"page" minimum:"1" maximum:"10000" doc:"The number of a page, instead of a cursor, within the first 10,000 jobs. All pages before it are read for it."`
	Count    bool           `query:"count" default:"true" doc:"Whether to tell totalCount: false saves the counting where it is not needed."`
	PageSize int            `query:"pageSize" minimum:"1" maximum:"200" default:"50" doc:"The most jobs on a page. A page may be shorter, even empty, and still have a cursor."`
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

const listDoc = "Newest is what was created last or, with one status and nothing else, what got to it last. Filters narrow each other. " +
	"Go on with the cursor until it is null: such a page costs the same wherever it is. A page that is asked for by its number " +
	"costs the reading of all that is before it, so that numbers end at the 10,000th job.\n\n`totalCount` is told with a " +
	"first page and with a numbered one. It is null where it is not, and where a filter passes more than can be counted in time."

// addJobs adds the routes that read jobs.
func (s *server) addJobs(a huma.API) {
	huma.Register(a, protected(huma.Operation{
		OperationID: "listJobs", Method: http.MethodGet, Path: "/api/jobs", Tags: []string{"Jobs"},
		Summary: "Jobs, newest first", Description: listDoc,
		Metadata: map[string]any{refusalsKey: refusals{invalid: fault.ValidationFilterInvalid}},
	}), s.list)
	huma.Register(a, protected(huma.Operation{
		OperationID: "getJob", Method: http.MethodGet, Path: "/api/jobs/{id}", Tags: []string{"Jobs"},
		Summary: "One job with its history, oldest entry first",
	}, fault.JobNotFound), s.job)
}

func (s *server) list(ctx context.Context, in *listInput) (*listOutput, error) {
	q, err := in.query()
	if err != nil {
		return nil, err
	}
	p, err := s.Jobs.List(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}
	out := pageOf(p, in.PageSize, in.Page)
	if in.Cursor != "" || !in.Count {
		return &listOutput{out}, nil
	}
	n, known, err := s.Jobs.Total(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("count jobs: %w", err)
	}
	if known {
		out.TotalCount = &n
	}
	return &listOutput{out}, nil
}

// query is what the store is asked. What cannot be used is refused, since a filter that is dropped would widen the answer.
func (in *listInput) query() (job.Query, error) {
	if in.Profile != "" && !profile.ValidName(in.Profile) {
		return job.Query{}, fault.New(fault.ValidationFilterInvalid, "the profile's name is none that a profile can have")
	}
	if err := checkText("fileName", in.FileName); err != nil {
		return job.Query{}, err
	}
	if err := checkPaging(in.Page, in.PageSize, in.Cursor); err != nil {
		return job.Query{}, err
	}
	from, to, err := parseRange(in.From, in.To)
	return job.Query{
		Statuses: distinctOf(in.Status), Profile: in.Profile, Format: in.Format, Source: in.Source, Name: in.FileName,
		From: from, To: to, Cursor: in.Cursor, Page: in.Page, Size: in.PageSize,
	}, err
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
