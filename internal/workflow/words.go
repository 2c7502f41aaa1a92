package workflow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"bulksigner/internal/job"
)

// Bounds of asking Lacuna Signer about runs that died, so that it cannot hold up who asks.
const (
	wordTime  = 10 * time.Second // for one document
	wordsTime = 30 * time.Second // for all of an invocation
)

// words is what an invocation may still ask Lacuna Signer about runs that died. It is no concern of two goroutines.
type words struct {
	w     *Workflow
	spent time.Duration
	mute  string // why nothing is asked any more
}

// newWords makes the words of an invocation.
func newWords(w *Workflow) *words {
	if w.Signer == nil {
		return &words{w: w, mute: "this service has no Signer:Endpoint and Signer:ApiKey"}
	}
	return &words{w: w}
}

// ask reads a document, once. The second result says why it could not be asked about, or is "". Once Signer has failed to
// answer, nobody asks it again; a refusal about one document is an answer.
func (x *words) ask(ctx context.Context, id string) (d job.SignerDocument, why string) {
	if x.mute == "" && x.spent >= wordsTime {
		x.mute = "too much time went into asking"
	}
	if x.mute != "" {
		return d, x.mute
	}
	began := x.w.Now()
	ctx, cancel := context.WithTimeout(ctx, min(wordTime, wordsTime-x.spent))
	defer cancel()
	d, err := x.w.Signer.Document(ctx, id)
	x.spent += x.w.Now().Sub(began)
	if err == nil {
		return d, ""
	}
	e, ok := errors.AsType[*job.SignerError](err)
	switch {
	case ok && refusal(e):
		return d, e.Said()
	case ok:
		x.mute = e.Said()
	default:
		x.mute = "there was no time for the call"
	}
	return d, x.mute
}

// reported says how a SignerFolder job past its key ends whose run died: on Lacuna Signer's word, which is asked for once.
func (w *Workflow) reported(ctx context.Context, words *words, j job.Job) job.Ending {
	if j.Marked.IsZero() {
		return job.Ending{}
	}
	d, why := words.ask(ctx, j.Remote.DocumentID)
	if why != "" {
		return job.Ending{Reported: job.Failed, Message: fmt.Sprintf("Lacuna Signer could not be asked: %s.", why)}
	}
	a, there := actionOf(d, j.Remote.ActionID)
	m, over := moved(d, j.Remote.ActionID)
	switch {
	case j.Status == job.Verifying && a.Status == job.ActionCompleted:
		return job.Ending{Reported: job.Completed, Message: "Lacuna Signer reports the action done."}
	case j.Status == job.Processing && over:
		return job.Ending{Reported: job.Canceled, Message: m.message()}
	case !there:
		a.Status = "not there"
	}
	return job.Ending{Reported: job.Failed, Message: fmt.Sprintf("Lacuna Signer reports the document %s and the action %s.", brief(string(d.Status)), brief(a.Status))}
}
