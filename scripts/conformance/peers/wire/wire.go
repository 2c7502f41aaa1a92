// Package wire is how the programs here talk to the conformance run: a line in for each case, a line out.
package wire

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
)

// Case is a signed document to be judged.
type Case struct {
	ID, Format, Signed, Original string
	Content                      string // the file that a detached signature signs, "" if there is none
	Signer                       string // SHA-256 of the certificate, in lower-case hexadecimal
}

// ErrUnable says that a library cannot judge a document, for no fault of the document's.
var ErrUnable = errors.New("unable")

// Serve answers the lines on standard input. Asked for --version, it prints that of the library instead.
func Serve(library string, open func(root string) (judge func(Case) error, err error)) {
	if err := serve(library, open, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(library string, open func(string) (func(Case) error, error), in io.Reader, out io.Writer) error {
	if len(os.Args) != 2 {
		return errors.New("want one argument: the trust anchor's file, or --version")
	}
	if os.Args[1] == "--version" {
		fmt.Fprintln(out, version(library))
		return nil
	}
	judge, err := open(os.Args[1])
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		c, err := parse(lines.Text())
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s\t%s\n", c.ID, answer(judge, c))
	}
	return lines.Err()
}

func parse(line string) (Case, error) {
	f := strings.Split(line, "\t")
	if len(f) != 6 {
		return Case{}, fmt.Errorf("a case has %d columns, want 6", len(f))
	}
	c := Case{ID: f[0], Format: f[1], Signed: f[2], Original: f[3], Content: f[4], Signer: f[5]}
	if c.Content == "-" {
		c.Content = ""
	}
	return c, nil
}

// answer judges a case. A library that panics has not approved.
func answer(judge func(Case) error, c Case) (said string) {
	defer func() {
		if r := recover(); r != nil {
			said = fmt.Sprintf("invalid\tthe library panics: %.200v", r)
		}
	}()
	err := judge(c)
	word := "invalid"
	switch {
	case err == nil:
		return "valid"
	case errors.Is(err, ErrUnable):
		word = "unable"
	}
	why := strings.TrimPrefix(err.Error(), ErrUnable.Error()+": ")
	return word + "\t" + strings.Join(strings.Fields(why), " ")
}

// version is that of a module in this program.
func version(library string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == library {
				return strings.TrimPrefix(m.Version, "v")
			}
		}
	}
	return "unknown"
}
