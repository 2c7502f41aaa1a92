package settings

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
)

// MaxBytes is the largest settings file.
const MaxBytes = 1 << 20

// Need is a part of the service that demands more than the others.
type Need string

// API needs a key, which the functions that serve no requests do without.
const API Need = "api"

// Load reads the settings file called name from fsys, lays the environment over it (as os.Environ gives it) and checks
// everything. It returns fault.SettingsInvalid, with Faults as its cause, if anything is wrong.
func Load(fsys fs.FS, name string, environ []string, needs ...Need) (Settings, error) {
	out := newCollector(name)
	root := readTree(fsys, name, out)
	if root == nil {
		return Settings{}, out.err()
	}
	overlay(root, environ, out)
	r := reader{fsys: fsys, dir: path.Dir(name), out: out}
	s := r.settings(&block{node: root, out: out})
	for _, n := range needs {
		r.need(s, n)
	}
	if err := out.err(); err != nil {
		return Settings{}, err
	}
	s.origins = origins{}
	s.origins.note("", root, out.variables)
	return s, nil
}

func readTree(fsys fs.FS, name string, out *collector) *node {
	data, err := readFile(fsys, name, MaxBytes)
	if err != nil {
		message, remedy := cannotRead(err, MaxBytes)
		out.add(name, message, remedy)
		return nil
	}
	return parseTree(data, out)
}

var (
	errNotAPath = errors.New("not a path")
	errTooLarge = errors.New("too large")
)

// readFile reads at most limit bytes, and returns errTooLarge if there are more.
func readFile(fsys fs.FS, name string, limit int64) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, errNotAPath
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if int64(len(data)) > limit {
		return nil, errTooLarge
	}
	return data, nil
}

// cannotRead puts readFile's error into a fault's words. A system's own text can name more than a log should have.
func cannotRead(err error, limit int64) (message, remedy string) {
	switch {
	case errors.Is(err, errTooLarge):
		return fmt.Sprintf("has more than %d bytes", limit), "remove what does not belong there"
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such file", "bundle the file with the function"
	case errors.Is(err, errNotAPath):
		return "is not a path", "write a relative path without dots, with / between its elements"
	default:
		return "cannot be read", "check that it is a file and that the function may read it"
	}
}

// need checks what only one part of the service demands.
func (r reader) need(s Settings, n Need) {
	auth := &block{path: "Auth", out: r.out}
	if n == API && s.Auth.ApiKey == "" {
		auth.fault("ApiKey", "is missing, and the API serves nobody without it", giveAPIKey)
	}
}
