// Package judge has signed documents judged by tools that are not ours.
//
// Each tool is a Judge. What it prints is read by said; that a tool says nothing, dies or takes too long is a complaint
// and never approval. A tool that cannot judge a kind of document says so, with the reason: then it neither approves nor
// complains. Where documents come from and what is made of the opinions is left to others.
package judge

import (
	"context"
	"crypto"
	"crypto/x509"
	"errors"
	"slices"
	"sync"
	"time"

	"bulksigner/internal/profile"
)

// Case is a signed document that is to be judged.
type Case struct {
	ID     int // unique among the cases of a run
	Format profile.Format

	Original, Signed string // files
	Content          string // the file that a detached signature signs, "" if there is none
	CoSigned         bool   // the original was a signed message
	Element          string // the XML element that is signed, "" for the whole document

	Certificate *x509.Certificate // of the signer
	Hash        crypto.Hash
}

// Env is what the judges have in common.
type Env struct {
	Root     *x509.Certificate // the trust anchor
	RootFile string            // in PEM
	Now      time.Time
	Dir      string // for files of the judges' own
	Module   string // the module's folder, where the peers' sources are
	Tools    string // a folder with a Python environment and Java libraries, see peers/get.sh
}

// Judge is a tool with an opinion about signed documents.
type Judge struct {
	Name    string
	Formats []profile.Format

	// Package is what to install where the judge is not there, as the command that does it.
	Package string

	// Outside is false for our own verifier, which does not count among the outside opinions.
	Outside bool

	// Maths says that the judge would notice a changed byte. The others look at structure or policy alone.
	Maths bool

	// Find looks for the tool and returns its version. An error says that it is not there.
	Find func(ctx context.Context) (version string, err error)

	// Each judges a case, Batch many at once: whatever starts slowly has that instead of Each. Nil is approval, an Unable
	// is no opinion, any other error a complaint.
	Each  func(ctx context.Context, c *Case) error
	Batch func(ctx context.Context, cases []*Case) []error
}

// Judges reports whether the judge has opinions about a format.
func (j *Judge) Judges(f profile.Format) bool { return slices.Contains(j.Formats, f) }

// Unable is the opinion of a judge that cannot judge a document, for no fault of the document's.
type Unable struct{ Reason string }

// Error says why.
func (u Unable) Error() string { return u.Reason }

// Abstained reports whether an opinion is none.
func Abstained(err error) bool {
	_, ok := errors.AsType[Unable](err)
	return ok
}

// All are the judges, in the order of the tables.
func All(e *Env) []*Judge {
	return slices.Concat(e.pdfJudges(), e.cmsJudges(), e.xmlJudges(), e.peers(), []*Judge{e.ours()})
}

// Opinions are what judges say of cases, by the number of the case.
type Opinions map[*Judge]map[int]error

// Run lets judges look at cases, with a number of workers.
func Run(ctx context.Context, judges []*Judge, cases []*Case, workers int) Opinions {
	opinions, tasks := Opinions{}, []func(){}
	var mu sync.Mutex
	for _, j := range judges {
		opinions[j] = map[int]error{}
		set := func(id int, err error) {
			mu.Lock()
			defer mu.Unlock()
			opinions[j][id] = err
		}
		tasks = append(tasks, j.tasks(ctx, cases, set)...)
	}
	queue := make(chan func())
	var pool sync.WaitGroup
	for range workers {
		pool.Go(func() {
			for task := range queue {
				task()
			}
		})
	}
	for _, task := range tasks {
		queue <- task
	}
	close(queue)
	pool.Wait()
	return opinions
}

// tasks are what the judge has to do: one task for all cases, or one a case.
func (j *Judge) tasks(ctx context.Context, cases []*Case, set func(int, error)) []func() {
	mine := slices.DeleteFunc(slices.Clone(cases), func(c *Case) bool { return !j.Judges(c.Format) })
	if len(mine) == 0 {
		return nil
	}
	if j.Batch != nil {
		return []func(){func() {
			for i, err := range j.Batch(ctx, mine) {
				set(mine[i].ID, err)
			}
		}}
	}
	var tasks []func()
	for _, c := range mine {
		tasks = append(tasks, func() { set(c.ID, j.Each(ctx, c)) })
	}
	return tasks
}

// failAll is one error for many cases.
func failAll(cases []*Case, err error) []error {
	errs := make([]error, len(cases))
	for i := range errs {
		errs[i] = err
	}
	return errs
}
