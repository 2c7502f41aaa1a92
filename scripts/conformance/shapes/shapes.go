// Package shapes makes the documents of testdata/corpus: small files of the shapes that signers stumble over, sound and
// unsound, each with what a signer must do with it.
//
// Every run makes the same bytes. Nothing in them is taken from anybody's documents.
package shapes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"bulksigner/internal/fault"
	"bulksigner/scripts/conformance/corpus"
)

// File is a document with its verdict.
type File struct {
	corpus.Entry
	Bytes []byte
}

// sign is a document that must be signed.
func sign(name string, content []byte, note string) File {
	return File{corpus.Entry{File: name, Verdict: corpus.Sign, Note: note}, content}
}

// refuse is a document that must be refused with a code.
func refuse(name string, content []byte, code fault.Code, note string) File {
	return File{corpus.Entry{File: name, Verdict: corpus.Refuse, Note: string(code) + ": " + note}, content}
}

// Files are all documents, in the order of their names.
func Files() ([]File, error) {
	messages, err := messages()
	if err != nil {
		return nil, err
	}
	archives, err := archives()
	if err != nil {
		return nil, err
	}
	files := slices.Concat(sections(), forms(), pages(), forbidden(), damaged(), documents(), brazilian(), unreadable(), messages, plain(), archives)
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.File, b.File) })
	return files, nil
}

// List is the verdicts.tsv of files.
func List(files []File) string {
	var b strings.Builder
	b.WriteString("file\tverdict\tnote\n")
	for _, f := range files {
		fmt.Fprintf(&b, "%s\t%s\t%s\n", f.File, f.Verdict, f.Note)
	}
	return b.String()
}
