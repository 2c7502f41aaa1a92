package workflowtest

import (
	"cmp"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"iter"
	"slices"
	"time"

	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/job"
)

// PageSize is how many documents a page of a folder has.
const PageSize = 50

// AddFolder makes a folder and returns its id.
func (s *Signer) AddFolder(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.guid()
	s.folders[id] = job.SignerFolder{ID: id, Name: name}
	return id
}

// RemoveFolder deletes a folder with all that is in it.
func (s *Signer) RemoveFolder(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.folders, id)
	for doc, d := range s.Documents {
		if d.FolderID == id {
			delete(s.Documents, doc)
		}
	}
}

// RestoreFolder brings a folder back under the id that it had.
func (s *Signer) RestoreFolder(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.folders[id] = job.SignerFolder{ID: id}
}

// AddWaiting puts a pending document into a folder. Its actions get ids.
func (s *Signer) AddWaiting(folder, name string, actions ...job.FlowAction) *Document {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := &Document{Accepted: map[string]int{}, keys: map[string]bool{}, starts: map[string]string{}, Content: []byte(name)}
	d.SignerDocument = job.SignerDocument{ID: s.guid(), Name: name, FileName: name, MIMEType: "application/pdf", Status: job.SignerPending,
		FolderID: folder, UpdatedAt: time.Now(), Actions: actions}
	for i := range d.Actions {
		d.Actions[i].ID = s.guid()
	}
	s.Documents[d.ID] = d
	return d
}

// Change has something happen to a document.
func (s *Signer) Change(id string, what func(d *job.SignerDocument)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.Documents[id]
	d.Actions = slices.Clone(d.Actions)
	what(&d.SignerDocument)
	d.UpdatedAt = time.Now()
}

// Act has an action of a document come to a status, and the next step's turn come.
func (s *Signer) Act(id, action, status string) {
	s.Change(id, func(d *job.SignerDocument) { act(d, action, status) })
}

func act(d *job.SignerDocument, action, status string) {
	for i := range d.Actions {
		if d.Actions[i].ID == action {
			d.Actions[i].Status = status
		}
	}
	if slices.ContainsFunc(d.Actions, func(a job.FlowAction) bool { return a.Status == job.ActionPending }) {
		return
	}
	waiting := slices.DeleteFunc(slices.Clone(d.Actions), func(a job.FlowAction) bool { return a.Status != job.ActionCreated })
	if len(waiting) == 0 {
		d.Status = job.SignerFlowConcluded
		return
	}
	step := slices.MinFunc(waiting, func(a, b job.FlowAction) int { return cmp.Compare(a.Step, b.Step) }).Step
	for i := range d.Actions {
		if a := &d.Actions[i]; a.Step == step && a.Status == job.ActionCreated {
			a.Status = job.ActionPending
		}
	}
}

// Pending goes through a folder, each page one call. A folder that does not exist is an empty one.
func (s *Signer) Pending(ctx context.Context, folderID string) iter.Seq2[job.ListedDocument, error] {
	return func(yield func(job.ListedDocument, error) bool) {
		var all []job.ListedDocument
		for page := 0; page == 0 || page*PageSize < len(all); page++ {
			err := s.call(ctx, "list folder", func() error {
				if page == 0 {
					all = s.list(folderID)
				}
				return nil
			})
			if err != nil {
				yield(job.ListedDocument{}, err)
				return
			}
			for _, d := range all[page*PageSize : min((page+1)*PageSize, len(all))] {
				if !yield(d, nil) {
					return
				}
			}
		}
	}
}

