package table

import (
	"context"
	"fmt"
	"strings"

	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// namePlace is where the latest job of a file name stands. Capitals make no other name.
func namePlace(folder, name string) place {
	return place{"NAME#" + folder + "/" + strings.ToLower(name), jobSK}
}

// NameHolder returns the latest job that took a file name in a folder, or "" if none did. The job can be gone, or have
// ended so that the name is free: whoever asks reads it.
func (s *Store) NameHolder(ctx context.Context, folder, name string) (job.ID, error) {
	id, err := s.follow(ctx, namePlace(folder, name))
	if err != nil {
		return "", fmt.Errorf("read who has a file's name: %w", err)
	}
	return id, nil
}

// name gives a job the name of its file, where names are kept.
func (t *transaction) name(j job.Job, n job.NameClaim) {
	if n.Keep {
		t.lead(namePlace(j.Folder, j.FileName), n.Held, j.ID)
	}
}

// rename gives a retry the name of its file if one of the jobs that it takes over from has it. A name that another job
// has, or that was never kept, stays as it is.
func (t *transaction) rename(ctx context.Context, child job.Job, from ...job.ID) error {
	if child.Method == profile.SignerFolder {
		return nil
	}
	held, err := t.store.NameHolder(ctx, child.Folder, child.FileName)
	if err != nil {
		return err
	}
	for _, id := range from {
		if id != "" && id == held {
			t.lead(namePlace(child.Folder, child.FileName), held, child.ID)
			return nil
		}
	}
	return nil
}
