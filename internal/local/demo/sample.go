package demo

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"
)

// Limits of a table of samples.
const (
	maxTable  = 64 << 10
	maxSample = 4 << 20
)

// none stands for what there is none of in the table.
const none = "-"

// Sample is a document and how its job is expected to end.
type Sample struct {
	File   string // in the samples' folder; none: an empty object, as a folder's marker is
	Key    string // in the input bucket; of a document in a folder at Lacuna Signer its name there
	Status string // none: there must be no job
	Code   string // none: no code
	Deed   string // what is done on the way; see deeds
	Flow   string // who signs in turn in a folder at Lacuna Signer, with commas between them; none: it arrives as a file
	There  string // status of its document at Lacuna Signer in the end; none: it is not there
}

// Load reads the table name of fsys: a sample a line, its seven fields separated by tabs; lines that begin with # are not
// read. A table that names what is not there is refused as a whole.
func Load(fsys fs.FS, name string) ([]Sample, error) {
	data, err := readFile(fsys, name, maxTable)
	if err != nil {
		return nil, err
	}
	var samples []Sample
	keys := map[string]bool{}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		s, err := parse(fsys, line)
		if err == nil && keys[s.Key] {
			err = fmt.Errorf("key %s stands there twice", s.Key)
		}
		if err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", name, n, err)
		}
		keys[s.Key] = true
		samples = append(samples, s)
	}
	return samples, lines.Err()
}

func parse(fsys fs.FS, line string) (Sample, error) {
	f := strings.Split(line, "\t")
	if len(f) != 7 || slices.Contains(f, "") {
		return Sample{}, fmt.Errorf("%d fields, want file, key, status, code, deed, flow and status at Lacuna Signer", len(f))
	}
	s := Sample{File: f[0], Key: f[1], Status: f[2], Code: f[3], Deed: f[4], Flow: f[5], There: f[6]}
	if _, known := deeds[s.Deed]; !known {
		return Sample{}, fmt.Errorf("nobody knows the deed %q", s.Deed)
	}
	if s.File == none {
		return s, nil
	}
	_, err := readFile(fsys, s.File, maxSample)
	return s, err
}

func readFile(fsys fs.FS, name string, limit int64) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("%s has %d bytes, more than %d", name, info.Size(), limit)
	}
	return fs.ReadFile(fsys, name)
}

// content reads the sample's file.
func (s Sample) content(fsys fs.FS) ([]byte, error) {
	if s.File == none {
		return nil, nil
	}
	body, err := fs.ReadFile(fsys, s.File)
	if err != nil {
		return nil, fmt.Errorf("read sample %s: %w", s.File, err)
	}
	return body, nil
}

// inFolder reports whether the sample is a document in a folder at Lacuna Signer.
func (s Sample) inFolder() bool { return s.Flow != none }

// silent reports whether the sample is one that no notification tells of.
func (s Sample) silent() bool { return s.Deed == silence }

// label is how a line begins.
func (s Sample) label() string {
	if s.inFolder() {
		return "Lacuna Signer: " + s.Key
	}
	return s.Key
}

func (s Sample) expects(r Row) bool {
	return s.Status == r.Status && s.Code == orNone(r.ErrorCode)
}

func (s Sample) expectation() string {
	switch {
	case s.Status == none:
		return "no job"
	case s.Code == none:
		return s.Status
	}
	return s.Status + " " + s.Code
}

func orNone(code string) string {
	if code == "" {
		return none
	}
	return code
}

// attempt is a sample under way.
type attempt struct {
	Sample
	made time.Time // when it was brought to where it belongs
	did  bool      // its deed is done
	job  string    // id of the job that counts, where there was another before
	note string    // what was done, for its line
}

// sorted gives the samples in the order of their keys.
func sorted(open map[string]*attempt) []*attempt {
	var out []*attempt
	for _, key := range slices.Sorted(maps.Keys(open)) {
		out = append(out, open[key])
	}
	return out
}
