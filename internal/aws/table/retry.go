package table

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// Retry writes parent one version ahead of the stored one, makes child, and moves the record of what both are about from
// the job latest to the child, in one transaction: of two retries one makes a child. A latest of "" says that there was
// no record yet. It returns fault.JobRaceLost if the parent or the record moved, or the child is there.
func (s *Store) Retry(ctx context.Context, parent, child job.Job, latest job.ID) error {
	p, err := encodeJob(parent)
	if err != nil {
		return fmt.Errorf("encode job %s: %w", parent.ID, err)
	}
	c, err := encodeJob(child)
	if err != nil {
		return fmt.Errorf("encode job %s: %w", child.ID, err)
	}
	of := about(child)
	t := s.begin()
	t.put(p, behind(parent.Version))
	t.put(c, absent())
	t.set(of.pk, of.sk, expression.Set(expression.Name(jobAttr), expression.Value(string(child.ID))), leadsTo(latest))
	err = t.commit(ctx)
	if lost(err) {
		return fault.Wrap(fault.JobRaceLost, err, "job %s, or what it is about, has moved since it was read", parent.ID)
	}
	if err != nil {
		return fmt.Errorf("retry job %s by job %s: %w", parent.ID, child.ID, err)
	}
	return nil
}

// about is where the latest job of what a job is about stands.
func about(j job.Job) place {
	if j.Method == profile.SignerFolder {
		return discoveryPlace(j.Remote.DocumentID, j.Remote.ActionID)
	}
	return arrivalPlace(j.Object)
}
