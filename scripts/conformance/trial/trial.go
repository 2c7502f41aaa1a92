// Package trial signs the documents of corpora with every kind of key, has the results judged, and says which of them
// are not as the corpus expects.
//
// A refusal is as expected if it has a code, the right one where the corpus names one, and came before the key was
// asked. A signature is as expected if the key was asked once, no judge complains, and two judges that are not ours
// approve. Documents that were altered after they were signed go before the judges too: whoever approves of them is no
// judge.
package trial

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"bulksigner/scripts/conformance/corpus"
	"bulksigner/scripts/conformance/judge"
	"bulksigner/scripts/conformance/signing"
)

// Config says what is tried, and where.
type Config struct {
	Corpora []Folder
	Module  string // the module's folder
	Tools   string // where peers/get.sh puts what no distribution has
	Dir     string // for signed documents and what the judges need; it must be there
	Workers int

	Judges func(*judge.Env) []*judge.Judge // judge.All if nil
}

// Folder is a corpus under the name that it has in the report.
type Folder struct{ Name, Dir string }

// Tool is a judge as the report names it.
type Tool struct {
	*judge.Judge
	Version string
	Missing error // why it is not there
}

// Row is what became of a document in one form with one key.
type Row struct {
	Corpus   string // "" for a control
	Entry    corpus.Entry
	Form     signing.Form
	Key      string
	Altered  bool // after it was signed
	Outcome  signing.Outcome
	Case     *judge.Case      // nil if it was refused
	Opinions map[string]error // by the judge's name: nil is approval
	Faults   []string         // why it is not as expected, see Faults
}

// Result is everything that was found.
type Result struct {
	Keys  []string
	Tools []Tool
	Rows  []*Row
}

// Run tries all corpora.
func Run(ctx context.Context, c Config) (*Result, error) {
	bench, err := signing.New()
	if err != nil {
		return nil, err
	}
	if c.Judges == nil {
		c.Judges = judge.All
	}
	t := &trial{config: c, bench: bench}
	err = t.run(ctx)
	if cerr := bench.Close(); err == nil {
		err = cerr
	}
	return &t.Result, err
}

type trial struct {
	Result
	config Config
	bench  *signing.Bench
	cases  []*judge.Case
}

func (t *trial) run(ctx context.Context) error {
	for _, k := range t.bench.Keys {
		t.Keys = append(t.Keys, fmt.Sprintf("%s with %s", k.Name, k.Hash))
	}
	for _, f := range t.config.Corpora {
		if err := t.sign(f); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	if err := t.signControls(); err != nil {
		return fmt.Errorf("controls: %w", err)
	}
	present := t.gather(ctx)
	opinions := judge.Run(ctx, present, t.cases, t.config.Workers)
	for _, r := range t.Rows {
		r.hear(opinions, t.config.Dir)
		r.Faults = Faults(r, t.Tools)
	}
	return ctx.Err()
}

// gather finds the judges and returns those that are there.
func (t *trial) gather(ctx context.Context) (present []*judge.Judge) {
	env := &judge.Env{
		Root: t.bench.Root(), RootFile: t.bench.RootFile(), Now: time.Now(), Dir: t.config.Dir, Module: t.config.Module, Tools: t.config.Tools,
	}
	for _, j := range t.config.Judges(env) {
		version, err := j.Find(ctx)
		t.Tools = append(t.Tools, Tool{j, version, err})
		if err == nil {
			present = append(present, j)
		}
	}
	return present
}

// sign signs a corpus.
func (t *trial) sign(f Folder) error {
	entries, err := corpus.Read(f.Dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path, err := filepath.Abs(filepath.Join(f.Dir, filepath.FromSlash(e.File)))
		if err != nil {
			return err
		}
		document, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := t.signAll(f.Name, e, path, document); err != nil {
			return err
		}
	}
	return nil
}

// signAll signs a document in its forms with all keys. What a profile may choose is tried where a signature is expected;
// the verdicts on other documents are about the usual form.
func (t *trial) signAll(corpusName string, e corpus.Entry, path string, document []byte) error {
	forms := signing.Forms(e.File, document)
	if e.Verdict != corpus.Sign {
		forms = forms[:1]
	}
	for _, form := range forms {
		for _, key := range t.bench.Keys {
			r := &Row{Corpus: corpusName, Entry: e, Form: form, Key: key.Name, Outcome: t.bench.Sign(document, form, key)}
			if err := t.add(r, path, key); err != nil {
				return err
			}
		}
	}
	return nil
}

// add keeps a row, and makes a case of what was signed.
func (t *trial) add(r *Row, original string, key signing.Key) error {
	t.Rows = append(t.Rows, r)
	if r.Outcome.Refused != "" {
		return nil
	}
	c := &judge.Case{
		ID: len(t.cases), Format: r.Form.Format, Original: original, CoSigned: r.Form.CoSigned, Element: r.Form.Element,
		Certificate: key.Certificate, Hash: key.Hash,
	}
	c.Signed = filepath.Join(t.config.Dir, fmt.Sprintf("%d%s", c.ID, filepath.Ext(r.Entry.File)))
	if err := os.WriteFile(c.Signed, r.Outcome.Signed, 0o600); err != nil {
		return err
	}
	if r.Form.Detached {
		c.Content = filepath.Join(t.config.Dir, fmt.Sprintf("%d.detached", c.ID))
		if err := os.WriteFile(c.Content, r.Outcome.Content, 0o600); err != nil {
			return err
		}
	}
	r.Case = c
	t.cases = append(t.cases, c)
	return nil
}

// hear collects what the judges say of a row. Complaints can quote places on this machine, which mean nothing elsewhere.
func (r *Row) hear(all judge.Opinions, dir string) {
	r.Opinions = map[string]error{}
	if r.Case == nil {
		return
	}
	places := strings.NewReplacer(r.Case.Signed, "the document", r.Case.Original, "the original", dir, "…")
	for j, opinions := range all {
		err, asked := opinions[r.Case.ID]
		switch {
		case !asked:
			continue
		case err != nil && !judge.Abstained(err):
			err = errors.New(places.Replace(err.Error()))
		}
		r.Opinions[j.Name] = err
	}
}
