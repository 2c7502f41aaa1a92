package simulation

import (
	"context"
	"iter"
	"sync"

	"bulksigner/internal/job"
	"bulksigner/internal/workflow/workflowtest"
)

// signer is Lacuna Signer with a memory of how documents and folders were a moment ago.
type signer struct {
	*workflowtest.Signer

	mu     sync.Mutex                      // calls that hang all end when the time of their runs is up, side by side
	stale  bool                            // the next answer is an old one
	before map[string]job.SignerDocument   // documents as they were first read
	listed map[string][]job.ListedDocument // folders as they were first listed
}

func newSigner(w *workflowtest.World) *signer {
	return &signer{Signer: workflowtest.NewSigner(w), before: map[string]job.SignerDocument{}, listed: map[string][]job.ListedDocument{}}
}

// tellOld has the next answer be an old one.
func (s *signer) tellOld() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stale = true
}

// Document reads a document back, as it is or as it was.
func (s *signer) Document(ctx context.Context, id string) (job.SignerDocument, error) {
	d, err := s.Signer.Document(ctx, id)
	return oldOr(s, s.before, id, d, err), err
}

// Pending goes through a folder, as it is or as it was. Folders are small here: they are listed in one call.
func (s *signer) Pending(ctx context.Context, folderID string) iter.Seq2[job.ListedDocument, error] {
	return func(yield func(job.ListedDocument, error) bool) {
		var all []job.ListedDocument
		var err error
		for d, e := range s.Signer.Pending(ctx, folderID) {
			if err = e; err == nil {
				all = append(all, d)
			}
		}
		all = oldOr(s, s.listed, folderID, all, err)
		if err != nil {
			yield(job.ListedDocument{}, err)
			return
		}
		for _, d := range all {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// oldOr is an answer as it is, or as it first was if it is to be an old one. A first answer is kept.
func oldOr[T any](s *signer, first map[string]T, id string, now T, err error) T {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.stale
	s.stale = false
	was, known := first[id]
	switch {
	case err == nil && !known:
		first[id] = now
	case err == nil && old:
		return was
	}
	return now
}
