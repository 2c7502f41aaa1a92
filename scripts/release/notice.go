package main

import (
	"cmp"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// noticeFile has the licences of others.
const noticeFile = "NOTICE"

// maxLicence bounds the text of a licence in bytes.
const maxLicence = 1 << 20

// licenceName is what files with licences, and with notices that must go along, are called.
var licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([.-].*)?$`)

// notice writes the licences of all modules that are in the programs, and of Go itself. A module without one is an error:
// nobody could say on what terms it is passed on.
func (r release) notice(ctx context.Context, work string) error {
	modules := map[string]bool{}
	for _, path := range r.bootstraps(work) {
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range info.Deps {
			m = cmp.Or(m.Replace, m)
			modules[m.Path+"@"+m.Version] = true
		}
	}
	goroot, err := output(ctx, r.root, "go", "env", "GOROOT")
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("The programs of this release contain what follows, under these terms.\n")
	if err := addLicences(&b, "Go and its standard library", goroot); err != nil {
		return err
	}
	for _, module := range slices.Sorted(maps.Keys(modules)) {
		dir, err := r.sources(ctx, module)
		if err == nil {
			err = addLicences(&b, module, dir)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", module, err)
		}
	}
	return os.WriteFile(filepath.Join(r.out, noticeFile), []byte(b.String()), 0o644)
}

// sources is the folder that has a module's sources.
func (r release) sources(ctx context.Context, module string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", module)
	cmd.Dir = r.root
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("find its sources: %w", err)
	}
	var m struct{ Dir string }
	if err := json.Unmarshal(out, &m); err != nil || m.Dir == "" {
		return "", fmt.Errorf("find its sources: go mod download tells no folder")
	}
	return m.Dir, nil
}

// addLicences adds the licences that stand at the top of a folder.
func addLicences(b *strings.Builder, name, dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	found := false
	for _, f := range files {
		if f.IsDir() || !licenceName.MatchString(f.Name()) || filepath.Ext(f.Name()) == ".go" {
			continue
		}
		info, err := f.Info()
		if err != nil {
			return err
		}
		if info.Size() > maxLicence {
			return fmt.Errorf("%s has %d bytes, more than a licence", f.Name(), info.Size())
		}
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "\n%[1]s\n%[2]s, %[3]s\n%[1]s\n\n%[4]s\n", strings.Repeat("-", 80), name, f.Name(), strings.TrimSpace(string(text)))
		found = true
	}
	if !found {
		return fmt.Errorf("it has no file with a licence")
	}
	return nil
}
