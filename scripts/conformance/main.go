// Command conformance signs every document of a corpus with every kind of key and has the results judged by tools that
// are not ours. It writes what it found to docs/conformance.md, ends with a line that counts, and fails if anything is
// not as the corpus expects.
//
//	go run ./scripts/conformance                    the project's corpus, and the one that lies beside the repository
//	go run ./scripts/conformance -corpus ~/files    a folder with a verdicts.tsv
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"

	"bulksigner/scripts/conformance/corpus"
	"bulksigner/scripts/conformance/report"
	"bulksigner/scripts/conformance/trial"
)

func main() {
	var o options
	flag.StringVar(&o.corpus, "corpus", "", "the `folder` to sign, with a verdicts.tsv; without it the usual ones")
	flag.StringVar(&o.out, "out", filepath.Join("docs", "conformance.md"), "the `file` for the report, empty for none")
	flag.StringVar(&o.keep, "keep", "", "an empty `folder` that is there, to keep the signed documents in")
	flag.StringVar(&o.tools, "tools", ".local-ci", "the `folder` with what scripts/conformance/peers/get.sh gets")
	flag.BoolVar(&o.strict, "strict", os.Getenv("BULKSIGNER_NO_SKIP") == "1", "fail if a tool is not there")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	good, err := o.run(ctx, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if err != nil || !good {
		os.Exit(1)
	}
}

type options struct {
	corpus, out, keep, tools string
	strict                   bool
}

// workers is how many judges work at a time.
const workers = 2

func (o options) run(ctx context.Context, stdout io.Writer) (good bool, err error) {
	c := trial.Config{Workers: workers, Dir: o.keep}
	if c.Module, err = module(); err != nil {
		return false, err
	}
	if c.Tools, err = filepath.Abs(o.tools); err != nil {
		return false, err
	}
	if c.Corpora, err = o.folders(c.Module); err != nil {
		return false, err
	}
	if c.Dir == "" {
		if c.Dir, err = os.MkdirTemp("", "conformance"); err != nil {
			return false, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(c.Dir)) }()
	}
	if c.Dir, err = filepath.Abs(c.Dir); err != nil { // peers are built in another folder
		return false, err
	}
	result, err := trial.Run(ctx, c)
	if err != nil {
		return false, err
	}
	if err := o.write(result); err != nil {
		return false, err
	}
	return report.Summary(stdout, result, o.strict), nil
}

// write writes the report.
func (o options) write(r *trial.Result) error {
	if o.out == "" {
		return nil
	}
	f, err := os.Create(o.out)
	if err != nil {
		return err
	}
	return errors.Join(report.Write(f, r), f.Close())
}

// module is the folder that the command must be started in, since judges are built from sources there.
func module() (string, error) {
	if _, err := os.Stat(filepath.Join("scripts", "conformance", "peers")); err != nil {
		return "", errors.New("start it in the folder of the module")
	}
	return filepath.Abs(".")
}

// folders are the corpora. The one beside the repository holds documents under licences of their own.
func (o options) folders(module string) ([]trial.Folder, error) {
	if o.corpus != "" {
		dir, err := filepath.Abs(o.corpus)
		return []trial.Folder{{Name: filepath.Base(dir), Dir: dir}}, err
	}
	folders := []trial.Folder{{Name: "testdata/corpus", Dir: filepath.Join(module, "testdata", "corpus")}}
	beside := filepath.Join(module, "..", "shared", "corpus")
	if _, err := os.Stat(filepath.Join(beside, corpus.List)); err == nil {
		folders = append(folders, trial.Folder{Name: "shared/corpus", Dir: beside})
	}
	return folders, nil
}
