package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxManifest bounds the files of the CDK that are read besides templates.
const maxManifest = 1 << 20

// assembly is what was synthesized: one stack.
type assembly struct {
	stack    string
	template string // its file
}

// readAssembly finds the stack in a folder that the CDK has written.
func readAssembly(dir string) (assembly, error) {
	var m struct {
		Artifacts map[string]struct {
			Type       string
			Properties struct{ TemplateFile, StackName string }
		}
	}
	if err := readJSON(filepath.Join(dir, "manifest.json"), &m); err != nil {
		return assembly{}, fmt.Errorf("%w; synthesize first: make synth", err)
	}
	var found []assembly
	for _, name := range slices.Sorted(maps.Keys(m.Artifacts)) {
		a := m.Artifacts[name]
		if a.Type != "aws:cloudformation:stack" {
			continue
		}
		if a.Properties.StackName != "" {
			name = a.Properties.StackName
		}
		found = append(found, assembly{name, filepath.Join(dir, filepath.Base(a.Properties.TemplateFile))})
	}
	if len(found) != 1 {
		return assembly{}, fmt.Errorf("%s has %d stacks, not one", dir, len(found))
	}
	return found[0], nil
}

// contextOf puts the context of a synthesis together as the CDK's command line does: that of the file, over it what already
// stands in CDK_CONTEXT_JSON, over both -c key=value.
func contextOf(file, environment string, args []string) ([]byte, error) {
	var own struct{ Context map[string]any }
	if err := readJSON(file, &own); err != nil {
		return nil, err
	}
	all := map[string]any{}
	maps.Copy(all, own.Context)
	if environment != "" {
		var given map[string]any
		if err := json.Unmarshal([]byte(environment), &given); err != nil {
			return nil, fmt.Errorf("CDK_CONTEXT_JSON is no JSON object: %w", err)
		}
		maps.Copy(all, given)
	}
	for len(args) > 0 {
		pair, rest, err := nextPair(args)
		if err != nil {
			return nil, err
		}
		key, value, _ := strings.Cut(pair, "=")
		all[key], args = value, rest
	}
	return json.Marshal(all)
}

// nextPair reads one -c key=value, in any of its forms.
func nextPair(args []string) (pair string, rest []string, _ error) {
	first := args[0]
	for _, flag := range []string{"--context=", "-c="} {
		if p, ok := strings.CutPrefix(first, flag); ok {
			first, args = "-c", append([]string{"-c", p}, args[1:]...)
			break
		}
	}
	if first != "-c" && first != "--context" || len(args) < 2 || strings.Index(args[1], "=") < 1 {
		return "", nil, fmt.Errorf("CONTEXT is a row of -c key=value; %q is none", first)
	}
	return args[1], args[2:], nil
}

func readJSON(path string, to any) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxManifest+1))
	if err != nil {
		return err
	}
	if len(data) > maxManifest {
		return fmt.Errorf("%s has more than %d bytes", path, maxManifest)
	}
	if err := json.Unmarshal(data, to); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
