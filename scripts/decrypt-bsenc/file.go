package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"bulksigner/internal/bsenc"
)

// maxEnvelope is the envelope of the largest document that the service takes, 1 GiB.
const maxEnvelope = 1<<30 + bsenc.Overhead

// readEnvelope reads a file into memory, if it is a file and not too large.
func readEnvelope(name string) ([]byte, error) {
	info, err := os.Stat(name) // before it is opened: opening a pipe would wait
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file", name)
	case info.Size() > maxEnvelope:
		return nil, fmt.Errorf("%s has %d bytes, more than %d", name, info.Size(), int64(maxEnvelope))
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, info.Size())
	if _, err := io.ReadFull(f, b); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return b, nil
}

// free refuses an output that is there already, before any work is done. To place, it is no more than a hint.
func free(o options) error {
	there, err := os.Lstat(o.out)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !o.force:
		return fmt.Errorf("%s exists already; -f replaces it", o.out)
	}
	if in, err := os.Stat(o.in); err == nil && os.SameFile(there, in) {
		return fmt.Errorf("%s is the envelope: the document needs another name", o.out)
	}
	return nil
}

// write puts the plaintext into a file beside the output, and then in its place: no reader sees a part of it. The file is
// readable by its owner alone from the beginning.
func write(ctx context.Context, o options, plaintext []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(o.out), ".decrypt-bsenc-*") // with mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if e := os.Remove(f.Name()); !errors.Is(e, fs.ErrNotExist) { // a rename has taken it away
			err = errors.Join(err, e)
		}
	}()
	if err := errors.Join(fill(ctx, f, plaintext), f.Close()); err != nil {
		return err
	}
	return place(f.Name(), o)
}

// fill writes in pieces, so that an interrupted run ends soon and cleans up.
func fill(ctx context.Context, f *os.File, plaintext []byte) error {
	for piece := range slices.Chunk(plaintext, 1<<20) {
		if ctx.Err() != nil {
			return errors.New("interrupted; nothing was written")
		}
		if _, err := f.Write(piece); err != nil {
			return err
		}
	}
	return f.Sync()
}

// place gives a file its name. A link never replaces anything, whoever came in between; a rename always does.
func place(file string, o options) error {
	if o.force {
		return os.Rename(file, o.out)
	}
	err := os.Link(file, o.out)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w; where there are no links, -f renames instead", err)
	}
	return err
}
