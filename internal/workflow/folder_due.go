package workflow

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rsa"
	"slices"
	"strings"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// movedOn says that a document was dealt with elsewhere before it was signed here.
type movedOn struct{ status string }

// Error implements error.
func (m movedOn) Error() string { return "the document moved on: " + m.status }

// message is the entry on the history.
func (m movedOn) message() string { return "No longer pending at Lacuna Signer: " + m.status }

// moved reports whether a document, or the action in it, is over, and in which status. The document's own status says
// more than the action's.
func moved(d job.SignerDocument, actionID string) (movedOn, bool) {
	if d.Status.Ended() || d.Status == job.SignerConcluded || d.Status == job.SignerFlowConcluded {
		return movedOn{string(d.Status)}, true
	}
	a, _ := actionOf(d, actionID)
	return movedOn{a.Status}, a.Status == job.ActionCompleted || a.Status == job.ActionRefused
}

func actionOf(d job.SignerDocument, id string) (job.FlowAction, bool) {
	i := slices.IndexFunc(d.Actions, func(a job.FlowAction) bool { return a.ID == id })
	if i < 0 {
		return job.FlowAction{}, false
	}
	return d.Actions[i], true
}

// current returns a document's action if it is still the holder's and current, in the folder. It returns movedOn if there is
// nothing to sign any more, and fault.SignerFolderSignatureFailed for a flow that was edited under the job.
func current(d job.SignerDocument, actionID, folder, cpf string) (job.FlowAction, error) {
	a, there := actionOf(d, actionID)
	m, over := moved(d, actionID)
	switch {
	case over && (d.Status != job.SignerPending || isHolders(a, cpf)):
		return a, m
	case d.FolderID != folder:
		return a, flowEdited("The document is not in the profile's folder any more.")
	case !there:
		return a, flowEdited("The action is not in the document's flow any more.")
	case !isHolders(a, cpf):
		return a, flowEdited("The action is not the signature of the certificate's holder any more.")
	case a.Status == job.ActionCreated:
		return a, flowEdited("The action waits for an earlier step again.")
	case d.Status != job.SignerPending || a.Status != job.ActionPending:
		return a, flowEdited("The document is " + brief(string(d.Status)) + " and the action is " + brief(a.Status) + ".")
	}
	return a, nil
}

func flowEdited(how string) error {
	return fault.New(fault.SignerFolderSignatureFailed, "%s Nothing was signed.", how)
}

// signable refuses what Signer began in a way that leads to no signature, before the key is touched: SHA-1, digests that
// are not named or not known, hashes of another width, and digests that the key does not sign.
func signable(s job.Started, public crypto.PublicKey) error {
	var why string
	switch {
	case !s.Accepted:
		why = "Lacuna Signer did not begin the signature: " + findings(s.Findings) + "."
	case s.Digest == 0 && s.DigestName == "":
		why = "Lacuna Signer named no digest for the hash to sign."
	case !slices.Contains(digests, s.Digest):
		why = "The hash to sign is of " + digestName(s) + ", which is not signed here."
	case len(s.Hash) != s.Digest.Size():
		why = "The hash to sign has not the width of " + s.Digest.String() + "."
	case !signsWith(public, s.Digest):
		why = "The profile's key does not sign " + s.Digest.String() + "."
	case s.Token == "":
		return fault.New(fault.SignerUnreachable, "Lacuna Signer began the signature and gave no token to complete it. Nothing was signed.")
	default:
		return nil
	}
	return fault.New(fault.SignerFolderSignatureFailed, "%s The key was not asked.", why)
}

// digests are what is signed here.
var digests = []crypto.Hash{crypto.SHA256, crypto.SHA384, crypto.SHA512}

func digestName(s job.Started) string {
	if s.DigestName == "" {
		return s.Digest.String()
	}
	return brief(s.DigestName)
}

// byCurve is the one digest that KMS signs with a key on a curve, by the curve's bits. A key from a file could sign others;
// one rule for all keeps a profile's behaviour when its key moves.
var byCurve = map[int]crypto.Hash{256: crypto.SHA256, 384: crypto.SHA384, 521: crypto.SHA512}

func signsWith(public crypto.PublicKey, h crypto.Hash) bool {
	switch k := public.(type) {
	case *rsa.PublicKey:
		return true
	case *ecdsa.PublicKey:
		return byCurve[k.Curve.Params().BitSize] == h
	}
	return false
}

// mostFindings bounds what a history repeats of Signer's findings.
const mostFindings = 10

// findings writes the types of failed checks.
func findings(types []string) string {
	if len(types) == 0 {
		return "it did not say why"
	}
	short := make([]string, 0, mostFindings)
	for _, t := range types[:min(len(types), mostFindings)] {
		short = append(short, brief(t))
	}
	return strings.Join(short, ", ")
}

// maxBrief bounds a word of Signer's that is repeated on a history.
const maxBrief = 64

// brief repeats a word of Signer's. What is none is not repeated: it could be anything.
func brief(s string) string {
	odd := func(r rune) bool {
		return (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune(".-_ ", r)
	}
	if s == "" || len(s) > maxBrief || strings.ContainsFunc(s, odd) {
		return "something that is not known here"
	}
	return s
}
