package table

import (
	"context"
	"fmt"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

const documentPrefix = "DOCUMENT#"

// dispatchPlace is where it stands for which job a document was created at Lacuna Signer.
func dispatchPlace(documentID string) place { return place{documentPrefix + documentID, jobSK} }

// SaveDispatched is Save for a job whose document Lacuna Signer has created, and records whose the document is, both or
// neither. It returns fault.JobRaceLost as well if the document is another job's.
func (s *Store) SaveDispatched(ctx context.Context, j job.Job) error {
	if j.Remote.DocumentID == "" {
		return fmt.Errorf("job %s has no document", j.ID)
	}
	p, err := encodePointer(dispatchPlace(j.Remote.DocumentID), j.ID)
	if err != nil {
		return err
	}
	t := s.begin()
	t.save(j)
	t.put(p, absent().Or(leadsTo(j.ID)))
	err = t.commit(ctx)
	if lost(err) {
		return fault.Wrap(fault.JobRaceLost, err, "job %s is not at version %d, or its document is another's", j.ID, j.Version-1)
	}
	if err != nil {
		return fmt.Errorf("save job %s with its document: %w", j.ID, err)
	}
	return nil
}

// DispatchedJob returns the job that a document was created for, or "" if it was not created here.
func (s *Store) DispatchedJob(ctx context.Context, documentID string) (job.ID, error) {
	id, err := s.follow(ctx, dispatchPlace(documentID))
	if err != nil {
		return "", fmt.Errorf("read whose document %s is: %w", documentID, err)
	}
	return id, nil
}

// DispatchedJobs returns the jobs that documents were created for, by document. Those that were not created here are left
// out.
func (s *Store) DispatchedJobs(ctx context.Context, documentIDs []string) (map[string]job.ID, error) {
	places, documents := make([]place, len(documentIDs)), make(map[string]string, len(documentIDs))
	for n, id := range documentIDs {
		places[n] = dispatchPlace(id)
		documents[places[n].pk] = id
	}
	rows, err := s.items(ctx, places, true)
	if err != nil {
		return nil, fmt.Errorf("read whose %d documents are: %w", len(documentIDs), err)
	}
	jobs := make(map[string]job.ID, len(rows))
	for _, i := range rows {
		p, err := decodePointer(i)
		if err != nil {
			return nil, fmt.Errorf("read whose a document is: %w", err)
		}
		jobs[documents[p.PK]] = job.ID(p.Job)
	}
	return jobs, nil
}
