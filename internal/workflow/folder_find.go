package workflow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"unicode/utf8"

	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// find makes the jobs that a document, as it was read back, asks of a profile's holder, and returns those that are to be
// rung for. It looks at what Signer says and at nothing else, so that sweeps and checks come to the same end. A document
// that has its jobs costs one read for each.
func (w *Workflow) find(ctx context.Context, a watch, d job.SignerDocument) ([]job.ID, error) {
	if d.FolderID != a.id() || d.Status != job.SignerPending {
		return nil, nil
	}
	var ids []job.ID
	known := false
	for _, action := range d.Actions {
		if !isHolders(action, a.cpf) {
			continue
		}
		known = true
		if action.Status != job.ActionPending || action.ID == "" {
			continue // done, not the holder's turn yet, or nothing that a record could name
		}
		id, err := w.discover(ctx, job.NewFound(found(a, d, action.ID), w.Now()))
		if err != nil {
			return ids, err
		}
		if id != "" {
			ids = append(ids, id)
		}
	}
	if known {
		return ids, nil
	}
	_, err := w.discover(ctx, job.NewWithoutAction(found(a, d, ""), w.Now()))
	return nil, err
}

// isHolders reports whether an action is the holder's to sign, now, later or before. Approving is not signing, and being
// one of those whom a rule names is no action. A CPF is its digits, zeros in front among them.
func isHolders(a job.FlowAction, cpf string) bool {
	return a.Type == job.ActionSigner && a.Identifier == cpf
}

// Bounds of what is kept of a document's own words, in bytes.
const (
	maxDocumentName = 512
	maxMIMEType     = 255
)

// found is what the job of a document begins with.
func found(a watch, d job.SignerDocument, actionID string) job.Found {
	name := d.Name
	if name == "" {
		name = d.FileName
	}
	return job.Found{Profile: a.profile.Name, Format: formatAt(d), Remote: job.Remote{
		DocumentID: d.ID, ActionID: actionID, FolderID: d.FolderID,
		DocumentName: shortened(name, maxDocumentName), MIMEType: shortened(d.MIMEType, maxMIMEType),
	}}
}

// formatAt predicts in which format Lacuna Signer signs a document. Nothing depends on it.
func formatAt(d job.SignerDocument) profile.Format {
	switch {
	case d.ForceCades:
		return profile.Cades
	case d.MIMEType == "application/pdf":
		return profile.Pades
	case d.MIMEType == "application/xml", d.MIMEType == "text/xml":
		return profile.Xades
	case d.MIMEType == "":
		return profile.FormatOf(d.FileName)
	}
	return profile.Cades
}

// shortened cuts s to at most n bytes, on a rune's border.
func shortened(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// discover stores the job of a document's action unless the pair has had one, and returns its id if it is new. A pair is
// final: whatever became of its job, nothing here makes another.
func (w *Workflow) discover(ctx context.Context, j job.Job) (job.ID, error) {
	known, err := w.Discoveries.Discovered(ctx, j.Remote.DocumentID, j.Remote.ActionID)
	if err != nil {
		return "", fmt.Errorf("look for an earlier job of a document: %w", err)
	}
	if known != "" {
		return "", nil
	}
	if err := w.Discoveries.Discover(ctx, j); err != nil {
		known, rerr := w.Discoveries.Discovered(ctx, j.Remote.DocumentID, j.Remote.ActionID)
		switch {
		case rerr != nil:
			return "", fmt.Errorf("store the job of a document: %w", errors.Join(err, rerr))
		case known == "":
			return "", fmt.Errorf("store the job of a document: %w", err)
		case known != j.ID: // another look came first
			return "", nil
		}
	}
	w.discovered(ctx, j)
	return j.ID, nil
}

// discovered tells of a new job.
func (w *Workflow) discovered(ctx context.Context, j job.Job) {
	slog.InfoContext(ctx, "document found at Lacuna Signer", logged(string(j.ID)), "document", j.Remote.DocumentID, "profile", j.Profile, "status", j.Status)
	if j.Status == job.Failed {
		w.tally(job.Job{}, j)
		w.journal(ctx, job.EventSignerDocumentWithoutHolderAction, fmt.Sprintf(
			"Document %s waits in the folder of profile %s without a signing action for the certificate's holder; job %s says so.",
			j.Remote.DocumentID, j.Profile, j.ID))
		return
	}
	w.Meter.Count(job.MetricFolderEnqueued, 1, job.LabelProfile, j.Profile)
	w.journal(ctx, job.EventSignerDocumentEnqueued, fmt.Sprintf(
		"Document %s waits for the holder of the certificate of profile %s; job %s is to sign it.", j.Remote.DocumentID, j.Profile, j.ID))
}