func (s *Signer) list(folderID string) (all []job.ListedDocument) {
	for _, d := range s.Documents {
		if d.FolderID == folderID && d.Status == job.SignerPending {
			all = append(all, job.ListedDocument{ID: d.ID, Name: d.Name, FolderID: d.FolderID, UpdatedAt: d.UpdatedAt})
		}
	}
	slices.SortFunc(all, func(a, b job.ListedDocument) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// Folder describes a folder.
func (s *Signer) Folder(ctx context.Context, id string) (f job.SignerFolder, err error) {
	err = s.call(ctx, "read folder", func() error {
		var ok bool
		if f, ok = s.folders[id]; !ok {
			return refused("read folder", "FolderNotFound")
		}
		return nil
	})
	return f, err
}

// ActionURL opens the first pending action of a participant.
func (s *Signer) ActionURL(ctx context.Context, q job.ActionQuery) (t job.Ticket, err error) {
	err = s.call(ctx, "ask for the action URL", func() error {
		d, ok := s.Documents[q.DocumentID]
		if !ok {
			return refused("ask for the action URL", "DocumentNotFound")
		}
		i := slices.IndexFunc(d.Actions, func(a job.FlowAction) bool {
			return d.Status == job.SignerPending && a.Status == job.ActionPending && a.Identifier == q.Identifier && a.Email == q.Email &&
				(q.ActionID == "" || q.ActionID == a.ID)
		})
		if i < 0 {
			return refused("ask for the action URL", "NoPendingActionFoundForEmailAndIdentifier")
		}
		t = job.Ticket{Key: d.ID, Ticket: d.Actions[i].ID + s.guid()}
		d.keys[t.Ticket] = true
		return nil
	})
	return t, err
}

// guidLength is how long an id is: what follows it in a ticket makes the ticket another one, and in what is kept of a
// start it is the certificate.
const guidLength = 36

// Start begins a signature and gives the hash to sign, which is another one each time.
func (s *Signer) Start(ctx context.Context, t job.Ticket, certificate []byte) (out job.Started, err error) {
	err = s.call(ctx, "start the signature", func() error {
		d, a, code := s.opened(t)
		if code == "" && !isOf(certificate, a.Identifier) {
			code = "CpfMismatch"
		}
		if code != "" {
			return refused("start the signature", code)
		}
		out = job.Started{Accepted: true, Token: s.guid(), Digest: crypto.SHA256, DigestName: "2.16.840.1.101.3.4.2.1"}
		out.Hash = hashOf(d, out.Token)
		d.starts[out.Token] = a.ID + string(certificate)
		return nil
	})
	return out, err
}

func (s *Signer) opened(t job.Ticket) (d *Document, a job.FlowAction, code string) {
	d, ok := s.Documents[t.Key]
	if !ok || !d.keys[t.Ticket] {
		return nil, a, "InvalidTicket"
	}
	if a, ok = pending(d, t.Ticket[:guidLength]); !ok {
		return nil, a, "SignatureNotPending"
	}
	return d, a, ""
}

func pending(d *Document, action string) (job.FlowAction, bool) {
	for _, a := range d.Actions {
		if a.ID == action {
			return a, d.Status == job.SignerPending && a.Status == job.ActionPending
		}
	}
	return job.FlowAction{}, false
}

func isOf(certificate []byte, cpf string) bool {
	cert, err := x509.ParseCertificate(certificate)
	if err != nil {
		return false
	}
	holder, ok := icpbrasil.HolderCPF(cert)
	return ok && holder == cpf
}

func hashOf(d *Document, token string) []byte {
	sum := sha256.Sum256(append([]byte(token), d.Content...))
	return sum[:]
}

// Complete takes a signature, checks it and counts it. A token is good once.
func (s *Signer) Complete(ctx context.Context, t job.Ticket, token string, signature []byte) (out job.Handed, err error) {
	err = s.call(ctx, "hand the signature over", func() error {
		d, ok := s.Documents[t.Key]
		if !ok || d.starts[token] == "" {
			return refused("hand the signature over", "InvalidToken")
		}
		action, certificate := d.starts[token][:guidLength], d.starts[token][guidLength:]
		delete(d.starts, token)
		if _, ok := pending(d, action); !ok {
			return refused("hand the signature over", "SignatureNotPending")
		}
		if !verifies([]byte(certificate), hashOf(d, token), signature) {
			out.Findings = []string{"SignatureInvalid"}
			return nil
		}
		out.Accepted = true
		d.Accepted[action]++
		d.Actions = slices.Clone(d.Actions)
		act(&d.SignerDocument, action, job.ActionCompleted)
		d.UpdatedAt = time.Now()
		return nil
	})
	return out, err
}

func verifies(certificate, hash, signature []byte) bool {
	cert, err := x509.ParseCertificate(certificate)
	if err != nil {
		return false
	}
	switch k := cert.PublicKey.(type) {
	case *rsa.PublicKey:
		return rsa.VerifyPKCS1v15(k, crypto.SHA256, hash, signature) == nil
	case *ecdsa.PublicKey:
		return ecdsa.VerifyASN1(k, hash, signature)
	}
	return false
}

// CountSteps is how many calls of a name were made.
func (w *World) CountSteps(name string) (n int) {
	for _, step := range w.Steps() {
		if step == name {
			n++
		}
	}
	return n
}
