package main

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// packed is the time of everything in a zip file: the first that the format knows.
var packed = time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC)

// sums is the file that has the sums of all others.
const sums = "SHA256SUMS"

// member is a file on its way into a zip file.
type member struct {
	name string // there
	path string // here
	mode fs.FileMode
}

// pack writes a zip file whose bytes depend on names, modes and contents alone.
func pack(to string, members []member) (err error) {
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	z := zip.NewWriter(out)
	slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
	for _, m := range members {
		if err := m.add(z); err != nil {
			return fmt.Errorf("pack %s: %w", m.name, err)
		}
	}
	return z.Close()
}

func (m member) add(z *zip.Writer) error {
	in, err := os.Open(m.path)
	if err != nil {
		return err
	}
	defer in.Close()
	h := &zip.FileHeader{Name: m.name, Method: zip.Deflate, Modified: packed}
	h.SetMode(m.mode)
	w, err := z.CreateHeader(h)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, in)
	return err
}

// sumUp writes the sums of all files of a folder, as sha256sum -c reads them.
func sumUp(dir string) error {
	files, err := os.ReadDir(dir) // by name
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, f := range files {
		sum, err := sumOf(filepath.Join(dir, f.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", sum, f.Name())
	}
	return os.WriteFile(filepath.Join(dir, sums), []byte(b.String()), 0o644)
}

func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
