// Package corpus reads folders of documents whose file verdicts.tsv says what a signer must do with each.
//
// The columns, with a tab between them, are file, verdict and note; the first line has their names. A note that begins
// with an error code and a colon, like "pdf.encrypted: AES-256", demands that code of a refusal; any other note is for
// people. Signing is left to signing, judging to judge.
package corpus

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"bulksigner/internal/fault"
)

// List is the name of the file that makes a folder a corpus.
const List = "verdicts.tsv"

// Limits on what is read: bytes of a list, documents in it, and bytes of a document.
const (
	maxList     = 1 << 20
	maxEntries  = 10_000
	MaxDocument = 64 << 20
)

// Verdict is what a signer must do with a document.
type Verdict string

// The verdicts. Either is for documents that some signers refuse for good reasons.
const (
	Sign   Verdict = "sign"
	Refuse Verdict = "refuse"
	Either Verdict = "either"
)

// known reports whether v is one of the verdicts.
func (v Verdict) known() bool { return v == Sign || v == Refuse || v == Either }

// Entry is a document with its verdict.
type Entry struct {
	File    string // its path in the folder, with slashes
	Verdict Verdict
	Note    string
}

var codeAtStart = regexp.MustCompile(`^([a-z]+\.[a-z0-9-]+)(?::|$)`)

// Code is the error code that a refusal must have, or "" if any will do.
func (e Entry) Code() fault.Code {
	if m := codeAtStart.FindStringSubmatch(e.Note); m != nil {
		return fault.Code(m[1])
	}
	return ""
}

// Read reads the list of a folder. Every document that it names must be there.
func Read(dir string) ([]Entry, error) {
	f, err := os.Open(filepath.Join(dir, List))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := Parse(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", List, err)
	}
	for _, e := range entries {
		if err := e.check(dir); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// check looks at the document without reading it.
func (e Entry) check(dir string) error {
	info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(e.File)))
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a file", e.File)
	case info.Size() > MaxDocument:
		return fmt.Errorf("%s has %d bytes, more than %d", e.File, info.Size(), MaxDocument)
	}
	return nil
}

// Parse reads a list. Nothing of what it names is looked at.
func Parse(r io.Reader) ([]Entry, error) {
	lines := bufio.NewScanner(io.LimitReader(r, maxList+1))
	lines.Buffer(nil, maxList)
	var entries []Entry
	seen, size := map[string]bool{}, 0
	for n := 1; lines.Scan(); n++ {
		size += len(lines.Bytes()) + 1
		line := strings.TrimSuffix(lines.Text(), "\r")
		if n == 1 || line == "" {
			continue
		}
		e, err := parseLine(line)
		if err == nil && seen[e.File] {
			err = fmt.Errorf("%s comes twice", e.File)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		seen[e.File] = true
		entries = append(entries, e)
	}
	switch {
	case lines.Err() != nil:
		return nil, lines.Err()
	case size > maxList || len(entries) > maxEntries:
		return nil, fmt.Errorf("more than %d bytes or %d documents", maxList, maxEntries)
	case len(entries) == 0:
		return nil, errors.New("no documents are named")
	}
	return entries, nil
}

func parseLine(line string) (Entry, error) {
	columns := strings.SplitN(line, "\t", 3)
	if len(columns) < 2 {
		return Entry{}, errors.New("there are fewer than two columns")
	}
	e := Entry{File: columns[0], Verdict: Verdict(columns[1])}
	if len(columns) == 3 {
		e.Note = columns[2]
	}
	switch {
	case !filepath.IsLocal(filepath.FromSlash(e.File)):
		return Entry{}, fmt.Errorf("%q does not lie in the folder", e.File)
	case !e.Verdict.known():
		return Entry{}, fmt.Errorf("%q is no verdict", e.Verdict)
	}
	return e, nil
}
