// Command generate writes testdata/corpus anew. What its files hold is in package shapes.
//
//	go run ./scripts/conformance/generate
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"bulksigner/scripts/conformance/corpus"
	"bulksigner/scripts/conformance/shapes"
)

func main() {
	out := flag.String("out", filepath.Join("testdata", "corpus"), "the `folder` to write to; files that are no longer made stay")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(out string) error {
	files, err := shapes.Files()
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := write(filepath.Join(out, filepath.FromSlash(f.File)), f.Bytes); err != nil {
			return err
		}
	}
	return write(filepath.Join(out, corpus.List), []byte(shapes.List(files)))
}

func write(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o644)
}
