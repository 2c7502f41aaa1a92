package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// marker is the file by which a data folder is known for one. A run that uses the folder holds a lock on it.
const marker = ".bulksigner-local"

// inside are the folders of a data folder.
var inside = []string{"aws", "config", "functions", "logs", "output"}

// Folder is a data folder in use.
type Folder struct {
	Path string // absolute

	lock *os.File
}

// OpenFolder makes an empty data folder. What an earlier run left there is deleted. A folder that is not empty and that no
// run made is refused, so that a mistyped path costs nothing, and so is one that another run uses.
func OpenFolder(dir string) (*Folder, error) {
	if dir == "" {
		return nil, errors.New("open the data folder: it has no name")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("resolve the data folder: %w", err)
	}
	if err := check(dir); err != nil {
		return nil, err
	}
	f := &Folder{Path: dir}
	if err := f.take(); err != nil {
		return nil, err
	}
	if err := f.empty(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// check refuses what is not ours.
func check(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the data folder: %w", err)
	}
	if info, err := os.Lstat(filepath.Join(dir, marker)); err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not empty and was not made by an earlier run: choose another folder, or delete it yourself", dir)
	}
	return nil
}

// take marks the folder and locks the mark.
func (f *Folder) take() error {
	if err := os.MkdirAll(f.Path, 0o700); err != nil {
		return fmt.Errorf("make the data folder: %w", err)
	}
	const text = "This folder belongs to the run on one machine. Everything in it is deleted when the next run starts.\n"
	lock, err := os.OpenFile(filepath.Join(f.Path, marker), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("mark the data folder: %w", err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return errors.Join(fmt.Errorf("another run uses %s: end it, or choose another folder: %w", f.Path, err), lock.Close())
	}
	if _, err := lock.WriteString(text); err != nil {
		return errors.Join(fmt.Errorf("mark the data folder: %w", err), lock.Close())
	}
	f.lock = lock
	return nil
}

// empty deletes what is there, except for the mark, and makes the folders that belong there.
func (f *Folder) empty() error {
	entries, err := os.ReadDir(f.Path)
	if err != nil {
		return fmt.Errorf("read the data folder: %w", err)
	}
	for _, e := range entries {
		if e.Name() == marker {
			continue
		}
		if err := os.RemoveAll(filepath.Join(f.Path, e.Name())); err != nil {
			return fmt.Errorf("clear the data folder: %w", err)
		}
	}
	for _, sub := range inside {
		if err := os.Mkdir(filepath.Join(f.Path, sub), 0o700); err != nil {
			return fmt.Errorf("make the data folder: %w", err)
		}
	}
	return nil
}

// Close lets another run have the folder. What is in it stays.
func (f *Folder) Close() error { return f.lock.Close() }
