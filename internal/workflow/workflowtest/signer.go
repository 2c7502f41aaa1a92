package workflowtest

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"bulksigner/internal/job"
)

// Signer fits workflow.Signer: Lacuna Signer as far as the workflow can tell. Its people act by methods that pass no gate.
type Signer struct {
	*World
	Documents map[string]*Document
	Uploads   map[string][]byte
	Refuse    map[string]*job.SignerError // by step: what every call of it is answered
	Throttled error                       // what Ready answers, if it is not nil
	Asked     []string                    // the documents that were read, in order

	folders map[string]job.SignerFolder // see folder.go
}

// Document is a document at Signer.
type Document struct {
	job.SignerDocument
	Created  job.Dispatch // of one that we dispatched
	Content  []byte
	Signed   []byte // what Download gives once it is concluded
	Canceled string // the reason

	keys      map[string]bool   // tickets that were given out, see folder.go
	starts    map[string]string // tokens
	Accepted  map[string]int    // signatures by flow action
	Downloads int
}

// NewSigner makes a Signer without documents.
func NewSigner(w *World) *Signer {
	return &Signer{World: w, Documents: map[string]*Document{}, Uploads: map[string][]byte{}, Refuse: map[string]*job.SignerError{},
		folders: map[string]job.SignerFolder{}}
}

// call is the gate of Signer's calls: what goes wrong there looks as the client tells it.
func (s *Signer) call(ctx context.Context, step string, effect func() error) error {
	arrived := false
	err := s.pass(ctx, step, func() error {
		if e := s.Refuse[step]; e != nil {
			return e
		}
		arrived = true
		return effect()
	})
	switch err.(type) {
	case nil, *job.SignerError:
		return err
	}
	return &job.SignerError{Op: step, Transient: true, Unsent: !arrived, Cause: err}
}

// refused is an answer of Signer's own.
func refused(step, code string) error { return &job.SignerError{Op: step, Status: 422, Code: code} }

// guid makes an id that looks like Signer's.
func (s *Signer) guid() string {
	s.serial++
	return fmt.Sprintf("00000000-0000-4000-8000-%012d", s.serial)
}

// Ready lets a call go.
func (s *Signer) Ready(ctx context.Context) error {
	if s.Throttled != nil {
		return s.Throttled
	}
	return ctx.Err()
}

// Upload keeps a file.
func (s *Signer) Upload(ctx context.Context, fileName, contentType string, content *io.SectionReader) (id string, err error) {
	err = s.call(ctx, "upload to signer", func() error {
		b := make([]byte, content.Size())
		if _, err := content.ReadAt(b, 0); err != nil && err != io.EOF {
			return err
		}
		id = s.guid()
		s.Uploads[id] = b
		return nil
	})
	return id, err
}

// Create makes a document of an upload.
func (s *Signer) Create(ctx context.Context, d job.Dispatch) (id string, err error) {
	err = s.call(ctx, "create document", func() error {
		content, ok := s.Uploads[d.UploadID]
		if !ok {
			return refused("create document", "UploadNotFound")
		}
		id = s.guid()
		s.Documents[id] = &Document{Created: d, Content: content, Accepted: map[string]int{}, SignerDocument: job.SignerDocument{
			ID: id, Name: d.Name, FileName: d.FileName, MIMEType: d.ContentType, Status: job.SignerPending, ForceCades: d.ForceCades,
			Actions: []job.FlowAction{{ID: s.guid(), Type: job.ActionSigner, Status: job.ActionPending, Step: 1,
				Identifier: d.Participant.Identifier, Email: d.Participant.Email}},
		}}
		return nil
	})
	return id, err
}

// Document reads a document.
func (s *Signer) Document(ctx context.Context, id string) (d job.SignerDocument, err error) {
	err = s.call(ctx, "read document", func() error {
		s.Asked = append(s.Asked, id)
		doc, ok := s.Documents[id]
		if !ok {
			return refused("read document", "DocumentNotFound")
		}
		d = doc.SignerDocument
		d.Actions = append([]job.FlowAction(nil), d.Actions...)
		return nil
	})
	return d, err
}

// Download writes what was signed.
func (s *Signer) Download(ctx context.Context, id string, w io.Writer) error {
	var wrote error
	err := s.call(ctx, "download document", func() error {
		doc, ok := s.Documents[id]
		if !ok || doc.Status != job.SignerConcluded {
			return refused("download document", "DocumentNotConcluded")
		}
		doc.Downloads++
		_, wrote = w.Write(doc.Signed)
		return nil
	})
	if wrote != nil {
		return wrote
	}
	return err
}

// Cancel cancels a pending document.
func (s *Signer) Cancel(ctx context.Context, id, reason string) error {
	return s.call(ctx, "cancel document", func() error {
		doc, ok := s.Documents[id]
		if !ok || doc.Status != job.SignerPending {
			return refused("cancel document", "DocumentNotPending")
		}
		doc.Status, doc.Canceled, doc.Reason = job.SignerCanceled, reason, reason
		return nil
	})
}

// Folders finds folders by a part of their name.
func (s *Signer) Folders(ctx context.Context, query string) (found []job.SignerFolder, err error) {
	err = s.call(ctx, "find folders", func() error {
		for _, id := range slices.Sorted(maps.Keys(s.folders)) {
			if f := s.folders[id]; strings.Contains(strings.ToLower(f.Name), strings.ToLower(query)) {
				found = append(found, f)
			}
		}
		return nil
	})
	return found, err
}

// Dispatched are the documents that were created here, by the job that they carry. A job must have one at most.
func (s *Signer) Dispatched() map[job.ID][]*Document {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[job.ID][]*Document{}
	for _, d := range s.Documents {
		if d.Created.Job != "" {
			all[d.Created.Job] = append(all[d.Created.Job], d)
		}
	}
	return all
}

// Conclude has everybody sign a document, and these be the bytes.
func (s *Signer) Conclude(id string, signed []byte) {
	s.SetStatus(id, job.SignerConcluded, "")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Documents[id].Signed = signed
}

// SetStatus has something happen to a document.
func (s *Signer) SetStatus(id string, status job.SignerStatus, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Documents[id].Status, s.Documents[id].Reason = status, reason
}
